use mediagate_access::identity::Subject;
use mediagate_core::Group;
use mediagate_core::ids::{IdKind, id_kind};
use serde_json::Value;

use super::{Sealer, TaskRef};

/// The most ids in one response. Each id costs the time to seal it.
const MAX_IDS: usize = 1_000;

/// Seals all values under task-id, file-id and asset-id keys, at any depth, and the requested
/// task's id under any key. Only the requested task can be read by its sealed id: other tasks in
/// the record may be tasks of other callers.
pub fn seal_ids(value: &mut Value, sealer: &Sealer, owner: &Subject, task: Option<&TaskRef>) {
    let requested = task.map(|task| {
        let kind = sealed_kind(IdKind::Task, Some(task.group));
        (&task.id, sealer.seal(owner, kind, &task.text()))
    });
    if let Some((id, sealed)) = &requested {
        replace(value, "", id, sealed);
    }
    walk(value, "", &|kind: IdKind, id: &str| match &requested {
        Some((requested_id, sealed)) if kind == IdKind::Task && *requested_id == id => {
            sealed.clone()
        }
        _ => sealer.seal(owner, sealed_kind(kind, None), id),
    });
}

/// The fewest digits of a number that counts as the task's id. A shorter number is more likely to
/// mean something else.
const MIN_DIGITS: usize = 6;

/// Replaces an id under keys that are not for ids: [`walk`] seals those, and would seal an id
/// twice.
fn replace(value: &mut Value, container: &str, id: &str, sealed: &str) {
    match value {
        Value::Array(items) => items
            .iter_mut()
            .for_each(|item| replace(item, container, id, sealed)),
        Value::Object(members) => {
            for (name, member) in members.iter_mut() {
                let is_for_ids = id_kind(container, name).is_some();
                let is_left_out = is_for_ids || NORMALISED.contains(&name.as_str());
                // An object under an id's key has members of its own.
                if member.is_object() || !is_left_out {
                    replace(member, name, id, sealed);
                }
            }
        }
        Value::String(text) if text == id => sealed.clone_into(text),
        Value::Number(number) if id.len() >= MIN_DIGITS && number.to_string() == id => {
            *value = sealed.into()
        }
        _ => {}
    }
}

const NORMALISED: [&str; 2] = ["state", "progress"];

pub fn has_few_ids(value: &Value) -> bool {
    count_ids(value, "", false) <= MAX_IDS
}

fn count_ids(value: &Value, container: &str, is_id: bool) -> usize {
    match value {
        Value::Array(items) => items
            .iter()
            .map(|item| count_ids(item, container, is_id))
            .sum(),
        Value::Object(members) => members
            .iter()
            .map(|(name, member)| count_ids(member, name, id_kind(container, name).is_some()))
            .sum(),
        _ => usize::from(is_id),
    }
}

/// A task's kind includes its group, since each group has its own status path.
pub(crate) fn sealed_kind(kind: IdKind, group: Option<Group>) -> &'static str {
    match (kind, group) {
        (IdKind::Task, Some(Group::Generate)) => "generate task",
        (IdKind::Task, Some(Group::Process)) => "process task",
        _ => kind.name(),
    }
}

