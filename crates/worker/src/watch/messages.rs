//! What subscribers and the app's backend receive.

use serde_json::{Value, json};

use super::state::WatchState;
use crate::ids::seal_ids;
use crate::platform::{date, timestamp_ms};
use crate::upstream::{Upstream, write_eta};
use crate::webhooks::payload;

/// The last record's `data`, its ids sealed for the owner, with how long the task is likely to run on.
pub(super) fn sealed_record(upstream: &Upstream, state: &WatchState) -> Value {
    let unread = || json!({"task": {"id": state.task, "outputs": []}});
    let mut data = state.record.clone().unwrap_or_else(unread);
    write_watch(&mut data, state);
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

/// Writes what the watch itself adds to the record.
fn write_watch(data: &mut Value, state: &WatchState) {
    let members = [
        ("changed_at", state.changed_at.map(date_of)),
        ("unanswered_since", state.unanswered_since().map(date_of)),
        ("unfinished", state.is_given_up.then_some(json!(true))),
    ];
    for (name, value) in members {
        if let Some(value) = value {
            data["task"][name] = value;
        }
    }
}

fn date_of(timestamp_ms: i64) -> Value {
    json!(date(timestamp_ms as f64))
}

/// The body of a webhook: `{type, timestamp, data: {task, subject}}`.
pub(super) fn webhook_payload(upstream: &Upstream, state: &WatchState) -> String {
    let mut data = sealed_record(upstream, state);
    if state.ended_at.is_none() {
        // A new subscriber may have the task polled again meanwhile.
        data["task"]["unfinished"] = json!(true);
    }
    let data = json!({"task": data["task"], "subject": state.owner});
    let at = state.ended_at.or(state.unfinished_at).unwrap_or_default();
    payload(&["task.", &end_word(state)].concat(), at, &data)
}

/// Returns the word for the end of a task: its last state, or `unfinished` if the gateway has not seen its end.
fn end_word(state: &WatchState) -> String {
    if state.ended_at.is_none() {
        return "unfinished".to_owned();
    }
    let last = state
        .record
        .as_ref()
        .and_then(|data| data["task"]["state"].as_str());
    last.unwrap_or_default().to_ascii_lowercase()
}
