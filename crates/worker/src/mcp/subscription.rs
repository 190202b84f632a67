//! Follows a task through its watcher, from within the gateway.

use mediagate_access::refusal::Refusal;
use mediagate_core::Reason;
use mediagate_ids::TaskRef;
use mediagate_messages::{TaskEvent, TaskEvents};
use mediagate_platform::now_ms;
use serde_json::Value;

use super::content;
use crate::operations::{self, RequestContext};

/// A subscription to a task. Dropping it ends the stream.
pub(super) struct TaskSubscription {
    events: TaskEvents,
    /// In milliseconds since 1970.
    until: f64,
}

impl TaskSubscription {
    /// Subscribes to one of the caller's tasks for at most `seconds`, and until the token expires.
    pub(super) async fn start(
        context: &RequestContext<'_>,
        task: TaskRef,
        seconds: u32,
    ) -> Result<Self, Refusal> {
        let max_ms = f64::from(seconds) * 1000.0;
        let stream = operations::subscribe(context, task, 0, max_ms).await?;
        let stream = stream.ok_or_else(|| Refusal::from(Reason::WatcherFailed))?;
        let until = (now_ms() + max_ms).min(context.caller.until * 1000.0);
        Ok(TaskSubscription {
            events: TaskEvents::new(&stream),
            until,
        })
    }

    /// Waits for the task's end. Returns the last record that was received within the time, or
    /// `last` if there was none.
    pub(super) async fn until_it_ends(mut self, mut last: Value) -> Value {
        loop {
            match self.next().await {
                TaskEvent::Task(data) if content::is_running(&data) => last = data,
                TaskEvent::Task(data) => return data,
                TaskEvent::Heartbeat => {} // keeps only the connection alive
                TaskEvent::Refused(_) | TaskEvent::End => return last,
            }
        }
    }

    pub(super) async fn next(&mut self) -> TaskEvent {
        self.events.next(self.until).await
    }
}
