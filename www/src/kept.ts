/** What localStorage cannot hold, files above all: what forms and tasks were given, in IndexedDB. */
import { createStore, del, delMany, get, getMany, keys, set } from "idb-keyval";

/** Values by field name; a file field holds the files themselves. */
export type Values = Record<string, unknown>;

/** What a task was made from. */
export interface Made {
  /** As they stood in the form. */
  values: Values;
  /** As it was sent, with ids in the place of files: sent again under the same key, it makes no second task. */
  body: Values;
}

const store = createStore("mediagate.playground", "kept");
const FORM = "form.";
const TASK = "task.";
/** What a field holds that was emptied: it must not come back as its default. */
const BLANK = null;

const place = (capability: string, name: string) => `${FORM}${capability}.${name}`;

/** Each field by itself, so that a letter that is typed does not write a video once more. */
export const form = {
  /** What was written, and nothing for what was not. */
  async read(capability: string, names: readonly string[]): Promise<Values> {
    const values = (await quietly(getMany<unknown>(names.map((it) => place(capability, it)), store))) ?? [];
    const written = names.map((name, index): [string, unknown] => [name, values[index]]).filter(([, it]) => it !== undefined);
    return Object.fromEntries(written.map(([name, it]) => [name, it === BLANK ? undefined : it]));
  },
  write: (capability: string, name: string, value: unknown) => quietly(set(place(capability, name), value ?? BLANK, store)),
  forget: (capability: string, names: readonly string[]) => quietly(delMany(names.map((it) => place(capability, it)), store)),
};

export const made = {
  read: (key: string) => quietly(get<Made>(TASK + key, store)),
  write: (key: string, of: Made) => quietly(set(TASK + key, of, store)),
  forget: (key: string) => quietly(del(TASK + key, store)),
  /** Forgets what belongs to no task of the list. */
  async tidy(known: ReadonlySet<string>): Promise<void> {
    const all = (await quietly(keys<string>(store))) ?? [];
    const orphans = all.filter((it) => it.startsWith(TASK) && !known.has(it.slice(TASK.length)));
    await Promise.all(orphans.map((it) => quietly(del(it, store))));
  },
};

/** Where the browser keeps nothing (full, forbidden), everything lives as long as the page. */
function quietly<T>(work: Promise<T>): Promise<T | undefined> {
  return work.catch(() => undefined);
}
