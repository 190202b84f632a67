//! Every refusal, and which operations can come to it. `docs/gateway.md` has the same list for people; a test compares.

use std::collections::{BTreeMap, BTreeSet};

use mediagate_core::Code;
use serde_json::{Value, json};

use crate::upstream::http_status;

/// What an operation is made of, as far as it can fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// Every operation: origins and settings.
    Everyone,
    /// What asks for a session token.
    Caller,
    /// What the token's scope must allow.
    Scope,
    /// What reads a JSON body.
    Body,
    /// What may be switched off.
    Optional,
    /// What names a task.
    Task,
    /// What waits for a task's watcher.
    Watch,
    /// What asks the service.
    Service,
    /// What expects `data` of it, without a task in it.
    Data,
    /// What expects a task of it.
    Record,
    /// What is done once, and says what it did where it failed.
    Create,
    /// What opens a session.
    Session,
    /// What estimates.
    Estimate,
    /// What asks for an upload URL.
    Upload,
    /// What streams an upload through.
    Relay,
}

/// A request's id, in examples.
const REQUEST_ID: &str = "BXp11Lk1wC2PRfwdFKsD3Q";

/// One refusal: HTTP status, application code, `data.reason`, and when it comes.
struct Row(Part, u16, Code, &'static str, &'static str);

const INVALID: Code = Code::INVALID_INPUT;
const NOBODY: Code = Code::UNAUTHENTICATED;
const FAILED: Code = Code::SERVER_ERROR;

use Part::{Body, Caller, Create, Data, Estimate, Everyone, Optional, Record, Relay, Scope, Service};
use Part::{Session, Task, Upload, Watch};

static ROWS: [Row; 61] = [
    Row(Everyone, 403, NOBODY, "origin_not_allowed", "the `Origin` is not one that this gateway serves"),
    Row(Everyone, 500, FAILED, "misconfigured", "a setting of the gateway is wrong; `message` names it"),
    Row(Caller, 401, NOBODY, "no_token", "there is no `Authorization: Bearer`"),
    Row(Caller, 401, NOBODY, "invalid_token", "it is not a token, or has a wrong signature or algorithm"),
    Row(Caller, 401, NOBODY, "invalid_claims", "it is rightly signed, but no JSON object, or lacks `iat` or `exp`"),
    Row(Caller, 401, NOBODY, "expired_token", "its time is over"),
    Row(Caller, 401, NOBODY, "early_token", "its time has not come"),
    Row(Caller, 401, NOBODY, "long_token", "it lives longer than an hour"),
    Row(Caller, 401, NOBODY, "agent_token", "its scope has `mcp`: it is good at `/mcp` alone"),
    Row(Caller, 401, NOBODY, "revoked_token", "it was issued before a moment that the operator set"),
    Row(Caller, 401, NOBODY, "wrong_audience", "its `aud` is another"),
    Row(Caller, 401, NOBODY, "wrong_issuer", "its `iss` is another"),
    Row(Caller, 401, NOBODY, "invalid_subject", "its `sub` is empty, or one that it may not be"),
    Row(Caller, 401, NOBODY, "invalid_budget", "its `budget` is none"),
    Row(Caller, 401, NOBODY, "invalid_id", "an agent's token of more than an hour has no `jti` to revoke it by"),
    Row(Caller, 429, Code::RATE_LIMIT, "rate_limit", "too many requests a minute; wait as `Retry-After` says"),
    Row(Caller, 503, FAILED, "keys_unavailable", "the keys that tokens are checked with cannot be had"),
    Row(Scope, 403, NOBODY, "scope", "the token's scope does not allow this"),
    Row(Body, 400, INVALID, "invalid_fields", "`data.errors` lists everything that is wrong with the request"),
    Row(Body, 400, INVALID, "malformed_json", "no JSON, nested deeper than 64 levels, or more than 100,000 values"),
    Row(Body, 400, INVALID, "broken_body", "the body broke off"),
    Row(Body, 408, INVALID, "slow_body", "the body took too long"),
    Row(Body, 413, INVALID, "body_too_large", "the body is larger than the gateway takes"),
    Row(Optional, 404, INVALID, "unknown_path", "this gateway has it switched off"),
    Row(Task, 404, INVALID, "unknown_task", "the id is unknown, damaged, or another caller's"),
    Row(Watch, 500, FAILED, "watcher", "the platform failed"),
    Row(Service, 502, NOBODY, "upstream_credentials", "the service did not accept the gateway's key"),
    Row(Service, 502, FAILED, "not_json", "its answer is no JSON, or larger or deeper than can be read"),
    Row(Service, 502, FAILED, "not_an_envelope", "its answer is not in the envelope"),
    Row(Service, 502, FAILED, "contradictory", "its answer says success, and its HTTP status the opposite"),
    Row(Service, 502, FAILED, "unreachable", "it gave no answer"),
    Row(Service, 502, FAILED, "redirect", "it answered with a redirect, which is not followed"),
    Row(Service, 502, FAILED, "answer_too_large", "its answer is larger than the gateway takes"),
    Row(Service, 503, FAILED, "upstream_unavailable", "it failed too often and is left alone; see `Retry-After`"),
    Row(Service, 504, Code::PROVIDER_TIMEOUT, "deadline", "it did not answer in time"),
    Row(Data, 502, FAILED, "no_data", "its answer has no `data`"),
    Row(Record, 502, FAILED, "no_task", "its answer has no task"),
    Row(Create, 502, FAILED, "unusable_id", "the id of the task that it made could be in no path"),
    Row(Create, 502, FAILED, "ledger", "the gateway lost track of the create; repeat it with the same key"),
    Row(Create, 502, FAILED, "interrupted", "the gateway was interrupted while the create was under way"),
    Row(Create, 400, INVALID, "idempotency_key", "`Idempotency-Key` is none"),
    Row(Create, 422, INVALID, "idempotency_key_reused", "the key was used with another body"),
    Row(Create, 429, Code::RATE_LIMIT, "budget", "used up: `data.limit` names which; wait as `Retry-After` says"),
    Row(Create, 500, FAILED, "ledger", "the platform failed; nothing was sent"),
    Row(Create, 500, FAILED, "capability", "the platform failed; nothing was sent"),
    Row(Create, 500, FAILED, "unexpected_success", "the platform failed"),
    Row(Session, 403, NOBODY, "turnstile", "Turnstile did not vouch for the request"),
    Row(Session, 429, Code::RATE_LIMIT, "rate_limit", "too many sessions a minute; wait as `Retry-After` says"),
    Row(Session, 500, FAILED, "no_key", "the platform failed"),
    Row(Session, 500, FAILED, "no_randomness", "the platform failed"),
    Row(Estimate, 400, INVALID, "unknown_capability", "`capability` is the name of none"),
    Row(Upload, 400, INVALID, "file_too_large", "the file is larger than the gateway allows"),
    Row(Upload, 502, FAILED, "no_upload_url", "the service's answer has no upload URL"),
    Row(Upload, 502, FAILED, "upload_host_not_allowed", "the service named a host that the operator does not list"),
    Row(Relay, 400, INVALID, "wrong_size", "the body has not the size that was asked for"),
    Row(Relay, 403, INVALID, "invalid_ticket", "the address is not valid, not this caller's, or over"),
    Row(Relay, 403, INVALID, "upload_url_expired", "the storage says that the address is over; ask for a new one"),
    Row(Relay, 500, FAILED, "relay", "the platform failed"),
    Row(Relay, 502, FAILED, "storage_unreachable", "the storage did not answer"),
    Row(Relay, 502, FAILED, "storage_refused", "the storage took no bytes"),
    Row(Relay, 504, Code::PROVIDER_TIMEOUT, "deadline", "the storage did not answer in time"),
];

