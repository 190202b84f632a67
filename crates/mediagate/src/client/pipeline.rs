//! What can be done with a pipeline besides following it.

use alloc::sync::Arc;

use super::error::Error;
use super::limits::{Callers, Limits};
use super::platform::Platform;
use super::response::Reply;
use super::task::{Snapshot, Task};

impl<P: Platform> Task<P> {
    /// Resumes a pipeline: what did not succeed begins anew.
    ///
    /// # Errors
    /// `invalid_input` with the reason `not_resumable`; any error of a read.
    pub async fn resume(&self, limits: Limits<P>) -> Result<Arc<Snapshot<P::Value>>, Error<P>> {
        self.change("/resume", limits).await
    }

    /// Cancels a pipeline: what is not sent yet is not sent.
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
        let callers = Callers::from(&limits.caller);
        let platform = self.client().platform();
        let changed = limits.apply(platform, async {
            let Some(mut call) = self.read_call(action, callers.clone()) else {
                return Ok(self.snapshot());
            };
            call.request.method = "POST";
            match self.client().call(call).await {
                // An event of the stream may have come before it, with the state from before the action.
                Ok(Reply::Snapshot(snapshot)) => self.update(snapshot, true),
                Ok(_) => {}
                // The pipeline may go on by the request before, whose response was lost.
                Err(ended) if ended.error.status == Some(409) && ended.failures > 1 => {
                    self.poll(callers).await?;
                }
                Err(ended) => return Err(ended.error),
            }
            Ok(self.snapshot())
        });
        changed.await
    }
}
