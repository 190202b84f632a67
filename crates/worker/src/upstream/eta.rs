//! The time that a task is likely to take, as members of its record.

use mediagate_core::schedule::forecast::{Eta, Forecast};
use serde_json::{Value, json};

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

/// Rounds seconds to one decimal place.
fn rounded(seconds: f64) -> f64 {
    (seconds * 10.0).round() / 10.0
}
