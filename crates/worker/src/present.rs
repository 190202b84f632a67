//! What the service answered, as a caller may see it: ids sealed, the task normalised.

use mediagate_core::ids::{IdKind, id_kind};
use mediagate_core::outputs::{self, Output};
use mediagate_core::{Group, Task};
use serde_json::{Map, Value, json};

use crate::seal::Sealer;
use crate::session::Subject;

/// Adds `id`, `state`, `progress` and `outputs` to a task record. `id` is the one asked for, where one was. A member of
/// the record that has one of these names and says something else is kept under `raw`.
pub fn normalise_task(record: &mut Value, asked: Option<&str>) {
    let task = Task::decode(&&*record);
    let normal = [
        ("id", json!(asked.unwrap_or(&task.id))),
        ("state", json!(task.state)),
        ("progress", json!(task.progress)),
        ("outputs", listed(&task.outputs())),
    ];
    let Some(members) = record.as_object_mut() else { return };
    let mut replaced = Map::new();
    for (name, value) in normal {
        let before = members.remove(name).filter(|it| *it != value);
        if !value.is_null() {
            members.insert(name.to_owned(), value);
        }
        // The id itself stays sealed: it is not repeated where nothing would seal it.
        if let Some(before) = before.filter(|_| name != "id") {
            replaced.insert(name.to_owned(), before);
        }
    }
    if !replaced.is_empty() {
        // A record that has a `raw` of its own keeps that, inside ours.
        replaced.extend(members.remove("raw").map(|it| ("raw".to_owned(), it)));
        members.insert("raw".to_owned(), Value::Object(replaced));
    }
}

/// An answer of text-to-image that is no task, as an object with the outputs that it carries.
pub fn normalise_result(result: Value) -> Value {
    let mut members = match result {
        Value::Object(members) => members,
        other => Map::from_iter([("output".to_owned(), other)]),
    };
    let whole = Value::Object(std::mem::take(&mut members));
    let found = listed(&outputs::find(&&whole));
    if let Value::Object(it) = whole {
        members = it;
    }
    if let Some(before) = members.insert("outputs".to_owned(), found) {
        members.insert("raw".to_owned(), json!({"outputs": before}));
    }
    Value::Object(members)
}

fn listed(outputs: &[Output]) -> Value {
    let one = |it: &Output| {
        let members = [("url", it.url.as_deref()), ("asset_id", it.asset_id.as_deref()), ("kind", it.kind)];
        let present = members.into_iter().filter_map(|(name, it)| Some((name.to_owned(), json!(it?))));
        Value::Object(present.collect())
    };
    outputs.iter().map(one).collect()
}

/// Seals every value under a task-id, file-id or asset-id key, at any depth, to its owner. Of the tasks, only the one
/// that was asked for can be asked for again: what else a record names may be anybody's.
pub fn seal_ids(value: &mut Value, sealer: &Sealer, owner: &Subject, task: Option<(Group, &str)>) {
    walk(value, "", &|kind: IdKind, id: &str| {
        let group = task.filter(|it| it.1 == id).map(|it| it.0);
        sealer.seal(owner, sealed_kind(kind, group), id)
    });
}

/// What a sealed id is bound to be. A task is read where its group's tasks are, so the group is a part of it.
pub fn sealed_kind(kind: IdKind, group: Option<Group>) -> &'static str {
    match (kind, group) {
        (IdKind::Task, Some(Group::Generate)) => "generate task",
        (IdKind::Task, Some(Group::Process)) => "process task",
        _ => kind.name(),
    }
}

fn walk(value: &mut Value, container: &str, seal: &dyn Fn(IdKind, &str) -> String) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|it| walk(it, container, seal)),
        Value::Object(members) => {
            for (name, member) in members.iter_mut() {
                match id_kind(container, name) {
                    Some(kind) => seal_all(member, name, kind, seal),
                    None => walk(member, name, seal),
                }
            }
        }
        _ => {}
    }
}

/// Seals what an id's key holds: an id, a list of ids, or an object that is then searched like any other.
fn seal_all(value: &mut Value, name: &str, kind: IdKind, seal: &dyn Fn(IdKind, &str) -> String) {
    match value {
        Value::String(id) => *id = seal(kind, id),
        Value::Number(id) => *value = Value::String(seal(kind, &id.to_string())),
        Value::Array(items) => items.iter_mut().for_each(|it| seal_all(it, name, kind, seal)),
        Value::Object(_) => walk(value, name, seal),
        Value::Null | Value::Bool(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_normalised_and_loses_nothing() {
        let mut record = json!({
            "task_id": 7, "status": "RUNNING", "progress": 50, "extra": {"deep": [1]},
            "outputs": [{"url": "https://h/a.png", "width": 3}],
        });
        normalise_task(&mut record, None);
        assert_eq!(record["id"], "7");
        assert_eq!(record["state"], "RUNNING");
        assert_eq!(record["progress"], json!(0.5));
        assert_eq!(record["outputs"], json!([{"url": "https://h/a.png", "kind": "image"}]));
        assert_eq!(record["raw"], json!({"progress": 50, "outputs": [{"url": "https://h/a.png", "width": 3}]}));
        assert_eq!(record["extra"], json!({"deep": [1]}));
    }

    #[test]
    fn what_a_record_does_not_say_is_absent() {
        let mut record = json!({"id": "t"});
        normalise_task(&mut record, Some("asked"));
        assert_eq!(record, json!({"id": "asked", "outputs": []}));
    }

    #[test]
    fn results_show_their_outputs() {
        assert_eq!(normalise_result(json!({"url": "https://h/a.png"}))["outputs"][0]["kind"], "image");
        assert_eq!(normalise_result(json!("https://h/a.png"))["outputs"][0]["url"], "https://h/a.png");
        assert_eq!(normalise_result(json!(null))["outputs"], json!([]));
    }

    #[test]
    fn ids_are_sealed_at_any_depth() {
        let mut data = json!({
            "task": {"id": "t", "input_file_ids": ["f", 2], "result": {"asset": {"id": "a"}, "assetId": 5}, "user_id": "u"},
            "file_id": {"id": "kept", "file_id": "g"}, "asset_id": null,
        });
        walk(&mut data, "", &|kind, id| format!("<{} {id}>", kind.name()));
        assert_eq!(
            data,
            json!({
                "task": {
                    "id": "<task t>", "input_file_ids": ["<file f>", "<file 2>"],
                    "result": {"asset": {"id": "<asset a>"}, "assetId": "<asset 5>"}, "user_id": "u",
                },
                "file_id": {"id": "kept", "file_id": "<file g>"}, "asset_id": null,
            })
        );
    }
}
