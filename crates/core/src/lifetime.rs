//! How long the gateway knows an idempotency key and an uploaded file, in milliseconds.

const HOUR_MS: u32 = 60 * 60 * 1000;

/// The time for which the gateway knows them.
pub const KNOWN_MS: u32 = 24 * HOUR_MS;

/// The time for which it surely knows them, since clocks differ. What is older is not sent again.
pub const SURELY_KNOWN_MS: u32 = KNOWN_MS - HOUR_MS;
