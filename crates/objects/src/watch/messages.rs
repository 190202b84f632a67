use std::cell::Cell;

use mediagate_ids::{TaskName, seal_ids};
use mediagate_platform::{date, timestamp_ms};
use mediagate_upstream_client::{Upstream, write_eta};
use serde_json::{Value, json};

use super::state::WatchState;
use crate::webhooks::payload;

/// Returns the last record's `data` for subscribers, with ids sealed for the owner, and an estimate
/// of the remaining time.
pub(super) fn event_data(upstream: &Upstream, state: &WatchState) -> Value {
    let mut data = read_record(state);
    let members = [
        ("unanswered_since", state.unanswered_since().map(date_of)),
        ("unfinished", state.is_given_up.then_some(json!(true))),
    ];
    write_present(&mut data, members);
    if let Some(forecast) = state.forecast(timestamp_ms()) {
        write_eta(&mut data, &forecast);
    }
    sealed(upstream, state, data)
}

/// Returns the last record, or one with only the id if the task was never read.
fn read_record(state: &WatchState) -> Value {
    let unread = || json!({"task": {"id": state.task, "outputs": []}});
    let mut data = state.record.clone().unwrap_or_else(unread);
    write_present(&mut data, [("changed_at", state.changed_at.map(date_of))]);
    data
}

fn sealed(upstream: &Upstream, state: &WatchState, mut data: Value) -> Value {
    let WatchState {
        owner, public_url, ..
    } = state;
    let task = state.task_ref();
    seal_ids(&mut data, &upstream.sealer, owner, Some(&task));
    upstream.address_outputs(&mut data, public_url, owner, &TaskName::Upstream(task));
    data
}

fn write_present<const COUNT: usize>(data: &mut Value, members: [(&str, Option<Value>); COUNT]) {
    for (name, value) in members {
        if let Some(value) = value {
            data["task"][name] = value;
        }
    }
}

fn date_of(timestamp_ms: i64) -> Value {
    json!(date(timestamp_ms as f64))
}

/// Returns the body of a webhook: `{type, timestamp, data: {task, subject}}`. Every attempt has the
/// same body unless the record changes, so it contains no estimate.
pub(super) fn webhook_payload(upstream: &Upstream, state: &WatchState) -> String {
    let mut data = read_record(state);
    let is_unfinished = state.ended_at.is_none();
    write_present(
        &mut data,
        [("unfinished", is_unfinished.then_some(json!(true)))],
    );
    let data = match state.entry {
        Some(entry) => upstream
            .client(&state.owner, &state.public_url, &Cell::new(0.0))
            .sealed_result(data, entry),
        None => sealed(upstream, state, data),
    };
    let data = json!({"task": data["task"], "subject": state.owner});
    let at = state.ended_at.or(state.unfinished_at).unwrap_or_default();
    payload(&["task.", &end_word(state)].concat(), at, &data)
}

/// Returns the last state, or `unfinished` if the gateway has not seen the end.
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
