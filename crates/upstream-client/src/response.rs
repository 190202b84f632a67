use mediagate_core::response::Unreadable;
use mediagate_core::{Expects, Reason};
use mediagate_platform::{date, log, now_ms};
use mediagate_upstream::{Answer, Dialect, InlineMedium, UpstreamError};
use serde_json::{Value, json};

/// An upstream response. The API key is in no part of it.
pub(super) struct UpstreamResponse {
    /// The HTTP status; 0 if no response arrived.
    pub(super) status: u16,
    pub(super) body: Option<Value>,
    /// The name of the provider behind a module, for the log.
    pub(super) provider: Option<String>,
    /// In seconds.
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

pub(super) enum UpstreamFailure {
    /// The upstream's own error.
    Error {
        error: UpstreamError,
        retry_after: Option<u32>,
    },
    Unreadable {
        reason: Reason,
        retry_after: Option<u32>,
    },
}

impl UpstreamFailure {
    /// Returns the failure of a response of another kind than the one that was requested.
    pub(super) fn unexpected() -> Self {
        UpstreamFailure::Unreadable {
            reason: Reason::UnexpectedSuccess,
            retry_after: None,
        }
    }
}

/// Logs that the rules can't read a response to a create or a status. Names the setting that may
/// read it, if there is one.
fn log_unreadable(defect: Unreadable, expects: Expects, setting: Option<String>) {
    let Some(setting) = setting else {
        return; // the line of the request itself has the reason
    };
    let operation = if expects == Expects::Status {
        "read"
    } else {
        "create"
    };
    let line = json!({
        "operation": operation,
        "problem": defect.name(),
        "setting": format!("UPSTREAM_DIALECT: {setting}"),
        "time": date(now_ms()),
    });
    log(&line.to_string());
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

    /// Reads the response to a request. See [`Dialect::read`].
    pub(super) fn read(
        self,
        dialect: &Dialect,
        expects: Expects,
        known_id: Option<&str>,
        link: &mut dyn FnMut(&InlineMedium<'_>) -> Option<String>,
    ) -> Result<Answer, UpstreamFailure> {
        if let Some(reason) = self.fault {
            return Err(self.unreadable(reason));
        }
        let retry_after = self.retry_after;
        match dialect.read(self.status, self.body, expects, known_id, link) {
            Answer::Error(error) => Err(UpstreamFailure::Error { error, retry_after }),
            Answer::Unreadable { defect, remedy } => {
                log_unreadable(defect, expects, remedy);
                Err(UpstreamFailure::Unreadable {
                    reason: defect.reason(),
                    retry_after,
                })
            }
            answer => Ok(answer),
        }
    }

    /// Returns the whole body of a response that has some data.
    pub(super) fn into_body(self, dialect: &Dialect) -> Result<Value, UpstreamFailure> {
        match self.read(dialect, Expects::Data, None, &mut |_| None)? {
            Answer::Data(body) => Ok(body),
            _ => Err(UpstreamFailure::unexpected()),
        }
    }

    fn unreadable(&self, reason: Reason) -> UpstreamFailure {
        UpstreamFailure::Unreadable {
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
            provider: None,
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

    /// Describes a response in words.
    fn read(response: UpstreamResponse, expects: Expects, known_id: Option<&str>) -> String {
        match response.read(&Dialect::default(), expects, known_id, &mut |_| None) {
            Ok(Answer::Task(task)) => format!("task {}", task.id),
            Ok(Answer::Data(body)) => format!("data {body}"),
            Ok(other) => format!("{other:?}"),
            Err(UpstreamFailure::Error { error, .. }) => {
                format!("error {} {} {:?}", error.code.0, error.message, error.data)
            }
            Err(UpstreamFailure::Unreadable { reason, .. }) => reason.name().to_owned(),
        }
    }

    #[test]
    fn a_response_without_a_body_is_unreadable_for_the_reason_that_the_host_reports() {
        for word in ["deadline", "unreachable", "redirect", "answer_too_large"] {
            let fault = fault_named(word);
            assert!(fault.is_some(), "{word}");
            assert_eq!(
                read(
                    response(200, Some(json!({"code": 0})), fault),
                    Expects::Data,
                    None
                ),
                word
            );
        }
        assert!(fault_named("").is_none() && fault_named("other").is_none());
        assert_eq!(
            read(response(200, None, None), Expects::Data, None),
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
            let read = response(200, Some(body.clone()), None).read(
                &Dialect::default(),
                expects,
                known_id,
                &mut |_| None,
            );
            let Ok(Answer::Task(task)) = read else {
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
            read(error, Expects::Task, None),
            "error 1401 m Some(Number(5))"
        );
    }
}
