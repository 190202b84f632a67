use alloc::string::String;

use mediagate_core::{Capability, PIPELINE_TERMINAL, TERMINAL};

/// The state of a task or a pipeline at one time.
#[derive(Clone)]
pub struct Snapshot<V> {
    /// The id; `None` for a result that came instead of a task.
    pub id: Option<String>,
    /// The capability of a task; `None` for a pipeline.
    pub capability: Option<&'static Capability>,
    /// The state; `None` if the record has none, and before the first record.
    pub state: Option<String>,
    /// The progress from 0 to 1.
    pub progress: Option<f64>,
    /// The whole record; `None` before the first one.
    pub raw: Option<V>,
    /// The time since which the client can't read the task, in milliseconds since 1970; `None`
    /// while it can.
    pub unanswered_since_ms: Option<f64>,
}

impl<V> Snapshot<V> {
    /// Makes the snapshot of a task before its first record; without a capability, of a pipeline.
    pub(crate) fn unknown(id: String, capability: Option<&'static Capability>) -> Self {
        Snapshot {
            id: Some(id),
            capability,
            state: None,
            progress: None,
            raw: None,
            unanswered_since_ms: None,
        }
    }

    /// Makes the snapshot of a result that came instead of a task (§4.2). It has succeeded.
    pub(crate) fn finished(capability: &'static Capability, result: V) -> Self {
        Snapshot {
            id: None,
            capability: Some(capability),
            state: Some(mediagate_core::SUCCEEDED.into()),
            progress: Some(1.0),
            raw: Some(result),
            unanswered_since_ms: None,
        }
    }

    /// Returns true if the task or the pipeline has ended. A pipeline that is resumed goes on.
    pub fn has_ended(&self) -> bool {
        let last = if self.capability.is_some() {
            TERMINAL
        } else {
            PIPELINE_TERMINAL
        };
        self.state
            .as_deref()
            .is_some_and(|state| last.contains(&state))
    }
}
