//! Secrets, hashes and derived keys.

mod hash;
mod secret;
mod webhook_key;

pub(crate) use hash::{derive_key, hash};
pub use secret::Secret;
pub use webhook_key::WebhookKey;
