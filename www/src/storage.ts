/** Persistent storage in IndexedDB, for what localStorage cannot hold, above all files: form fields and tasks' inputs. */
import { createStore, del, delMany, get, getMany, keys, set } from "idb-keyval";

/** Values by field name; a file field holds the files themselves. */
export type Values = Record<string, unknown>;

/** The input that a task was created from. */
export interface TaskInput {
  /** The values in the form. */
  values: Values;
  /** The request body, with ids in place of files: sent again with the same key, it creates no second task. */
  body: Values;
}

const store = createStore("mediagate.playground", "kept");
const FORM = "form.";
const TASK = "task.";
/** Stored for a field that was cleared, so that its default does not come back. */
const BLANK = null;

const fieldKey = (capability: string, name: string) => `${FORM}${capability}.${name}`;

/** The fields of forms. Each is stored by itself, so that typing a letter does not write a video again. */
export const formStorage = {
  /** The stored values; fields that were never stored are missing. */
  async read(capability: string, names: readonly string[]): Promise<Values> {
    const values =
      (await attempt(
        getMany<unknown>(
          names.map((it) => fieldKey(capability, it)),
          store,
        ),
      )) ?? [];
    const stored = names
      .map((name, index): [string, unknown] => [name, values[index]])
      .filter(([, it]) => it !== undefined);
    return Object.fromEntries(stored.map(([name, it]) => [name, it === BLANK ? undefined : it]));
  },
  write: (capability: string, name: string, value: unknown) =>
    attempt(set(fieldKey(capability, name), value ?? BLANK, store)),
  delete: (capability: string, names: readonly string[]) =>
    attempt(
      delMany(
        names.map((it) => fieldKey(capability, it)),
        store,
      ),
    ),
};

/** The inputs of tasks, by the task's key. */
export const taskInputStorage = {
  read: (key: string) => attempt(get<TaskInput>(TASK + key, store)),
  write: (key: string, input: TaskInput) => attempt(set(TASK + key, input, store)),
  delete: (key: string) => attempt(del(TASK + key, store)),
  /** Deletes the inputs of all tasks but these. */
  async deleteOthers(known: ReadonlySet<string>): Promise<void> {
    const all = (await attempt(keys<string>(store))) ?? [];
    const orphans = all.filter((it) => it.startsWith(TASK) && !known.has(it.slice(TASK.length)));
    await Promise.all(orphans.map((it) => attempt(del(it, store))));
  },
};

/** `undefined` on failure: where the browser stores nothing (full or forbidden), all values last as long as the page. */
function attempt<T>(work: Promise<T>): Promise<T | undefined> {
  return work.catch(() => undefined);
}
