// The error class is in JavaScript, so that it can be imported and caught before the wasm is loaded.

export class MediagateError extends Error {
  /** @param {{ message: string, cause?: unknown, [member: string]: unknown }} members */
  constructor({ message, cause, ...members }) {
    super(message, cause === undefined ? undefined : { cause });
    Object.assign(this, { issues: [], retryable: false }, members);
  }
}

// On the prototype, where the built-in errors have theirs.
MediagateError.prototype.name = "MediagateError";

/**
 * By name: `instanceof` fails for errors of another frame and of another copy of the package.
 *
 * @type {typeof import("./error.js").isMediagateError}
 */
export const isMediagateError = /** @type {any} */ (
  (/** @type {any} */ error) => error?.name === "MediagateError"
);

/** @type {typeof import("./error.js").errorWith} */
export const errorWith = (members) =>
  /** @type {any} */ (new MediagateError(/** @type {any} */ (members)));

/** @type {typeof import("./error.js").createError} */
export const createError = (code, message, cause) =>
  errorWith({ code, message, cause });
