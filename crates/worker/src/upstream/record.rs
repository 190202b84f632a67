//! A task as the upstream reports it, normalised.

use mediagate_core::outputs::{self, Output};
use mediagate_core::{Task, is_terminal};
use serde_json::{Map, Value, json};

/// A task as the upstream reports it.
pub(crate) struct TaskRecord {
    /// The response's `data`: its `task` is normalised, its ids are the upstream's own.
    pub(crate) data: Value,
    /// The upstream's id of the task.
    pub(crate) id: String,
    /// Whether the task has ended.
    pub(crate) is_terminal: bool,
}

impl TaskRecord {
    pub(super) fn new(mut data: Value, normalised: Normalised) -> Self {
        let id = normalised.id.clone();
        let is_terminal = normalised.state.as_deref().is_some_and(is_terminal);
        if let Some(record) = data.get_mut("task").and_then(Value::as_object_mut) {
            normalised.write(record);
        }
        TaskRecord { data, id, is_terminal }
    }
}

/// The members that every task record on the gateway's wire has: `id`, `state`, `progress` and `outputs`.
pub(super) struct Normalised {
    id: String,
    state: Option<String>,
    progress: Option<f64>,
    outputs: Value,
}

impl Normalised {
    /// Reads them from a decoded task. `known_id` is the id that the task was requested by, where it was.
    pub(super) fn of(task: &Task<&Value>, known_id: Option<&str>) -> Self {
        Normalised {
            id: known_id.unwrap_or(&task.id).to_owned(),
            state: task.state.clone(),
            progress: task.progress,
            outputs: list(&task.outputs()),
        }
    }

    /// Writes them to the record. A member of the record that has one of these names and another value is moved to `raw`.
    fn write(self, record: &mut Map<String, Value>) {
        let members = [
            ("id", json!(self.id)),
            ("state", json!(self.state)),
            ("progress", json!(self.progress)),
            ("outputs", self.outputs),
        ];
        let mut replaced = Map::new();
        for (name, value) in members {
            let before = record.remove(name).filter(|it| *it != value);
            if !value.is_null() {
                record.insert(name.to_owned(), value);
            }
            // Under `raw` an id would not be sealed.
            if let Some(before) = before.filter(|_| name != "id") {
                replaced.insert(name.to_owned(), before);
            }
        }
        if !replaced.is_empty() {
            // A `raw` of the record's own is kept inside this one.
            replaced.extend(record.remove("raw").map(|it| ("raw".to_owned(), it)));
            record.insert("raw".to_owned(), Value::Object(replaced));
        }
    }
}

/// A text-to-image response without a task, as an object with its `outputs`.
pub(super) fn normalise_result(result: Value) -> Value {
    let result = if result.is_object() { result } else { json!({ "output": result }) };
    let found = list(&outputs::find(&&result));
    let Value::Object(mut members) = result else { return result };
    if let Some(before) = members.insert("outputs".to_owned(), found) {
        members.insert("raw".to_owned(), json!({ "outputs": before }));
    }
    Value::Object(members)
}

fn list(outputs: &[Output]) -> Value {
    let one = |it: &Output| {
        let members = [("url", it.url.as_deref()), ("asset_id", it.asset_id.as_deref()), ("kind", it.kind)];
        let present = members.into_iter().filter_map(|(name, it)| Some((name.to_owned(), json!(it?))));
        Value::Object(present.collect())
    };
    outputs.iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn normalise(record: Value, known_id: Option<&str>) -> Value {
        let normalised = Normalised::of(&Task::decode(&&record), known_id);
        TaskRecord::new(json!({ "task": record }), normalised).data["task"].take()
    }

    #[test]
    fn a_record_is_normalised_and_loses_nothing() {
        let record = normalise(
            json!({
                "task_id": 7, "status": "RUNNING", "progress": 50, "extra": {"deep": [1]},
                "outputs": [{"url": "https://h/a.png", "width": 3}],
            }),
            None,
        );
        assert_eq!(record["id"], "7");
        assert_eq!(record["state"], "RUNNING");
        assert_eq!(record["progress"], json!(0.5));
        assert_eq!(record["outputs"], json!([{"url": "https://h/a.png", "kind": "image"}]));
        assert_eq!(record["raw"], json!({"progress": 50, "outputs": [{"url": "https://h/a.png", "width": 3}]}));
        assert_eq!(record["extra"], json!({"deep": [1]}));
    }

    #[test]
    fn members_that_a_record_lacks_are_absent() {
        assert_eq!(normalise(json!({"id": "t"}), Some("known")), json!({"id": "known", "outputs": []}));
    }

    #[test]
    fn results_list_their_outputs() {
        assert_eq!(normalise_result(json!({"url": "https://h/a.png"}))["outputs"][0]["kind"], "image");
        assert_eq!(normalise_result(json!("https://h/a.png"))["outputs"][0]["url"], "https://h/a.png");
        assert_eq!(normalise_result(json!(null))["outputs"], json!([]));
    }

    #[test]
    fn a_task_has_ended_in_the_states_that_the_core_calls_final() {
        for (state, is_terminal) in [("SUCCEEDED", true), ("EXPIRED", true), ("RUNNING", false)] {
            let data = json!({"task": {"id": "t", "status": state}});
            let normalised = Normalised::of(&Task::decode(&&data["task"]), None);
            assert_eq!(TaskRecord::new(data.clone(), normalised).is_terminal, is_terminal, "{state}");
        }
    }

    #[test]
    fn what_a_record_had_under_the_normalised_names_is_moved() {
        let record = normalise(json!({"id": 7, "state": 3, "progress": "x", "outputs": [], "raw": {"a": 1}}), None);
        let raw = json!({"state": 3, "progress": "x", "raw": {"a": 1}});
        assert_eq!(record, json!({"id": "7", "state": "3", "outputs": [], "raw": raw}));
        let same = json!({"id": "t", "state": "RUNNING", "progress": 0.5, "outputs": [], "raw": 1});
        assert_eq!(normalise(same.clone(), None), same, "nothing differs");
    }

    #[test]
    fn a_result_keeps_its_own_outputs_as_raw() {
        let result = normalise_result(json!({"outputs": ["https://h/a.png"], "x": 1}));
        let found = json!([{"url": "https://h/a.png", "kind": "image"}]);
        assert_eq!(result, json!({"outputs": found, "raw": {"outputs": ["https://h/a.png"]}, "x": 1}));
    }
}
