// JavaScript's values: read for the engine, copied, and made. The wasm has handles of them, 0 for none, and reads them in
// place. Declared in driver.rs; none of these throws, whatever value a caller passes.

/**
 * The work's result; `undefined` where it throws.
 *
 * @template {unknown[]} Values
 * @template Result
 * @param {(...values: Values) => Result} work
 * @param {Values} values
 */
export const attempt = (work, ...values) => {
  try {
    return work(...values);
  } catch {
    return undefined;
  }
};

/** @param {any} text */
export const parseJson = (text) => attempt(JSON.parse, text);

// --- handles ---

/** @typedef {number} Handle */

/**
 * The values by their handles. Rust has 1 for `undefined`, where a value must be.
 *
 * @type {any[]}
 */
const table = [undefined, undefined];
/** @type {Handle[]} */
let free = [];
/** @type {Set<Handle>} */
const marked = new Set();

/**
 * A handle of a value, until it is swept.
 *
 * @param {unknown} value
 * @returns {Handle}
 */
export function hold(value) {
  if (value === undefined) return 0;
  const handle = free.pop() ?? table.length;
  table[handle] = value;
  return handle;
}

/** @param {Handle} handle */
export const at = (handle) => table[handle];

/** @param {Handle} handle */
export const mark = (handle) => {
  marked.add(handle);
};

/**
 * Drops the values that are not marked, once there are many of them. Not while the engine runs, which may have handles
 * that it does not mark.
 *
 * @param {() => void} markReferenced
 */
export function sweep(markReferenced) {
  if (table.length - free.length < 2 * marked.size + 64) return;
  marked.clear();
  markReferenced();
  while (table.length > 2 && !marked.has(table.length - 1)) table.pop();
  free = [];
  for (let handle = table.length; --handle > 1; ) {
    if (marked.has(handle)) continue;
    table[handle] = undefined;
    free.push(handle);
  }
}

// --- reading ---

// The types of values, numbered as `KINDS` of value.rs has them.
export const [NULL, BOOLEAN, NUMBER, TEXT, LIST, OBJECT, BLOB, OTHER] = [
  0, 1, 2, 3, 4, 5, 6, 7,
];

/** The most items of a list and values of an input that are read: a hostile array may claim a length of 2³². */
export const MAX_ITEMS = 100_000;

const size = Object.getOwnPropertyDescriptor(Blob.prototype, "size")?.get;

/**
 * The number of bytes of a file, whatever its members claim; `undefined` for anything else.
 *
 * @param {unknown} value
 * @returns {number | undefined}
 */
export const sizeOf = (value) =>
  attempt(() => (value instanceof Blob ? size?.call(value) : undefined));

/** @param {unknown} value */
export function kindOf(value) {
  switch (typeof value) {
    case "undefined":
      return NULL;
    case "boolean":
      return BOOLEAN;
    case "number":
      return NUMBER;
    case "string":
      return TEXT;
    case "object":
      if (value === null) return NULL;
      if (attempt(Array.isArray, value))
        return countOf(value) === undefined ? OTHER : LIST;
      return sizeOf(value) === undefined ? OBJECT : BLOB;
    default:
      return OTHER;
  }
}

/**
 * @param {any} target
 * @param {PropertyKey} name
 */
const get = (target, name) => target[name];

/**
 * The member of an object; `undefined` where it is absent, where its getter throws, and for a target that is no object.
 *
 * @param {unknown} target
 * @param {PropertyKey} name
 */
export const read = (target, name) =>
  typeof target === "object" && target ? attempt(get, target, name) : undefined;

/**
 * The number of items of an array, unless there are too many; a proxy may claim any length, and another each time.
 *
 * @param {unknown} array
 * @returns {number | undefined}
 */
function countOf(array) {
  const count = read(array, "length");
  return Number.isInteger(count) && count >= 0 && count <= MAX_ITEMS
    ? count
    : undefined;
}

/** @param {unknown} list */
export const lengthOf = (list) =>
  (attempt(Array.isArray, list) && countOf(list)) || 0;

/**
 * The names of an object's own members; none for a view of bytes, which has a member for each byte.
 *
 * @param {unknown} value
 */
export const namesOf = (value) =>
  kindOf(value) === OBJECT && !ArrayBuffer.isView(value)
    ? attempt(Object.keys, /** @type {object} */ (value))
    : undefined;

/** @param {Handle} value */
export const kind = (value) => kindOf(at(value));

/**
 * @param {Handle} target
 * @param {string} name
 */
export const member = (target, name) => hold(read(at(target), name));

/**
 * @param {Handle} list
 * @param {number} index
 */
export const item = (list, index) => hold(read(at(list), index));

/** @param {Handle} list */
export const length = (list) => lengthOf(at(list));

/** @param {Handle} value */
export const names = (value) => hold(namesOf(at(value)));

/**
 * @param {Handle} value
 * @returns {string | undefined}
 */
export const text = (value) => (kind(value) === TEXT ? at(value) : undefined);

/**
 * @param {Handle} value
 * @param {string} other
 */
export const is = (value, other) => at(value) === other;

/**
 * @param {Handle} value
 * @returns {number}
 */
export const number = (value) =>
  kind(value) === NUMBER ? at(value) : Number.NaN;

