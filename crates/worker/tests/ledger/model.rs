//! What a ledger should decide, computed from scratch out of a list of everything that was created. It shares no code, no
//! constant and no data structure with the policy.

use mediagate_core::Group;
use mediagate_worker::identity::{Budget, Limit, LimitName};

const DAY_MS: i64 = 86_400_000;
const HALF_AN_HOUR_MS: i64 = 1_800_000;

/// A create that was granted, and not released since.
#[derive(Clone, Debug)]
struct Create {
    key: String,
    body: String,
    group: Group,
    at: i64,
    outcome: Option<String>,
    task: Option<String>,
    /// When its slot became taken, where it was not freed.
    in_flight_since: Option<i64>,
}

/// What should become of a create.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Expected {
    Granted,
    Replayed(String),
    InProgress,
    Interrupted,
    KeyReused,
    Refused(Limit),
}

/// All creates so far.
#[derive(Debug, Default)]
pub(crate) struct Model(Vec<Create>);

impl Model {
    /// Expects what the ledger should do with a create, which is recorded if it should be granted.
    pub(crate) fn create(
        &mut self,
        (key, body): (&str, &str),
        group: Group,
        budget: &Budget,
        is_in_progress: bool,
        now: i64,
    ) -> Expected {
        if let Some(known) = self.0.iter().find(|it| it.key == key && now - it.at < DAY_MS) {
            return match &known.outcome {
                _ if known.body != body => Expected::KeyReused,
                Some(outcome) => Expected::Replayed(outcome.clone()),
                None if is_in_progress => Expected::InProgress,
                None => Expected::Interrupted,
            };
        }
        if let Some(limit) = self.limits(group, budget, now).into_iter().find(|it| it.left == 0) {
            return Expected::Refused(limit);
        }
        // A create of the day before is no longer known by its key, whether or not it was pruned.
        self.0.retain(|it| it.key != key);
        let (key, body) = (key.to_owned(), body.to_owned());
        self.0.push(Create { key, body, group, at: now, outcome: None, task: None, in_flight_since: Some(now) });
        Expected::Granted
    }

    /// Nothing was charged for a create.
    pub(crate) fn release(&mut self, key: &str) {
        self.0.retain(|it| it.key != key);
    }

    /// A create has an outcome; where a task may be running, from now on.
    pub(crate) fn settle(&mut self, key: &str, outcome: &str, task: Option<&str>, running_since: Option<i64>) {
        for it in self.0.iter_mut().filter(|it| it.key == key) {
            it.outcome = Some(outcome.to_owned());
            it.task = task.map(str::to_owned);
            it.in_flight_since = running_since;
        }
    }

    /// A task ended.
    pub(crate) fn finish(&mut self, group: Group, task: &str) {
        for it in self.0.iter_mut().filter(|it| it.group == group && it.task.as_deref() == Some(task)) {
            it.in_flight_since = None;
        }
    }

    /// What is a day old is deleted; whether anything is left.
    pub(crate) fn prune(&mut self, now: i64) -> bool {
        self.0.retain(|it| now - it.at < DAY_MS);
        !self.0.is_empty()
    }

    /// What should be left of each limit.
    pub(crate) fn limits(&self, group: Group, budget: &Budget, now: i64) -> Vec<Limit> {
        let mut limits = Vec::new();
        let mut add = |name, max: Option<u32>, ends: Vec<i64>| {
            let Some(max) = max else { return };
            let first = ends.iter().map(|it| it - now).min().unwrap_or(0);
            let reset = (first / 1000 + i64::from(first % 1000 > 0)) as u32;
            let left = max - max.min(ends.len() as u32);
            limits.push(Limit { name, max, left, reset });
        };
        let ends = |groups: &[Group]| {
            let of_groups = self.0.iter().filter(|it| groups.contains(&it.group));
            of_groups.map(|it| it.at + DAY_MS).filter(|it| *it > now).collect()
        };
        add(LimitName::Creates, budget.creates, ends(&[Group::Generate, Group::Process]));
        match group {
            Group::Generate => add(LimitName::Generate, budget.generate, ends(&[Group::Generate])),
            Group::Process => add(LimitName::Process, budget.process, ends(&[Group::Process])),
        }
        add(LimitName::InFlight, budget.in_flight, self.slot_ends(now));
        limits
    }

    fn slot_ends(&self, now: i64) -> Vec<i64> {
        let slots = self.0.iter().filter_map(|it| it.in_flight_since);
        slots.map(|since| since + HALF_AN_HOUR_MS).filter(|it| *it > now).collect()
    }

    /// When the next create stops counting, or the next slot expires.
    pub(crate) fn next_change(&self, now: i64) -> Option<i64> {
        let days = self.0.iter().map(|it| it.at + DAY_MS).filter(|it| *it > now);
        days.chain(self.slot_ends(now)).min()
    }
}
