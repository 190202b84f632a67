//! Unseals the ids of a request, and lists the ids that are not the caller's.

use mediagate_access::identity::AssetUse;
use mediagate_access::refusal::Refusal;
use mediagate_core::ids::IdKind;
use mediagate_core::{
    AssetCategory, Field, Issue, IssueReason, Kind, MAX_ISSUES, Severity, object,
};
use mediagate_ids::{Named, named};
use mediagate_settings::FieldRule;
use serde_json::{Map, Number, Value};

use super::RequestContext;
use super::status::unseal_task;

const MAX_SHOWN_CHARS: usize = 64;

fn name_not_taken(field_rule: FieldRule) -> &'static str {
    match field_rule {
        FieldRule::Any => {
            "is not sent on under EXTRA_FIELDS of *, which takes plain names that are not those of \
             addresses; have the operator name the field in EXTRA_FIELDS, or leave it out"
        }
        FieldRule::Model | FieldRule::Listed | FieldRule::Named => {
            "may hold an address, which is not sent on; have the operator name the field in \
             EXTRA_FIELDS, or leave it out"
        }
    }
}

fn value_not_taken(field_rule: FieldRule) -> &'static str {
    match field_rule {
        FieldRule::Any => {
            "is not sent on under EXTRA_FIELDS of *, which takes numbers, booleans and short plain \
             words; have the operator name the field in EXTRA_FIELDS, or leave it out"
        }
        FieldRule::Model | FieldRule::Listed | FieldRule::Named => {
            "may be an address, which is not sent on; write plain text, or have the operator name \
             the field in EXTRA_FIELDS"
        }
    }
}

pub(super) struct Unsealer<'a> {
    context: &'a RequestContext<'a>,
    issues: Vec<Issue>,
}

impl<'a> Unsealer<'a> {
    pub(super) fn new(context: &'a RequestContext<'a>) -> Self {
        Unsealer {
            context,
            issues: Vec::new(),
        }
    }

    /// Returns the refusal for the issues. `None` if every id is the caller's, and fits.
    pub(super) fn refusal(&self) -> Option<Refusal> {
        if self.issues.is_empty() {
            return None;
        }
        let mut reasons = self.issues.iter().map(|issue| issue.reason);
        if reasons.all(|reason| reason == IssueReason::AssetCategory) {
            return Some(Refusal::misfit(&self.issues));
        }
        Some(Refusal::issues(&self.issues))
    }

    pub(super) fn field(&mut self, field: &Field, value: &Value) -> Value {
        let path = field.name;
        match (field.kind, value) {
            (Kind::File(_) | Kind::Files(_), _) => self.ids(path, value, &[IdKind::File]),
            (Kind::FileOrFiles(_), Value::Array(_)) => self.ids(path, value, &[IdKind::File]),
            (Kind::FileOrFiles(_), _) => Value::Array(vec![self.ids(path, value, &[IdKind::File])]),
            (Kind::Asset(category), Value::String(id)) => self.asset(path, id, category),
            (Kind::VideoSize, Value::Object(members)) => self.size(path, members),
            (_, value) => canonical(value),
        }
    }

    /// Returns the value of a field that the catalogue does not list. Members that are named like
    /// ids must have sealed ids of the caller.
    pub(super) fn other(&mut self, name: &str, value: &Value, field_rule: FieldRule) -> Value {
        // The values of a field that the operator names, such as `style_id`, are the upstream's own
        // and not sealed. Ids of files, assets and tasks are sealed in such fields, too.
        let named = match (named(name), field_rule) {
            (Named::AnyId, FieldRule::Named) => Named::Other,
            (named, _) => named,
        };
        self.member("", name, named, value, field_rule)
    }

    /// Returns a member. `parent` is the path of the object, and empty for a field.
    fn member(
        &mut self,
        parent: &str,
        name: &str,
        named: Named,
        value: &Value,
        field_rule: FieldRule,
    ) -> Value {
        let path = path_of(parent, name);
        if !field_rule.takes(name) {
            self.issue(&path, IssueReason::UnknownField, name_not_taken(field_rule));
        }
        self.value(&path, named, value, field_rule)
    }

