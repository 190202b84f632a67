import { LIFETIME_MS } from "./generated/lifetime.js";

/** The largest difference of two readings of the clock that is not a correction of it. */
const MAX_CORRECTION_MS = 60 * 60 * 1000;

/** Returns true if the gateway still knows a key or a file of a time in milliseconds since 1970. */
export function isFresh(at: number): boolean {
  const age = Date.now() - at;
  // A time in the future is of a wrong clock, so nobody knows how long ago it was.
  return age < LIFETIME_MS && age > -MAX_CORRECTION_MS;
}
