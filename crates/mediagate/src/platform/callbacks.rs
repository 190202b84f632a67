//! The caller's functions: what one of them does, a panic included, is not the engine's.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use futures_util::future::FutureExt;

use crate::file::Progress;
use crate::value::{Cause, ProgressFn, TokenSource};

/// Calls a function of the caller's, and ignores its panic, of which the panic hook has written.
pub(super) fn call(function: impl FnOnce()) {
    catch_unwind(AssertUnwindSafe(function)).ok();
}

/// Notifies of the progress of an upload.
pub(super) fn progress(function: &ProgressFn, loaded: u64, total: u64) {
    call(|| function(Progress::new(loaded.min(total), total)));
}

/// Fetches a token.
pub(super) async fn token(source: TokenSource) -> Result<String, Cause> {
    let fetched = AssertUnwindSafe(async move { source().await })
        .catch_unwind()
        .await;
    fetched.unwrap_or_else(|_| Err(Arc::from(Box::from("the function for a token panicked"))))
}
