//! What is known of a watched task, and when to look again. Times are milliseconds since 1970.

use mediagate_core::{Group, is_terminal, schedule};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::webhooks::Delivery;
use crate::session::Subject;

/// How long a task is asked after at most: one that has not ended by then is left to whoever asks for its status.
pub const LONGEST_MS: i64 = 24 * 60 * 60 * 1000;

/// The longest silence that a listener hears, in milliseconds, whatever the service asks us to wait.
const BEAT_MS: u64 = 15_000;

/// A watched task. It is written down after each look, so a lost watcher goes on where it was.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Watched {
    /// The task's group.
    pub group: String,
    /// The task's id as the service knows it.
    pub task: String,
    /// Whose it is.
    pub owner: Subject,
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
    /// When it ended, after which nothing more can come.
    pub ended: Option<i64>,
    /// Whether the app's backend is told how it ends.
    pub followed: bool,
    /// What is still to be told.
    pub deliveries: Vec<Delivery>,
}

impl Watched {
    /// A task that nobody has looked at yet.
    pub fn new(group: String, task: String, owner: Subject, now: i64) -> Self {
        Watched {
            group,
            task,
            owner,
            record: None,
            version: 0,
            looks: 0,
            looked: 0,
            wait: 0,
            since: now,
            ended: None,
            followed: false,
            deliveries: Vec::new(),
        }
    }

    /// Takes in what a look gave, the whole of `data`; whether it is news. What has ended does not change.
    pub fn see(&mut self, data: Value, now: i64) -> bool {
        if self.ended.is_some() || self.record.as_ref() == Some(&data) {
            return false;
        }
        self.ended = data["task"]["state"].as_str().is_some_and(is_terminal).then_some(now);
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

    /// The task as it is asked for.
    pub fn asked(&self) -> Option<(Group, &str)> {
        Group::named(&self.group).map(|it| (it, self.task.as_str()))
    }

    /// Begins anew where it was given up, since somebody wants to know again.
    pub fn resume(&mut self, now: i64) {
        if self.ended.is_none() && self.is_over(now) {
            self.since = now;
        }
    }

    /// Whether there is no point in looking again.
    pub fn is_over(&self, now: i64) -> bool {
        self.ended.is_some() || now >= self.since + LONGEST_MS
    }

    /// Milliseconds until there is something to do; `None` where there is nothing. `heard` tells whether anybody listens.
    pub fn next(&self, heard: bool, now: i64) -> Option<u64> {
        let most = if heard { BEAT_MS } else { u64::MAX };
        let look = ((heard || self.followed) && !self.is_over(now)).then(|| self.due(now).min(most));
        let deliveries = self.deliveries.iter().map(|it| (it.due - now).max(0).unsigned_abs());
        look.into_iter().chain(deliveries).min()
    }

    /// Has these targets told how it ended, once it has.
    pub fn follow(&mut self, targets: &[String], now: i64) {
        if !std::mem::replace(&mut self.followed, true) {
            self.announce(targets, now);
        }
    }

    /// Puts the end up for delivery, where it has come and is followed.
    pub fn announce(&mut self, targets: &[String], now: i64) {
        if self.followed && self.ended.is_some() {
            self.deliveries = targets.iter().map(|it| Delivery::new(it, now)).collect();
        }
    }

    /// Takes in how an attempt went.
    pub fn delivered(&mut self, tried: &Delivery, status: Option<u16>, now: i64, random: f64) {
        let left = |it: Delivery| if it == *tried { it.after(status, now, random) } else { Some(it) };
        self.deliveries = std::mem::take(&mut self.deliveries).into_iter().filter_map(left).collect();
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
        let mut task = Watched::new("generate".into(), "t".into(), Subject::default(), 0);
        let seen: Vec<_> = ["QUEUED", "QUEUED", "ODD", "QUEUED", "FAILED", "FAILED", "SUCCEEDED", "QUEUED"]
            .into_iter()
            .map(|it| task.see(data(it), 7))
            .collect();
        assert_eq!(seen, [true, false, true, true, true, false, false, false]);
        assert_eq!((task.version, task.ended), (4, Some(7)));
        assert_eq!(task.record, Some(data("FAILED")));
    }

    #[test]
    fn the_end_is_announced_once_to_each_target() {
        let targets = ["https://a.example".to_owned(), "https://b.example".to_owned()];
        let mut task = Watched::new("generate".into(), "t".into(), Subject::default(), 0);
        assert_eq!(task.next(false, 0), None, "nobody wants to know");
        task.follow(&targets, 0);
        assert_eq!(task.next(false, 0), Some(0));
        task.looked(0, None, 0.5);
        assert!(task.see(data("SUCCEEDED"), 5));
        task.announce(&targets, 5);
        task.follow(&targets, 6);
        assert_eq!((task.deliveries.len(), task.next(false, 5)), (2, Some(0)));
        let first = task.deliveries[0].clone();
        task.delivered(&first, Some(200), 6, 0.5);
        let second = task.deliveries[0].clone();
        task.delivered(&second, Some(500), 6, 0.5);
        assert_eq!((task.deliveries.len(), task.next(false, 6)), (1, Some(5_000)));
        task.delivered(&task.deliveries[0].clone(), Some(204), 7, 0.5);
        assert_eq!(task.next(true, 7), None);
    }

    #[test]
    fn an_alarm_that_rings_twice_finds_nothing_to_do() {
        let mut task = Watched::new("generate".into(), "t".into(), Subject::default(), 0);
        task.follow(&["https://a.example".to_owned()], 0);
        let look = |task: &mut Watched| {
            task.looked(5, None, 0.5);
            let news = task.see(data("SUCCEEDED"), 5);
            if news {
                task.announce(&["https://a.example".to_owned()], 5);
            }
            news
        };
        assert!(look(&mut task));
        task.delivered(&task.deliveries[0].clone(), Some(204), 6, 0.5);
        assert!(!look(&mut task), "the same end is no news");
        assert_eq!((task.version, task.deliveries.len(), task.next(true, 6)), (1, 0, None));
        assert!(task.is_over(6), "and is not looked for again");
    }

    #[test]
    fn looks_are_ever_rarer_and_nobody_hastens_them() {
        let mut task = Watched::new("generate".into(), "t".into(), Subject::default(), 1_000);
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
        assert_eq!(task.next(true, 1_000), Some(BEAT_MS), "a listener hears something meanwhile");
        task.followed = true;
        assert!(task.next(false, 1_000) > Some(BEAT_MS));
        assert!(!task.is_over(1_000 + LONGEST_MS - 1) && task.is_over(1_000 + LONGEST_MS));
    }
}
