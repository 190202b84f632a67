/** Submits or watches each task that has not ended, also after a reload and in other tabs. */
import { isMediagateError } from "mediagate";
import { onMessage } from "./database";
import { type Entry, isActive, isSubmitting } from "./entry";
import { discardExpired } from "./forget";
import { explain } from "./rerun";
import { entries, findEntry, load, onChangedElsewhere, update } from "./store";
import { resumeSubmission } from "./submit";
import { readInput, reloadInput } from "./taskInput";
import { watch } from "./watch";
import { abort, CANCELLED, isWorking } from "./work";

/** The interval at which a page deletes the tasks that were removed a day ago, in milliseconds. */
const DISCARD_MS = 3_600_000;

export async function resumeAll(): Promise<void> {
  const loading = load();
  onChangedElsewhere(loading, (keys) => {
    keys.forEach(reloadInput);
    keys.forEach(reconcile);
  });
  onMessage(
    (message) => "cancelled" in message && abort(message.cancelled, CANCELLED),
  );
  await loading;
  discardExpired();
  setInterval(discardExpired, DISCARD_MS);
  for (const { key } of entries.value) reconcile(key);
}

/** Starts the work that a task needs, or ends the work that it no longer needs. */
export function reconcile(key: string): void {
  const entry = findEntry(key);
  if (!entry || !isActive(entry)) abort(key);
  else if (isWorking(key)) return;
  else if (isSubmitting(entry)) void resume(entry);
  else void watch(key);
}

/** Submits a task again that was interrupted before its create was sent. */
export function restart(key: string): void {
  void update(key, {
    step: "uploading",
    startedAt: Date.now(),
    sentAt: undefined,
    endedAt: undefined,
  });
  reconcile(key);
}

async function resume(entry: Entry): Promise<void> {
  const { key } = entry;
  // Not awaited, so that the work is registered before another call can start it.
  const reading = readInput(key);
  await resumeSubmission(key).catch(async (failure: unknown) => {
    // The card shows the failure of a task that is still in the list.
    if (isMediagateError(failure) && !findEntry(key))
      explain(entry, failure, (await reading)?.values);
  });
}
