// Watches which fields of a request a model reads, since nothing must be dropped silently.

/** An input, and the fields that were not read yet. */
export interface Watched {
  readonly input: Record<string, unknown>;
  unread(): string[];
}

/** Returns an input that records which of its fields are read. */
export function watched(fields: Record<string, unknown>): Watched {
  const unread = new Set(
    Object.keys(fields).filter((name) => !isEmpty(fields[name])),
  );
  const input = new Proxy(fields, {
    get(target, name) {
      if (typeof name === "string") unread.delete(name);
      return Reflect.get(target, name);
    },
  });
  return { input, unread: () => [...unread] };
}

const isEmpty = (value: unknown) =>
  value === undefined || (Array.isArray(value) && value.length === 0);
