//! A task as the upstream reports it, normalised.

use mediagate_core::outputs::Output;
use mediagate_dialect::{Reading, TaskError};
use serde_json::{Map, Value, json};

/// A task as the upstream reports it.
pub(crate) struct TaskRecord {
    /// The response's `data`. Its `task` is normalised, and its ids are the upstream's own.
    pub(crate) data: Value,
    /// The upstream's id of the task.
    pub(crate) id: String,
    /// True if the task has ended.
    pub(crate) is_terminal: bool,
}

impl TaskRecord {
    /// Takes the record out of a response's body. `place` is a JSON Pointer to the record.
    pub(super) fn new(body: Value, place: &str, normalised: Normalised) -> Self {
        let id = normalised.id.clone();
        let is_terminal = normalised.is_terminal;
        let mut data = data_with_task(body, place);
        // Readers look for assets in the record, but the upstream may list an asset beside it (§2).
        let asset = data.get("asset").filter(|asset| asset.is_object()).cloned();
        if let Some(record) = data.get_mut("task").and_then(Value::as_object_mut) {
            if let Some(asset) = asset {
                record.entry("asset").or_insert(asset);
            }
            normalised.write(record);
        }
        TaskRecord {
            data,
            id,
            is_terminal,
        }
    }

    /// Adds outputs to those of the task.
    pub(super) fn add_outputs(&mut self, outputs: &[Output]) {
        if let Some(listed) = self.data["task"]["outputs"].as_array_mut() {
            listed.extend(outputs.iter().map(output_record));
        }
    }
}

/// Returns the response's `data` with the record as its `task`, wherever the record is in the
/// response. Everything else in the response is kept, except the envelope's own members.
fn data_with_task(mut body: Value, place: &str) -> Value {
    let inner = place
        .strip_prefix("/data")
        .filter(|rest| rest.is_empty() || rest.starts_with('/'))
        .filter(|_| body.get("data").is_some_and(Value::is_object));
    let (mut container, place) = match inner {
        Some(inner) => (body["data"].take(), inner),
        None => {
            if let Some(members) = body.as_object_mut() {
                members.retain(|name, _| name != "code" && name != "message");
            }
            (body, place)
        }
    };
    if place.is_empty() {
        return json!({ "task": container });
    }
    let name = place.get(1..).filter(|name| !name.contains(['/', '~']));
    if let (Some(name), Some(members)) = (name, container.as_object_mut())
        && let Some(record) = members.remove(name)
    {
        // The response may have another member `task`, which is kept in `raw`.
        if let Some(other) = members.insert("task".to_owned(), record) {
            members.insert("raw".to_owned(), json!({ "task": other }));
        }
        return container;
    }
    // The record is deeper in the response, or in a list, so it is copied.
    json!({ "task": container.pointer(place), "response": container })
}

/// The members of every task record on the gateway's wire: `id`, `state`, `progress`, `outputs` and
/// `error`. The gateway itself adds others such as `eta` and `poll_after`.
pub(super) struct Normalised {
    id: String,
    state: Option<String>,
    is_terminal: bool,
    progress: Option<f64>,
    outputs: Value,
    error: Value,
}

impl Normalised {
    /// Takes the members from a task that the dialect read. `known_id` is the id by which the task
    /// was requested, if it was.
    pub(super) fn of(task: &Reading<'_>, known_id: Option<&str>) -> Self {
        Normalised {
            id: known_id
                .or(task.id.as_deref())
                .unwrap_or_default()
                .to_owned(),
            state: task.state.clone(),
            is_terminal: task.is_terminal,
            progress: task.progress,
            outputs: list(&task.outputs),
            error: task.error.as_ref().map_or(Value::Null, error),
        }
    }

    /// Writes the members to the record. If the record has another value under one of these names,
    /// that value is moved to `raw`.
    fn write(self, record: &mut Map<String, Value>) {
        // The record must not have any of the gateway's own members, so their values are null here.
        let members = [
            ("id", json!(self.id)),
            ("state", json!(self.state)),
            ("progress", json!(self.progress)),
            ("outputs", self.outputs),
            ("error", self.error),
            ("eta", Value::Null),
            ("poll_after", Value::Null),
            ("changed_at", Value::Null),
            ("unanswered_since", Value::Null),
            ("unfinished", Value::Null),
        ];
        let mut replaced = Map::new();
        for (name, value) in members {
            let before = record.remove(name).filter(|before| *before != value);
            if !value.is_null() {
                record.insert(name.to_owned(), value);
            }
            // The ids in `raw` are not sealed, so an id must not get there.
            if let Some(before) = before.filter(|_| name != "id") {
                replaced.insert(name.to_owned(), before);
            }
        }
        if !replaced.is_empty() {
            // If the record has a `raw` already, that is kept inside the new one.
            if let Some(raw) = record.remove("raw") {
                replaced.insert("raw".to_owned(), raw);
            }
            record.insert("raw".to_owned(), Value::Object(replaced));
        }
    }
}

