//! The ids in an upstream record: counted, and sealed.

use mediagate_core::Group;
use mediagate_core::ids::{IdKind, id_kind};
use serde_json::Value;

use super::{Sealer, TaskRef};
use crate::identity::Subject;

/// Most ids in one response: each is sealed.
const MAX_IDS: usize = 1_000;

/// Seals every value under a task-id, file-id or asset-id key, at any depth, for its owner, and the task's id wherever it
/// recurs. Of the tasks, only the requested one can be read by its sealed id: another task that a record names may belong
/// to another caller.
pub(crate) fn seal_ids(
    value: &mut Value,
    sealer: &Sealer,
    owner: &Subject,
    task: Option<&TaskRef>,
) {
    let sealed =
        task.map(|it| sealer.seal(owner, sealed_kind(IdKind::Task, Some(it.group)), &it.text()));
    if let (Some(task), Some(sealed)) = (task, &sealed) {
        replace(value, "", &task.id, sealed);
    }
    walk(value, "", &|kind: IdKind, id: &str| match (kind, &sealed) {
        (IdKind::Task, Some(sealed)) if task.is_some_and(|it| it.id == id) => sealed.clone(),
        _ => sealer.seal(owner, sealed_kind(kind, None), id),
    });
}

/// The fewest digits of a number that is taken for a task's id whatever its name: a shorter one may be anything.
const MIN_DIGITS: usize = 6;

/// Replaces an id under names that tell nothing of it. Where the name tells, [`walk`] does, which would else seal it twice.
fn replace(value: &mut Value, container: &str, id: &str, sealed: &str) {
    match value {
        Value::Array(items) => items
            .iter_mut()
            .for_each(|it| replace(it, container, id, sealed)),
        Value::Object(members) => {
            let unnamed =
                |name: &str| id_kind(container, name).is_none() && !NORMALISED.contains(&name);
            let others = members
                .iter_mut()
                .filter(|(name, it)| it.is_object() || it.is_array() || unnamed(name));
            others.for_each(|(name, it)| match it {
                Value::Array(_) if !unnamed(name) => {}
                it => replace(it, name, id, sealed),
            });
        }
        Value::String(text) if text == id => sealed.clone_into(text),
        Value::Number(number) if id.len() >= MIN_DIGITS && number.to_string() == id => {
            *value = sealed.into()
        }
        _ => {}
    }
}

/// Members that are no id, whatever they hold.
const NORMALISED: [&str; 2] = ["state", "progress"];

/// Whether a response has at most as many ids as may be sealed.
pub(crate) fn has_few_ids(value: &Value) -> bool {
    count_ids(value, "", false) <= MAX_IDS
}

fn count_ids(value: &Value, container: &str, is_id: bool) -> usize {
    match value {
        Value::Array(items) => items.iter().map(|it| count_ids(it, container, is_id)).sum(),
        Value::Object(members) => members
            .iter()
            .map(|(name, it)| count_ids(it, name, id_kind(container, name).is_some()))
            .sum(),
        _ => usize::from(is_id),
    }
}

/// The kind that a sealed id is bound to. Each group has its own status path, so a task's kind includes its group.
pub(crate) fn sealed_kind(kind: IdKind, group: Option<Group>) -> &'static str {
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

/// Seals the value of an id's key: an id, a list of ids, or an object that is then searched like any other.
fn seal_all(value: &mut Value, name: &str, kind: IdKind, seal: &dyn Fn(IdKind, &str) -> String) {
    match value {
        Value::String(id) => *id = seal(kind, id),
        Value::Number(id) => *value = Value::String(seal(kind, &id.to_string())),
        Value::Array(items) => items
            .iter_mut()
            .for_each(|it| seal_all(it, name, kind, seal)),
        Value::Object(_) => walk(value, name, seal),
        Value::Null | Value::Bool(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn ids_are_sealed_at_any_depth() {
        let mut data = json!({
            "task": {"id": "t", "input_file_ids": ["f", 2], "result": {"asset": {"id": "a"}, "assetId": 5}, "user_id": "u"},
            "file_id": {"id": "kept", "file_id": "g"}, "asset_id": null,
            "assets": [{"id": "b"}, [{"parts": [{"taskId": "u"}]}]],
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
                "assets": [{"id": "<asset b>"}, [{"parts": [{"taskId": "<task u>"}]}]],
            })
        );
    }

    #[test]
    fn a_tasks_id_is_sealed_wherever_it_recurs_and_once() {
        let sealer = Sealer::new(&[crate::crypto::Secret::new("one")], "t".into());
        let owner = Subject::default();
        let sealed = sealer.seal(&owner, "generate task", "job-1");
        let mut data = json!({
            "task": {"id": "job-1", "key": "job-1", "state": "job-1", "links": ["job-1", {"self": "job-1", "text": "job-1!"}]},
            "task_ids": ["job-1"], "file_id": "job-1",
        });
        seal_ids(
            &mut data,
            &sealer,
            &owner,
            Some(&TaskRef::new(Group::Generate, "job-1")),
        );
        assert_eq!(
            data["task"]["links"],
            json!([sealed, {"self": sealed, "text": "job-1!"}])
        );
        assert_eq!(
            (&data["task"]["id"], &data["task"]["key"]),
            (&json!(sealed), &json!(sealed))
        );
        assert_eq!(
            (&data["task"]["state"], &data["task_ids"]),
            (&json!("job-1"), &json!([sealed]))
        );
        let mut numbers = json!({"task": {"id": "123456", "key": 123456, "width": 12345}});
        seal_ids(
            &mut numbers,
            &sealer,
            &owner,
            Some(&TaskRef::new(Group::Generate, "123456")),
        );
        assert_eq!(numbers["task"]["key"], numbers["task"]["id"]);
        let mut short = json!({"task": {"id": "12", "width": 12}});
        seal_ids(
            &mut short,
            &sealer,
            &owner,
            Some(&TaskRef::new(Group::Generate, "12")),
        );
        assert_eq!(short["task"]["width"], 12);
    }

    #[test]
    fn ids_are_counted_where_they_are_sealed() {
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
        let sealer = Sealer::new(&[crate::crypto::Secret::new("one")], "t".into());
        let owner = Subject::default();
        for (group, kind) in [
            (Group::Generate, "generate task"),
            (Group::Process, "process task"),
        ] {
            let mut data =
                json!({"task": {"id": "mine", "parent_task_id": "other", "file_id": "f"}});
            seal_ids(
                &mut data,
                &sealer,
                &owner,
                Some(&TaskRef::new(group, "mine")),
            );
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