/** @param {Handle} value */
export function identifier(value) {
  if (text(value)?.trim()) return value;
  return Number.isFinite(at(value)) ? hold(String(at(value))) : 0;
}

/**
 * @param {Handle} one
 * @param {Handle} other
 */
export const isIdentical = (one, other) => at(one) === at(other);

/**
 * @param {Handle} one
 * @param {Handle} other
 */
export const isSame = (one, other) => lasting(one) === lasting(other);

/**
 * A snapshot as JSON, without the numbers that the gateway expects of the task, which change with each second.
 *
 * @param {Handle} value
 */
const lasting = (value) =>
  attempt(() =>
    JSON.stringify(at(value), (name, it) =>
      name === "poll_after" ? undefined : name === "eta" ? true : it,
    ),
  );

// --- making ---

/** @param {string} value */
export const fromText = (value) => hold(value);

/** @param {number} value */
export const fromNumber = (value) => hold(value);

/**
 * @param {Handle} start
 * @param {string} more
 */
export const append = (start, more) => hold(at(start) + more);

/**
 * @param {Handle} start
 * @param {Handle} more
 */
export const appendValue = (start, more) => append(start, at(more));

/**
 * Half of a surrogate pair cannot be encoded.
 *
 * @param {Handle} start
 * @param {Handle} segment
 */
export const appendSegment = (start, segment) =>
  append(start, attempt(encodeURIComponent, at(segment)) ?? "%EF%BF%BD");

/**
 * @param {Handle} value
 * @param {Handle} start
 */
export const startsWith = (value, start) => at(value).startsWith(at(start));

export const list = () => hold([]);

/**
 * @param {Handle} items
 * @param {Handle} more
 */
export const withItem = (items, more) => hold([...at(items), at(more)]);

/**
 * @param {Handle} object
 * @param {string} name
 * @param {Handle} value
 */
export const withMember = (object, name, value) =>
  hold({ ...at(object), ...(value && { [name]: at(value) }) });

/**
 * @param {Handle} object
 * @param {string} name
 */
export function omit(object, name) {
  const rest = kindOf(at(object)) === OBJECT ? { ...at(object) } : {};
  delete rest[name];
  return hold(rest);
}

/**
 * @param {Handle} items
 * @param {number} index
 * @param {Handle} value
 */
export const setItem = (items, index, value) => {
  at(items)[index] = at(value);
};

/**
 * @param {string} code
 * @param {string} message
 * @param {number} status
 * @param {boolean} retryable
 */
export const error = (code, message, status, retryable) =>
  hold({ code, message, ...(status && { status }), retryable });

/**
 * @param {Handle} id
 * @param {string} capability empty for a pipeline
 * @param {Handle} state
 * @param {number} progress
 * @param {Handle} record
 */
export function snapshot(id, capability, state, progress, record) {
  const [raw, taskId] = [at(record), at(id) ?? ""];
  if (!capability) return hold(pipelineOf(raw, taskId));
  const eta = read(raw, "eta");
  return hold({
    id: taskId,
    capability,
    state: at(state),
    progress: Number.isNaN(progress) ? undefined : progress,
    ...(kindOf(eta) === OBJECT && { eta }),
    outputs: outputsOf(raw, taskId),
    raw,
  });
}

/**
 * A pipeline as JavaScript sees it: its outputs are those of the steps that no other step uses.
 *
 * @param {unknown} record
 * @param {string} id
 */
function pipelineOf(record, id) {
  const list = read(record, "steps");
  const steps = (kindOf(list) === LIST ? list : [])
    .filter((/** @type {any} */ it) => kindOf(it) === OBJECT)
    .map((/** @type {any} */ it) => ({
      ...it,
      outputs: outputsOf(it, it.task_id),
    }));
  const used = new Set(steps.flatMap((/** @type {any} */ it) => it.uses));
  const last = steps.filter((/** @type {any} */ it) => !used.has(it.name));
  const outputs = last.flatMap((/** @type {any} */ it) => it.outputs);
  return {
    resumable: false,
    .../** @type {any} */ (record),
    id,
    steps,
    outputs,
  };
}

/**
 * The outputs of a record, each with its task's id and its position, by which it can be an input.
 *
 * @param {unknown} record
 * @param {string} task_id
 */
export function outputsOf(record, task_id) {
  const outputs = read(record, "outputs");
  if (kindOf(outputs) !== LIST) return [];
  return outputs.map((/** @type {any} */ it, /** @type {number} */ output) =>
    kindOf(it) === OBJECT ? { ...it, task_id, output } : it,
  );
}

const BINARY = "application/octet-stream";

/** @param {Handle} file */
export const fileInfo = (file) => hold(describeFile(at(file)));

/** @param {Blob} file */
export function describeFile(file) {
  const [name, type] = ["name", "type"].map((it) => read(file, it));
  const content_type =
    kindOf(type) === TEXT && /^[ -~]+$/.test(type) ? type : BINARY;
  const extension =
    content_type === BINARY
      ? "bin"
      : (content_type.split("/")[1] ?? "bin").split(/[+;]/)[0];
  return {
    file_name:
      kindOf(name) === TEXT && name.trim() ? name : `file.${extension}`,
    content_type,
    size: sizeOf(file),
  };
}
