/** The message about a server that does not answer at present, and that nothing is lost. */
import type { Silent } from "./reconnect";

export function Reconnecting({
  what,
  silent,
  again,
}: {
  what: "task" | "pipeline";
  silent: Silent;
  again(): void;
}) {
  return (
    <div class="bar">
      <p class="facts">
        {silent === "gateway"
          ? "The gateway cannot be reached"
          : "The media service does not answer the gateway"}{" "}
        at present. The {what} goes on, and the page tries again by itself.
      </p>
      <button type="button" class="small" onClick={again}>
        Reconnect now
      </button>
    </div>
  );
}
