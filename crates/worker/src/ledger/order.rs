//! What the gateway and a ledger say to each other.

use mediagate_core::{Code, Outcome};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::book::Limit;
use crate::refusal::Refusal;
use crate::reply::Reply;
use crate::session::{Budget, Subject};

/// What a ledger is asked.
#[derive(Serialize, Deserialize)]
pub(crate) enum Ask {
    /// To create a task.
    Create(Box<Order>),
    /// To count a create of another ledger against a budget that many share; the text names it.
    Reserve(String, Budget),
    /// To count it no more: nothing was charged.
    Release(String),
    /// To end the slot of a task that has ended: its group and its id.
    Free(String, String),
}

/// A create that is allowed, checked, and has its ids opened.
#[derive(Serialize, Deserialize)]
pub(crate) struct Order {
    /// Who asks.
    pub(crate) subject: Subject,
    /// The capability's name.
    pub(crate) capability: String,
    /// The idempotency key, where there is one.
    pub(crate) key: Option<String>,
    /// The body for the service, as JSON: the same text for all that mean the same.
    pub(crate) body: String,
    /// What the caller may have made.
    pub(crate) budget: Budget,
    /// Whether its task is watched though nobody listens.
    #[serde(default)]
    pub(crate) watch: bool,
    /// Creates a day that all anonymous callers share.
    pub(crate) pool: Option<u32>,
}

/// What a ledger answers, and what it remembers of a create.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) code: i32,
    pub(crate) message: String,
    pub(crate) data: Value,
    pub(crate) retry_after: Option<u32>,
    /// When the service made it, in milliseconds since 1970, where it made something.
    #[serde(default)]
    pub(crate) made_at: Option<i64>,
    /// Milliseconds spent waiting for the service, this time.
    pub(crate) upstream_ms: f64,
    /// Whether it was given before.
    pub(crate) replayed: bool,
    /// `RateLimit-Policy` and `RateLimit`, where there are limits.
    pub(crate) limits: Option<(String, String)>,
}

impl Answer {
    pub(crate) fn new(result: Result<Value, Refusal>) -> Self {
        let (status, code, message, data, retry_after) = match result {
            Ok(data) => (200, Code::OK, Code::OK.message().to_owned(), data, None),
            Err(it) => (it.status, it.code, it.message, Value::Object(it.data), it.retry_after),
        };
        let (code, upstream_ms) = (code.0, 0.0);
        Answer { status, code, message, data, retry_after, made_at: None, upstream_ms, replayed: false, limits: None }
    }

    /// The same, given once more.
    pub(crate) fn again(self) -> Self {
        Answer { replayed: true, upstream_ms: 0.0, ..self }
    }

    /// The same in a few words, where it is too long to be kept: of a task its id, state and outputs.
    pub(crate) fn in_short(&self) -> Self {
        let short = |it: &Value| it.to_string().len() < 10_000;
        let record = |name: &str| Some((name.to_owned(), self.data["task"].get(name).filter(|it| short(it))?.clone()));
        let task: Map<_, _> = ["id", "state", "outputs"].into_iter().filter_map(record).collect();
        match task.is_empty() {
            false => Answer { data: json!({"task": task}), ..self.clone() },
            true => {
                let message = "this was made, and its answer was too long to be kept for a repetition";
                let refusal = Refusal::new(502, Code::SERVER_ERROR, "answer_too_large", message);
                Answer::new(Err(refusal.of_create(Outcome::Unknown)))
            }
        }
    }

    /// The same, with what is left.
    pub(crate) fn with_limits(self, limits: &[Limit]) -> Self {
        let list = |item: fn(&Limit) -> String| limits.iter().map(item).collect::<Vec<_>>().join(", ");
        let policy = list(|it| match it.name {
            "in_flight" => format!("\"in_flight\";q={}", it.most),
            name => format!("\"{name}\";q={};w=86400", it.most),
        });
        let left = list(|it| format!("\"{}\";r={};t={}", it.name, it.left, it.reset));
        Answer { limits: (!limits.is_empty()).then_some((policy, left)), ..self }
    }

    /// The answer to the caller.
    pub(crate) fn reply(self) -> Result<Reply, Refusal> {
        let headers = self.headers();
        match self.data() {
            Ok(data) => {
                let mut reply = Reply::ok(data);
                headers.into_iter().for_each(|(name, value)| reply.header(name, value));
                Ok(reply)
            }
            Err(refusal) => Err(Refusal { headers, ..refusal }),
        }
    }

    fn headers(&self) -> Vec<(&'static str, String)> {
        let mut headers = Vec::new();
        if let Some((policy, left)) = self.limits.clone() {
            headers.extend([("ratelimit-policy", policy), ("ratelimit", left)]);
        }
        if self.replayed {
            headers.push(("idempotent-replayed", "true".to_owned()));
        }
        headers
    }

    /// The answer's `data`, or the refusal that it is.
    pub(crate) fn data(self) -> Result<Value, Refusal> {
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
}

impl Limit {
    /// 429, code 16: there is no more until then.
    pub(super) fn refusal(&self) -> Refusal {
        let message = match self.name {
            "in_flight" => format!("{} tasks are in flight, as many as are allowed; wait until one ends", self.most),
            "creates" => {
                format!("the {} creates of a day are used up; wait for the time that Retry-After gives", self.most)
            }
            group => format!(
                "the {} creates of a day for {group} are used up; wait for the time that Retry-After gives",
                self.most
            ),
        };
        let refusal = Refusal::new(429, Code::RATE_LIMIT, "budget", message);
        Refusal { retry_after: Some(self.reset.max(1)), ..refusal }.with("limit", json!(self.name))
    }
}
