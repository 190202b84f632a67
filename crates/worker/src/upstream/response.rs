//! An upstream response, decoded once.

use mediagate_core::outputs::Output;
use mediagate_core::{Code, Envelope, Expects, Reason};
use mediagate_dialect::{Decoded, Dialect};
use serde_json::Value;

use super::record::{Normalised, TaskRecord};

/// An upstream response. The API key is in no part of it.
pub(super) struct UpstreamResponse {
    /// The HTTP status; 0 if no response arrived.
    pub(super) status: u16,
    pub(super) body: Option<Value>,
    /// `Retry-After` in seconds.
    pub(super) retry_after: Option<u32>,
    /// The reason why there is no body, if it is known.
    pub(super) fault: Option<Reason>,
}

/// Returns the reason that a word of `host.js` stands for, if a response could not be received.
pub(super) fn fault_named(word: &str) -> Option<Reason> {
    const FAULTS: [Reason; 4] = [
        Reason::Deadline,
        Reason::Unreachable,
        Reason::Redirect,
        Reason::AnswerTooLarge,
    ];
    FAULTS.into_iter().find(|reason| reason.name() == word)
}

pub(super) enum Success {
    Task(TaskRecord),
    /// The result of a create that made no task: `data` or the bare value, and its outputs.
    Result(Value, Vec<Output>),
}

/// A response with an error, or an unreadable response.
pub(super) enum Failure {
    /// The upstream's own error.
    Error {
        code: Code,
        message: String,
        data: Option<Value>,
        /// See [`UpstreamResponse::retry_after`].
        retry_after: Option<u32>,
    },
    Unreadable {
        reason: Reason,
        /// See [`UpstreamResponse::retry_after`].
        retry_after: Option<u32>,
    },
}

impl UpstreamResponse {
    /// Returns true if the upstream itself has responded. A transport failure is no response, and
    /// an unreadable 5xx comes from a proxy.
    pub(super) fn is_reached(&self, dialect: &Dialect) -> bool {
        let is_lost = matches!(self.fault, Some(Reason::Deadline | Reason::Unreachable));
        let is_readable = self
            .body
            .as_ref()
            .is_some_and(|body| dialect.envelope.read(body).is_some());
        !is_lost && (self.status < 500 || is_readable)
    }

    /// Decodes the response to a request that expects `expects`. `known_id` is the id of the
    /// requested task, if there is one.
    ///
    /// # Errors
    /// A [`Failure`].
    pub(super) fn decode(
        self,
        dialect: &Dialect,
        expects: Expects,
        known_id: Option<&str>,
    ) -> Result<Success, Failure> {
        match self.decoded(dialect, expects)? {
            Decoded::Task(reading) => {
                let normalised = Normalised::of(&reading, known_id);
                let place = reading.place;
                Ok(Success::Task(TaskRecord::new(
                    self.body.unwrap_or_default(),
                    &place,
                    normalised,
                )))
            }
            Decoded::Result(result, outputs) => Ok(Success::Result(result.clone(), outputs)),
            other => Err(self.failure(other)),
        }
    }

    /// Returns the whole body of a response that has some data.
    ///
    /// # Errors
    /// A [`Failure`].
    pub(super) fn into_body(self, dialect: &Dialect) -> Result<Value, Failure> {
        match self.decoded(dialect, Expects::Data)? {
            Decoded::Data(_) => Ok(self.body.unwrap_or_default()),
            other => Err(self.failure(other)),
        }
    }

