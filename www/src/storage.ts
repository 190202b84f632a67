/** Values in the store of this browser. */
import type { CapabilityName } from "mediagate";
import type { StoredValues } from "mediagate/store";
import { opened } from "./opened";
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
  /** True if the pipeline may have been started. The store repeats its start with the same ids. */
  sent?: true | undefined;
}

/** The stored value of a cleared field, whose default must not come back. */
const BLANK = null;

const prefixOf = async (capability: string) =>
  `${formPrefix(await tab)}${capability}.`;

/** The fields of this tab's forms, each stored by itself. */
export const formStorage = {
  /** Reads the stored values. Fields that were never stored are missing. */
  async read(capability: string, names: readonly string[]): Promise<Values> {
    const prefix = await prefixOf(capability);
    const stored = await readAll(prefix);
    const values: Values = {};
    for (const name of names) {
      const value = stored[prefix + name];
      if (value !== undefined)
        values[name] = value === BLANK ? undefined : value;
    }
    return values;
  },
  /** Stores a value. Resolves to false if the browser refuses it. */
  async write(
    capability: string,
    name: string,
    value: unknown,
  ): Promise<boolean> {
    const key = (await prefixOf(capability)) + name;
    return write({ [key]: value ?? BLANK, [LAST_TAB]: await tab });
  },
  async delete(capability: string, names: readonly string[]): Promise<void> {
    const prefix = await prefixOf(capability);
    await remove(names.map((name) => prefix + name));
  },
};

export const read = <Value>(key: string) =>
  attempt((values) => values.get<Value>(key), undefined);

/** Reads the values whose keys begin with a prefix, by their keys. */
export const readAll = <Value>(prefix: string) =>
  attempt((values) => values.all<Value>(prefix), {});

/** Stores values by their keys. Resolves to false if the browser refuses them. */
export const write = (written: Values) =>
  attempt((values) => values.set(written).then(() => true), false);

export const remove = (keys: readonly string[]) =>
  attempt((values) => values.delete(keys), undefined);

/** Resolves to `failed` if storage fails. */
async function attempt<T>(
  work: (values: StoredValues) => Promise<T>,
  failed: T,
): Promise<T> {
  const store = await opened;
  // If storage is full or forbidden, all values last as long as the page.
  return store ? work(store.values).catch(() => failed) : failed;
}
