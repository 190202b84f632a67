//! The bucket's name and its only credentials. These are not secret: the bucket is for tests and
//! for one machine.

/// The name of the bucket: the first segment of its objects' paths.
pub const DEV_RESULTS_BUCKET: &str = "results-bucket";

/// The access key id that signs for the bucket. It gives access to an emulator and nothing else.
pub const DEV_RESULTS_ACCESS_KEY_ID: &str = "emulator-results-key";

/// The secret of [`DEV_RESULTS_ACCESS_KEY_ID`].
pub const DEV_RESULTS_SECRET_ACCESS_KEY: &str = "emulator-results-secret";
