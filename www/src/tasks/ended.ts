/** Signals the end of a task in the tab's title, as a notification, and with the result in view. */
import { computed, effect, signal } from "@preact/signals";
import { visible } from "../parts/visible";
import { pipelines } from "../pipelines/store";
import { itemsOf, showEnd } from "../stage/shown";
import { type Entry, headingOf, isActive, isOver, stateOf } from "./entry";
import { notifyEnd } from "./notifications";
import { entries } from "./store";

/** The tasks that ended while the page was not in view. */
const unseen = signal<readonly Entry[]>([]);

/** The beginning of the tab's title; empty if no task has ended unseen. */
export const endedTitle = computed(() => {
  const [only] = unseen.value;
  if (!only) return "";
  return unseen.value.length === 1
    ? `${stateOf(only)}: ${headingOf(only)}`
    : `${unseen.value.length} tasks ended`;
});

export function followEnds(): void {
  const active = new Set<string>();
  effect(() => {
    for (const entry of entries.value) {
      if (isActive(entry)) active.add(entry.key);
      else if (active.delete(entry.key) && isOver(entry.state)) end(entry);
    }
  });
  effect(() => {
    if (visible.value) unseen.value = [];
  });
}

function end(entry: Entry): void {
  // Only read here: the effect that calls this must not run when the page comes into view.
  if (!visible.peek()) {
    unseen.value = [...unseen.peek(), entry];
    notifyEnd(`${stateOf(entry)}: ${headingOf(entry)}`, entry.key);
  }
  if (itemsOf(entry).length > 0) showEnded(entry);
}

/** Shows an ended task. A pipeline's task is shown with its pipeline. */
function showEnded({ key, pipeline: id }: Entry): void {
  const isListed = pipelines.peek().some((pipeline) => pipeline.id === id);
  showEnd(
    isListed && id !== undefined
      ? { kind: "pipeline", id }
      : { kind: "task", key },
  );
}