    fn decoded(&self, dialect: &Dialect, expects: Expects) -> Result<Decoded<'_>, Failure> {
        match self.fault {
            Some(reason) => Err(self.unreadable(reason)),
            None => Ok(dialect.decode(self.status, self.body.as_ref(), expects)),
        }
    }

    fn failure(&self, decoded: Decoded<'_>) -> Failure {
        match decoded {
            Decoded::Error(Envelope {
                code,
                message,
                data,
            }) => {
                let message = message
                    .and_then(Value::as_str)
                    .unwrap_or_default()
                    .to_owned();
                Failure::Error {
                    code,
                    message,
                    data: data.cloned(),
                    retry_after: self.retry_after,
                }
            }
            Decoded::Unreadable(unreadable) => self.unreadable(unreadable.reason()),
            // `into_body` matches `Data`, so the request of this response expects a task.
            Decoded::Task(_) | Decoded::Data(_) | Decoded::Result(..) => {
                self.unreadable(Reason::UnexpectedSuccess)
            }
        }
    }

    fn unreadable(&self, reason: Reason) -> Failure {
        Failure::Unreadable {
            reason,
            retry_after: self.retry_after,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn response(status: u16, body: Option<Value>, fault: Option<Reason>) -> UpstreamResponse {
        UpstreamResponse {
            status,
            body,
            retry_after: None,
            fault,
        }
    }

    #[test]
    fn the_upstream_is_reached_where_a_response_of_its_own_arrives() {
        let envelope = || Some(json!({"code": 99}));
        for (status, body, fault, reached) in [
            (200, envelope(), None, true),
            (404, None, None, true),
            (499, None, None, true),
            (500, None, None, false),
            (502, Some(json!({"error": "proxy"})), None, false),
            (502, envelope(), None, true),
            (0, None, Some(Reason::Deadline), false),
            (0, None, Some(Reason::Unreachable), false),
            (200, envelope(), Some(Reason::Unreachable), false),
            (302, None, Some(Reason::Redirect), true),
            (200, None, Some(Reason::AnswerTooLarge), true),
        ] {
            assert_eq!(
                response(status, body.clone(), fault).is_reached(&Dialect::default()),
                reached,
                "{status} {body:?}"
            );
        }
    }

    /// Describes a decoded response in words.
    fn decoded(response: UpstreamResponse, expects: Expects, known_id: Option<&str>) -> String {
        match response.decode(&Dialect::default(), expects, known_id) {
            Ok(Success::Task(task)) => format!("task {}", task.id),
            Ok(Success::Result(result, _)) => format!("result {result}"),
            Err(Failure::Error {
                code,
                message,
                data,
                ..
            }) => format!("error {} {message} {data:?}", code.0),
            Err(Failure::Unreadable { reason, .. }) => reason.name().to_owned(),
        }
    }

    #[test]
    fn a_response_without_a_body_is_unreadable_for_the_reason_that_the_host_reports() {
        for word in ["deadline", "unreachable", "redirect", "answer_too_large"] {
            let fault = fault_named(word);
            assert!(fault.is_some(), "{word}");
            assert_eq!(
                decoded(
                    response(200, Some(json!({"code": 0})), fault),
                    Expects::Data,
                    None
                ),
                word
            );
        }
        assert!(fault_named("").is_none() && fault_named("other").is_none());
        assert_eq!(
            decoded(response(200, None, None), Expects::Data, None),
            "not_json"
        );
    }

    #[test]
    fn data_and_errors_are_passed_on_and_a_task_keeps_what_is_beside_it() {
        let body =
            json!({"code": 0, "data": {"task": {"id": "t", "status": "RUNNING"}, "queue": 3}});
        for (expects, known_id, id) in [
            (Expects::Status, Some("known"), "known"),
            (Expects::Task, None, "t"),
        ] {
            let Ok(Success::Task(task)) = response(200, Some(body.clone()), None).decode(
                &Dialect::default(),
                expects,
                known_id,
            ) else {
                panic!("no task");
            };
            let record = json!({"id": id, "status": "RUNNING", "state": "RUNNING", "outputs": []});
            assert_eq!(
                (task.id.as_str(), task.data),
                (id, json!({"task": record, "queue": 3}))
            );
        }
        let body = json!({"code": 0, "data": [1]});
        let whole = response(200, Some(body.clone()), None).into_body(&Dialect::default());
        assert_eq!(whole.ok(), Some(body));
        let error = response(
            200,
            Some(json!({"code": 1401, "message": "m", "data": 5})),
            None,
        );
        assert_eq!(
            decoded(error, Expects::Task, None),
            "error 1401 m Some(Number(5))"
        );
    }
}
