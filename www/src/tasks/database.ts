/** The tasks in IndexedDB, each a record, and their changes in other tabs. */
import {
  createStore,
  delMany,
  get,
  promisifyRequest,
  values,
} from "idb-keyval";
import { isDone } from "../storage";
import type { Entry } from "./entry";

/** A message to other tabs. It has only the changes, so that no tab overwrites those of another. */
export type Message =
  | { added: readonly Entry[] }
  | { changed: readonly string[]; changes: Partial<Entry> }
  | { deleted: readonly string[] }
  | { cancelled: string };

const NAME = "mediagate.playground.tasks";

const store = createStore(NAME, "tasks");
const channel = new BroadcastChannel(NAME);

/** Adds records, unless their keys are already taken. */
export function addEntries(entries: readonly Entry[]): Promise<boolean> {
  channel.postMessage({ added: entries } satisfies Message);
  return modify(
    entries.map(({ key }) => key),
    (stored, index) => stored ?? entries[index],
  );
}

/** Changes records, unless they are deleted. */
export function changeEntries(
  keys: readonly string[],
  changes: Partial<Entry>,
): Promise<boolean> {
  channel.postMessage({ changed: keys, changes } satisfies Message);
  return modify(keys, (stored) => stored && { ...stored, ...changes });
}

export function deleteEntries(keys: readonly string[]): Promise<boolean> {
  channel.postMessage({ deleted: keys } satisfies Message);
  return isDone(delMany([...keys], store));
}

export function cancelElsewhere(key: string): void {
  channel.postMessage({ cancelled: key } satisfies Message);
}

export function onMessage(receive: (message: Message) => void): void {
  channel.addEventListener("message", ({ data }) => receive(data as Message));
}

/** Reads all records; `undefined` if the browser stores nothing. */
export function readEntries(): Promise<Entry[] | undefined> {
  return values<Entry>(store).catch(() => undefined);
}

export function readEntry(key: string): Promise<Entry | undefined> {
  return get<Entry>(key, store).catch(() => undefined);
}

/** Replaces records in one transaction, so that no other tab writes in between. */
function modify(
  keys: readonly string[],
  replace: (stored: Entry | undefined, index: number) => Entry | undefined,
): Promise<boolean> {
  const work = store("readwrite", (records) => {
    for (const [index, key] of keys.entries()) {
      const reading: IDBRequest<Entry | undefined> = records.get(key);
      reading.onsuccess = () => {
        const replaced = replace(reading.result, index);
        if (replaced) records.put(replaced, key);
      };
    }
    return promisifyRequest(records.transaction);
  });
  return isDone(work);
}
