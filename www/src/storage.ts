/** Values in the store of this browser. */
import type { CapabilityName } from "mediagate";
import type { StoredValues } from "mediagate/store";
import { MAX_FILE_BYTES, opened } from "./opened";
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
  /** Stores a value, as `write` does. */
  async write(
    capability: string,
    name: string,
    value: unknown,
  ): Promise<Refusal | undefined> {
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

/** The cause if a value is not stored. */
export type Refusal =
  /** The stored files would have more than `MAX_FILE_BYTES`. */
  | "limit"
  /** The browser has no room left. */
  | "full"
  /** The browser stores nothing. */
  | "denied"
  /** Anything else, such as a file that was deleted. */
  | "failed";

/** Stores values by their keys. Resolves to `undefined`, or to the cause if it fails. */
export async function write(written: Values): Promise<Refusal | undefined> {
  const store = await opened;
  if (!store) return "denied";
  try {
    await store.values.set(written);
    return undefined;
  } catch (failure) {
    if ((failure as { name?: unknown }).name !== "QuotaExceededError")
      return "failed";
    // The store and the browser report a full storage by the same error.
    const stored = await store.fileBytes().catch(() => 0);
    const bytes = filesOf(written).reduce((sum, { size }) => sum + size, 0);
    return stored + bytes > MAX_FILE_BYTES ? "limit" : "full";
  }
}

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
