mod credentials;
mod error;
mod signature;

pub use credentials::{DEV_RESULTS_ACCESS_KEY_ID, DEV_RESULTS_BUCKET};
pub(crate) use error::BucketError;
pub(crate) use signature::check_signature;
