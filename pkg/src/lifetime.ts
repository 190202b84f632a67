/**
 * The time in milliseconds for which the gateway surely knows an idempotency key and an uploaded
 * file: its own `RETENTION_MS` (`crates/worker/src/ledger/policy.rs`), less an hour for clocks that
 * differ.
 */
export const LIFETIME_MS = 23 * 60 * 60 * 1000;

/** The largest difference of two readings of the clock that is not a correction of it. */
const MAX_CORRECTION_MS = 60 * 60 * 1000;

/** Returns true if the gateway still knows a key or a file of a time in milliseconds since 1970. */
export function isFresh(at: number): boolean {
  const age = Date.now() - at;
  // A time in the future is of a wrong clock, so nobody knows how long ago it was.
  return age < LIFETIME_MS && age > -MAX_CORRECTION_MS;
}
