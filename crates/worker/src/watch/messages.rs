//! What subscribers and the app's backend receive.

use serde_json::{Value, json};

use super::state::WatchState;
use crate::ids::seal_ids;
use crate::platform::timestamp_ms;
use crate::upstream::{Upstream, write_eta};

/// The last record's `data`, its ids sealed for the owner, with how long the task is likely to run on.
pub(super) fn sealed_record(upstream: &Upstream, state: &WatchState) -> Value {
    let mut data = state.record.clone().unwrap_or_default();
    if let Some(forecast) = state.forecast(timestamp_ms()) {
        write_eta(&mut data, &forecast);
    }
    seal_ids(&mut data, &upstream.sealer, &state.owner, Some(&state.task_ref()));
    data
}

/// The body of a webhook: `{type, timestamp, data: {task, subject}}`.
pub(super) fn webhook_payload(upstream: &Upstream, state: &WatchState) -> String {
    let data = sealed_record(upstream, state);
    let word = data["task"]["state"].as_str().unwrap_or_default().to_ascii_lowercase();
    let ended_at = js_sys::Date::new(&(state.ended_at.unwrap_or_default() as f64).into()).to_iso_string();
    let owner = json!({"source": state.owner.source, "issuer": state.owner.issuer, "name": state.owner.name});
    json!({
        "type": format!("task.{word}"), "timestamp": String::from(ended_at),
        "data": {"task": data["task"], "subject": owner},
    })
    .to_string()
}
