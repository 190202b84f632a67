/**
 * Calls `act` when the page shows the changes so far, and before the next event. So no key can come
 * between a press and the move of the focus that follows it.
 */
export function afterRender(act: () => void): void {
  // Preact renders in a microtask, which the change of a signal may queue after the first of these.
  queueMicrotask(() => queueMicrotask(act));
}
