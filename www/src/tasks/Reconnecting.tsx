/** Says that the gateway cannot be reached, and that this loses nothing. */
export function Reconnecting({
  what,
  again,
}: {
  what: "task" | "pipeline";
  again(): void;
}) {
  return (
    <div class="bar">
      <p class="facts">
        The gateway cannot be reached at present. The {what} goes on, and the
        page tries again by itself.
      </p>
      <button type="button" class="small" onClick={again}>
        Reconnect now
      </button>
    </div>
  );
}
