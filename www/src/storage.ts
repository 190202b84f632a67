/** Persistent storage in IndexedDB, for what localStorage cannot hold, above all files: form fields and tasks' inputs. */
import {
  createStore,
  del,
  delMany,
  get,
  getMany,
  keys,
  set,
  update,
} from "idb-keyval";
import type { CapabilityName } from "mediagate";

/** Values by field name; a file field holds the files themselves. */
export type Values = Record<string, unknown>;

/** Every file in the values of a form. */
export function filesOf(values: Values): File[] {
  return Object.values(values)
    .flat()
    .filter((it) => it instanceof File);
}

/** The input that a task was created from. */
export interface TaskInput {
  /** The values in the form. */
  values: Values;
  /**
   * The request body, with ids in place of files; `undefined` until they are uploaded. Sent again with the same key, it
   * creates no second task, which it does only if it is the same.
   */
  body?: Values | undefined;
  /** Whether the browser did not store the files, so that the values are without them. */
  withoutFiles?: boolean | undefined;
}

/** A step of the pipeline that is being built. */
export interface DraftStep {
  /** By which others use it. */
  name: string;
  capability: CapabilityName;
  /** The values of its form; in the place of a file may be another step. */
  values: Values;
}

/** The pipeline that is being built. */
export interface Draft {
  /** The idempotency key of its start. */
  key: string;
  title: string;
  steps: readonly DraftStep[];
  /**
   * The inputs of the steps as they were sent with the key, with ids in the place of files: it may have been started. Sent
   * again, they start no second pipeline.
   */
  sent?: Values | undefined;
}

const store = createStore("mediagate.playground", "kept");
const FORM = "form.";
const TASK = "task.";
/** Stored for a field that was cleared, so that its default does not come back. */
const BLANK = null;

const fieldKey = (capability: string, name: string) =>
  `${FORM}${capability}.${name}`;

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
    return Object.fromEntries(
      stored.map(([name, it]) => [name, it === BLANK ? undefined : it]),
    );
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
  /** Whether it was stored. */
  write: (key: string, input: TaskInput) =>
    set(TASK + key, input, store).then(
      () => true,
      () => false,
    ),
  delete: (stored: readonly string[]) =>
    attempt(
      delMany(
        stored.map((it) => TASK + it),
        store,
      ),
    ),
  /** The keys of the tasks that have an input. */
  async keys(): Promise<string[]> {
    const all = (await attempt(keys<string>(store))) ?? [];
    return all
      .filter((it) => it.startsWith(TASK))
      .map((it) => it.slice(TASK.length));
  },
};

const DRAFT = "pipeline";
const REMOVED = "pipelines.removed";

type Ids = readonly string[];

/** The pipeline that is being built. */
export const draftStorage = {
  read: () => attempt(get<Draft>(DRAFT, store)),
  write: (draft: Draft) => attempt(set(DRAFT, draft, store)),
  delete: () => attempt(del(DRAFT, store)),
};

/** The ids of pipelines that were removed, until the gateway has forgotten them. */
export const removedStorage = {
  read: async (): Promise<Ids> =>
    (await attempt(get<Ids>(REMOVED, store))) ?? [],
  add: (id: string) =>
    attempt(update<Ids>(REMOVED, (ids = []) => [...ids, id], store)),
  delete: (id: string) =>
    attempt(
      update<Ids>(REMOVED, (ids = []) => ids.filter((it) => it !== id), store),
    ),
};

/** `undefined` on failure: where the browser stores nothing (full or forbidden), all values last as long as the page. */
function attempt<T>(work: Promise<T>): Promise<T | undefined> {
  return work.catch(() => undefined);
}