    fn value(&mut self, path: &str, name: Named, value: &Value, field_rule: FieldRule) -> Value {
        if self.issues.len() >= MAX_ISSUES {
            return Value::Null; // the request is refused anyway
        }
        match (value, name) {
            (Value::Object(_), Named::Id(_) | Named::AnyId) => {
                self.issue(
                    path,
                    IssueReason::WrongType,
                    "is an object; give an id, or a list of ids",
                );
                Value::Null
            }
            (Value::Object(members), _) => {
                let mut object = Map::new();
                for (member, value) in members.iter().filter(|(_, value)| !value.is_null()) {
                    let inner = match (name, named(member)) {
                        (Named::Things(kind), Named::AnyId) => Named::Id(kind),
                        (_, inner) => inner,
                    };
                    let value = self.member(path, member, inner, value, field_rule);
                    object.insert(member.clone(), value);
                }
                Value::Object(object)
            }
            (Value::Array(items), _) => items
                .iter()
                .enumerate()
                .map(|(index, item)| {
                    self.value(&format!("{path}[{index}]"), name, item, field_rule)
                })
                .collect(),
            (Value::String(_) | Value::Number(_), Named::Id(kind) | Named::Things(kind)) => {
                self.ids(path, value, &[kind])
            }
            (Value::String(_) | Value::Number(_), Named::AnyId) => {
                self.ids(path, value, &IdKind::ALL)
            }
            (Value::String(text), _) if !field_rule.takes_text(text) => {
                self.issue(path, IssueReason::UnknownField, value_not_taken(field_rule));
                Value::Null
            }
            (Value::Number(number), _) if !field_rule.takes_number(&number.to_string()) => {
                self.issue(path, IssueReason::UnknownField, value_not_taken(field_rule));
                Value::Null
            }
            (Value::Null, _) if field_rule == FieldRule::Any => {
                self.issue(path, IssueReason::UnknownField, value_not_taken(field_rule));
                Value::Null
            }
            _ => canonical(value),
        }
    }

    /// Returns a size that is an object. The document has no members of a size, so they must be
    /// numbers, which can't be ids.
    fn size(&mut self, path: &str, members: &Map<String, Value>) -> Value {
        let mut size = Map::new();
        for (name, value) in members.iter().filter(|(_, value)| !value.is_null()) {
            if self.issues.len() < MAX_ISSUES && !value.is_number() {
                self.issue(
                    &path_of(path, name),
                    IssueReason::WrongType,
                    "is no number; a size has only numbers",
                );
            }
            size.insert(name.clone(), canonical(value));
        }
        Value::Object(size)
    }

    fn ids(&mut self, path: &str, value: &Value, kinds: &[IdKind]) -> Value {
        if self.issues.len() >= MAX_ISSUES {
            return Value::Null; // the request is refused anyway
        }
        match value {
            Value::Array(items) => items
                .iter()
                .enumerate()
                .map(|(index, item)| self.ids(&format!("{path}[{index}]"), item, kinds))
                .collect(),
            Value::String(sealed) => {
                let id = kinds.iter().find_map(|kind| self.unseal(sealed, *kind));
                id.map_or_else(|| self.unknown(path, kinds), Value::String)
            }
            _ => self.unknown(path, kinds),
        }
    }

    fn asset(&mut self, path: &str, id: &str, category: AssetCategory) -> Value {
        if let Some(id) = self.context.unseal(IdKind::Asset.name(), id) {
            return Value::String(id);
        }
        match self.context.find_asset(id, Some(category)) {
            AssetUse::Allowed => Value::String(id.to_owned()),
            AssetUse::Unknown => self.unknown(path, &[IdKind::Asset]),
            AssetUse::WrongCategory => {
                self.issue(
                    path,
                    IssueReason::AssetCategory,
                    "is an asset of another category; use one that fits the field",
                );
                Value::Null
            }
        }
    }

