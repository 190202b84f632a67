//! What is known of a watched task, and when to look again. Times are milliseconds since 1970.

use mediagate_core::{is_terminal, schedule};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How long a task is asked after at most: one that has not ended by then is left to whoever asks for its status.
pub const LONGEST_MS: i64 = 24 * 60 * 60 * 1000;

/// A watched task. It is written down after each look, so a lost watcher goes on where it was.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Watched {
    /// The task's group.
    pub group: String,
    /// The task's id as the service knows it.
    pub task: String,
    /// What was last seen, normalised, ids open; none before the first look.
    pub record: Option<Value>,
    /// How often it changed: the number of the last event.
    pub version: u64,
    /// How often it was looked at.
    pub looks: u32,
    /// When it was looked at last.
    pub looked: i64,
    /// The least wait before the next look.
    pub wait: u32,
    /// When watching began.
    pub since: i64,
    /// Whether it has ended: nothing more can come.
    pub ended: bool,
}

impl Watched {
    /// A task that nobody has looked at yet.
    pub fn new(group: String, task: String, now: i64) -> Self {
        Watched { group, task, record: None, version: 0, looks: 0, looked: 0, wait: 0, since: now, ended: false }
    }

    /// Takes in what a look gave, the whole of `data`; whether it is news. What has ended does not change.
    pub fn see(&mut self, data: Value) -> bool {
        if self.ended || self.record.as_ref() == Some(&data) {
            return false;
        }
        self.ended = data["task"]["state"].as_str().is_some_and(is_terminal);
        self.record = Some(data);
        self.version += 1;
        true
    }

    /// Notes a look, and how long to wait before the next: `retry_after` are seconds that the service asked for,
    /// `random` is from 0 to 1.
    pub fn looked(&mut self, now: i64, retry_after: Option<u32>, random: f64) {
        self.looks = self.looks.saturating_add(1);
        self.looked = now;
        self.wait = schedule::poll::delay(self.looks, retry_after.map(|it| it.saturating_mul(1000)), random);
    }

    /// Milliseconds until the next look is due. Who comes and goes does not make it earlier.
    pub fn due(&self, now: i64) -> u64 {
        (self.looked + i64::from(self.wait) - now).max(0).unsigned_abs()
    }

    /// Whether there is no point in looking again.
    pub fn is_over(&self, now: i64) -> bool {
        self.ended || now >= self.since + LONGEST_MS
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn data(state: &str) -> Value {
        json!({"task": {"id": "t", "state": state}})
    }

    #[test]
    fn each_change_is_one_event_and_the_end_is_the_last() {
        let mut task = Watched::new("generate".into(), "t".into(), 0);
        let seen: Vec<_> = ["QUEUED", "QUEUED", "ODD", "QUEUED", "FAILED", "FAILED", "SUCCEEDED", "QUEUED"]
            .into_iter()
            .map(|it| task.see(data(it)))
            .collect();
        assert_eq!(seen, [true, false, true, true, true, false, false, false]);
        assert_eq!((task.version, task.ended), (4, true));
        assert_eq!(task.record, Some(data("FAILED")));
    }

    #[test]
    fn looks_are_ever_rarer_and_nobody_hastens_them() {
        let mut task = Watched::new("generate".into(), "t".into(), 1_000);
        assert_eq!(task.due(1_000), 0);
        let mut waits = Vec::new();
        for _ in 0..20 {
            task.looked(1_000, None, 0.5);
            waits.push(task.due(1_000));
        }
        assert!(waits.is_sorted() && waits[19] > waits[0], "{waits:?}");
        assert_eq!(task.due(1_000_000), 0);
        task.looked(1_000, Some(30), 0.5);
        assert_eq!(task.due(1_000), 30_000);
        task.looked(1_000, Some(u32::MAX), 0.5);
        assert!(task.due(1_000) <= 60_000, "an absurd Retry-After is bounded");
        assert!(!task.is_over(1_000 + LONGEST_MS - 1) && task.is_over(1_000 + LONGEST_MS));
    }
}