/// The refusals of one HTTP status.
#[derive(Debug, Default)]
pub(super) struct Refused {
    /// The codes that it comes with; `None` among them is any.
    codes: Vec<Option<Code>>,
    /// The reasons, each with when it comes.
    reasons: Vec<(&'static str, String)>,
    /// What `data.cause` may name, where the reason is that nobody can tell what a create did.
    causes: Vec<(&'static str, String)>,
}

/// What an operation of these parts is refused with, by HTTP status; `codes` are what the service may answer.
pub(super) fn refused(parts: &[Part], codes: &[Code]) -> BTreeMap<u16, Refused> {
    let mut all = BTreeMap::<u16, Refused>::new();
    let is_create = parts.contains(&Create);
    let mut add = |status: u16, code: Option<Code>, reason: &'static str, when: String| {
        let refused = all.entry(status).or_default();
        match is_create && leaves_open(status, reason) {
            true => refused.add_cause(code, reason, when),
            false => refused.add(code, reason, when),
        }
    };
    for Row(part, status, code, reason, when) in &ROWS {
        if parts.contains(part) {
            add(*status, Some(*code), reason, (*when).to_owned());
        }
    }
    // In one order, so that operations with the same codes share their answers.
    let codes = codes.iter().collect::<BTreeSet<_>>().into_iter();
    for code in codes.filter(|it| !matches!(**it, Code::OK | Code::UNAUTHENTICATED)) {
        let said = format!("the service said so: code {}", code.0);
        match *code {
            Code::INVALID_INPUT if parts.contains(&Task) => add(404, Some(*code), "unknown_task", said),
            it => add(http_status(it), Some(it), it.name(), said),
        }
    }
    if parts.contains(&Service) {
        add(502, None, "unknown", "the service answered a code that its document does not list".to_owned());
    }
    all
}

/// Whether a create that is refused like this may have made a task.
fn leaves_open(status: u16, reason: &str) -> bool {
    matches!(status, 502 | 504) && reason != "upstream_credentials" || reason == "unexpected_success"
}

impl Refused {
    fn add(&mut self, code: Option<Code>, reason: &'static str, when: String) {
        if !self.codes.contains(&code) {
            self.codes.push(code);
        }
        if !self.reasons.iter().any(|it| it.0 == reason) {
            self.reasons.push((reason, when));
        }
    }

