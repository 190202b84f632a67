/** Persistent storage in IndexedDB, for what localStorage cannot hold, above all files: form fields and tasks' inputs. */
import { keys, update } from "idb-keyval";
import type { CapabilityName } from "mediagate";
import { deleteMany, get, getMany, set, setMany, store } from "./kept";
import { formPrefix, LAST_TAB, tab } from "./tab";

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

const TASK = "task.";
/** Stored for a field that was cleared, so that its default does not come back. */
const BLANK = null;

const fieldKey = async (capability: string, name: string) =>
  `${formPrefix(await tab)}${capability}.${name}`;

const fieldKeys = (capability: string, names: readonly string[]) =>
  Promise.all(names.map((name) => fieldKey(capability, name)));

/** The fields of this tab's forms. Each is stored by itself. */
export const formStorage = {
  /** The stored values; fields that were never stored are missing. */
  async read(capability: string, names: readonly string[]): Promise<Values> {
    const wanted = await fieldKeys(capability, names);
    const values = (await attempt(getMany(wanted))) ?? [];
    const stored = names
      .map((name, index): [string, unknown] => [name, values[index]])
      .filter(([, it]) => it !== undefined);
    return Object.fromEntries(
      stored.map(([name, it]) => [name, it === BLANK ? undefined : it]),
    );
  },
  /** True if it was stored. */
  async write(
    capability: string,
    name: string,
    value: unknown,
  ): Promise<boolean> {
    const key = await fieldKey(capability, name);
    return isDone(
      setMany([
        [key, value ?? BLANK],
        [LAST_TAB, await tab],
      ]),
    );
  },
  async delete(capability: string, names: readonly string[]): Promise<void> {
    await attempt(deleteMany(await fieldKeys(capability, names)));
  },
};

/** The inputs of tasks, by the task's key. */
export const taskInputStorage = {
  read: (key: string) => attempt(get<TaskInput>(TASK + key)),
  /** Whether it was stored. */
  write: (key: string, input: TaskInput) => isDone(set(TASK + key, input)),
  delete: (stored: readonly string[]) =>
    attempt(deleteMany(stored.map((it) => TASK + it))),
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

/** A pipeline that was removed. */
export interface RemovedPipeline {
  id: string;
  title: string;
  /** Milliseconds since the epoch. */
  removedAt: number;
  /** Until when it can be restored, in milliseconds since the epoch. */
  restorableUntil: number;
}

/** The pipeline that is being built. */
export const draftStorage = {
  read: () => attempt(get<Draft>(DRAFT)),
  write: (draft: Draft) => attempt(set(DRAFT, draft)),
  delete: () => attempt(deleteMany([DRAFT])),
};

/** The number of started pipelines that keep the inputs of their steps, which have files. */
const MAX_STARTED = 20;
const STARTED = "pipelines.started";
const startedKey = (id: string) => `${STARTED}.${id}`;

/** The last pipelines that this browser started, by their ids, each as it was built. */
export const startedStorage = {
  read: (id: string) => attempt(get<Draft>(startedKey(id))),
  async write(id: string, draft: Draft): Promise<void> {
    const all = (await attempt(get<readonly string[]>(STARTED))) ?? [];
    const ids = [id, ...all.filter((it) => it !== id)];
    await attempt(
      setMany([
        [startedKey(id), draft],
        [STARTED, ids.slice(0, MAX_STARTED)],
      ]),
    );
    await attempt(deleteMany(ids.slice(MAX_STARTED).map(startedKey)));
  },
  delete: (id: string) => attempt(deleteMany([startedKey(id)])),
};

/** The pipelines that were removed, until the gateway has forgotten them. */
export const removedStorage = {
  read: async () =>
    (await attempt(get<readonly RemovedPipeline[]>(REMOVED))) ?? [],
  /** Adds one, in the place of an earlier record of it. */
  add: (added: RemovedPipeline) => updateRemoved(added.id, [added]),
  delete: (id: string) => updateRemoved(id, []),
};

function updateRemoved(id: string, added: readonly RemovedPipeline[]) {
  const replace = (all: readonly RemovedPipeline[] = []) => [
    ...all.filter((it) => it.id !== id),
    ...added,
  ];
  return attempt(update<readonly RemovedPipeline[]>(REMOVED, replace, store));
}

/** `undefined` on failure: where the browser stores nothing (full or forbidden), all values last as long as the page. */
function attempt<T>(work: Promise<T>): Promise<T | undefined> {
  return work.catch(() => undefined);
}

function isDone(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  );
}
