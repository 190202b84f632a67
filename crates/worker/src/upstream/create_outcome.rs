//! The outcome of a create.

use mediagate_core::{Code, Outcome, Reason};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::summary::short_members;
use crate::refusal::Refusal;

/// The outcome of a create: success with its `data`, or a refusal. It goes from the upstream's
/// response through the ledger to the reply. If the create may have been charged, the ledger stores
/// the outcome, and every repetition with the same key gets it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct CreateOutcome {
    status: u16,
    code: i32,
    message: String,
    /// The reply's `data`, with sealed ids.
    data: Value,
    retry_after: Option<u32>,
    /// The time at which the upstream accepted the create, in milliseconds since 1970. `None` for a
    /// refusal.
    pub(crate) created_at: Option<i64>,
}

impl CreateOutcome {
    /// A success.
    pub(crate) fn created(data: Value, created_at: i64) -> Self {
        let message = Code::OK.message().to_owned();
        CreateOutcome {
            status: 200,
            code: Code::OK.0,
            message,
            data,
            retry_after: None,
            created_at: Some(created_at),
        }
    }

    /// A refusal. `outcome` is what the create did to the account.
    pub(crate) fn refused(refusal: Refusal, outcome: Outcome) -> Self {
        let Refusal {
            status,
            code,
            message,
            data,
            retry_after,
            ..
        } = refusal.of_create(outcome);
        CreateOutcome {
            status,
            code: code.0,
            message,
            data: Value::Object(data),
            retry_after,
            created_at: None,
        }
    }

    /// Returns the success's `data`.
    ///
    /// # Errors
    /// The refusal, if the create was refused.
    pub(crate) fn into_result(self) -> Result<Value, Refusal> {
        if self.code == Code::OK.0 {
            return Ok(self.data);
        }
        let data = match self.data {
            Value::Object(members) => members,
            other => Map::from_iter([("details".to_owned(), other)]),
        };
        Err(Refusal {
            status: self.status,
            code: Code(self.code),
            message: self.message,
            data,
            retry_after: self.retry_after,
            headers: Vec::new(),
        })
    }

    /// Returns the outcome as the ledger stores it. An outcome that is longer than `max_bytes` is
    /// shortened to its task's id, state and outputs.
    pub(crate) fn to_json(&self, max_bytes: usize) -> String {
        // Serialising strings and numbers into memory can't fail.
        let text = |outcome: &Self| serde_json::to_string(outcome).unwrap_or_default();
        let whole = text(self);
        if whole.len() > max_bytes {
            text(&self.shortened())
        } else {
            whole
        }
    }

    fn shortened(&self) -> Self {
        let task = short_members(&self.data["task"], &["id", "state", "outputs", "error"]);
        if !task.is_empty() {
            return CreateOutcome {
                data: json!({ "task": task }),
                ..self.clone()
            };
        }
        let message =
            "this was created, but its response is too long to be stored for a repetition";
        let refusal = Refusal::new(Reason::AnswerTooLarge, message);
        CreateOutcome::refused(refusal, Outcome::Unknown)
    }
}

#[cfg(test)]
mod tests {
    use super::super::summary::MAX_MEMBER_BYTES;
    use super::*;

    /// The outcome as a repetition reads it from the ledger.
    fn stored(outcome: &CreateOutcome, max_bytes: usize) -> CreateOutcome {
        serde_json::from_str(&outcome.to_json(max_bytes)).expect("JSON of an outcome")
    }

    #[test]
    fn a_repetition_gets_the_same_success() {
        let data = json!({"task": {"id": "t", "outputs": []}, "queue": 3});
        let again = stored(&CreateOutcome::created(data.clone(), 7), usize::MAX);
        assert_eq!((again.status, again.created_at), (200, Some(7)));
        assert_eq!(again.into_result(), Ok(data));
    }

    #[test]
    fn a_repetition_gets_the_same_refusal() {
        for (outcome, reason) in [
            (Outcome::Rejected, "rate_limit"),
            (Outcome::Unknown, "outcome_unknown"),
        ] {
            let again = stored(
                &CreateOutcome::refused(Refusal::too_many(9), outcome),
                usize::MAX,
            );
            assert_eq!(again.created_at, None);
            let refusal = again.into_result().expect_err("a refusal");
            assert_eq!(
                (refusal.status, refusal.code, refusal.retry_after),
                (429, Code::RATE_LIMIT, Some(9))
            );
            assert_eq!(
                (&refusal.data["reason"], &refusal.data["outcome"]),
                (&json!(reason), &json!(outcome.name()))
            );
            assert_eq!(refusal, Refusal::too_many(9).of_create(outcome));
        }
    }

    #[test]
    fn a_refusal_without_members_has_details() {
        let outcome = CreateOutcome {
            data: json!([1]),
            ..CreateOutcome::refused(Refusal::from(Reason::Deadline), Outcome::Unknown)
        };
        assert_eq!(
            outcome.into_result().expect_err("a refusal").data["details"],
            json!([1])
        );
    }

    #[test]
    fn a_long_outcome_is_stored_without_what_makes_it_long() {
        let long = "x".repeat(MAX_MEMBER_BYTES);
        let task = json!({"id": "t", "state": "QUEUED", "outputs": [], "prompt": long});
        let outcome = CreateOutcome::created(json!({ "task": task }), 7);
        let length = outcome.to_json(usize::MAX).len();
        assert_eq!(
            stored(&outcome, length).into_result(),
            Ok(json!({ "task": task })),
            "not too long"
        );
        let short = stored(&outcome, length - 1);
        assert_eq!(short.created_at, Some(7));
        assert_eq!(
            short.into_result(),
            Ok(json!({"task": {"id": "t", "state": "QUEUED", "outputs": []}}))
        );
    }

    #[test]
    fn a_member_is_stored_up_to_its_limit() {
        let state = |bytes: usize| "x".repeat(bytes - 2);
        for (bytes, is_stored) in [(MAX_MEMBER_BYTES - 1, true), (MAX_MEMBER_BYTES, false)] {
            let data = json!({"task": {"id": "t", "state": state(bytes)}});
            let task = stored(&CreateOutcome::created(data, 7), 0)
                .into_result()
                .expect("a success")["task"]
                .take();
            assert_eq!(task.get("state").is_some(), is_stored, "{bytes}");
        }
        let all_too_long =
            CreateOutcome::created(json!({"task": {"id": state(MAX_MEMBER_BYTES)}}), 7);
        let refusal = stored(&all_too_long, 0)
            .into_result()
            .expect_err("nothing is short enough");
        assert_eq!(
            (refusal.status, &refusal.data["cause"]),
            (502, &json!("answer_too_large"))
        );
    }
}
