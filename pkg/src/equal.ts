import { isObject } from "./options.js";

/**
 * Copies what a form may change after a call. Files and objects of classes stay the same, so that an
 * equal input has the same files.
 */
export function copyInput<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(copyInput) as Value;
  if (!isPlain(value)) return value;
  const members = Object.entries(value);
  return Object.fromEntries(
    members.map(([name, member]) => [name, copyInput(member)]),
  ) as Value;
}

/** Returns true for equal lists and plain objects, by their members, and for the same other value. */
export function isEqual(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (!isPlain(one) || !isPlain(other)) return false;
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => isEqual(one[name], other[name]))
  );
}

export function isPlain(value: unknown): value is Record<string, unknown> {
  if (Array.isArray(value)) return true;
  return (
    isObject(value) &&
    [Object.prototype, null].includes(Object.getPrototypeOf(value))
  );
}
