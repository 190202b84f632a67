// Copies of what callers pass, which are read once.

import {
  attempt,
  kindOf,
  LIST,
  lengthOf,
  MAX_ITEMS,
  namesOf,
  OBJECT,
  OTHER,
  read,
  TEXT,
} from "./values.js";

/** @param {unknown} value */
const isBytes = (value) =>
  ArrayBuffer.isView(value) || value instanceof ArrayBuffer;

/**
 * A copy of a caller's input, which is read once: validated, and then sent. Each value in it is JSON, a file, or a symbol
 * in the place of anything else. Bytes become a file, and what has a capability a task, of which the id is enough.
 *
 * @param {unknown} input
 * @param {number} [deepest] level that is read; the catalogue needs four
 */
export function copy(input, deepest = 8) {
  let count = 0;
  /**
   * @param {any} value
   * @param {number} depth
   * @returns {unknown}
   */
  const copied = (value, depth) => {
    const type =
      depth < deepest && ++count <= MAX_ITEMS ? kindOf(value) : OTHER;
    if (type === LIST)
      return Array.from({ length: lengthOf(value) }, (_, index) =>
        copied(read(value, index), depth + 1),
      );
    if (type === OTHER) return Symbol();
    if (type !== OBJECT) return value;
    if (isBytes(value)) return new File([/** @type {any} */ (value)], "");
    // Without a prototype, which a member named `__proto__` would set.
    /** @type {Record<string, unknown>} */
    const members = Object.create(null);
    const isText = (/** @type {string} */ name) =>
      kindOf(read(value, name)) === TEXT;
    const isTask = depth > 0 && isText("capability") && !isText("task_id");
    for (const name of (isTask ? ["id", "capability"] : namesOf(value)) ?? []) {
      const it = read(value, name);
      if (it !== undefined) members[name] = copied(it, depth + 1);
    }
    return members;
  };
  // A value that throws in a way that is not foreseen above is not an input at all.
  return attempt(copied, input, 0) ?? (input == null ? input : Symbol());
}
