// The error class is in JavaScript, so that it can be imported and caught before the wasm is loaded.

export class MediagateError extends Error {
  constructor({ message, cause, ...members }) {
    super(message, cause === undefined ? undefined : { cause });
    Object.assign(this, { issues: [], retryable: false }, members);
  }
}

// On the prototype, where the built-in errors have theirs.
MediagateError.prototype.name = "MediagateError";

// By name: `instanceof` fails for errors of another frame and of another copy of the package.
export const isMediagateError = (error) => error?.name === "MediagateError";
