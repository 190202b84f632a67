use alloc::boxed::Box;

use crate::limits::Limits;
use crate::platform::Platform;
use crate::response::Received;
use crate::sync::Waiters;
use crate::task::{Read, TaskHandle};

impl<P: Platform> TaskHandle<P> {
    /// Resumes a pipeline: the steps that failed, were skipped or were cancelled begin again.
    ///
    /// # Errors
    /// `invalid_input` with the reason `not_resumable`.
    pub fn resume(&self, limits: Limits<P>) -> Read<P> {
        self.change("/resume", limits)
    }

    /// Cancels a pipeline: the gateway sends no further creates of its steps.
    pub fn cancel(&self, limits: Limits<P>) -> Read<P> {
        self.change("/cancel", limits)
    }

    fn change(&self, action: &'static str, limits: Limits<P>) -> Read<P> {
        let task = self.clone();
        let waiters = Waiters::from(&limits.retry);
        let changed = async move {
            let Some(mut call) = task.read_call(action, waiters.clone()) else {
                // Unreachable: only a result without a task has no id.
                return Ok(task.snapshot());
            };
            call.request.method = "POST";
            match task.client().call(call).await {
                // The stream may have sent the state from before the action meanwhile.
                Ok(Received::Snapshot(snapshot)) => task.update(snapshot, true),
                Ok(_) => {}
                // An earlier attempt, whose response was lost, may have resumed or cancelled the
                // pipeline. A poll shows it.
                Err(failure) if failure.error.status == Some(409) && failure.failures > 1 => {
                    task.poll(waiters).await?;
                }
                Err(failure) => return Err(failure.error),
            }
            Ok(task.snapshot())
        };
        limits.apply(self.client().platform(), Box::pin(changed))
    }
}
