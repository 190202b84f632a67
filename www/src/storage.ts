/** Persistent storage in IndexedDB, since localStorage takes no files. */
import { update } from "idb-keyval";
import type { CapabilityName } from "mediagate";
import { deleteMany, get, getMany, set, setMany, store } from "./kept";
import { formPrefix, LAST_TAB, tab } from "./tab";

/** Values by the names of fields. A field for files has the files themselves. */
export type Values = Record<string, unknown>;

export function filesOf(values: Values): File[] {
  return Object.values(values)
    .flat()
    .filter((value) => value instanceof File);
}

export interface DraftStep {
  name: string;
  capability: CapabilityName;
  /** The values of the form. Another step may stand for a file. */
  values: Values;
}

export interface Draft {
  key: string;
  title: string;
  steps: readonly DraftStep[];
  /**
   * The inputs of the steps as they were sent with the key, with ids instead of files. If they are
   * set, the pipeline may have been started, and sending them again starts no second one.
   */
  sent?: Values | undefined;
}

/** The stored value of a cleared field, whose default must not come back. */
const BLANK = null;

const fieldKey = async (capability: string, name: string) =>
  `${formPrefix(await tab)}${capability}.${name}`;

const fieldKeys = (capability: string, names: readonly string[]) =>
  Promise.all(names.map((name) => fieldKey(capability, name)));

/** The fields of this tab's forms, each stored by itself. */
export const formStorage = {
  /** Reads the stored values. Fields that were never stored are missing. */
  async read(capability: string, names: readonly string[]): Promise<Values> {
    const wanted = await fieldKeys(capability, names);
    const values = (await attempt(getMany(wanted))) ?? [];
    const stored = names
      .map((name, index): [string, unknown] => [name, values[index]])
      .filter(([, value]) => value !== undefined);
    return Object.fromEntries(
      stored.map(([name, value]) => [
        name,
        value === BLANK ? undefined : value,
      ]),
    );
  },
  /** Stores a value. Resolves to false if the browser refuses it. */
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

const DRAFT = "pipeline";
const REMOVED = "pipelines.removed";

export interface RemovedPipeline {
  id: string;
  title: string;
  /** Milliseconds since the epoch. */
  removedAt: number;
  /** The end of the time in which it can be restored, in milliseconds since the epoch. */
  restorableUntil: number;
}

export const draftStorage = {
  read: () => attempt(get<Draft>(DRAFT)),
  write: (draft: Draft) => attempt(set(DRAFT, draft)),
  delete: () => attempt(deleteMany([DRAFT])),
};

/** The most started pipelines to store, since their inputs contain files. */
const MAX_STARTED = 20;
const STARTED = "pipelines.started";
const startedKey = (id: string) => `${STARTED}.${id}`;

/** The last pipelines that this browser started, as they were built, by their ids. */
export const startedStorage = {
  read: (id: string) => attempt(get<Draft>(startedKey(id))),
  async write(id: string, draft: Draft): Promise<void> {
    const all = (await attempt(get<readonly string[]>(STARTED))) ?? [];
    const ids = [id, ...all.filter((other) => other !== id)];
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
  add: (added: RemovedPipeline) => updateRemoved(added.id, [added]),
  delete: (id: string) => updateRemoved(id, []),
};

function updateRemoved(id: string, added: readonly RemovedPipeline[]) {
  const replace = (all: readonly RemovedPipeline[] = []) => [
    ...all.filter((pipeline) => pipeline.id !== id),
    ...added,
  ];
  return attempt(update<readonly RemovedPipeline[]>(REMOVED, replace, store));
}

/** Resolves to `undefined` if storage fails. */
function attempt<T>(work: Promise<T>): Promise<T | undefined> {
  // If storage is full or forbidden, all values last as long as the page.
  return work.catch(() => undefined);
}

/** Resolves to false if storage fails. */
export function isDone(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  );
}
