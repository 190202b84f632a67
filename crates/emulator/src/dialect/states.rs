//! The words for the states of a task (§3).

use serde::{Deserialize, Serialize};

/// The word for each state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StateWords {
    /// The task waits.
    pub queued: String,
    /// The task runs.
    pub running: String,
    /// The task has its result.
    pub succeeded: String,
    /// The task failed.
    pub failed: String,
    /// The task has expired.
    pub expired: String,
}

impl Default for StateWords {
    fn default() -> Self {
        StateWords::new(["QUEUED", "RUNNING", "SUCCEEDED", "FAILED", "EXPIRED"].map(Into::into))
    }
}

impl StateWords {
    /// Returns the words for queued, running, succeeded, failed and expired tasks.
    pub(super) fn new([queued, running, succeeded, failed, expired]: [String; 5]) -> Self {
        StateWords {
            queued,
            running,
            succeeded,
            failed,
            expired,
        }
    }

    /// Returns the word for one of the default's states. Any other state is its own word, for the
    /// directive `state=`.
    pub(super) fn word<'a>(&'a self, state: &'a str) -> &'a str {
        match state {
            "QUEUED" => &self.queued,
            "RUNNING" => &self.running,
            "SUCCEEDED" => &self.succeeded,
            "FAILED" => &self.failed,
            "EXPIRED" => &self.expired,
            other => other,
        }
    }

    /// Returns all five words.
    pub(super) fn all(&self) -> [&str; 5] {
        [
            &self.queued,
            &self.running,
            &self.succeeded,
            &self.failed,
            &self.expired,
        ]
    }
}
