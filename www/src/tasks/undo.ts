/** Removes tasks from the list. A person can bring them back for a day. */
import { client } from "../client";
import { notifyUndo } from "../notices/store";
import { opened } from "../opened";
import { afterRender } from "../parts/afterRender";
import { choose } from "../stage/shown";
import { headingOf, isOver, isSubmitting } from "./entry";
import { repeat } from "./rerun";
import { findEntry, removedEntries, updateAll, whenLoaded } from "./store";
import { dropPending, isStopped, stopSubmission } from "./submit";
import { tileOf } from "./Tile";

/** The time in which a removed task can be restored, in milliseconds: a day. */
export const RESTORABLE_MS = 86_400_000;

/** The interval at which a page deletes the tasks that were removed a day ago, in milliseconds. */
const DISCARD_MS = 3_600_000;

/** A pipeline that is removed with its tasks. */
interface Whole {
  heading: string;
  restore(): void;
  /** Shows it on the stage, and moves the focus to its tile. */
  focus(): void;
}

/** Removes tasks, with a notice that offers Undo. */
export function removeTasks(keys: readonly string[], whole?: Whole): void {
  const heading = whole?.heading ?? onlyHeading(keys);
  const isCharged = keys.some(isRunning);
  const removed = keys.flatMap((key) => findEntry(key) ?? []);
  void updateAll(keys, { removedAt: Date.now() });
  for (const entry of removed.filter(isSubmitting)) stopSubmission(entry);
  const what = heading ? `“${heading}”` : `${keys.length} tasks`;
  const text = isCharged
    ? `Removed ${what}. A running task goes on at the media service, and may be charged.`
    : `Removed ${what}`;
  notifyUndo(text, () => {
    if (whole) whole.restore();
    else restoreTasks(keys);
    afterRender(() => (whole ? whole.focus() : focusTask(keys[0])));
  });
}

/** Returns true if the media service works on a task, which the removal does not stop. */
function isRunning(key: string): boolean {
  const entry = findEntry(key);
  return entry?.task !== undefined && !isOver(entry.state);
}

function onlyHeading(keys: readonly string[]): string | undefined {
  const [first = ""] = keys;
  const only = keys.length === 1 ? findEntry(first) : undefined;
  return only && headingOf(only);
}

export function restoreTasks(keys: readonly string[]): void {
  void updateAll(keys, { removedAt: undefined });
  for (const key of keys) {
    const entry = findEntry(key);
    // A create that could not go on before its removal waits for a person.
    if (entry && isStopped(key)) void repeat(entry);
  }
}

export function focusTask(key: string | undefined): void {
  if (key !== undefined) choose({ kind: "task", key });
  focusTile(key);
}

/** Moves the focus to a tile, or to the heading of the list. */
export function focusTile(key: string | undefined): void {
  const tile = key === undefined ? null : document.getElementById(tileOf(key));
  const target = tile ?? document.getElementById("tasks-heading");
  target?.focus();
}

/** Deletes tasks with their inputs, here and on the gateway. */
export async function discard(keys: readonly string[]): Promise<void> {
  const items = keys.flatMap((key) => findEntry(key)?.stored ?? []);
  dropPending(keys);
  const [store, media] = await Promise.all([opened, client()]);
  await store?.forget(items, { media });
}

/** Deletes the tasks that were removed a day ago: now, and every hour. */
export async function discardExpired(): Promise<void> {
  await whenLoaded;
  const isExpired = ({ removedAt = Date.now() }) =>
    Date.now() - removedAt >= RESTORABLE_MS;
  const expired = removedEntries.value.filter(isExpired);
  if (expired.length > 0)
    await discard(expired.map(({ key }) => key)).catch(() => undefined);
  setTimeout(discardExpired, DISCARD_MS);
}
