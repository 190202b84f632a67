import { isMediagateError } from "mediagate";
import { client } from "../client";
import { type Entry, isOver } from "./entry";
import {
  bury,
  erase,
  findEntry,
  forgotten,
  records,
  removedEntries,
} from "./store";

/** The most requests in a row, as a gateway limits their rate. The history lists the rest again. */
const MAX_REQUESTS = 20;

/**
 * Deletes tasks with their inputs. If the gateway may list a task, an empty record of it stays, so
 * that the history does not bring it back. A gateway forgets only tasks that have ended.
 */
export async function discard(keys: readonly string[]): Promise<void> {
  const found = keys.map(findEntry).filter((entry) => entry !== undefined);
  const listed = found.filter(mayBeListed);
  const others = found.filter((entry) => !mayBeListed(entry));
  await erase(others.map(({ key }) => key));
  await bury(listed.map(({ key }) => key));
  const ended = listed.filter((entry) => entry.saved && hasEnded(entry));
  await forget(ended.map(({ key }) => key));
}

/** The longest time that a gateway lists a task, in milliseconds: a year, and a day for clocks. */
const MAX_HISTORY_MS = 366 * 86_400_000;

/** The time in which a removed task can be restored, in milliseconds: a day. */
export const RESTORABLE_MS = 86_400_000;

/** Deletes the tasks that were removed a day ago, and empty records that are no longer needed. */
export function discardExpired(): void {
  const now = Date.now();
  const isOld = ({ gone, startedAt }: Entry) =>
    gone && now - startedAt > MAX_HISTORY_MS;
  void erase(records.value.filter(isOld).map(({ key }) => key));
  const isExpired = ({ removedAt = now }: Entry) =>
    now - removedAt >= RESTORABLE_MS;
  void discard(removedEntries.value.filter(isExpired).map(({ key }) => key));
}

/** Removes ended tasks from the gateway's history. The next response of the history tries again. */
export async function forget(keys: readonly string[]): Promise<void> {
  for (const key of keys.slice(0, MAX_REQUESTS)) {
    const id = findEntry(key)?.saved?.id;
    if (!id) continue;
    try {
      await (await client()).tasks.forget(id, { maxRetries: 0 });
    } catch (failure) {
      const status = isMediagateError(failure) ? failure.status : undefined;
      // The gateway may have read that the task still runs.
      if (status === 409) continue;
      if (status !== 404) return;
    }
    forgotten.add(id);
    await erase([key]);
  }
}

function mayBeListed({ saved, sentAt }: Entry): boolean {
  return saved ? saved.id !== "" : sentAt !== undefined;
}

function hasEnded({ state, elsewhere, step }: Entry): boolean {
  return isOver(state) || (elsewhere === true && step === "unknown");
}