    fn unseal(&self, sealed: &str, kind: IdKind) -> Option<String> {
        if kind == IdKind::Task {
            return unseal_task(self.context, sealed).map(|task| task.id);
        }
        let id = self.context.unseal(kind.name(), sealed);
        // Assets of the operator and of the caller's token have the upstream's own ids.
        id.or_else(|| {
            let is_usable =
                kind == IdKind::Asset && self.context.find_asset(sealed, None) == AssetUse::Allowed;
            is_usable.then(|| sealed.to_owned())
        })
    }

    fn unknown(&mut self, path: &str, kinds: &[IdKind]) -> Value {
        let message = match kinds {
            [IdKind::Asset] => {
                "is not known; use an asset that a task of yours produced, or a public one"
            }
            [IdKind::File] => {
                "is not known; use the file_id that an upload of yours returned; clients also take \
                 a task or its output itself"
            }
            [IdKind::Task] => "is not known; use the id of a task of yours",
            _ => {
                "is named like an id and is none of yours; use one that this gateway returned, or \
                 have the operator name the field in EXTRA_FIELDS"
            }
        };
        self.issue(path, IssueReason::UnknownId, message);
        Value::Null
    }

    fn issue(&mut self, path: &str, reason: IssueReason, message: &str) {
        if self.issues.len() < MAX_ISSUES {
            self.issues.push(Issue {
                path: path.to_owned(),
                reason,
                message: message.to_owned(),
                severity: Severity::Error,
            });
        }
    }
}

/// Returns the path of a member in an issue. `parent` is the path of the object, and empty for a
/// field.
fn path_of(parent: &str, name: &str) -> String {
    let shown: String = name.chars().take(MAX_SHOWN_CHARS).collect();
    if parent.is_empty() {
        shown
    } else {
        format!("{parent}.{shown}")
    }
}

/// Writes each number in a single notation. In JSON, 5.0, 5e0 and 5 are equal, but to the upstream
/// they may differ, and so would two bodies of one create. Members that are `null` count as absent.
fn canonical(value: &Value) -> Value {
    match value {
        Value::Number(number) => Value::Number(notation(number)),
        Value::Array(items) => items.iter().map(canonical).collect(),
        Value::Object(members) => {
            let present = members.iter().filter(|(_, member)| !member.is_null());
            let canonical = present.map(|(name, member)| (name.clone(), canonical(member)));
            Value::Object(object(canonical))
        }
        other => other.clone(),
    }
}

/// Returns an integer if the number is one, or else the float with the shortest text. An integer
/// that no float equals keeps its digits.
fn notation(number: &Number) -> Number {
    if let Some(integer) = number.as_i64() {
        return integer.into();
    }
    if let Some(integer) = number.as_u64() {
        return integer.into();
    }
    let Some(float) = number.as_f64() else {
        return number.clone();
    };
    // A float in this range equals exactly one whole number.
    if float.fract() == 0.0 && float.abs() < MAX_EXACT {
        return (float as i64).into();
    }
    let text = number.to_string();
    let is_integer = text
        .trim_start_matches('-')
        .bytes()
        .all(|byte| byte.is_ascii_digit());
    // As a float, a longer integer would lose digits.
    if is_integer && format!("{float:.0}") != text {
        number.clone()
    } else {
        Number::from_f64(float).unwrap_or_else(|| number.clone())
    }
}

/// The limit below which a float exists for every whole number.
const MAX_EXACT: f64 = 9_007_199_254_740_992.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_has_one_notation() {
        let of = |text: &str| canonical(&serde_json::from_str(text).expect(text)).to_string();
        for (expected, same) in [
            ("0", ["-0", "0.0", "-0.0", "0e5"]),
            ("5", ["5.0", "5e0", "50e-1", "5.00"]),
            ("0.5", ["5e-1", "0.50", "0.5e0", "50e-2"]),
        ] {
            assert!(
                same.iter().all(|number| of(number) == expected),
                "{expected}: {:?}",
                same.map(of)
            );
        }
        assert_eq!(of("1e20"), of("100000000000000000000"));
        assert_eq!(of("18446744073709551615"), "18446744073709551615");
        assert_eq!(
            of("123456789012345678901234567891"),
            "123456789012345678901234567891",
            "no digit is lost"
        );
        assert_eq!(of(r#"{"a": [1.0, null], "b": null}"#), r#"{"a":[1,null]}"#);
    }
}
