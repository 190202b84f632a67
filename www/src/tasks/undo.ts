/** Removes tasks from the list. A person can bring them back. */
import { notifyUndo } from "../notices/store";
import { afterRender } from "../parts/afterRender";
import { headingOf, isOver } from "./entry";
import { reconcile } from "./resume";
import { findEntry, updateAll } from "./store";

interface Whole {
  heading: string;
  restore(): void;
}

/** Removes tasks, with a notice that offers Undo. They can be restored for a day. */
export function removeTasks(keys: readonly string[], whole?: Whole): void {
  void updateAll(keys, { removedAt: Date.now() });
  keys.forEach(reconcile);
  const heading = whole?.heading ?? onlyHeading(keys);
  const what = heading ? `“${heading}”` : `${keys.length} tasks`;
  const text = keys.some(isRunning)
    ? `Removed ${what}. A running task goes on at the media service, and may be charged.`
    : `Removed ${what}`;
  notifyUndo(text, () => {
    if (whole) whole.restore();
    else restoreTasks(keys);
    afterRender(() => focusTask(keys[0]));
  });
}

/** Returns true if the media service works on a task, which the removal does not stop. */
function isRunning(key: string): boolean {
  const entry = findEntry(key);
  return entry?.saved !== undefined && !isOver(entry.state);
}

function onlyHeading(keys: readonly string[]): string | undefined {
  const [first = ""] = keys;
  const only = keys.length === 1 ? findEntry(first) : undefined;
  return only && headingOf(only);
}

export function restoreTasks(keys: readonly string[]): void {
  // A task may have been deleted for good meanwhile.
  const restored = keys.filter((key) => !findEntry(key)?.gone);
  void updateAll(restored, { removedAt: undefined });
  restored.forEach(reconcile);
}

export function focusTask(key: string | undefined): void {
  const task =
    key === undefined
      ? null
      : document.querySelector<HTMLElement>(`[aria-controls="task-${key}"]`);
  const target = task ?? document.getElementById("tasks-heading");
  target?.focus();
}
