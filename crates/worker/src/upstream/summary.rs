//! The part of a task's record that is stored: its state and its results.

use serde_json::{Map, Value};

/// The maximum length of a task's member that is stored, in bytes of JSON.
pub(super) const MAX_MEMBER_BYTES: usize = 10_000;

/// Returns the state, outputs and error of a normalised task. A member that is too long is absent.
/// Ids are as the record has them.
pub(crate) fn summary(task: &Value) -> Value {
    Value::Object(short_members(task, &["state", "outputs", "error"]))
}

/// Returns the members of a task with these names that are short enough to be stored.
pub(super) fn short_members(task: &Value, names: &[&str]) -> Map<String, Value> {
    let mut members = Map::new();
    for name in names {
        if let Some(value) = task.get(name)
            && value.to_string().len() < MAX_MEMBER_BYTES
        {
            members.insert((*name).to_owned(), value.clone());
        }
    }
    members
}
