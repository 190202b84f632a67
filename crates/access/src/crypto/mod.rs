//! Secrets, hashes and derived keys.

mod bucket_key;
mod hash;
mod secret;
mod webhook_key;

pub use bucket_key::BucketKey;
pub use hash::{derive_key, hash};
pub use secret::Secret;
pub use webhook_key::WebhookKey;
