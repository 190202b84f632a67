//! The stored summary of a task's record, and the times that the gateway adds to it.

use mediagate_core::schedule::forecast::{Eta, Forecast};
use serde_json::{Map, Value, json};

/// The maximum length of a stored member, in bytes of JSON.
pub const MAX_MEMBER_BYTES: usize = 10_000;

/// Returns the state, outputs, error, warnings and credits of a normalised task, with the record's ids. A
/// member that is too long is absent.
pub fn summary(task: &Value) -> Value {
    Value::Object(short_members(
        task,
        &["state", "outputs", "error", "warnings", "credits"],
    ))
}

pub fn short_members(task: &Value, names: &[&str]) -> Map<String, Value> {
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
pub fn write_eta(data: &mut Value, forecast: &Forecast<'_>) {
    if let Some(Eta { seconds, low, high }) = forecast.eta() {
        let eta = json!({"seconds": rounded(seconds), "low": rounded(low), "high": rounded(high)});
        write(data, "eta", eta);
    }
}

/// Writes the seconds until the task should be read again. `random` is from 0 to 1.
pub fn write_poll_after(data: &mut Value, forecast: &Forecast<'_>, random: f64) {
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
