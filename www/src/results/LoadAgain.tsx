/** In place of a result that could not be loaded: why, and a button to load it again. */
import { RotateCcw } from "lucide";
import { useRef, useState } from "preact/hooks";
import { Icon } from "../parts/Icon";
import { online } from "../parts/online";
import { useFocusAfter } from "../parts/useFocusAfter";

export function LoadAgain({
  name,
  load,
}: {
  name: string;
  load(): Promise<void>;
}) {
  const element = useRef<HTMLDivElement>(null);
  const [loading, setLoading] = useState(false);
  useFocusAfter(element, (it) => [it.closest(".result")]);
  const start = async () => {
    setLoading(true);
    await load();
    setLoading(false);
  };
  return (
    <div ref={element} class="broken">
      <p>
        {online.value
          ? "The result could not be loaded. Its link may have expired."
          : "The result could not be loaded. It is loaded when you are online again."}
      </p>
      {online.value && (
        <button
          type="button"
          class="small"
          aria-label={`Load ${name} again`}
          aria-disabled={loading}
          onClick={() => void start()}
        >
          <Icon of={RotateCcw} size={14} />{" "}
          {loading ? "Loading…" : "Load again"}
        </button>
      )}
    </div>
  );
}
