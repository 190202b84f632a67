//! Builds the body for the upstream from a validated one, its ids unsealed.

use mediagate_core::ids::IdKind;
use mediagate_core::{Capability, Field, Issue, Kind, MAX_ISSUES, validate};
use serde_json::{Map, Value};

use super::Call;
use crate::refusal::Refusal;

/// Validates a request and unseals its ids. The result has the catalogue's fields in the catalogue's order and nothing
/// else, so equivalent bodies become equal.
pub(super) fn prepare(call: &Call<'_>, capability: &Capability, body: &Value) -> Result<Value, Refusal> {
    let mut issues = validate(capability, &body);
    if !issues.is_empty() {
        return Err(Refusal::issues(&issues));
    }
    let mut unsealer = Unsealer { call, issues: Vec::new() };
    let members =
        capability.fields().filter_map(|it| Some((it.name.to_owned(), unsealer.field(it, body.get(it.name)?))));
    let prepared = Value::Object(members.collect::<Map<_, _>>());
    issues.append(&mut unsealer.issues);
    if issues.is_empty() { Ok(prepared) } else { Err(Refusal::issues(&issues)) }
}

struct Unsealer<'a> {
    call: &'a Call<'a>,
    issues: Vec<Issue>,
}

impl Unsealer<'_> {
    fn field(&mut self, field: &Field, value: &Value) -> Value {
        match (field.kind, value) {
            (Kind::File(_) | Kind::Files(_), _) => self.ids(field.name, value, IdKind::File),
            (Kind::FileOrFiles(_), Value::Array(_)) => self.ids(field.name, value, IdKind::File),
            (Kind::FileOrFiles(_), _) => Value::Array(vec![self.ids(field.name, value, IdKind::File)]),
            (Kind::Asset(_), _) => self.ids(field.name, value, IdKind::Asset),
            (_, it) => canonical(it),
        }
    }

    fn ids(&mut self, path: &str, value: &Value, kind: IdKind) -> Value {
        match value {
            // With enough issues the request is refused as it is: the rest is not unsealed.
            Value::Array(_) if self.issues.len() >= MAX_ISSUES => Value::Null,
            Value::Array(items) => {
                items.iter().enumerate().map(|(index, it)| self.ids(&format!("{path}[{index}]"), it, kind)).collect()
            }
            Value::String(id) => self.id(path, id, kind),
            other => other.clone(),
        }
    }

    fn id(&mut self, path: &str, sealed: &str, kind: IdKind) -> Value {
        if self.issues.len() >= MAX_ISSUES {
            return Value::Null;
        }
        if let Some(id) = self.call.unseal(kind.name(), sealed) {
            return Value::String(id);
        }
        if kind == IdKind::Asset && self.call.settings().public_assets.contains(sealed) {
            return Value::String(sealed.to_owned());
        }
        let message = match kind {
            IdKind::Asset => "is not known; use an asset that a task of yours produced, or a public one",
            _ => "is not known; use the file_id that an upload of yours returned",
        };
        let reason = "unknown_id";
        self.issues.push(Issue { path: path.to_owned(), reason, message: message.to_owned() });
        Value::Null
    }
}

/// The same value with each number in one notation: to JSON 5.0 and 5e0 are 5, to the upstream they may be different.
fn canonical(value: &Value) -> Value {
    match value {
        Value::Number(number) => match number.as_f64() {
            Some(it) if it.fract() == 0.0 && it.abs() < MAX_EXACT => Value::from(it as i64),
            Some(it) => Value::from(it),
            None => value.clone(),
        },
        Value::Array(items) => items.iter().map(canonical).collect(),
        Value::Object(members) => {
            Value::Object(members.iter().map(|(name, it)| (name.clone(), canonical(it))).collect())
        }
        other => other.clone(),
    }
}

/// Up to here every whole number has a float of its own.
const MAX_EXACT: f64 = 9_007_199_254_740_992.0;
