//! A call that reports on its own stream: progress notifications, then the result.

use futures_util::{Stream, stream};
use mediagate_messages::TaskEvent;
use serde_json::{Value, json};
use web_sys::ReadableStream;

use super::content::{self, TaskReport};
use super::rpc;
use super::subscription::TaskSubscription;
use super::version::ProtocolVersion;

/// A comment, which keeps the connection alive.
const HEARTBEAT: &str = ":\n\n";

pub(super) struct Progress {
    pub(super) version: ProtocolVersion,
    pub(super) id: Value,
    pub(super) token: Value,
    pub(super) report: TaskReport,
    /// The last record, as the `data` of a reply.
    pub(super) data: Value,
}

impl Progress {
    /// Returns the call's events, until the task or the subscription has ended. `None` if the
    /// platform cannot create the stream.
    pub(super) fn stream(self, subscription: TaskSubscription) -> Option<ReadableStream> {
        let response = worker::Response::from_stream(self.events(subscription)).ok()?;
        web_sys::Response::from(response).body()
    }

    fn events(
        self,
        subscription: TaskSubscription,
    ) -> impl Stream<Item = Result<Vec<u8>, worker::Error>> {
        stream::unfold(Some((self, subscription, None)), |state| async {
            let (mut call, mut subscription, reported) = state?;
            let (text, reported) = match reported {
                // The first event is sent at once, so that the client does not time out while the
                // task waits.
                None => call.progress_since(-1.0),
                Some(before) => match subscription.next().await {
                    TaskEvent::Heartbeat => (HEARTBEAT.to_owned(), Some(before)),
                    TaskEvent::Task(data) => {
                        call.data = data;
                        if content::is_running(&call.data) {
                            call.progress_since(before)
                        } else {
                            (call.result(), None)
                        }
                    }
                    // The task may still run. The result has its id, by which the client can read
                    // it.
                    TaskEvent::Refused(_) | TaskEvent::End => (call.result(), None),
                },
            };
            let state = reported.map(|progress| (call, subscription, Some(progress)));
            Some((Ok(text.into_bytes()), state))
        })
    }

    /// Returns a notification if the progress has grown since `before`, else a heartbeat; with the
    /// progress that is now reported.
    fn progress_since(&self, before: f64) -> (String, Option<f64>) {
        let progress = self.data["task"]["progress"].as_f64().unwrap_or(0.0);
        // The protocol requires that each notification has a larger progress than the last.
        if progress <= before {
            return (HEARTBEAT.to_owned(), Some(before));
        }
        let params = json!({
            "progressToken": self.token, "progress": progress, "total": 1,
            "message": content::status(&self.data),
        });
        let notification = rpc::notification("notifications/progress", params);
        (message(&notification), Some(progress))
    }

    fn result(&mut self) -> String {
        let result = self.report.result(self.data.take());
        let result = content::complete(self.version, result);
        message(&rpc::result(&self.id, result))
    }
}

/// A server-sent event. The JSON contains no line break, so it is one line of data.
fn message(message: &Value) -> String {
    format!("event: message\ndata: {message}\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_is_reported_when_it_grows() {
        let mut call = Progress {
            version: ProtocolVersion::Legacy,
            id: json!(1),
            token: json!("p"),
            report: TaskReport {
                prefix: String::new(),
                has_links: true,
                is_create: true,
            },
            data: json!({"task": {"id": "t", "state": "QUEUED"}}),
        };
        let mut reported = -1.0;
        let mut notified = Vec::new();
        for progress in [
            None,
            Some(0.0),
            Some(0.25),
            Some(0.25),
            Some(0.1),
            Some(0.5),
        ] {
            call.data["task"]["progress"] = json!(progress);
            let (text, now) = call.progress_since(reported);
            reported = now.expect("it runs");
            notified.push(text.contains("notifications/progress"));
        }
        assert_eq!(notified, [true, false, true, false, false, true]);
    }
}
