//! The error responses of an operation, by HTTP status.

use std::collections::{BTreeMap, BTreeSet};

use mediagate_access::refusal::http_status;
use mediagate_core::{Code, OUTCOME_UNKNOWN, Part, Reason};
use serde_json::{Value, json};

pub(super) const REQUEST_ID: &str = "BXp11Lk1wC2PRfwdFKsD3Q";

#[derive(Debug, Default)]
pub(super) struct StatusRefusals {
    /// Their application codes. `None` stands for any code.
    codes: Vec<Option<Code>>,
    /// Their reasons, each with a description.
    reasons: Vec<(&'static str, String)>,
    /// The values of `data.cause` with the reason `outcome_unknown`, each with a description.
    causes: Vec<(&'static str, String)>,
}

/// Returns the error responses of an operation with these parts, by HTTP status. `codes` are the
/// codes with which the upstream may respond.
pub(super) fn by_status(parts: &[Part], codes: &[Code]) -> BTreeMap<u16, StatusRefusals> {
    let mut all = BTreeMap::<u16, StatusRefusals>::new();
    let is_create = parts.contains(&Part::Create);
    let mut add = |status: u16, code: Option<Code>, reason: &'static str, when: String| {
        let refusals = all.entry(status).or_default();
        // Such a create is refused with `outcome_unknown`, and the actual reason is the cause.
        if is_create && is_outcome_unknown(status, reason) {
            refusals.add_cause(code, reason, when)
        } else {
            refusals.add(code, reason, when)
        }
    };
    for reason in Reason::ALL {
        // A create refuses with a code of the media range only if the document lists that code for
        // its capability.
        let is_listed = !is_create || !is_media(reason.code()) || codes.contains(&reason.code());
        if is_listed && reason.parts().iter().any(|part| parts.contains(part)) {
            let when = [reason.message(), "; ", reason.remedy()].concat();
            add(reason.status(), Some(reason.code()), reason.name(), when);
        }
    }
    // Sort the codes, so that operations with equal codes share their responses.
    let codes = codes.iter().collect::<BTreeSet<_>>().into_iter();
    for code in codes.filter(|code| !matches!(**code, Code::OK | Code::UNAUTHENTICATED)) {
        let when = format!("the media service responded with code {}", code.0);
        match *code {
            Code::INVALID_INPUT if parts.contains(&Part::TaskId) => {
                add(404, Some(*code), Reason::UnknownTask.name(), when)
            }
            code => add(http_status(code), Some(code), code.name(), when),
        }
    }
    if parts.contains(&Part::Upstream) {
        let when = "the media service responded with a code that its document does not list";
        add(502, None, "unknown", when.to_owned());
    }
    all
}

fn is_media(code: Code) -> bool {
    (1401..=1499).contains(&code.0)
}

/// Returns true if a create with this error may have created a task.
fn is_outcome_unknown(status: u16, reason: &str) -> bool {
    matches!(status, 502 | 504) && reason != Reason::UpstreamCredentials.name()
        || reason == Reason::UnexpectedSuccess.name()
}

fn list(reasons: &[(&str, String)]) -> String {
    let lines = reasons.iter();
    lines
        .map(|(name, when)| format!("- `{name}`: {when}\n"))
        .collect()
}

fn names<'a>(reasons: &[(&'a str, String)]) -> Vec<&'a str> {
    reasons.iter().map(|(name, _)| *name).collect()
}

impl StatusRefusals {
    fn add(&mut self, code: Option<Code>, reason: &'static str, when: String) {
        if !self.codes.contains(&code) {
            self.codes.push(code);
        }
        if !self.reasons.iter().any(|known| known.0 == reason) {
            self.reasons.push((reason, when));
        }
    }

    fn add_cause(&mut self, code: Option<Code>, cause: &'static str, when: String) {
        let unknown = "it is unknown whether a task was created; `data.cause` is the actual reason";
        self.add(code, OUTCOME_UNKNOWN, unknown.to_owned());
        if !self.causes.iter().any(|known| known.0 == cause) {
            self.causes.push((cause, when));
        }
    }

    pub(super) fn description(&self) -> String {
        let mut text = list(&self.reasons);
        if !self.causes.is_empty() {
            text += "\nCauses of an `outcome_unknown`:\n\n";
            text += &list(&self.causes);
        }
        text
    }

    /// Returns the schema of the envelope with these codes and reasons. `refusal` refers to the
    /// schema of all error responses.
    pub(super) fn schema(&self, refusal: &Value) -> Value {
        let mut data = json!({"reason": {"type": "string", "enum": names(&self.reasons)}});
        if !self.causes.is_empty() {
            data["cause"] = json!({"type": "string", "enum": names(&self.causes)});
        }
        let mut members =
            json!({"data": {"type": "object", "properties": data, "additionalProperties": true}});
        let codes = self.codes.iter().map(|code| code.map(|code| code.0));
        // A response that may have any code does not list the codes.
        if let Some(codes) = codes.collect::<Option<Vec<_>>>() {
            members["code"] = json!({"type": "integer", "enum": codes});
        }
        let own = json!({"type": "object", "properties": members, "additionalProperties": true});
        json!({"allOf": [refusal, own]})
    }

    pub(super) fn example(&self) -> Value {
        let code = self.codes.iter().flatten().next();
        let code = code.copied().unwrap_or(Code::SERVER_ERROR);
        let reason = self.reasons.first().map_or("", |(reason, _)| *reason);
        let mut data = json!({"reason": reason, "request_id": REQUEST_ID});
        if reason == Reason::InvalidFields.name() {
            data["errors"] = json!([
                {"path": "prompt", "reason": "missing", "message": "is missing; give a string"},
            ]);
        }
        if let Some((cause, _)) = self.causes.first().filter(|_| reason == OUTCOME_UNKNOWN) {
            data["cause"] = json!(cause);
        }
        json!({"code": code.0, "message": code.message(), "data": data})
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_capability_that_lists_a_media_code_refuses_with_it() {
        let has = |codes: &[Code], reason: &str| {
            by_status(&[Part::Create], codes)
                .values()
                .any(|refusals| refusals.reasons.iter().any(|(name, _)| *name == reason))
        };
        let listed = [Code::INVALID_MODEL, Code::VOICE_ASSET_REQUIRED];
        assert!(has(&listed, "voice_asset_required"));
        assert!(has(&listed, "invalid_model"));
        assert!(!has(&listed, "asset_category_mismatch"));
        assert!(!has(&[], "voice_asset_required"));
        assert!(has(&[], "budget"));
    }
}
