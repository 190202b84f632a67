/** Values by key in IndexedDB. A file in several values is stored once. */
import { createStore, promisifyRequest, type UseStore } from "idb-keyval";
import { newKey } from "./parts/newKey";

const kept = createStore("mediagate.playground", "kept");

/** Rejects if the browser has no IndexedDB, or blocks it. */
export const store: UseStore = async (mode, work) => kept(mode, work);

/** The most bytes of stored files. A browser would take more, and then delete all unasked. */
export const MAX_FILE_BYTES = 1_000_000_000;

interface StoredFile {
  storedFile: string;
}

const FILE = "file.";
const FILES = IDBKeyRange.bound(FILE, `${FILE}\uffff`);

/** The ids of this page's files, and the files by id: reading a file twice returns one object. */
const ids = new WeakMap<File, string>();
const known = new Map<string, File>();

function idOf(file: File): string {
  const id = ids.get(file) ?? newKey();
  remember(id, file);
  return id;
}

function remember(id: string, file: File): void {
  ids.set(file, id);
  known.set(id, file);
}

/** Reads values in the order of their keys; `undefined` for each key without a value. */
export function getMany(wanted: readonly string[]): Promise<unknown[]> {
  return store("readonly", async (objects) => {
    const get = (key: string) => promisifyRequest(objects.get(key));
    const values = await Promise.all(wanted.map(get));
    for (const id of storedIn(values)) {
      const file = known.get(id) ?? (await get(FILE + id));
      if (file) remember(id, file);
    }
    return values.map(unpacked);
  });
}

export async function get<Value>(key: string): Promise<Value | undefined> {
  const [value] = await getMany([key]);
  return value as Value | undefined;
}

export function set(key: string, value: unknown): Promise<void> {
  return setMany([[key, value]]);
}

/** Stores all values or none. Rejects if the files would have more bytes than `MAX_FILE_BYTES`. */
export async function setMany(
  entries: readonly (readonly [string, unknown])[],
): Promise<void> {
  const files = new Map<string, File>();
  const packedEntries = entries.map(
    ([key, value]) => [key, packed(value, files)] as const,
  );
  await store("readwrite", async (objects) => {
    if (files.size > 0) await putFiles(objects, files);
    for (const [key, value] of packedEntries) objects.put(value, key);
    await promisifyRequest(objects.transaction);
  });
}

async function putFiles(
  objects: IDBObjectStore,
  files: ReadonlyMap<string, File>,
): Promise<void> {
  // Before the count, so that files that nothing uses any more make room.
  await deleteUnused(objects, new Set(files.keys()));
  const stored = new Set(await promisifyRequest(objects.getAllKeys(FILES)));
  const added = [...files].filter(([id]) => !stored.has(FILE + id));
  const all: File[] = await promisifyRequest(objects.getAll(FILES));
  const bytes = [...all, ...added.map(([, file]) => file)].reduce(
    (sum, { size }) => sum + size,
    0,
  );
  if (added.length > 0 && bytes > MAX_FILE_BYTES)
    throw new Error("the files are too large to be stored");
  for (const [id, file] of added) objects.put(file, FILE + id);
}

export function deleteMany(unwanted: readonly string[]): Promise<void> {
  return store("readwrite", async (objects) => {
    for (const key of unwanted) objects.delete(key);
    await deleteUnused(objects, new Set());
  });
}

async function deleteUnused(
  objects: IDBObjectStore,
  wanted: Set<string>,
): Promise<void> {
  const values = await promisifyRequest(objects.getAll());
  const used = new Set([...wanted, ...storedIn(values)]);
  for (const key of await promisifyRequest(objects.getAllKeys(FILES)))
    if (!used.has(String(key).slice(FILE.length))) objects.delete(key);
}

export function storedBytes(): Promise<number> {
  return store("readonly", async (objects) => {
    const files: File[] = await promisifyRequest(objects.getAll(FILES));
    return files.reduce((sum, { size }) => sum + size, 0);
  });
}

/** Replaces the files in a value by their ids, and adds them to `files`. */
function packed(value: unknown, files: Map<string, File>): unknown {
  if (value instanceof File) {
    const storedFile = idOf(value);
    files.set(storedFile, value);
    return { storedFile } satisfies StoredFile;
  }
  return mapped(value, (member) => packed(member, files));
}

/** Puts the files back into a stored value. Leaves out a file that is no longer stored. */
function unpacked(value: unknown): unknown {
  if (isStored(value)) return known.get(value.storedFile);
  if (!Array.isArray(value)) return mapped(value, unpacked);
  const isGone = (member: unknown) =>
    isStored(member) && !known.has(member.storedFile);
  return value.filter((member) => !isGone(member)).map(unpacked);
}

function storedIn(value: unknown): string[] {
  if (isStored(value)) return [value.storedFile];
  return isComposite(value) ? Object.values(value).flatMap(storedIn) : [];
}

function mapped(value: unknown, map: (member: unknown) => unknown): unknown {
  if (!isComposite(value)) return value;
  if (Array.isArray(value)) return value.map(map);
  const members = Object.entries(value);
  return Object.fromEntries(
    members.map(([name, member]) => [name, map(member)]),
  );
}

function isStored(value: unknown): value is StoredFile {
  return isComposite(value) && "storedFile" in value;
}

function isComposite(value: unknown): value is object {
  return (
    typeof value === "object" && value !== null && !(value instanceof Blob)
  );
}
