//! The state of a watched task, with the time of its next poll. Times are milliseconds since 1970.

use mediagate_access::identity::Subject;
use mediagate_access::refusal::Refusal;
use mediagate_core::schedule::durations::Durations;
use mediagate_core::schedule::forecast::{self, Forecast};
use mediagate_core::schedule::pace::Pace;
use mediagate_core::{Group, SUCCEEDED, is_terminal};
use mediagate_ids::{EntryRef, Origin, TaskRef};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::webhooks::Delivery;

/// The longest time between two writes to a subscriber's stream. A long `Retry-After` of the
/// upstream does not extend it.
const HEARTBEAT_MS: u64 = 15_000;

/// The number of consecutive polls without an answer after which subscribers are notified.
const SILENT_FAILURES: u32 = 2;

/// The time after which an unused turn expires.
const TURN_LASTS_MS: i64 = 60_000;

/// A watched task. It is stored after each poll, so that an evicted watcher continues from there.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct WatchState {
    pub group: Group,
    pub task: String,
    pub origin: Option<Origin>,
    /// The entry of a create that had ended in its response. The upstream has no such task.
    pub entry: Option<EntryRef>,
    /// The durations of such tasks. `None` if too few were known at the first poll.
    pub durations: Option<Durations>,
    pub pace: Pace,
    pub owner: Subject,
    /// The gateway's URL as callers see it, without a slash at its end.
    pub public_url: String,
    /// The text for the names of the files. `None` if the create has none.
    pub label: Option<String>,
    /// The last record, normalised, with the upstream's ids. `None` before the first poll.
    pub record: Option<Value>,
    /// The number of the last event: the time at which watching began, and one more for each change
    /// since. So the events of a task have different numbers, even if its watcher was deleted and
    /// begins again.
    pub version: u64,
    pub poll_count: u32,
    /// The time of the last poll. 0 before the first.
    pub polled_at: i64,
    /// The polls without an answer since the last answer.
    pub failures: u32,
    /// The time of the first of these polls.
    pub failing_since: Option<i64>,
    /// The time at which a poll first returned the present record.
    pub changed_at: Option<i64>,
    /// The shortest wait before the next poll.
    pub min_wait_ms: u32,
    /// The time until which the next poll is held to limit the rate of polls.
    pub held_until: i64,
    /// True if the next poll is already counted against the rate.
    pub has_turn: bool,
    pub started_at: i64,
    /// The time of the task's end. The record of an ended task does not change.
    pub ended_at: Option<i64>,
    /// The time at which the task was first given up, because it had not ended in time.
    pub unfinished_at: Option<i64>,
    /// True if the task is given up now. It is polled again for a new subscriber.
    pub is_given_up: bool,
    /// True if the task is polled to its end without a subscriber. Webhooks are sent at the end, if
    /// configured.
    pub watched_to_end: bool,
    pub deliveries: Vec<Delivery>,
}

impl WatchState {
    pub fn new(task: TaskRef, owner: Subject, now: i64) -> Self {
        let TaskRef { group, id, origin } = task;
        WatchState {
            group,
            task: id,
            origin,
            entry: None,
            durations: None,
            pace: Pace::default(),
            owner,
            public_url: String::new(),
            label: None,
            record: None,
            version: now.unsigned_abs(),
            poll_count: 0,
            polled_at: 0,
            failures: 0,
            failing_since: None,
            changed_at: None,
            min_wait_ms: 0,
            held_until: 0,
            has_turn: false,
            started_at: now,
            ended_at: None,
            unfinished_at: None,
            is_given_up: false,
            watched_to_end: false,
            deliveries: Vec::new(),
        }
    }

    pub fn task_ref(&self) -> TaskRef {
        TaskRef {
            group: self.group,
            id: self.task.clone(),
            origin: self.origin.clone(),
        }
    }

