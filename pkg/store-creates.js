// Creates that are stored before they are sent, so that none is lost that may cost credits.

import { validate } from "./client.js";
import { copy } from "./dist/copy.js";
import { randomKey } from "./dist/page.js";
import { BLOB, kindOf, NULL, OBJECT, read, sizeOf } from "./dist/values.js";
import { errorWith } from "./error.js";

/** @typedef {import("./index.js").Media} Media */
/** @typedef {import("./index.js").Task} Task */

/**
 * A create as it is stored.
 *
 * @typedef {object} CreateRow
 * @property {string} key the idempotency key
 * @property {number} at when it began, in milliseconds since 1970
 * @property {string} capability
 * @property {Record<string, unknown>} input files as ids or blobs; `undefined` in place of what was too large to store
 * @property {unknown} [metadata]
 * @property {boolean} isSent whether it may have reached the gateway
 * @property {boolean} isWhole whether every file of the input is stored
 */

/**
 * What a create does with its row.
 *
 * @typedef {object} Rows
 * @property {(row: CreateRow) => Promise<unknown>} put
 * @property {(row: CreateRow) => Promise<unknown>} remove
 * @property {(row: CreateRow, task: Task) => Promise<Task>} settle replaces it by its task
 */

/** How long the gateway knows a key, less an hour for clocks that differ, in milliseconds. */
const KEY_LIFETIME_MS = 23 * 60 * 60 * 1000;

/**
 * The row of a new create; `undefined` where a create rejects these arguments before it sends anything.
 *
 * @param {unknown} capability
 * @param {unknown} input
 * @param {unknown} options
 * @param {number} maxBytes
 * @returns {CreateRow | undefined}
 */
export function newRow(capability, input, options, maxBytes) {
  const key = read(options, "idempotencyKey") ?? randomKey();
  const copied = /** @type {any} */ (copy(input));
  if (
    ![NULL, OBJECT].includes(kindOf(options)) ||
    typeof key !== "string" ||
    kindOf(copied) !== OBJECT
  )
    return undefined;
  if (!isValid(capability, copied)) return undefined;
  const isWhole =
    filesOf(copied).reduce((sum, file) => sum + (sizeOf(file) ?? 0), 0) <=
    maxBytes;
  const metadata = read(options, "metadata");
  return {
    key,
    at: Date.now(),
    capability: String(capability),
    input: copied,
    metadata,
    isSent: false,
    isWhole,
  };
}

/**
 * @param {any} capability
 * @param {unknown} input
 */
function isValid(capability, input) {
  try {
    return !validate(capability, input).some((it) => it.severity === "error");
  } catch (error) {
    // Another copy of the package has loaded the wasm; its client validates in any case.
    return read(error, "code") === "not_loaded";
  }
}

/**
 * @param {Record<string, unknown>} input
 * @returns {Blob[]}
 */
const filesOf = (input) =>
  /** @type {any[]} */ (Object.values(input).flat()).filter(
    (it) => kindOf(it) === BLOB,
  );

/** Whether a create can be repeated without the risk of a second charge. @param {CreateRow} row */
export const isRepeatable = (row) =>
  row.isWhole && !(row.isSent && Date.now() - row.at > KEY_LIFETIME_MS);

/**
 * Uploads the files, stores their ids, and creates the task. The row outlives whatever may have cost credits.
 *
 * @param {Media} media
 * @param {CreateRow} row
 * @param {unknown} options
 * @param {Rows} rows
 */
export async function createTask(media, row, options, rows) {
  const limit = limitOf(options);
  const { key, isSent: wasSent } = row;
  try {
    await rows.put(row);
    await uploadAll(media, row, limit, rows);
    // From here on the gateway may create the task, whatever happens to the page.
    Object.assign(row, { isSent: true, isWhole: true });
    await rows.put(row);
  } catch (error) {
    if (!wasSent) await ignoringFailure(() => rows.remove(row));
    throw wasSent ? uncertain(error, key) : error;
  }
  let task;
  try {
    task = await media.create(
      /** @type {any} */ (row.capability),
      /** @type {any} */ (row.input),
      {
        ...limit(),
        idempotencyKey: key,
      },
    );
  } catch (error) {
    const outcome = read(error, "outcome");
    // That this attempt was not sent says nothing of an earlier one.
    if (wasSent && outcome === "not_sent") throw uncertain(error, key);
    if (outcome !== "unknown") await ignoringFailure(() => rows.remove(row));
    throw error;
  }
  return rows.settle(row, task);
}

/**
 * The error of an attempt that was not sent, of a create that may have been charged before.
 *
 * @param {unknown} error
 * @param {string} idempotencyKey
 */
const uncertain = (error, idempotencyKey) =>
  error instanceof Error
    ? Object.assign(error, { outcome: "unknown", idempotencyKey })
    : error;

/**
 * Replaces each file by its id, and stores that.
 *
 * @param {Media} media
 * @param {CreateRow} row
 * @param {() => import("./index.js").CallOptions} limit
 * @param {Rows} rows
 */
async function uploadAll(media, row, limit, rows) {
  /** @param {unknown} file */
  const upload = async (file) => {
    if (kindOf(file) !== BLOB) return file;
    try {
      return await media.upload(/** @type {Blob} */ (file), limit());
    } catch (error) {
      // It belongs to a create, of which nothing was sent.
      throw Object.assign(/** @type {any} */ (error), { outcome: "not_sent" });
    }
  };
  const fields = Object.entries(row.input).map(async ([name, value]) => {
    const hasFiles = filesOf({ value }).length > 0;
    if (!hasFiles) return;
    row.input[name] = Array.isArray(value)
      ? await Promise.all(value.map(upload))
      : await upload(value);
    await rows.put(row);
  });
  await Promise.all(fields);
}

/**
 * The limits of a create for each of its calls, with what is left of the timeout.
 *
 * @param {unknown} options
 * @returns {() => import("./index.js").CallOptions}
 */
function limitOf(options) {
  const [signal, timeout, maxRetries, onRetry] = [
    "signal",
    "timeout",
    "maxRetries",
    "onRetry",
  ].map((it) => read(options, it));
  const start = Date.now();
  // What is neither is rejected by the client.
  const left = () =>
    typeof timeout === "number"
      ? Math.max(1, timeout - (Date.now() - start))
      : timeout;
  // One that is `undefined` is that of `connect`.
  return () =>
    /** @type {any} */ ({ signal, timeout: left(), maxRetries, onRetry });
}

/**
 * The row as it is stored: without files that are too large.
 *
 * @param {CreateRow} row
 * @returns {CreateRow}
 */
export function forDisk(row) {
  if (row.isWhole) return row;
  const input = Object.entries(row.input).map(([name, value]) => [
    name,
    filesOf({ value }).length ? undefined : value,
  ]);
  return { ...row, input: Object.fromEntries(input) };
}

/** What may fail, since it is tidied up later. @param {() => Promise<unknown>} work */
const ignoringFailure = (work) => work().catch(() => undefined);

/** The error for a create that is not repeated. @param {CreateRow} row */
export const notRepeatable = (row) =>
  errorWith({
    code: "invalid_argument",
    message: row.isWhole
      ? "this create was sent more than 23 hours ago, so that a repetition could be charged again; check the account, then forget it"
      : "the files of this create were too large to store; create it anew with them, and forget this one",
    outcome: row.isWhole ? "unknown" : "not_sent",
  });