fn walk(value: &mut Value, container: &str, seal: &dyn Fn(IdKind, &str) -> String) {
    match value {
        Value::Array(items) => items
            .iter_mut()
            .for_each(|item| walk(item, container, seal)),
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

/// Seals the value of an id's key: an id, a list of ids, or an object, which is searched for ids.
fn seal_all(value: &mut Value, name: &str, kind: IdKind, seal: &dyn Fn(IdKind, &str) -> String) {
    match value {
        Value::String(id) => *id = seal(kind, id),
        Value::Number(id) => *value = Value::String(seal(kind, &id.to_string())),
        Value::Array(items) => items
            .iter_mut()
            .for_each(|item| seal_all(item, name, kind, seal)),
        Value::Object(_) => walk(value, name, seal),
        Value::Null | Value::Bool(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mediagate_access::crypto::Secret;
    use serde_json::json;

    #[test]
    fn ids_are_sealed_at_any_depth() {
        let mut data = json!({
            "task": {
                "id": "t", "input_file_ids": ["f", 2],
                "result": {"asset": {"id": "a"}, "assetId": 5}, "user_id": "u",
            },
            "file_id": {"id": "kept", "file_id": "g"}, "asset_id": null,
            "assets": [{"id": "b"}, [{"parts": [{"taskId": "u"}]}]],
        });
        walk(&mut data, "", &|kind, id| format!("<{} {id}>", kind.name()));
        assert_eq!(
            data,
            json!({
                "task": {
                    "id": "<task t>", "input_file_ids": ["<file f>", "<file 2>"],
                    "result": {"asset": {"id": "<asset a>"}, "assetId": "<asset 5>"},
                    "user_id": "u",
                },
                "file_id": {"id": "kept", "file_id": "<file g>"}, "asset_id": null,
                "assets": [{"id": "<asset b>"}, [{"parts": [{"taskId": "<task u>"}]}]],
            })
        );
    }

    #[test]
    fn a_tasks_id_is_sealed_wherever_it_recurs_and_once() {
        let sealer = Sealer::new(&[Secret::new("one")], "t".into());
        let owner = Subject::default();
        let sealed = sealer.seal(&owner, "generate task", "job-1");
        let seal = |data: &mut Value, id: &str| {
            let task = TaskRef::new(Group::Generate, id);
            seal_ids(data, &sealer, &owner, Some(&task));
        };
        let mut data = json!({
            "task": {
                "id": "job-1", "key": "job-1", "state": "job-1",
                "links": ["job-1", {"self": "job-1", "text": "job-1!"}],
            },
            "task_ids": ["job-1"], "file_id": "job-1",
        });
        seal(&mut data, "job-1");
        assert_eq!(
            data["task"]["links"],
            json!([sealed, {"self": sealed, "text": "job-1!"}])
        );
        assert_eq!(data["task"]["id"], sealed);
        assert_eq!(data["task"]["key"], sealed);
        assert_eq!(data["task"]["state"], "job-1");
        assert_eq!(data["task_ids"], json!([sealed]));
        let mut numbers = json!({"task": {"id": "123456", "key": 123456, "width": 12345}});
        seal(&mut numbers, "123456");
        assert_eq!(numbers["task"]["key"], numbers["task"]["id"]);
        let mut short = json!({"task": {"id": "12", "width": 12}});
        seal(&mut short, "12");
        assert_eq!(short["task"]["width"], 12);
    }

    #[test]
    fn the_ids_that_are_sealed_are_counted() {
        assert!(has_few_ids(
            &json!({"task": {"file_ids": vec![1; 999], "id": 1}, "sizes": vec![1; 5000]})
        ));
        assert!(!has_few_ids(
            &json!({"task": {"file_ids": vec![1; 1000], "id": 1}})
        ));
        assert!(!has_few_ids(
            &json!({"assets": vec![json!({"id": 1}); 1001]})
        ));
    }

    #[test]
    fn only_the_requested_task_can_be_read_by_its_sealed_id() {
        let sealer = Sealer::new(&[Secret::new("one")], "t".into());
        let owner = Subject::default();
        for (group, kind) in [
            (Group::Generate, "generate task"),
            (Group::Process, "process task"),
        ] {
            let mut data =
                json!({"task": {"id": "mine", "parent_task_id": "other", "file_id": "f"}});
            let task = TaskRef::new(group, "mine");
            seal_ids(&mut data, &sealer, &owner, Some(&task));
            let unsealed = |kind: &str, name: &str| {
                sealer.unseal(&owner, kind, data["task"][name].as_str().expect("a string"))
            };
            assert_eq!(unsealed(kind, "id").as_deref(), Some("mine"));
            assert_eq!(unsealed(kind, "parent_task_id"), None);
            assert_eq!(unsealed("task", "parent_task_id").as_deref(), Some("other"));
            assert_eq!(unsealed("file", "file_id").as_deref(), Some("f"));
        }
    }
}