/// The reason why a task failed, `{message, code}`. Members that are not known are absent.
fn error(error: &TaskError) -> Value {
    let members = [
        ("message", error.message.as_deref().map(Value::from)),
        ("code", error.code.clone()),
    ];
    let present = members
        .into_iter()
        .filter_map(|(name, value)| Some((name.to_owned(), value?)));
    Value::Object(present.collect())
}

/// Returns the `data` of a response with a result that came without a task (§4.2). It has the
/// `result` with its `outputs`, and a `task` in the state `SUCCEEDED` with the same members.
pub(super) fn result_data(result: Value, outputs: &[Output]) -> Value {
    let result = normalise_result(result, outputs);
    let mut task = result.as_object().cloned().unwrap_or_default();
    // The caller gets the id that the gateway makes.
    task.remove("id");
    Normalised {
        id: String::new(),
        state: Some("SUCCEEDED".to_owned()),
        is_terminal: true,
        progress: Some(1.0),
        outputs: result["outputs"].clone(),
        error: Value::Null,
    }
    .write(&mut task);
    json!({"task": task, "result": result})
}

/// Returns a text-to-image response without a task as an object with its `outputs`.
fn normalise_result(result: Value, outputs: &[Output]) -> Value {
    let result = if result.is_object() {
        result
    } else {
        json!({ "output": result })
    };
    let Value::Object(mut members) = result else {
        return result;
    };
    if let Some(before) = members.insert("outputs".to_owned(), list(outputs)) {
        members.insert("raw".to_owned(), json!({ "outputs": before }));
    }
    Value::Object(members)
}

fn list(outputs: &[Output]) -> Value {
    outputs.iter().map(output_record).collect()
}

