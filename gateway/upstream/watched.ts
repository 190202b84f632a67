// Watches which fields of a request a model reads, since nothing must be dropped silently.
import { isOfFiles } from "./files.js";

/** An input, and what was not read of it yet: fields, and files by their field and position. */
export interface Watched {
  readonly input: Record<string, unknown>;
  unread(): { fields: string[]; files: string[] };
}

/** The members of a file that lead to its content. */
const CONTENT: readonly (string | symbol)[] = ["url", "bytes", "toJSON"];

/**
 * Returns an input that records what is read. A file counts only once a member is read that leads to
 * its content: a function may name the field and drop the file.
 */
export function watched(fields: Record<string, unknown>): Watched {
  const unreadFields = new Set<string>();
  const unreadFiles = new Set<string>();
  const watchedFile = (file: object, name: string) => {
    unreadFiles.add(name);
    return new Proxy(file, {
      get(target, member) {
        if (CONTENT.includes(member)) unreadFiles.delete(name);
        return Reflect.get(target, member);
      },
    });
  };
  const values = Object.entries(fields).map(([name, value]) => {
    if (isEmpty(value)) return [name, value];
    if (!isOfFiles(name)) {
      unreadFields.add(name);
      return [name, value];
    }
    if (!Array.isArray(value))
      return [name, watchedFile(value as object, name)];
    const files = value.map((file, at) => watchedFile(file, `${name}[${at}]`));
    return [name, files];
  });
  const input = new Proxy(Object.fromEntries(values), {
    get(target, name) {
      if (typeof name === "string") unreadFields.delete(name);
      return Reflect.get(target, name);
    },
  });
  const unread = () => ({ fields: [...unreadFields], files: [...unreadFiles] });
  return { input, unread };
}

const isEmpty = (value: unknown) =>
  value === undefined || (Array.isArray(value) && value.length === 0);
