use alloc::string::String;

use crate::text::whole;
use crate::value::{Type, Value};

/// A decoded task record.
#[derive(Clone, Debug, PartialEq)]
pub struct DecodedTask<V: Value> {
    /// The `id` or `task_id`, a string or a number; `None` if there is neither.
    pub id: Option<V::Text>,
    /// The `state` or `status`, unchanged; `None` if there is neither. The gateway writes `state`.
    pub state: Option<V::Text>,
    /// The progress from 0 to 1; `None` if the record has none.
    pub progress: Option<f64>,
    /// The whole record.
    pub raw: V,
}

/// The final state of a task that has outputs (§3), and of a pipeline.
pub const SUCCEEDED: &str = "SUCCEEDED";
/// The final state of a task that has an error (§3), and of a pipeline.
pub const FAILED: &str = "FAILED";
/// The final state of a task that took too long (§3).
pub const EXPIRED: &str = "EXPIRED";
/// The final state of a pipeline whose caller has stopped it.
pub const CANCELLED: &str = "CANCELLED";

/// The final states of a task (§3). An unknown state is not final.
pub const TERMINAL: [&str; 3] = [SUCCEEDED, FAILED, EXPIRED];
/// The final states of a pipeline.
pub const PIPELINE_TERMINAL: [&str; 3] = [SUCCEEDED, FAILED, CANCELLED];

/// Returns true if a state is final. Ignores the case of letters.
pub fn is_terminal(state: &str) -> bool {
    TERMINAL
        .iter()
        .any(|terminal| terminal.eq_ignore_ascii_case(state))
}

impl<V: Value> DecodedTask<V> {
    /// Decodes a record. Never fails: unknown members are only in `raw`.
    pub fn decode(record: V) -> Self {
        let identifier = |name: &str| record.get(name)?.identifier();
        let progress = |name: &str| fraction(record.get(name)?);
        DecodedTask {
            id: identifier("id").or_else(|| identifier("task_id")),
            state: identifier("state").or_else(|| identifier("status")),
            progress: progress("progress").or_else(|| progress("percent")),
            raw: record,
        }
    }
}

impl<V: Value<Text = String>> DecodedTask<V> {
    /// Returns true if the task is in a final state.
    pub fn is_terminal(&self) -> bool {
        self.state.as_deref().is_some_and(is_terminal)
    }
}

/// Reads progress as a share from 0 to 1. A number from 1 to 100 and a string such as `45%` are
/// percentages.
pub fn fraction<V: Value>(value: V) -> Option<f64> {
    let share = |number: f64| match number {
        0.0..=1.0 => Some(number),
        1.0..=100.0 => Some(number / 100.0),
        _ => None,
    };
    match value.kind() {
        Type::Number => share(value.number()?),
        Type::Text => {
            let percent = whole(value.text()?.trim_ascii().strip_suffix('%')?, 3)?;
            (percent <= 100).then(|| f64::from(percent) / 100.0)
        }
        _ => None,
    }
}