/// Returns an output as it is on the gateway's wire, `{url, asset_id, kind}`. Members that are not
/// known are absent.
fn output_record(output: &Output) -> Value {
    let members = [
        ("url", output.url.as_deref()),
        ("asset_id", output.asset_id.as_deref()),
        ("kind", output.kind),
    ];
    let present = members
        .into_iter()
        .filter_map(|(name, text)| Some((name.to_owned(), json!(text?))));
    Value::Object(present.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use mediagate_core::Expects;
    use mediagate_dialect::{Decoded, Dialect};

    /// Reads a status response's `data` by the default dialect.
    fn record(data: Value, known_id: Option<&str>) -> TaskRecord {
        let body = json!({"code": 0, "data": data});
        let Decoded::Task(reading) = Dialect::default().decode(200, Some(&body), Expects::Status)
        else {
            panic!("no task: {body}");
        };
        let place = reading.place.clone();
        let normalised = Normalised::of(&reading, known_id);
        TaskRecord::new(body, &place, normalised)
    }

    fn normalise(task: Value, known_id: Option<&str>) -> Value {
        record(json!({ "task": task }), known_id).data["task"].take()
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
        assert_eq!(
            record["outputs"],
            json!([{"url": "https://h/a.png", "kind": "image"}])
        );
        assert_eq!(
            record["raw"],
            json!({"progress": 50, "outputs": [{"url": "https://h/a.png", "width": 3}]})
        );
        assert_eq!(record["extra"], json!({"deep": [1]}));
    }

    #[test]
    fn members_that_a_record_lacks_are_absent() {
        assert_eq!(
            normalise(json!({"id": "t"}), Some("known")),
            json!({"id": "known", "outputs": []})
        );
    }

    fn image(url: &str) -> Output {
        Output {
            url: Some(url.to_owned()),
            asset_id: None,
            kind: Some("image"),
        }
    }

    #[test]
    fn a_result_lists_its_outputs() {
        let outputs = [image("https://h/a.png")];
        let found = json!([{"url": "https://h/a.png", "kind": "image"}]);
        for (result, expected) in [
            (
                json!({"url": "https://h/a.png"}),
                json!({"url": "https://h/a.png", "outputs": found}),
            ),
            (
                json!("https://h/a.png"),
                json!({"output": "https://h/a.png", "outputs": found}),
            ),
        ] {
            assert_eq!(normalise_result(result, &outputs), expected);
        }
    }

    #[test]
    fn a_task_has_ended_in_the_states_that_the_core_calls_final() {
        for (state, is_terminal) in [("SUCCEEDED", true), ("EXPIRED", true), ("RUNNING", false)] {
            let data = json!({"task": {"id": "t", "status": state}});
            assert_eq!(record(data, None).is_terminal, is_terminal, "{state}");
        }
    }

    #[test]
    fn what_a_record_had_under_the_normalised_names_is_moved() {
        let record = normalise(
            json!({"id": 7, "state": 3, "progress": "x", "outputs": [], "raw": {"a": 1}}),
            None,
        );
        let raw = json!({"state": 3, "progress": "x", "raw": {"a": 1}});
        assert_eq!(
            record,
            json!({"id": "7", "state": "3", "outputs": [], "raw": raw})
        );
        let same = json!({"id": "t", "state": "RUNNING", "progress": 0.5, "outputs": [], "raw": 1});
        assert_eq!(normalise(same.clone(), None), same, "nothing differs");
    }

    #[test]
    fn a_result_keeps_its_own_outputs_as_raw() {
        let result = normalise_result(
            json!({"outputs": ["https://h/a.png"], "x": 1}),
            &[image("https://h/a.png")],
        );
        let found = json!([{"url": "https://h/a.png", "kind": "image"}]);
        assert_eq!(
            result,
            json!({"outputs": found, "raw": {"outputs": ["https://h/a.png"]}, "x": 1})
        );
    }

    #[test]
    fn a_record_anywhere_becomes_the_task_and_nothing_is_lost() {
        let task = json!({"id": "t", "state": "RUNNING", "outputs": []});
        let with = |more: Value| {
            let mut task = task.clone();
            for (name, value) in more.as_object().into_iter().flatten() {
                task[name] = value.clone();
            }
            task
        };
        for (data, expected) in [
            (
                json!({"id": "t", "state": "RUNNING", "a": 1}),
                json!({"task": with(json!({"a": 1}))}),
            ),
            (
                json!({"job": {"id": "t", "state": "RUNNING"}, "a": 1}),
                json!({"task": task, "a": 1}),
            ),
            (
                json!({"job": {"id": "t", "state": "RUNNING"}, "task": 5}),
                json!({"task": task, "raw": {"task": 5}}),
            ),
            (
                json!({"tasks": [{"id": "t", "state": "RUNNING"}]}),
                json!({"task": task, "response": {"tasks": [{"id": "t", "state": "RUNNING"}]}}),
            ),
            (
                json!([{"id": "t", "state": "RUNNING"}]),
                json!({"task": task, "response": {"data": [{"id": "t", "state": "RUNNING"}]}}),
            ),
        ] {
            assert_eq!(record(data.clone(), None).data, expected, "{data}");
        }
    }

    #[test]
    fn what_the_gateway_adds_later_is_not_the_upstreams() {
        let record = normalise(
            json!({"id": "t", "state": "RUNNING", "eta": "5 min", "poll_after": 0}),
            None,
        );
        assert_eq!((record.get("eta"), record.get("poll_after")), (None, None));
        assert_eq!(record["raw"], json!({"eta": "5 min", "poll_after": 0}));
    }

    #[test]
    fn why_a_task_failed_is_its_error() {
        let record = normalise(
            json!({"id": "t", "state": "FAILED", "reason": "no face", "error_code": 7}),
            None,
        );
        assert_eq!(record["error"], json!({"message": "no face", "code": 7}));
        let record = normalise(
            json!({"id": "t", "state": "FAILED", "error": "no face"}),
            None,
        );
        assert_eq!(
            (&record["error"], &record["raw"]),
            (&json!({"message": "no face"}), &json!({"error": "no face"}))
        );
        let record = normalise(
            json!({"id": "t", "state": "RUNNING", "error": "a warning"}),
            None,
        );
        assert_eq!(
            (record.get("error"), &record["raw"]),
            (None, &json!({"error": "a warning"}))
        );
    }

    #[test]
    fn an_asset_beside_the_record_is_in_it_too() {
        let data = json!({
            "task": {"id": "t", "status": "SUCCEEDED"},
            "asset": {"id": "a", "category": "avatar"},
        });
        let task = &record(data, None).data["task"];
        assert_eq!(
            (&task["asset"]["id"], &task["outputs"]),
            (&json!("a"), &json!([{"asset_id": "a"}]))
        );
    }
}
