/** Removes tasks from the list so that a person can bring them back. */
import { notify } from "../notices/store";
import { headingOf } from "./entry";
import { discard } from "./forget";
import { PAGE } from "./page";
import { reconcile } from "./resume";
import { findEntry, updateAll } from "./store";

/** They and their inputs are deleted when the notice has lapsed. */
export function removeTasks(keys: readonly string[]): void {
  const [first] = keys;
  const only = keys.length === 1 && first !== undefined ? findEntry(first) : undefined;
  void updateAll(keys, { removedBy: PAGE });
  keys.forEach(reconcile);
  notify({
    text: only ? `Removed “${headingOf(only)}”` : `Removed ${keys.length} tasks`,
    action: { label: "Undo", act: () => bringBack(keys) },
    // One may have been brought back in another way.
    lapsed: () => void discard(keys.filter((it) => findEntry(it)?.removedBy !== undefined)),
  });
}

function bringBack(keys: readonly string[]): void {
  void updateAll(keys, { removedBy: undefined });
  keys.forEach(reconcile);
  requestAnimationFrame(() => focusTask(keys[0]));
}

/** Moves the focus to a task's heading; to that of the list for a task that is not shown. */
export function focusTask(key: string | undefined): void {
  const task = key === undefined ? null : document.querySelector<HTMLElement>(`[aria-controls="task-${key}"]`);
  const target = task ?? document.getElementById("tasks-heading");
  target?.focus();
}
