import { useRef, useState } from "preact/hooks";
import { toShownError } from "../parts/Failure";
import { useFocusAfter } from "../parts/useFocusAfter";
import { older, readOlder } from "./history";

export function Older() {
  const [status, setStatus] = useState("");
  const [loading, setLoading] = useState(false);
  const show = async () => {
    if (loading) return;
    setLoading(true);
    setStatus(
      await readOlder().then(
        countWords,
        (failure) => toShownError(failure).heading,
      ),
    );
    setLoading(false);
  };
  return (
    <li class="older">
      {older.value !== undefined && (
        <Button loading={loading} show={() => void show()} />
      )}
      <p class="facts" role="status">
        {status}
      </p>
    </li>
  );
}

function Button({ loading, show }: { loading: boolean; show(): void }) {
  const button = useRef<HTMLButtonElement>(null);
  useFocusAfter(button, () => [document.getElementById("tasks-heading")]);
  return (
    <button
      ref={button}
      type="button"
      class="quiet"
      aria-disabled={loading}
      onClick={show}
    >
      {loading ? "Loading…" : "Show older"}
    </button>
  );
}

function countWords(count: number): string {
  if (count === 0 && older.value !== undefined)
    return "The tasks that were read are already in the list.";
  if (count === 0) return "There are no older tasks.";
  return count === 1 ? "Added 1 older task." : `Added ${count} older tasks.`;
}