    /// Returns a forecast of the task's end. `None` if too little is known, and after the end.
    pub fn forecast(&self, now: i64) -> Option<Forecast<'_>> {
        let origin = self.origin.as_ref().filter(|_| self.ended_at.is_none())?;
        Forecast::new(
            self.durations.as_ref(),
            Some(&self.pace),
            origin.elapsed(now),
        )
    }

    /// Returns the duration at the poll that sees the end: the seconds from the create to the last
    /// poll at which the task ran, and to this poll. `None` if the task has no origin, or has not
    /// succeeded.
    pub fn duration(&self, now: i64) -> Option<(f64, f64)> {
        let origin = self.origin.as_ref()?;
        self.ended_at?;
        let state = self.record.as_ref()?["task"]["state"].as_str()?;
        // Failed tasks are not recorded. A caller could distort the durations with creates that
        // fail at once.
        let has_worked = state.eq_ignore_ascii_case(SUCCEEDED);
        has_worked.then(|| (origin.elapsed(self.polled_at), origin.elapsed(now)))
    }

    /// Stores the `data` of a poll. Returns true if it differs from the last record. The record of
    /// an ended task does not change.
    pub fn set_record(&mut self, data: Value, now: i64) -> bool {
        if self.ended_at.is_some() || self.record.as_ref() == Some(&data) {
            return false;
        }
        if let Some(progress) = data["task"]["progress"].as_f64()
            && let Some(origin) = &self.origin
        {
            self.pace.report(origin.elapsed(now), progress);
        }
        self.ended_at = data["task"]["state"]
            .as_str()
            .is_some_and(is_terminal)
            .then_some(now);
        self.record = Some(data);
        self.changed_at = Some(now);
        self.version += 1;
        true
    }

    /// Records a poll, and determines the wait before the next. `random` is between 0 and 1.
    pub fn polled(&mut self, now: i64, failure: Option<&Refusal>, random: f64) {
        self.poll_count = self.poll_count.saturating_add(1);
        self.polled_at = now;
        self.has_turn = false;
        let was_silent = self.is_silent();
        // A 5xx status also stands for no response.
        if failure.is_some_and(|failure| failure.status >= 500) {
            self.failures = self.failures.saturating_add(1);
            self.failing_since.get_or_insert(now);
        } else {
            self.failures = 0;
            self.failing_since = None;
        }
        // Both the silence and its end are changes that subscribers receive.
        if self.is_silent() != was_silent {
            self.version += 1;
        }
        let retry_after = failure.and_then(|failure| failure.retry_after);
        let retry_after_ms = retry_after.map(|seconds| seconds.saturating_mul(1000));
        // An upstream that fails is not polled close together.
        let forecast = self.forecast(now).filter(|_| failure.is_none());
        self.min_wait_ms = forecast::delay(forecast, self.poll_count, retry_after_ms, random);
    }

    fn is_silent(&self) -> bool {
        self.failures >= SILENT_FAILURES
    }

    /// Returns the time at which the upstream stopped responding, if several polls in a row have no
    /// answer.
    pub fn unanswered_since(&self) -> Option<i64> {
        self.failing_since.filter(|_| self.is_silent())
    }

    /// Returns true if there is an event to send: a record, or the reason why there is none.
    pub fn has_news(&self) -> bool {
        self.record.is_some() || self.is_given_up || self.is_silent()
    }

    /// Returns true if the next poll is counted, and its turn has not expired.
    pub fn may_take_turn(&self, now: i64) -> bool {
        self.has_turn && now - self.held_until < TURN_LASTS_MS
    }

    /// Holds the next poll to limit the rate of polls. `has_turn` is true if the poll is counted.
    pub fn hold(&mut self, now: i64, milliseconds: f64, has_turn: bool) {
        self.held_until = now + milliseconds as i64;
        self.has_turn = has_turn;
    }

    /// Returns the milliseconds until the next poll. They do not depend on the subscribers.
    pub fn until_poll(&self, now: i64) -> u64 {
        (self.due_at() - now).max(0).unsigned_abs()
    }

    fn due_at(&self) -> i64 {
        let wanted_at = self.polled_at + i64::from(self.min_wait_ms);
        wanted_at.max(self.held_until)
    }

    /// Resumes polling a task that was given up.
    pub fn resume(&mut self) {
        self.is_given_up = false;
    }

    /// Gives up the task if it has not ended within `max_task_ms` of its create, and returns true
    /// in that case. The app's backend is notified the first time.
    pub fn give_up(&mut self, targets: &[String], max_task_ms: i64, now: i64) -> bool {
        let created_at = self.origin.as_ref().map(|origin| origin.created_at);
        let limit = created_at.unwrap_or(self.started_at) + max_task_ms;
        if self.ended_at.is_some() || now < limit {
            return false;
        }
        self.leave(targets, now);
        true
    }

    /// Stops watching a task whose end can't be seen. The app's backend is notified the first time.
    pub fn leave(&mut self, targets: &[String], now: i64) {
        self.is_given_up = true;
        self.version += 1;
        if self.unfinished_at.is_none() {
            self.unfinished_at = Some(now);
            self.schedule_deliveries(targets, now);
        }
    }

    /// Returns true if the task is polled, with or without a subscriber.
    pub fn is_polled(&self, has_subscribers: bool) -> bool {
        let is_awaited = has_subscribers || self.watched_to_end;
        is_awaited && self.ended_at.is_none() && !self.is_given_up
    }

    /// Returns the milliseconds until the next poll, heartbeat or delivery, if there is any.
    pub fn until_alarm(&self, has_subscribers: bool, now: i64) -> Option<u64> {
        let max = if has_subscribers {
            HEARTBEAT_MS
        } else {
            u64::MAX
        };
        let poll = self
            .is_polled(has_subscribers)
            .then(|| self.until_poll(now).min(max));
        let deliveries = self
            .deliveries
            .iter()
            .map(|delivery| (delivery.due - now).max(0).unsigned_abs());
        poll.into_iter().chain(deliveries).min()
    }

    /// Watches the task to its end without a subscriber. The targets are notified of the end.
    pub fn watch_to_end(&mut self, targets: &[String], now: i64) {
        self.resume();
        if !std::mem::replace(&mut self.watched_to_end, true) {
            self.schedule_deliveries(targets, now);
        }
    }

    /// Notifies the targets of a create that had ended in its response.
    pub fn notify(&mut self, entry: EntryRef, result: Value, targets: &[String], now: i64) {
        self.entry = Some(entry);
        self.set_record(result, now);
        self.watch_to_end(targets, now);
    }

    /// Schedules a delivery to each target if the task is watched to its end, and has ended or was
    /// given up. Pending deliveries are replaced.
    pub fn schedule_deliveries(&mut self, targets: &[String], now: i64) {
        if self.watched_to_end && self.ended_at.or(self.unfinished_at).is_some() {
            self.deliveries = targets
                .iter()
                .map(|target| Delivery::new(target, now))
                .collect();
        }
    }

    pub fn due_deliveries(&self, now: i64) -> Vec<Delivery> {
        Delivery::due(&self.deliveries, now)
    }

    /// Records an attempt of a delivery. `next` is the next attempt, if there is one.
    pub fn delivered(&mut self, attempted: &Delivery, next: Option<Delivery>) {
        Delivery::record(&mut self.deliveries, attempted, next);
    }
}

#[cfg(test)]
mod tests;
