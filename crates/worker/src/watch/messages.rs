//! What subscribers and the app's backend receive.

use serde_json::{Value, json};

use super::state::WatchState;
use crate::ids::seal_ids;
use crate::platform::timestamp_ms;
use crate::upstream::{Upstream, write_eta};
use crate::webhooks::payload;

/// The last record's `data`, its ids sealed for the owner, with how long the task is likely to run on.
pub(super) fn sealed_record(upstream: &Upstream, state: &WatchState) -> Value {
    let mut data = state.record.clone().unwrap_or_default();
    if let Some(forecast) = state.forecast(timestamp_ms()) {
        write_eta(&mut data, &forecast);
    }
    seal_ids(
        &mut data,
        &upstream.sealer,
        &state.owner,
        Some(&state.task_ref()),
    );
    data
}

/// The body of a webhook: `{type, timestamp, data: {task, subject}}`.
pub(super) fn webhook_payload(upstream: &Upstream, state: &WatchState) -> String {
    let data = sealed_record(upstream, state);
    let word = data["task"]["state"]
        .as_str()
        .unwrap_or_default()
        .to_ascii_lowercase();
    let data = json!({"task": data["task"], "subject": state.owner});
    payload(
        &format!("task.{word}"),
        state.ended_at.unwrap_or_default(),
        &data,
    )
}
