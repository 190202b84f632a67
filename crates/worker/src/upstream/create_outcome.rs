//! What a create led to.

use mediagate_core::{Code, Outcome};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::refusal::Refusal;

/// Longest member of a task that a shortened outcome keeps, in bytes of JSON.
const MAX_MEMBER_BYTES: usize = 10_000;

/// What a create led to: success with its `data`, or a refusal. This one value goes from the upstream's response through
/// the ledger, which stores it, to the reply, and to every repetition with the same idempotency key.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct CreateOutcome {
    status: u16,
    code: i32,
    message: String,
    /// The reply's `data`, its ids sealed.
    data: Value,
    retry_after: Option<u32>,
    /// When the upstream accepted the create, in milliseconds since 1970; `None` for a refusal.
    pub(crate) created_at: Option<i64>,
}

impl CreateOutcome {
    /// A success.
    pub(crate) fn created(data: Value, created_at: i64) -> Self {
        let message = Code::OK.message().to_owned();
        let created_at = Some(created_at);
        CreateOutcome { status: 200, code: Code::OK.0, message, data, retry_after: None, created_at }
    }

    /// A refusal, and what the create did to the account.
    pub(crate) fn refused(refusal: Refusal, outcome: Outcome) -> Self {
        let Refusal { status, code, message, data, retry_after, .. } = refusal.of_create(outcome);
        CreateOutcome { status, code: code.0, message, data: Value::Object(data), retry_after, created_at: None }
    }

    /// The success's `data`, or the refusal.
    pub(crate) fn into_result(self) -> Result<Value, Refusal> {
        if self.code == Code::OK.0 {
            return Ok(self.data);
        }
        let data = match self.data {
            Value::Object(members) => members,
            other => Map::from_iter([("details".to_owned(), other)]),
        };
        let (status, code, message, retry_after) = (self.status, Code(self.code), self.message, self.retry_after);
        Err(Refusal { status, code, message, data, retry_after, headers: Vec::new() })
    }

    /// The outcome as the ledger stores it. One that is longer than `max_bytes` is shortened to its task's id, state and
    /// outputs.
    pub(crate) fn to_json(&self, max_bytes: usize) -> String {
        // Serialising strings and numbers into memory can't fail.
        let text = |it: &Self| serde_json::to_string(it).unwrap_or_default();
        let whole = text(self);
        if whole.len() > max_bytes { text(&self.shortened()) } else { whole }
    }

    fn shortened(&self) -> Self {
        let is_short = |it: &Value| it.to_string().len() < MAX_MEMBER_BYTES;
        let member = |name: &str| {
            let value = self.data["task"].get(name).filter(|it| is_short(it))?;
            Some((name.to_owned(), value.clone()))
        };
        let task: Map<_, _> = ["id", "state", "outputs"].into_iter().filter_map(member).collect();
        if !task.is_empty() {
            return CreateOutcome { data: json!({ "task": task }), ..self.clone() };
        }
        let message = "this was created, and its response is too long to be stored for a repetition";
        let refusal = Refusal::new(502, Code::SERVER_ERROR, "answer_too_large", message);
        CreateOutcome::refused(refusal, Outcome::Unknown)
    }
}
