//! The part of a task's record that is stored: its state and its results.

use serde_json::{Map, Value};

/// Longest member of a task that is stored, in bytes of JSON.
pub(super) const MAX_MEMBER_BYTES: usize = 10_000;

/// A normalised task's state, outputs and error, as far as each is short enough. Ids are as the record has them.
pub(crate) fn summary(task: &Value) -> Value {
    Value::Object(short_members(task, &["state", "outputs", "error"]))
}

/// The members of a task with these names that are short enough to be stored.
pub(super) fn short_members(task: &Value, names: &[&str]) -> Map<String, Value> {
    let is_short = |it: &&Value| it.to_string().len() < MAX_MEMBER_BYTES;
    let member = |name: &&str| Some(((*name).to_owned(), task.get(name).filter(is_short)?.clone()));
    names.iter().filter_map(member).collect()
}
