//! A reference model of the ledger's decisions. It computes each decision from a list of all
//! creates, and shares no code, constant or data structure with the policy.

use mediagate_access::identity::{Budget, Credits, Item, Limit, LimitName, Taking};
use mediagate_core::Group;

const DAY_MS: i64 = 86_400_000;
const HALF_AN_HOUR_MS: i64 = 1_800_000;
const BUCKET_MS: i64 = 600_000;

/// Returns the time at which a taking stops counting: a day after the end of its ten minutes.
fn end_of_taken(at: i64) -> i64 {
    (at / BUCKET_MS + 1) * BUCKET_MS + DAY_MS
}

/// A create that was granted and not released.
#[derive(Clone, Debug)]
struct Create {
    key: String,
    body: String,
    group: Group,
    at: i64,
    expected: Option<u64>,
    cost: Option<u64>,
    outcome: Option<String>,
    task: Option<String>,
    /// The time at which its slot was taken. `None` if the slot was freed.
    in_flight_since: Option<i64>,
    /// True for a reservation without an outcome, until the ledger is interrupted.
    is_unsettled: bool,
}

impl Create {
    fn counted(&self) -> u64 {
        self.cost.or(self.expected).unwrap_or_default()
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Expected {
    Granted,
    Replayed(String),
    InProgress,
    Interrupted,
    KeyReused,
    Refused(Limit),
}

#[derive(Debug, Default)]
pub(crate) struct Model {
    creates: Vec<Create>,
    /// The takings with their times.
    takings: Vec<(Taking, i64)>,
}

impl Model {
    /// Returns the expected decision on a create, and records a granted create.
    pub(crate) fn create(
        &mut self,
        (key, body, price): (&str, &str, Option<Credits>),
        group: Group,
        budget: &Budget,
        is_in_progress: bool,
        now: i64,
    ) -> Expected {
        if let Some(known) = self
            .creates
            .iter()
            .find(|create| create.key == key && now - create.at < DAY_MS)
        {
            return match &known.outcome {
                _ if known.body != body => Expected::KeyReused,
                Some(outcome) => Expected::Replayed(outcome.clone()),
                None if is_in_progress => Expected::InProgress,
                None => Expected::Interrupted,
            };
        }
        if let Some(limit) = self.refusing(group, price, budget, now) {
            return Expected::Refused(limit);
        }
        // The key of a create of the day before counts as new, even if the create was not pruned.
        self.creates.retain(|create| create.key != key);
        let is_reserved = body.is_empty();
        self.creates.push(Create {
            key: key.to_owned(),
            body: body.to_owned(),
            group,
            at: now,
            expected: price.map(Credits::millionths),
            cost: None,
            outcome: None,
            task: None,
            in_flight_since: Some(now),
            is_unsettled: is_reserved,
        });
        Expected::Granted
    }

    pub(crate) fn release(&mut self, key: &str) {
        self.creates.retain(|create| create.key != key);
    }

    /// Records the outcome of a create. `running_since` is the present if its task may be running.
    pub(crate) fn settle(
        &mut self,
        key: &str,
        outcome: Option<&str>,
        task: Option<&str>,
        running_since: Option<i64>,
        cost: Option<u64>,
    ) {
        for create in self.creates.iter_mut().filter(|create| create.key == key) {
            create.outcome = outcome.map(str::to_owned);
            create.task = task.map(str::to_owned);
            create.in_flight_since = running_since;
            let counted = create.counted();
            let is_lower = cost.is_some_and(|cost| cost < counted);
            if !(is_lower && running_since.is_some()) {
                create.cost = cost.or(create.cost);
            }
            create.is_unsettled = false;
        }
    }

    pub(crate) fn finish(&mut self, group: Group, task: &str, cost: Option<u64>) {
        for create in self
            .creates
            .iter_mut()
            .filter(|create| create.group == group && create.task.as_deref() == Some(task))
        {
            create.in_flight_since = None;
            create.cost = cost.or(create.cost);
        }
    }

    /// Records an interruption. The ledger loses the list of unsettled reservations.
    pub(crate) fn interrupt(&mut self) {
        self.creates
            .iter_mut()
            .for_each(|create| create.is_unsettled = false);
    }

    /// Removes all that is a day old. Returns the expected time of the next removal.
    pub(crate) fn prune(&mut self, now: i64) -> Option<i64> {
        self.creates.retain(|create| now - create.at < DAY_MS);
        self.takings.retain(|taking| now < end_of_taken(taking.1));
        self.creates
            .iter()
            .map(|create| create.at + DAY_MS)
            .chain(self.takings.iter().map(|taking| end_of_taken(taking.1)))
            .min()
    }

    /// Returns the limit that should refuse a new create, unless the key of a create begins with
    /// `prefix`.
    pub(crate) fn used_up(
        &self,
        prefix: Option<&str>,
        group: Group,
        price: Option<Credits>,
        budget: &Budget,
        now: i64,
    ) -> Option<Limit> {
        let limit = self.refusing(group, price, budget, now);
        limit.filter(|_| {
            !self
                .creates
                .iter()
                .any(|create| prefix.is_some_and(|prefix| create.key.starts_with(prefix)))
        })
    }

    /// Returns the limit that should refuse a taking, and records a granted taking.
    pub(crate) fn take(&mut self, taking: &Taking, now: i64) -> Option<Limit> {
        let counted = self
            .takings
            .iter()
            .filter(|(earlier, at)| earlier.item == taking.item && now < end_of_taken(*at));
        let mut count = 0;
        let mut bytes = 0;
        let mut first_end = now;
        for (earlier, at) in counted {
            count += earlier.count;
            bytes += earlier.bytes;
            let is_first = first_end == now;
            let end = end_of_taken(*at);
            first_end = if is_first { end } else { first_end.min(end) };
        }
        let reset = ((first_end - now) as u64).div_ceil(1000) as u32;
        let refused = |name, max: u64, used: u64, more: u64| {
            let reset = if more > max { 0 } else { reset };
            (more > 0 && used + more > max).then(|| Limit {
                name,
                max,
                left: max - used.min(max),
                reset,
            })
        };
        let name = match taking.item {
            Item::Upload | Item::UploadTicket => LimitName::Uploads,
            Item::Estimate | Item::PipelineStart => LimitName::Estimates,
        };
        let by_count = taking
            .max
            .and_then(|max| refused(name, max, count, taking.count));
        let by_bytes = taking
            .max_bytes
            .and_then(|max| refused(LimitName::UploadBytes, max, bytes, taking.bytes));
        let limit = by_count.or(by_bytes);
        if limit.is_none() {
            self.takings.push((taking.clone(), now));
        }
        limit
    }

    /// Returns the limit that should refuse a create with this price.
    fn refusing(
        &self,
        group: Group,
        price: Option<Credits>,
        budget: &Budget,
        now: i64,
    ) -> Option<Limit> {
        for limit in self.limits(group, budget, now, false) {
            if limit.name != LimitName::Credits {
                if limit.left == 0 {
                    return Some(limit);
                }
                continue;
            }
            let refused = |reset| {
                Some(Limit {
                    reset,
                    ..limit.clone()
                })
            };
            let Some(price) = price.map(Credits::millionths) else {
                return refused(0);
            };
            let fits_at = |at: i64| self.spent(at) + price <= limit.max;
            if fits_at(now) {
                continue;
            }
            let mut ends: Vec<i64> = self
                .creates
                .iter()
                .map(|create| create.at + DAY_MS)
                .collect();
            ends.sort_unstable();
            let Some(fits) = ends.into_iter().find(|end| *end > now && fits_at(*end)) else {
                return refused(0);
            };
            let seconds = ((fits - now) as u64).div_ceil(1000) as u32;
            let is_passing = |create: &&Create| create.is_unsettled && now - create.at < 660_000;
            let passing = self.creates.iter().filter(is_passing);
            let passing: u64 = passing.map(Create::counted).sum();
            return match self.spent(now) + price - passing <= limit.max {
                true => refused(seconds.min(5)),
                false => refused(seconds),
            };
        }
        None
    }

    fn spent(&self, at: i64) -> u64 {
        let counting = self.creates.iter().filter(|create| create.at + DAY_MS > at);
        counting.map(Create::counted).sum()
    }

    /// Returns the expected rest of each limit. A restarted ledger has no list of unsettled
    /// reservations.
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
                .creates
                .iter()
                .filter(|create| create.is_unsettled && now - create.at < 660_000 && !is_restarted);
            its.filter(|create| groups.contains(&create.group)).count()
        };
        let mut add = |name, max: Option<u32>, ends: Vec<i64>, unsettled: usize| {
            let Some(max) = max else { return };
            let first = ends.iter().map(|end| end - now).min().unwrap_or(0);
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
            let of_groups = self
                .creates
                .iter()
                .filter(|create| groups.contains(&create.group));
            of_groups
                .map(|create| create.at + DAY_MS)
                .filter(|end| *end > now)
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
        if let Some(max) = budget.credits.map(Credits::millionths) {
            let spending = self.creates.iter().filter(|create| create.counted() > 0);
            let ends = spending.map(|create| create.at + DAY_MS);
            let first = ends.filter(|end| *end > now).min();
            limits.push(Limit {
                name: LimitName::Credits,
                max,
                left: max.saturating_sub(self.spent(now)),
                reset: first.map_or(0, |end| ((end - now) as u64).div_ceil(1000) as u32),
            });
        }
        limits
    }

    fn slot_ends(&self, now: i64) -> Vec<i64> {
        let slots = self
            .creates
            .iter()
            .filter_map(|create| create.in_flight_since);
        slots
            .map(|since| since + HALF_AN_HOUR_MS)
            .filter(|end| *end > now)
            .collect()
    }

    /// Returns the time at which the next create stops counting, or the next slot expires.
    pub(crate) fn next_change(&self, now: i64) -> Option<i64> {
        let days = self
            .creates
            .iter()
            .map(|create| create.at + DAY_MS)
            .filter(|end| *end > now);
        days.chain(self.slot_ends(now)).min()
    }
}
