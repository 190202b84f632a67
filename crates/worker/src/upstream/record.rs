//! A task as the upstream reports it, normalised.

use mediagate_core::outputs::Output;
use mediagate_core::schedule::forecast::{Eta, Forecast};
use mediagate_dialect::{Reading, TaskError};
use serde_json::{Map, Value, json};

use crate::platform::json::present;

/// A task as the upstream reports it.
pub(crate) struct TaskRecord {
    /// The response's `data`. Its `task` is normalised, and its ids are the upstream's own.
    pub(crate) data: Value,
    pub(crate) id: String,
    pub(crate) is_terminal: bool,
}

impl TaskRecord {
    /// Takes the record out of a response's body. `place` is a JSON Pointer to the record.
    pub(super) fn new(body: Value, place: &str, normalised: Normalised) -> Self {
        let id = normalised.id.clone();
        let is_terminal = normalised.is_terminal;
        let mut data = data_with_task(body, place);
        // Assets are read from the record, but the upstream may list an asset beside it (§2).
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
    Value::Object(present(members))
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
    Value::Object(present([
        ("url", output.url.as_deref().map(Value::from)),
        ("asset_id", output.asset_id.as_deref().map(Value::from)),
        ("kind", output.kind.map(Value::from)),
    ]))
}

/// The maximum length of a task's member that is stored, in bytes of JSON.
pub(crate) const MAX_MEMBER_BYTES: usize = 10_000;

/// Returns the state, outputs and error of a normalised task. A member that is too long is absent.
/// Ids are as the record has them.
pub(crate) fn summary(task: &Value) -> Value {
    Value::Object(short_members(task, &["state", "outputs", "error"]))
}

/// Returns the members of a task with these names that are short enough to be stored.
pub(crate) fn short_members(task: &Value, names: &[&str]) -> Map<String, Value> {
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

/// Writes the task's `eta`, in seconds, if it is known.
pub(crate) fn write_eta(data: &mut Value, forecast: &Forecast<'_>) {
    if let Some(Eta { seconds, low, high }) = forecast.eta() {
        let eta = json!({"seconds": rounded(seconds), "low": rounded(low), "high": rounded(high)});
        write(data, "eta", eta);
    }
}

/// Writes the task's `poll_after`, the seconds until it should be read again. `random` is from 0 to
/// 1.
pub(crate) fn write_poll_after(data: &mut Value, forecast: &Forecast<'_>, random: f64) {
    write(data, "poll_after", json!(rounded(forecast.wait(random))));
}

fn write(data: &mut Value, name: &str, value: Value) {
    if let Some(task) = data.get_mut("task").and_then(Value::as_object_mut) {
        task.insert(name.to_owned(), value);
    }
}

fn rounded(seconds: f64) -> f64 {
    (seconds * 10.0).round() / 10.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use mediagate_core::Expects;
    use mediagate_dialect::{Decoded, Dialect};

    /// Reads a status response's `data` by the default dialect.
    fn record(data: Value) -> TaskRecord {
        let body = json!({"code": 0, "data": data});
        let Decoded::Task(reading) = Dialect::default().decode(200, Some(&body), Expects::Status)
        else {
            panic!("no task: {body}");
        };
        let place = reading.place.clone();
        let normalised = Normalised::of(&reading, None);
        TaskRecord::new(body, &place, normalised)
    }

    #[test]
    fn a_record_is_normalised_and_loses_nothing() {
        let same = json!({"id": "t", "state": "RUNNING", "progress": 0.5, "outputs": [], "raw": 1});
        let outputs = json!([{"url": "https://h/a.png", "width": 3}]);
        for (task, expected) in [
            (
                json!({"task_id": 7, "status": "RUNNING", "progress": 50, "outputs": outputs}),
                json!({
                    "task_id": 7, "status": "RUNNING", "id": "7", "state": "RUNNING",
                    "progress": 0.5, "outputs": [{"url": "https://h/a.png", "kind": "image"}],
                    "raw": {"progress": 50, "outputs": outputs},
                }),
            ),
            (same.clone(), same),
            // Members that the record lacks are absent.
            (json!({"id": "t"}), json!({"id": "t", "outputs": []})),
            // The record's own values under the normalised names are moved.
            (
                json!({"id": 7, "state": 3, "progress": "x", "outputs": [], "raw": {"a": 1}}),
                json!({
                    "id": "7", "state": "3", "outputs": [],
                    "raw": {"state": 3, "progress": "x", "raw": {"a": 1}},
                }),
            ),
            // So are its values under names that the gateway writes later.
            (
                json!({"id": "t", "eta": "5 min", "poll_after": 0}),
                json!({"id": "t", "outputs": [], "raw": {"eta": "5 min", "poll_after": 0}}),
            ),
            // The reason for a failure is the error.
            (
                json!({"id": "t", "state": "FAILED", "reason": "no face", "error_code": 7}),
                json!({
                    "id": "t", "state": "FAILED", "reason": "no face", "error_code": 7,
                    "outputs": [], "error": {"message": "no face", "code": 7},
                }),
            ),
            (
                json!({"id": "t", "state": "FAILED", "error": "no face"}),
                json!({
                    "id": "t", "state": "FAILED", "outputs": [],
                    "error": {"message": "no face"}, "raw": {"error": "no face"},
                }),
            ),
            (
                json!({"id": "t", "state": "RUNNING", "error": "a warning"}),
                json!({
                    "id": "t", "state": "RUNNING", "outputs": [], "raw": {"error": "a warning"},
                }),
            ),
        ] {
            assert_eq!(record(json!({ "task": task })).data["task"], expected);
        }
    }

    #[test]
    fn a_result_lists_its_outputs() {
        let url = "https://h/a.png";
        let outputs = [Output {
            url: Some(url.to_owned()),
            asset_id: None,
            kind: Some("image"),
        }];
        let found = json!([{"url": url, "kind": "image"}]);
        for (result, expected) in [
            (json!({ "url": url }), json!({"url": url, "outputs": found})),
            (json!(url), json!({"output": url, "outputs": found})),
            (
                json!({"outputs": [url], "x": 1}),
                json!({"outputs": found, "raw": {"outputs": [url]}, "x": 1}),
            ),
        ] {
            assert_eq!(normalise_result(result, &outputs), expected);
        }
    }

    #[test]
    fn a_task_has_ended_in_the_states_that_the_core_calls_final() {
        for (state, is_terminal) in [("SUCCEEDED", true), ("EXPIRED", true), ("RUNNING", false)] {
            let data = json!({"task": {"id": "t", "status": state}});
            assert_eq!(record(data).is_terminal, is_terminal, "{state}");
        }
    }

    #[test]
    fn a_record_anywhere_becomes_the_task_and_nothing_is_lost() {
        let task = json!({"id": "t", "state": "RUNNING", "outputs": []});
        let given = json!({"id": "t", "state": "RUNNING"});
        for (data, expected) in [
            (
                json!({"id": "t", "state": "RUNNING", "a": 1}),
                json!({"task": {"id": "t", "state": "RUNNING", "outputs": [], "a": 1}}),
            ),
            (json!({"job": given, "a": 1}), json!({"task": task, "a": 1})),
            (
                json!({"job": given, "task": 5}),
                json!({"task": task, "raw": {"task": 5}}),
            ),
            (
                json!({"tasks": [given]}),
                json!({"task": task, "response": {"tasks": [given]}}),
            ),
            (
                json!([given]),
                json!({"task": task, "response": {"data": [given]}}),
            ),
        ] {
            assert_eq!(record(data.clone()).data, expected, "{data}");
        }
    }

    #[test]
    fn an_asset_beside_the_record_is_in_it_too() {
        let data = json!({
            "task": {"id": "t", "status": "SUCCEEDED"},
            "asset": {"id": "a", "category": "avatar"},
        });
        let task = &record(data).data["task"];
        assert_eq!(
            (&task["asset"]["id"], &task["outputs"]),
            (&json!("a"), &json!([{"asset_id": "a"}]))
        );
    }
}
