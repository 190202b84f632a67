/** Removes tasks from the list so that a person can bring them back. */
import { notify } from "../notices/store";
import { headingOf } from "./entry";
import { discard } from "./forget";
import { PAGE } from "./page";
import { reconcile } from "./resume";
import { findEntry, updateAll } from "./store";

/** What is removed with its tasks. */
interface Whole {
  heading: string;
  bringBack(): void;
  discard(): void;
}

/** They and their inputs are deleted when the notice has lapsed. */
export function removeTasks(keys: readonly string[], whole?: Whole): void {
  void updateAll(keys, { removedBy: PAGE });
  keys.forEach(reconcile);
  const heading = whole?.heading ?? onlyHeading(keys);
  notify({
    text: heading ? `Removed “${heading}”` : `Removed ${keys.length} tasks`,
    action: { label: "Undo", act: () => bringBack(keys, whole) },
    lapsed: () => {
      // One may have been brought back in another way.
      void discard(keys.filter((it) => findEntry(it)?.removedBy !== undefined));
      whole?.discard();
    },
  });
}

function onlyHeading(keys: readonly string[]): string | undefined {
  const [first = ""] = keys;
  const only = keys.length === 1 ? findEntry(first) : undefined;
  return only && headingOf(only);
}

function bringBack(keys: readonly string[], whole: Whole | undefined): void {
  void updateAll(keys, { removedBy: undefined });
  keys.forEach(reconcile);
  whole?.bringBack();
  requestAnimationFrame(() => focusTask(keys[0]));
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
