/** Follows the list: each task that is not over is submitted or watched, also after a reload and in other tabs. */
import { isMediagateError } from "mediagate";
import { findCapability } from "../catalogue";
import { fillForm } from "../form/fill";
import { notifyRefusal } from "../notices/refusal";
import { onMessage } from "./database";
import { type Entry, headingOf, isActive, isSubmitting } from "./entry";
import { discardExpired } from "./forget";
import { entries, findEntry, load, onChangedElsewhere, update } from "./store";
import { resumeSubmission } from "./submit";
import { readInput, reloadInput } from "./taskInput";
import { watch } from "./watch";
import { abort, CANCELLED, isWorking } from "./work";

/** The interval at which an open page deletes tasks that were removed a day ago, in milliseconds. */
const DISCARD_MS = 3_600_000;

/** Reads the stored tasks and follows them. */
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

/** Starts what a task needs, and ends what it does not need any more. */
export function reconcile(key: string): void {
  const entry = findEntry(key);
  if (!entry || !isActive(entry)) abort(key);
  else if (isWorking(key)) return;
  else if (isSubmitting(entry)) void resume(entry);
  else void watch(key);
}

/** Submits a task anew that was interrupted before its create was sent. */
export function restart(key: string): void {
  void update(key, {
    step: "uploading",
    startedAt: Date.now(),
    sentAt: undefined,
    endedAt: undefined,
  });
  reconcile(key);
}

/** Goes on with a submission of an earlier page, whose form may show something else by now. */
async function resume(entry: Entry): Promise<void> {
  const { key } = entry;
  // Not awaited: what the page does for a task is known from here on.
  const reading = readInput(key);
  await resumeSubmission(key).catch(async (failure: unknown) => {
    const capability = findCapability(entry.capability);
    // Another tab may have ended it, or this one have left it as it is.
    if (!capability || !isMediagateError(failure) || findEntry(key)) return;
    const heading = headingOf(entry);
    const input = await reading;
    notifyRefusal(heading, failure, () =>
      fillForm(capability, input?.values ?? {}, heading),
    );
  });
}
