//! A call that is followed on its own stream: notifications of progress, then the result.

use futures_util::{Stream, stream};
use serde_json::{Value, json};
use web_sys::ReadableStream;

use super::content::{self, Job};
use super::era::Era;
use super::follow::{Follow, Heard};
use super::rpc;

/// What keeps the connection alive.
const BEAT: &str = ":\n\n";

/// A call under way.
pub(super) struct Progress {
    pub(super) era: Era,
    /// The request's id.
    pub(super) id: Value,
    /// By which the client tells its calls apart.
    pub(super) token: Value,
    pub(super) job: Job,
    /// The last that is known, as `data` of an answer.
    pub(super) data: Value,
}

impl Progress {
    /// The call's events, until the task has ended or its follower's time is over.
    pub(super) fn stream(self, follow: Follow) -> Option<ReadableStream> {
        let response = worker::Response::from_stream(self.events(follow)).ok()?;
        web_sys::Response::from(response).body()
    }

    fn events(self, follow: Follow) -> impl Stream<Item = Result<Vec<u8>, worker::Error>> {
        stream::unfold(Some((self, follow, None)), |state| async {
            let (mut call, mut follow, told) = state?;
            let Some(told) = told else {
                let (text, told) = call.told(-1.0);
                return Some((Ok(text.into_bytes()), Some((call, follow, Some(told)))));
            };
            let (text, told) = match follow.next().await {
                Heard::Beat => (BEAT.to_owned(), Some(told)),
                Heard::Task(data) => {
                    call.data = data;
                    match content::is_running(&call.data) {
                        true => {
                            let (text, told) = call.told(told);
                            (text, Some(told))
                        }
                        false => (call.result(), None),
                    }
                }
                Heard::Refused(envelope) => (call.event(content::error(&envelope)), None),
                Heard::End => (call.result(), None),
            };
            Some((Ok(text.into_bytes()), told.map(|told| (call, follow, Some(told)))))
        })
    }

    /// How far it is, where that is further than was told; a client never hears the same number twice.
    fn told(&self, before: f64) -> (String, f64) {
        let progress = self.data["task"]["progress"].as_f64().unwrap_or(0.0);
        if progress <= before {
            return (BEAT.to_owned(), before);
        }
        let params = json!({
            "progressToken": self.token, "progress": progress, "total": 1,
            "message": content::state(&self.data).unwrap_or("under way"),
        });
        (message(&rpc::notification("notifications/progress", params)), progress)
    }

    fn result(&mut self) -> String {
        let result = self.job.result(self.data.take());
        self.event(result)
    }

    fn event(&self, result: Value) -> String {
        message(&rpc::result(&self.id, content::complete(self.era, result)))
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
    fn progress_is_told_when_it_grows() {
        let mut call = Progress {
            era: Era::Legacy,
            id: json!(1),
            token: json!("p"),
            job: Job { prefix: String::new(), made: true },
            data: json!({"task": {"id": "t", "state": "QUEUED"}}),
        };
        let mut told = -1.0;
        let mut said = Vec::new();
        for progress in [None, Some(0.0), Some(0.25), Some(0.25), Some(0.1), Some(0.5)] {
            call.data["task"]["progress"] = json!(progress);
            let (text, now) = call.told(told);
            told = now;
            said.push(text.contains("notifications/progress"));
        }
        assert_eq!(said, [true, false, true, false, false, true]);
    }
}
