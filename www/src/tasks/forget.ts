/** Deletes removed tasks for good: here, and in the gateway's history. */
import { isMediagateError } from "mediagate";
import { client } from "../client";
import { type Entry, isOver } from "./entry";
import { forgotten } from "./forgotten";
import { bury, erase, findEntry, records, removedEntries } from "./store";

/** A gateway limits how many requests a caller sends; the other tasks are forgotten when its history next shows them. */
const MAX_REQUESTS = 20;

/**
 * Deletes tasks with their inputs. Of one that the gateway may list, an empty record stays, so that the history does not
 * bring it back, until the gateway has forgotten it, which it does once the task has ended.
 */
export async function discard(keys: readonly string[]): Promise<void> {
  const found = keys.map(findEntry).filter((it) => it !== undefined);
  const [listed, others] = [
    found.filter(mayBeListed),
    found.filter((it) => !mayBeListed(it)),
  ];
  await erase(others.map((it) => it.key));
  await bury(listed.map((it) => it.key));
  await forget(
    listed.filter((it) => it.saved && hasEnded(it)).map((it) => it.key),
  );
}

/** No gateway lists a task for longer, in milliseconds: a year, and a day for clocks. */
const MAX_HISTORY_MS = 366 * 86_400_000;

/** The time in which a removed task can be restored, in milliseconds: a day. */
export const RESTORABLE_MS = 86_400_000;

/** Deletes the tasks that were removed a day ago, and the records of those that no gateway lists any more. */
export function discardExpired(): void {
  const now = Date.now();
  const isOld = ({ gone, startedAt }: Entry) =>
    gone && now - startedAt > MAX_HISTORY_MS;
  void erase(records.value.filter(isOld).map((it) => it.key));
  const isExpired = ({ removedAt = now }: Entry) =>
    now - removedAt >= RESTORABLE_MS;
  void discard(removedEntries.value.filter(isExpired).map((it) => it.key));
}

/** Has the gateway forget removed tasks that have ended. Where it does not, they are tried again with its next response. */
export async function forget(keys: readonly string[]): Promise<void> {
  for (const key of keys.slice(0, MAX_REQUESTS)) {
    const id = findEntry(key)?.saved?.id;
    if (!id) continue;
    try {
      await (await client()).tasks.forget(id, { maxRetries: 0 });
    } catch (failure) {
      const status = isMediagateError(failure) ? failure.status : undefined;
      // It may run on after all, where the gateway knows better.
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
