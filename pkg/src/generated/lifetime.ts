// Written from `crates/core` by `cargo xtask generate`; edits are lost.

/**
 * The time in milliseconds for which the gateway surely knows an idempotency key and an uploaded
 * file: an hour less than its own time, since clocks differ.
 */
export const LIFETIME_MS = 82800000;
