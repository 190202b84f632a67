// Written from `crates/core` by `cargo xtask generate`; edits are lost.

/**
 * The time in milliseconds for which the gateway surely knows an idempotency key and an uploaded
 * file: its own, less an hour for clocks that differ.
 */
export const LIFETIME_MS = 82800000;
