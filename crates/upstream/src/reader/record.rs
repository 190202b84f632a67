use mediagate_core::object;
use serde_json::{Map, Value, json};

use crate::outputs::Output;

/// A task, or a result that came without a task, as the upstream reports it.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskRecord {
    /// The response's `data`. Its `task` is normalised, and its ids are the upstream's own. Of a
    /// result without a task, it has the `result` as well.
    pub data: Value,
    /// The id. Empty for a result that came without a task.
    pub id: String,
    /// True if the task has ended.
    pub is_terminal: bool,
    /// True if the task has ended with success, and the response has no output.
    pub lacks_outputs: bool,
}

/// The members of every task record on the gateway's wire. The gateway adds others such as `eta`
/// and `poll_after`.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Members {
    pub(super) id: String,
    pub(super) state: Option<String>,
    pub(super) is_terminal: bool,
    pub(super) progress: Option<f64>,
    pub(super) outputs: Vec<Output>,
    pub(super) error: Option<Value>,
    pub(super) warnings: Vec<String>,
}

impl TaskRecord {
    /// Takes the record out of a response's body. `place` is a JSON Pointer to the record.
    pub(super) fn of_task(body: Value, place: &str, members: Members) -> Self {
        let id = members.id.clone();
        let is_terminal = members.is_terminal;
        let is_success = members.state.as_deref() == Some(mediagate_core::TERMINAL[0]);
        let lacks_outputs = is_success && members.outputs.is_empty();
        let mut data = data_with_task(body, place);
        // Assets are read from the record, but the upstream may list an asset beside it (§2).
        let asset = data.get("asset").filter(|asset| asset.is_object()).cloned();
        if let Some(record) = data.get_mut("task").and_then(Value::as_object_mut) {
            if let Some(asset) = asset {
                record.entry("asset").or_insert(asset);
            }
            members.write(record);
        }
        TaskRecord {
            data,
            id,
            is_terminal,
            lacks_outputs,
        }
    }

    /// Takes a result that came without a task (§4.2). Its `data` has the `result` with its
    /// `outputs`, and a `task` in the state `SUCCEEDED` with the same members.
    pub(super) fn of_result(result: Value, outputs: Vec<Output>) -> Self {
        let result = normalise_result(result, &outputs);
        let mut task = result.as_object().cloned().unwrap_or_default();
        // The caller gets the id that the gateway makes.
        task.remove("id");
        let members = Members {
            state: Some(mediagate_core::TERMINAL[0].to_owned()),
            is_terminal: true,
            progress: Some(1.0),
            outputs,
            ..Members::default()
        };
        members.write(&mut task);
        TaskRecord {
            data: json!({"task": task, "result": result}),
            id: String::new(),
            is_terminal: true,
            lacks_outputs: false,
        }
    }
}

/// Returns the response's `data` with the record as its `task`, wherever the record is. Everything
/// else is kept, except the envelope's own members.
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

impl Members {
    /// Writes the members. If the record has another value under one of these names, that value is
    /// moved to `raw`.
    fn write(self, record: &mut Map<String, Value>) {
        // The record must not have any of the gateway's own members, so their values are null here.
        let members = [
            ("id", json!(self.id)),
            ("state", json!(self.state)),
            ("progress", json!(self.progress)),
            ("outputs", listed(&self.outputs)),
            ("error", json!(self.error)),
            ("warnings", some_list(self.warnings)),
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

/// Returns a list, or null if it is empty.
fn some_list(texts: Vec<String>) -> Value {
    if texts.is_empty() {
        Value::Null
    } else {
        texts.into()
    }
}

/// Returns a text-to-image response without a task as an object with its `outputs`.
fn normalise_result(result: Value, outputs: &[Output]) -> Value {
    let mut members = match result {
        Value::Object(members) => members,
        other => object([("output".to_owned(), other)]),
    };
    if let Some(before) = members.insert("outputs".to_owned(), listed(outputs)) {
        members.insert("raw".to_owned(), json!({ "outputs": before }));
    }
    Value::Object(members)
}

/// Returns outputs as they are on the gateway's wire, `{url, asset_id, kind}`. Members that are not
/// known are absent.
fn listed(outputs: &[Output]) -> Value {
    outputs
        .iter()
        .map(|output| {
            let members = [
                ("url", output.url.as_deref()),
                ("asset_id", output.asset_id.as_deref()),
                ("kind", output.kind),
            ];
            let known = members
                .into_iter()
                .filter_map(|(name, value)| Some((name.to_owned(), Value::from(value?))));
            Value::Object(object(known))
        })
        .collect()
}