    fn add_cause(&mut self, code: Option<Code>, cause: &'static str, when: String) {
        self.add(code, "outcome_unknown", "nobody can tell whether a task was made; `data.cause` says why".to_owned());
        if !self.causes.iter().any(|it| it.0 == cause) {
            self.causes.push((cause, when));
        }
    }

    /// In words, as Markdown.
    pub(super) fn description(&self) -> String {
        let list = |it: &[(&str, String)]| it.iter().map(|it| format!("- `{}`: {}\n", it.0, it.1)).collect::<String>();
        match self.causes.as_slice() {
            [] => list(&self.reasons),
            causes => format!("{}\nCauses of an `outcome_unknown`:\n\n{}", list(&self.reasons), list(causes)),
        }
    }

    /// The envelope with these codes and reasons; `refusal` refers to what all have in common.
    pub(super) fn schema(&self, refusal: &Value) -> Value {
        let names = |it: &[(&str, String)]| it.iter().map(|it| json!(it.0)).collect::<Vec<_>>();
        let mut data = json!({"reason": {"type": "string", "enum": names(&self.reasons)}});
        if !self.causes.is_empty() {
            data["cause"] = json!({"type": "string", "enum": names(&self.causes)});
        }
        let mut members = json!({"data": {"type": "object", "properties": data, "additionalProperties": true}});
        if let Some(codes) = self.codes.iter().map(|it| it.map(|it| it.0)).collect::<Option<Vec<_>>>() {
            members["code"] = json!({"type": "integer", "enum": codes});
        }
        json!({"allOf": [refusal, {"type": "object", "properties": members, "additionalProperties": true}]})
    }

    /// An answer as it may come.
    pub(super) fn example(&self) -> Value {
        let code = self.codes.iter().flatten().next().copied().unwrap_or(FAILED);
        let reason = self.reasons.first().map_or("", |it| it.0);
        let mut data = json!({"reason": reason, "request_id": REQUEST_ID});
        if reason == "invalid_fields" {
            data["errors"] = json!([{"path": "prompt", "reason": "missing", "message": "is missing; give a string"}]);
        }
        if let Some((cause, _)) = self.causes.first().filter(|_| reason == "outcome_unknown") {
            data["cause"] = json!(cause);
        }
        json!({"code": code.0, "message": code.message(), "data": data})
    }
}

/// What every refusal has in common.
pub(super) fn schema(issue: &Value) -> Value {
    json!({
        "type": "object",
        "description": "Why a request is not answered with what it asked for.",
        "properties": {
            "code": {
                "type": "integer", "format": "int32",
                "description": "The application code, one of the service's list.",
            },
            "message": {"type": "string", "description": "What is wrong and what would be right, for a person."},
            "data": {
                "type": "object",
                "description": "What a program can act on. What the service said along with its refusal is here too.",
                "properties": {
                    "reason": {"type": "string", "description": "Why, as a stable word."},
                    "request_id": {"type": "string", "description": "Names the request, as `x-request-id` does."},
                    "errors": {
                        "type": "array", "items": issue,
                        "description": "Everything that is wrong with the request's fields.",
                    },
                    "outcome": {
                        "type": "string", "enum": ["not_sent", "rejected", "unknown"],
                        "description": "What a create did: nothing (`not_sent`, `rejected`), or nobody can tell.",
                    },
                    "cause": {"type": "string", "description": "The actual reason of an `outcome_unknown`."},
                    "limit": {
                        "type": "string", "enum": ["creates", "generate", "process", "in_flight"],
                        "description": "Which budget is used up.",
                    },
                    "capability": {"type": "string", "description": "What the token's scope does not allow."},
                    "paid_plan_required": {"description": "With code 1409, what the service says of the plan."},
                },
                "required": ["reason", "request_id"],
                "additionalProperties": true,
            },
        },
        "required": ["code", "message", "data"],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pairs of HTTP status and reason that a table of `docs/gateway.md` lists.
    fn documented() -> BTreeSet<(u16, String)> {
        let text = include_str!("../../../../docs/gateway.md");
        let table = text.split("\n## Refusals\n").nth(1).and_then(|it| it.split("In `data.errors`").next());
        let mut found = BTreeSet::new();
        for line in table.expect("a table of refusals").lines() {
            let cells: Vec<_> = line.split('|').map(str::trim).collect();
            if let [_, status, _, reasons, ..] = cells.as_slice()
                && let Ok(status) = status.parse()
            {
                found.extend(reasons.split(',').map(|it| (status, it.trim().trim_matches('`').to_owned())));
            }
        }
        found
    }

    #[test]
    fn the_list_is_that_of_the_docs() {
        let ours: BTreeSet<_> = ROWS.iter().map(|it| (it.1, it.3.to_owned())).collect();
        // A method that a path does not take is no operation.
        let mut theirs = documented();
        assert!(theirs.remove(&(405, "unknown_method".to_owned())));
        assert_eq!(ours, theirs);
    }
}
