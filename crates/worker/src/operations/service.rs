//! The service, asked for one subject.

use std::cell::Cell;

use mediagate_core::{Code, Group, Outcome};
use serde_json::{Map, Value};

use crate::gateway::Gateway;
use crate::platform::now_ms;
use crate::present::seal_ids;
use crate::refusal::Refusal;
use crate::session::Subject;
use crate::upstream::{Decoded, Reply};

/// The service on behalf of a subject, to whom every id in its answers is sealed.
#[derive(Clone, Copy)]
pub(crate) struct Service<'a> {
    pub(crate) gateway: &'a Gateway,
    pub(crate) subject: &'a Subject,
    /// Milliseconds spent waiting for it.
    pub(crate) upstream_ms: &'a Cell<f64>,
    /// Of which group its tasks are.
    pub(crate) group: Option<Group>,
}

impl Service<'_> {
    /// The same, asked about tasks of a group.
    pub(crate) fn of(self, group: Group) -> Self {
        Service { group: Some(group), ..self }
    }

    /// Asks the service, unless it is being left alone, and keeps the time.
    pub(crate) async fn ask(&self, method: &str, path: &str, body: Option<&str>) -> Result<Reply, Refusal> {
        let breaker = &self.gateway.breaker;
        if method != "GET" && breaker.admit(false, now_ms()).is_err() {
            self.probe().await;
        }
        breaker.admit(method == "GET", now_ms()).map_err(Refusal::unavailable)?;
        Ok(self.call(method, path, body).await)
    }

    /// Looks whether the service is back, where it is time to: a create never goes first, and there may be no reads.
    async fn probe(&self) {
        if self.gateway.breaker.admit(true, now_ms()).is_ok() {
            let path = Some(self.gateway.settings.models_path.as_str()).filter(|it| !it.is_empty());
            self.call("GET", path.unwrap_or("/"), None).await;
        }
    }

    async fn call(&self, method: &str, path: &str, body: Option<&str>) -> Reply {
        let reply = self.gateway.upstream.call(method, path, body).await;
        self.gateway.breaker.record(reply.is_sane(), now_ms());
        self.waited(reply.took_ms);
        reply
    }

    /// Notes time spent waiting for the service, in milliseconds.
    pub(crate) fn waited(&self, milliseconds: f64) {
        self.upstream_ms.set(self.upstream_ms.get() + milliseconds);
    }

    /// Seals every id in what the service answered; `task` is the one that this is about.
    pub(crate) fn seal(&self, data: &mut Value, task: Option<&str>) {
        seal_ids(data, &self.gateway.sealer, self.subject, self.group.zip(task));
    }

    /// What an answer that is no success means for the caller, and what a create with it has done.
    pub(crate) fn refuse(&self, decoded: Decoded, retry_after: Option<u32>) -> (Refusal, Outcome) {
        match decoded {
            Decoded::Deadline => (Refusal::deadline(), Outcome::Unknown),
            Decoded::Unreadable(why) => (Refusal::unreadable(why), Outcome::Unknown),
            Decoded::Success { .. } => (Refusal::internal("unexpected_success"), Outcome::Unknown),
            Decoded::Refused { code: Code::UNAUTHENTICATED, .. } => (our_key_is_bad(), Outcome::Rejected),
            Decoded::Refused { code, message, data } => {
                let mut refusal = Refusal::new(http_status(code), code, code.name(), said(code, message));
                refusal.retry_after = retry_after;
                for (name, value) in self.sealed_members(data) {
                    refusal.data.entry(name).or_insert(value);
                }
                (refusal, code.outcome())
            }
        }
    }

    fn sealed_members(&self, data: Option<Value>) -> Map<String, Value> {
        let mut data = data.unwrap_or_default();
        self.seal(&mut data, None);
        match data {
            Value::Object(members) => members,
            Value::Null => Map::new(),
            other => Map::from_iter([("details".to_owned(), other)]),
        }
    }
}

/// The service's own message, or the documented one where it sent none.
fn said(code: Code, message: String) -> String {
    if message.trim().is_empty() { code.message().to_owned() } else { message }
}

/// Code 13 of the service is about the gateway's key: the caller can do nothing, and learns nothing of it.
fn our_key_is_bad() -> Refusal {
    let message = "the media service did not accept this gateway's credentials; tell its operator";
    Refusal::new(502, Code::UNAUTHENTICATED, "upstream_credentials", message)
}

/// The HTTP status for a code of the service; the document shows none (§7).
pub(crate) fn http_status(code: Code) -> u16 {
    match code {
        Code::INVALID_INPUT => 400,
        Code::INSUFFICIENT_CREDITS | Code::PAID_PLAN_REQUIRED => 402,
        Code::ASSET_CATEGORY_MISMATCH | Code::ASSET_LOCKED => 409,
        Code::ASSET_EXPIRED => 410,
        Code::VOICE_ASSET_REQUIRED | Code::INVALID_MODEL => 422,
        Code::RATE_LIMIT => 429,
        Code::PROVIDER_TIMEOUT => 504,
        _ => 502,
    }
}
