/** Stands in for a result that could not be loaded, with a button that tries a fresh URL. */
import { RotateCcw } from "lucide";
import { useRef, useState } from "preact/hooks";
import { Icon } from "../parts/Icon";
import { online } from "../parts/online";
import { useFocusAfter } from "../parts/useFocusAfter";

interface LoadAgainProps {
  name: string;
  /** True if a fresh URL did not load either. */
  isGone: boolean;
  load(): Promise<void>;
}

export function LoadAgain({ name, isGone, load }: LoadAgainProps) {
  const element = useRef<HTMLDivElement>(null);
  const [loading, setLoading] = useState(false);
  useFocusAfter(element, (removed) => [removed.closest(".result")]);
  const start = async () => {
    setLoading(true);
    await load();
    setLoading(false);
  };
  return (
    <div ref={element} class="broken">
      <p>{reason(isGone)}</p>
      {online.value && (
        <button
          type="button"
          class="small"
          aria-label={`Load ${name} again`}
          aria-disabled={loading}
          onClick={() => void start()}
        >
          <Icon icon={RotateCcw} size={14} />{" "}
          {loading ? "Loading…" : "Load again"}
        </button>
      )}
    </div>
  );
}

function reason(isGone: boolean): string {
  if (!online.value)
    return "The result could not be loaded. It loads when you are online again.";
  return isGone
    ? "The result is gone. A new link did not load it either."
    : "The result could not be loaded. Its link may have expired.";
}
