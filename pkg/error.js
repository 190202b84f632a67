// The error class is JavaScript's own, so that it can be imported, and caught, before the wasm is loaded.

export class MediagateError extends Error {
  constructor({ message, cause, ...members }) {
    super(message, cause === undefined ? undefined : { cause });
    Object.assign(this, { issues: [], retryable: false }, members);
  }
}

// On the prototype, as the built-in errors have it.
MediagateError.prototype.name = "MediagateError";

// By name: `instanceof` fails across frames, and where a page has two copies of the package.
export const isMediagateError = (error) => error?.name === "MediagateError";
