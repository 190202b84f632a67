//! A call that reports on its own stream: progress notifications, then the result.

use futures_util::{Stream, stream};
use serde_json::{Value, json};
use web_sys::ReadableStream;

use super::content::{self, TaskReport};
use super::follow::{Follow, FollowEvent};
use super::rpc;
use super::version::ProtocolVersion;

/// A comment, which keeps the connection open.
const HEARTBEAT: &str = ":\n\n";

/// A call in progress.
pub(super) struct Progress {
    pub(super) version: ProtocolVersion,
    /// The request's id.
    pub(super) id: Value,
    /// The client's progress token.
    pub(super) token: Value,
    pub(super) report: TaskReport,
    /// The last record, as the `data` of a reply.
    pub(super) data: Value,
}

impl Progress {
    /// The call's events, until the task has ended or the subscription's time is over.
    pub(super) fn stream(self, follow: Follow) -> Option<ReadableStream> {
        let response = worker::Response::from_stream(self.events(follow)).ok()?;
        web_sys::Response::from(response).body()
    }

    fn events(self, follow: Follow) -> impl Stream<Item = Result<Vec<u8>, worker::Error>> {
        stream::unfold(Some((self, follow, None)), |state| async {
            let (mut call, mut follow, reported) = state?;
            let Some(reported) = reported else {
                let (text, reported) = call.progress_since(-1.0);
                return Some((Ok(text.into_bytes()), Some((call, follow, Some(reported)))));
            };
            let (text, reported) = match follow.next().await {
                FollowEvent::Heartbeat => (HEARTBEAT.to_owned(), Some(reported)),
                FollowEvent::Task(data) => {
                    call.data = data;
                    match content::is_running(&call.data) {
                        true => {
                            let (text, reported) = call.progress_since(reported);
                            (text, Some(reported))
                        }
                        false => (call.result(), None),
                    }
                }
                FollowEvent::End => (call.result(), None),
            };
            Some((Ok(text.into_bytes()), reported.map(|it| (call, follow, Some(it)))))
        })
    }

    /// A notification of the progress, where it is more than reported before, and the progress that is reported then.
    fn progress_since(&self, before: f64) -> (String, f64) {
        let progress = self.data["task"]["progress"].as_f64().unwrap_or(0.0);
        if progress <= before {
            return (HEARTBEAT.to_owned(), before);
        }
        let params = json!({
            "progressToken": self.token, "progress": progress, "total": 1,
            "message": content::state(&self.data).unwrap_or("under way"),
        });
        (message(&rpc::notification("notifications/progress", params)), progress)
    }

    fn result(&mut self) -> String {
        let result = self.report.result(self.data.take());
        self.event(result)
    }

    fn event(&self, result: Value) -> String {
        message(&rpc::result(&self.id, content::complete(self.version, result)))
    }
}

/// A message as a server-sent event. JSON has no line break in it, so it is one line of data.
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
            report: TaskReport { prefix: String::new(), is_create: true },
            data: json!({"task": {"id": "t", "state": "QUEUED"}}),
        };
        let mut reported = -1.0;
        let mut notified = Vec::new();
        for progress in [None, Some(0.0), Some(0.25), Some(0.25), Some(0.1), Some(0.5)] {
            call.data["task"]["progress"] = json!(progress);
            let (text, now) = call.progress_since(reported);
            reported = now;
            notified.push(text.contains("notifications/progress"));
        }
        assert_eq!(notified, [true, false, true, false, false, true]);
    }
}
