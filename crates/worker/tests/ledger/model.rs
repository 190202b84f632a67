//! What a ledger should decide, computed from scratch out of a list of everything that was created. It shares no code, no
//! constant and no data structure with the policy.

use mediagate_core::Group;
use mediagate_worker::identity::{Budget, Item, Limit, LimitName, Taking};

const DAY_MS: i64 = 86_400_000;
const HALF_AN_HOUR_MS: i64 = 1_800_000;
const BUCKET_MS: i64 = 600_000;

/// When what was taken at a time stops counting: a day after the ten minutes in which it was.
fn end_of_taken(at: i64) -> i64 {
    (at / BUCKET_MS + 1) * BUCKET_MS + DAY_MS
}

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
    /// Whether another ledger reserved it, this one runs since, and it has no outcome yet.
    is_unsettled: bool,
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

/// All creates so far, and what was taken besides: when and how much.
#[derive(Debug, Default)]
pub(crate) struct Model(Vec<Create>, Vec<(Item, i64, u64)>);

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
        if let Some(known) = self
            .0
            .iter()
            .find(|it| it.key == key && now - it.at < DAY_MS)
        {
            return match &known.outcome {
                _ if known.body != body => Expected::KeyReused,
                Some(outcome) => Expected::Replayed(outcome.clone()),
                None if is_in_progress => Expected::InProgress,
                None => Expected::Interrupted,
            };
        }
        if let Some(limit) = self
            .limits(group, budget, now, false)
            .into_iter()
            .find(|it| it.left == 0)
        {
            return Expected::Refused(limit);
        }
        // A create of the day before is no longer known by its key, whether or not it was pruned.
        self.0.retain(|it| it.key != key);
        let is_reserved = body.is_empty();
        let (key, body) = (key.to_owned(), body.to_owned());
        self.0.push(Create {
            key,
            body,
            group,
            at: now,
            outcome: None,
            task: None,
            in_flight_since: Some(now),
            is_unsettled: is_reserved,
        });
        Expected::Granted
    }

    /// Nothing was charged for a create.
    pub(crate) fn release(&mut self, key: &str) {
        self.0.retain(|it| it.key != key);
    }

    /// A create has an outcome; where a task may be running, from now on.
    pub(crate) fn settle(
        &mut self,
        key: &str,
        outcome: &str,
        task: Option<&str>,
        running_since: Option<i64>,
    ) {
        for it in self.0.iter_mut().filter(|it| it.key == key) {
            it.outcome = Some(outcome.to_owned());
            it.task = task.map(str::to_owned);
            it.in_flight_since = running_since;
            it.is_unsettled = false;
        }
    }

    /// A task ended.
    pub(crate) fn finish(&mut self, group: Group, task: &str) {
        for it in self
            .0
            .iter_mut()
            .filter(|it| it.group == group && it.task.as_deref() == Some(task))
        {
            it.in_flight_since = None;
        }
    }

    /// The ledger is interrupted: it does not know what it was doing.
    pub(crate) fn interrupt(&mut self) {
        self.0.iter_mut().for_each(|it| it.is_unsettled = false);
    }

    /// What is a day old is deleted; when the next is to be.
    pub(crate) fn prune(&mut self, now: i64) -> Option<i64> {
        self.0.retain(|it| now - it.at < DAY_MS);
        self.1.retain(|it| now < end_of_taken(it.1));
        self.0
            .iter()
            .map(|it| it.at + DAY_MS)
            .chain(self.1.iter().map(|it| end_of_taken(it.1)))
            .min()
    }

    /// Whether a new create would be refused, where none has a key that begins so.
    pub(crate) fn used_up(
        &self,
        prefix: &str,
        group: Group,
        budget: &Budget,
        now: i64,
    ) -> Option<Limit> {
        let limit = self
            .limits(group, budget, now, false)
            .into_iter()
            .find(|it| it.left == 0);
        limit.filter(|_| !self.0.iter().any(|it| it.key.starts_with(prefix)))
    }

    /// Expects whether what is taken is granted, and records it then.
    pub(crate) fn take(&mut self, taking: &Taking, now: i64) -> Option<Limit> {
        let counted = self
            .1
            .iter()
            .filter(|it| it.0 == taking.item && now < end_of_taken(it.1));
        let (mut count, mut bytes, mut first) = (0, 0, now);
        for it in counted {
            (count, bytes, first) = (
                count + 1,
                bytes + it.2,
                first.min(end_of_taken(it.1) - DAY_MS - BUCKET_MS),
            );
        }
        let reset = ((first + BUCKET_MS + DAY_MS - now) as u64).div_ceil(1000) as u32;
        let reset = if count == 0 { 0 } else { reset };
        let refused = |name, max: u64, used: u64, more: u64| {
            let reset = if more > max { 0 } else { reset };
            (more > 0 && used + more > max).then(|| Limit {
                name,
                max,
                left: max - used.min(max),
                reset,
            })
        };
        let name = if taking.item == Item::Upload {
            LimitName::Uploads
        } else {
            LimitName::Estimates
        };
        let by_count = taking.max.and_then(|max| refused(name, max, count, 1));
        let by_bytes = taking
            .max_bytes
            .and_then(|max| refused(LimitName::UploadBytes, max, bytes, taking.bytes));
        let limit = by_count.or(by_bytes);
        if limit.is_none() {
            self.1.push((taking.item, now, taking.bytes));
        }
        limit
    }

    /// What should be left of each limit; where the ledger was restarted, it does not know what is unsettled.
    pub(crate) fn limits(
        &self,
        group: Group,
        budget: &Budget,
        now: i64,
        is_restarted: bool,
    ) -> Vec<Limit> {
        let mut limits = Vec::new();
        let unsettled = |groups: &[Group]| {
            let its = self
                .0
                .iter()
                .filter(|it| it.is_unsettled && now - it.at < 660_000 && !is_restarted);
            its.filter(|it| groups.contains(&it.group)).count()
        };
        let mut add = |name, max: Option<u32>, ends: Vec<i64>, unsettled: usize| {
            let Some(max) = max else { return };
            let first = ends.iter().map(|it| it - now).min().unwrap_or(0);
            let mut reset = (first / 1000 + i64::from(first % 1000 > 0)) as u32;
            let left = max - max.min(ends.len() as u32);
            if max == 0 {
                reset = 0;
            } else if left == 0 && unsettled > 0 && ends.len() - unsettled < max as usize {
                reset = reset.min(5);
            }
            limits.push(Limit {
                name,
                max: max.into(),
                left: left.into(),
                reset,
            });
        };
        let ends = |groups: &[Group]| {
            let of_groups = self.0.iter().filter(|it| groups.contains(&it.group));
            of_groups
                .map(|it| it.at + DAY_MS)
                .filter(|it| *it > now)
                .collect()
        };
        let both = [Group::Generate, Group::Process];
        add(
            LimitName::Creates,
            budget.creates,
            ends(&both),
            unsettled(&both),
        );
        let (name, max) = match group {
            Group::Generate => (LimitName::Generate, budget.generate),
            Group::Process => (LimitName::Process, budget.process),
        };
        add(name, max, ends(&[group]), unsettled(&[group]));
        add(
            LimitName::InFlight,
            budget.in_flight,
            self.slot_ends(now),
            unsettled(&both),
        );
        limits
    }

    fn slot_ends(&self, now: i64) -> Vec<i64> {
        let slots = self.0.iter().filter_map(|it| it.in_flight_since);
        slots
            .map(|since| since + HALF_AN_HOUR_MS)
            .filter(|it| *it > now)
            .collect()
    }

    /// When the next create stops counting, or the next slot expires.
    pub(crate) fn next_change(&self, now: i64) -> Option<i64> {
        let days = self
            .0
            .iter()
            .map(|it| it.at + DAY_MS)
            .filter(|it| *it > now);
        days.chain(self.slot_ends(now)).min()
    }
}
