// Takes files out of rows: a file that is in several rows is stored once.

import { isPlain } from "../equal.js";
import { isBlob } from "../options.js";

type Path = readonly (string | number)[];

/** The place of a file in a row. */
export interface Place {
  readonly path: Path;
  /** The id of the file in the database. */
  readonly id: string;
}

const ids = new WeakMap<Blob, string>();

/** Returns the id of a file, which is the same in all databases of this page. */
export function idOf(file: Blob): string {
  // An insecure context, such as plain http, has no `randomUUID`.
  const id =
    ids.get(file) ?? crypto.getRandomValues(new Uint32Array(4)).join("-");
  ids.set(file, id);
  return id;
}

/** Gives a file that was read from a database its id. */
export function setId(file: Blob, id: string): void {
  ids.set(file, id);
}

/** Returns a copy of a row without its files, and their places. */
export function withoutFiles<Row extends object>(
  row: Row,
): { copy: Row; places: Place[]; files: Map<string, Blob> } {
  const places: Place[] = [];
  const files = new Map<string, Blob>();
  const copies = new Map<unknown, unknown>();
  const copyOf = (value: unknown, path: Path): unknown => {
    if (isBlob(value)) {
      const id = idOf(value);
      places.push({ path, id });
      files.set(id, value);
      return undefined;
    }
    if (!isPlain(value)) return value;
    // A value may contain itself.
    if (copies.has(value)) return copies.get(value);
    const copy: Record<string, unknown> | unknown[] = Array.isArray(value)
      ? []
      : {};
    copies.set(value, copy);
    // An assignment to `__proto__` would change the prototype.
    for (const [name, member] of Object.entries(value))
      Object.defineProperty(copy, name, {
        value: copyOf(member, [...path, name]),
        writable: true,
        enumerable: true,
        configurable: true,
      });
    return copy;
  };
  return { copy: copyOf(row, []) as Row, places, files };
}

/** Puts a file back into its place. */
export function putBack(row: object, path: Path, file: Blob): void {
  let owner = row as Record<string | number, unknown>;
  for (const name of path.slice(0, -1))
    owner = owner[name] as Record<string | number, unknown>;
  const last = path.at(-1);
  if (last !== undefined) owner[last] = file;
}

/** Returns a copy of a value with `undefined` instead of each file. */
export function strippedOf<Value>(value: Value): Value {
  return isBlob(value)
    ? (undefined as Value)
    : isPlain(value)
      ? (withoutFiles(value).copy as Value)
      : value;
}
