//! The resumption and the cancellation of a pipeline.

use alloc::sync::Arc;

use crate::error::Error;
use crate::limits::{Limits, Waiters};
use crate::platform::Platform;
use crate::response::Reply;
use crate::task::{Snapshot, Task};

impl<P: Platform> Task<P> {
    /// Resumes a pipeline: the steps that failed, were skipped or were cancelled begin again.
    ///
    /// # Errors
    /// `invalid_input` with the reason `not_resumable`; any error of a read.
    pub async fn resume(&self, limits: Limits<P>) -> Result<Arc<Snapshot<P::Value>>, Error<P>> {
        self.change("/resume", limits).await
    }

    /// Cancels a pipeline: the gateway sends no further creates of its steps.
    ///
    /// # Errors
    /// Any error of a read.
    pub async fn cancel(&self, limits: Limits<P>) -> Result<Arc<Snapshot<P::Value>>, Error<P>> {
        self.change("/cancel", limits).await
    }

    async fn change(
        &self,
        action: &str,
        limits: Limits<P>,
    ) -> Result<Arc<Snapshot<P::Value>>, Error<P>> {
        let waiters = Waiters::from(&limits.retry);
        let platform = self.client().platform();
        let changed = limits.apply(platform, async {
            let Some(mut call) = self.read_call(action, waiters.clone()) else {
                // Unreachable: only a result without a task has no id.
                return Ok(self.snapshot());
            };
            call.request.method = "POST";
            match self.client().call(call).await {
                // The stream may have sent the state from before the action meanwhile.
                Ok(Reply::Snapshot(snapshot)) => self.update(snapshot, true),
                Ok(_) => {}
                // An earlier attempt, whose response was lost, may have resumed or cancelled the
                // pipeline. A poll shows it.
                Err(failure) if failure.error.status == Some(409) && failure.failures > 1 => {
                    self.poll(waiters).await?;
                }
                Err(failure) => return Err(failure.error),
            }
            Ok(self.snapshot())
        });
        changed.await
    }
}
