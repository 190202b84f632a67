/// The name of the bucket: the first segment of its objects' paths.
pub const DEV_RESULTS_BUCKET: &str = "results-bucket";

/// The access key id that signs for the bucket.
pub const DEV_RESULTS_ACCESS_KEY_ID: &str = "emulator-results-key";
