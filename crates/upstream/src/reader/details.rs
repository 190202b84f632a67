//! The parts of a record that are for people: the error of a failed task, and warnings.

use mediagate_core::Reason;
use serde_json::Value;

/// Returns the word for content that the provider refuses, if an object states it as the reason of
/// its error.
pub fn refused_content(object: &Value) -> Option<&'static str> {
    let word = Reason::ContentRefused.name();
    let reason = object.get("error")?.get("reason")?;
    (reason == word).then_some(word)
}

/// `{message, code, reason}`. Members that are not known are absent.
pub(super) fn error_record(
    message: Option<String>,
    code: Option<Value>,
    reason: Option<&'static str>,
) -> Option<Value> {
    let members = [
        ("message", message.map(Value::from)),
        ("code", code),
        ("reason", reason.map(Value::from)),
    ];
    let known = members
        .into_iter()
        .filter_map(|(name, value)| Some((name.to_owned(), value?)));
    let members = mediagate_core::object(known);
    (!members.is_empty()).then_some(Value::Object(members))
}

const MAX_WARNINGS: usize = 20;
const MAX_WARNING_CHARS: usize = 500;

/// Returns the texts in a record's list of warnings: what the upstream has ignored or changed.
pub(super) fn warnings_of(record: &Value) -> Vec<String> {
    let listed = record.get("warnings").and_then(Value::as_array);
    listed
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .filter(|text| !text.trim().is_empty())
        .take(MAX_WARNINGS)
        .map(|text| text.chars().take(MAX_WARNING_CHARS).collect())
        .collect()
}
