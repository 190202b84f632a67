/** Removes tasks from the list so that a person can bring them back. */
import { notify } from "../notices/store";
import { headingOf, isOver } from "./entry";
import { reconcile } from "./resume";
import { findEntry, updateAll } from "./store";

/** What is removed with its tasks. */
interface Whole {
  heading: string;
  /** Restores it with its tasks. */
  restore(): void;
}

/** They can be restored for a day; the notice offers that at once. */
export function removeTasks(keys: readonly string[], whole?: Whole): void {
  void updateAll(keys, { removedAt: Date.now() });
  keys.forEach(reconcile);
  const heading = whole?.heading ?? onlyHeading(keys);
  const what = heading ? `“${heading}”` : `${keys.length} tasks`;
  const restore = () => {
    if (whole) whole.restore();
    else restoreTasks(keys);
    requestAnimationFrame(() => focusTask(keys[0]));
  };
  notify({
    text: keys.some(isRunning)
      ? `Removed ${what}. It goes on at the media service, and may be charged.`
      : `Removed ${what}`,
    action: { label: "Undo", act: restore },
  });
}

/** Whether the media service works on it: removing it here does not stop that. */
function isRunning(key: string): boolean {
  const entry = findEntry(key);
  return entry?.saved !== undefined && !isOver(entry.state);
}

function onlyHeading(keys: readonly string[]): string | undefined {
  const [first = ""] = keys;
  const only = keys.length === 1 ? findEntry(first) : undefined;
  return only && headingOf(only);
}

/** Lists removed tasks again, and follows those that run. One that was deleted meanwhile stays so. */
export function restoreTasks(keys: readonly string[]): void {
  const restored = keys.filter((key) => !findEntry(key)?.gone);
  void updateAll(restored, { removedAt: undefined });
  restored.forEach(reconcile);
}

/** Moves the focus to a task's heading; to that of the list for a task that is not shown. */
export function focusTask(key: string | undefined): void {
  const task =
    key === undefined
      ? null
      : document.querySelector<HTMLElement>(`[aria-controls="task-${key}"]`);
  const target = task ?? document.getElementById("tasks-heading");
  target?.focus();
}
