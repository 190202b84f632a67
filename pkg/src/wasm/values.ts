// The glue of the wasm imports this module. Each call from the wasm takes time, so a function here
// replaces several calls.

import type { Operation, PlatformRequest } from "./mediagate.js";

/**
 * Returns the position of the type of a value in `TYPES` of `crates/browser/src/value.rs`; 7 for
 * any other type.
 */
export function typeOf(value: unknown): number {
  switch (typeof value) {
    case "undefined":
      return 0;
    case "boolean":
      return 1;
    case "number":
      return 2;
    case "string":
      return 3;
    case "object":
      if (value === null) return 0;
      if (Array.isArray(value)) return 4;
      return typeof Blob !== "undefined" && value instanceof Blob ? 6 : 5;
    default:
      return 7;
  }
}

/** Returns a member of an object; `undefined` if the value is not an object. */
export function member(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null
    ? (value as Record<string, unknown>)[name]
    : undefined;
}

/** Makes a request, with the members of an upload. */
export function platformRequest(
  method: string,
  url: string,
  headers: Record<string, string>,
  token: string | undefined,
  capability: string | undefined,
  isStream: boolean,
  body: unknown,
  upload: Partial<PlatformRequest> | undefined,
): PlatformRequest {
  return { method, url, headers, token, capability, isStream, body, ...upload };
}

/** Waits until a signal is aborted. */
export function aborted(signal: AbortSignal): Operation<void> {
  let abort = () => {};
  const done = new Promise<void>((resolve) => {
    const listener = () => resolve();
    abort = () => signal.removeEventListener("abort", listener);
    signal.addEventListener("abort", listener);
    // A signal that is already aborted fires no event.
    if (signal.aborted) listener();
  });
  return { done, abort };
}
