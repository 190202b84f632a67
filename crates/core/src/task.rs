//! The task record, decoded tolerantly: only its `id` is documented (§2).

use crate::outputs::{self, Output};
use crate::value::{Type, Value};

/// A decoded task record.
#[derive(Clone, Debug, PartialEq)]
pub struct Task<V> {
    /// The `id` or `task_id`, a string or a number; empty where there is none.
    pub id: String,
    /// The `status` or `state`, unchanged; `None` where there is none.
    pub state: Option<String>,
    /// The progress from 0 to 1; `None` where the record has none.
    pub progress: Option<f64>,
    /// The whole record.
    pub raw: V,
}

/// Whether a state is final (§3). An unknown state is not.
pub fn is_terminal(state: &str) -> bool {
    matches!(state, "SUCCEEDED" | "FAILED" | "EXPIRED")
}

impl<V: Value> Task<V> {
    /// Decodes a record. Never fails: members that it does not understand are in `raw` alone.
    pub fn decode(record: &V) -> Self {
        let first = |names: [&str; 2]| names.iter().find_map(|it| record.get(it)?.identifier());
        Task {
            id: first(["id", "task_id"]).unwrap_or_default(),
            state: first(["status", "state"]),
            progress: ["progress", "percent"].iter().find_map(|it| progress(&record.get(it)?)),
            raw: record.clone(),
        }
    }

    /// The outputs that the record holds.
    pub fn outputs(&self) -> Vec<Output> {
        outputs::find(&self.raw)
    }

    /// Whether the task is in a final state.
    pub fn is_terminal(&self) -> bool {
        self.state.as_deref().is_some_and(is_terminal)
    }
}

/// Progress from 0 to 1: a number up to 1 as it is, one up to 100 as a percentage, and a string such as `45%`.
fn progress<V: Value>(value: &V) -> Option<f64> {
    let share = |it: f64| match it {
        0.0..=1.0 => Some(it),
        1.0..=100.0 => Some(it / 100.0),
        _ => None,
    };
    match value.kind() {
        Type::Number => share(value.number()?),
        Type::Text => {
            let percent: u8 = value.text()?.trim().strip_suffix('%')?.parse().ok()?;
            (percent <= 100).then(|| f64::from(percent) / 100.0)
        }
        _ => None,
    }
}
