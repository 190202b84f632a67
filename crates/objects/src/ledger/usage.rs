//! The times that count against budgets, and the reservations that are being submitted, in memory.
//! With them, admitting a create does not read all creates of a day. Times are milliseconds since
//! 1970.

use std::collections::{BTreeMap, HashMap};

use mediagate_access::identity::Credits;
use mediagate_core::Group;

use super::store::{CountedTimes, CreateRecord, RETENTION_MS};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    pub generate: Tally,
    pub process: Tally,
    /// The tasks in flight, with the time at which the first slot expires.
    pub in_flight: Tally,
    pub spent: Spent,
}

/// The credits of some creates, in millionths, with the earliest of their times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    pub sum: u64,
    /// The earliest time. `None` if nothing was spent.
    pub first: Option<i64>,
}

/// A number of times, with the earliest of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub count: u32,
    /// The earliest time. `None` if the count is 0.
    pub first: Option<i64>,
}

impl Tally {
    /// Moves the earliest time by some milliseconds.
    pub(super) fn after(self, milliseconds: i64) -> Tally {
        Tally {
            count: self.count,
            first: self.first.map(|first| first + milliseconds),
        }
    }

    pub(super) fn plus(self, other: Tally) -> Tally {
        Tally {
            count: self.count + other.count,
            first: self.first.into_iter().chain(other.first).min(),
        }
    }
}

/// [`CountedTimes`] that are updated with each change of the store.
pub(super) struct UsageCounter {
    generate: Times,
    process: Times,
    slots: Times,
    credits: Amounts,
    /// The latest `now` of a count. Times that had expired by then are dropped.
    counted_until: i64,
}

impl UsageCounter {
    pub(super) fn of(counted: CountedTimes, now: i64) -> Self {
        let CountedTimes {
            generate,
            process,
            slots,
            credits,
        } = counted;
        UsageCounter {
            generate: Times::of(generate),
            process: Times::of(process),
            slots: Times::of(slots),
            credits: Amounts::of(credits),
            counted_until: now,
        }
    }

    /// Returns true if the counter has every time that counts at `now`. If the clock was set back,
    /// times that the counter dropped may count again.
    pub(super) fn is_complete_at(&self, now: i64) -> bool {
        now >= self.counted_until
    }

    pub(super) fn add(&mut self, record: &CreateRecord) {
        self.creates(record.group).add(record.created_at);
        self.take_slot(record.slot_until);
        self.credits.add(record.created_at, record.counted());
    }

    pub(super) fn remove(&mut self, record: &CreateRecord) {
        self.creates(record.group).remove(record.created_at);
        self.free_slot(record.slot_until);
        self.credits.remove(record.created_at, record.counted());
    }

    /// Counts another amount for a create. Does nothing if the create has stopped counting.
    pub(super) fn change_cost(&mut self, created_at: i64, before: Credits, after: Credits) {
        if created_at > self.counted_until - RETENTION_MS {
            self.credits.remove(created_at, before);
            self.credits.add(created_at, after);
        }
    }

    /// Returns the time of the create after whose end the counted credits are lower by `excess`.
    pub(super) fn time_of(&self, excess: u64) -> Option<i64> {
        let mut sum = 0;
        self.credits.millionths.iter().find_map(|(time, amount)| {
            sum += amount;
            (sum >= excess).then_some(*time)
        })
    }

    pub(super) fn take_slot(&mut self, until: Option<i64>) {
        until.into_iter().for_each(|until| self.slots.add(until));
    }

    pub(super) fn free_slot(&mut self, until: Option<i64>) {
        until.into_iter().for_each(|until| self.slots.remove(until));
    }

    /// Counts the creates after `since`, and the slots that are taken at `now`. The counter must be
    /// complete at `now`.
    pub(super) fn usage(&mut self, since: i64, now: i64) -> Usage {
        self.counted_until = now;
        Usage {
            generate: self.generate.after(since),
            process: self.process.after(since),
            in_flight: self.slots.after(now),
            spent: self.credits.after(since),
        }
    }

    fn creates(&mut self, group: Group) -> &mut Times {
        match group {
            Group::Generate => &mut self.generate,
            Group::Process => &mut self.process,
        }
    }
}

/// A multiset of times.
#[derive(Default)]
struct Times {
    occurrences: BTreeMap<i64, u32>,
    count: u32,
}

impl Times {
    fn of(times: Vec<i64>) -> Self {
        let mut all = Times::default();
        times.into_iter().for_each(|time| all.add(time));
        all
    }

    fn add(&mut self, time: i64) {
        *self.occurrences.entry(time).or_default() += 1;
        self.count += 1;
    }

    /// Removes one occurrence, if the time has not been dropped as expired.
    fn remove(&mut self, time: i64) {
        if let Some(occurrences) = self.occurrences.get_mut(&time) {
            *occurrences -= 1;
            self.count -= 1;
            if *occurrences == 0 {
                self.occurrences.remove(&time);
            }
        }
    }

    /// Drops the times up to `time`, and counts the rest.
    fn after(&mut self, time: i64) -> Tally {
        while let Some(first) = self
            .occurrences
            .first_entry()
            .filter(|entry| *entry.key() <= time)
        {
            self.count -= first.remove();
        }
        Tally {
            count: self.count,
            first: self.occurrences.keys().next().copied(),
        }
    }
}

/// Amounts by time, in millionths of a credit.
#[derive(Default)]
struct Amounts {
    millionths: BTreeMap<i64, u64>,
    sum: u64,
}

impl Amounts {
    fn of(amounts: Vec<(i64, u64)>) -> Self {
        let mut all = Amounts::default();
        for (time, amount) in amounts {
            all.add(time, Credits::from_millionths(amount));
        }
        all
    }

    fn add(&mut self, time: i64, amount: Credits) {
        // Only amounts above 0 have a time.
        if amount > Credits::default() {
            *self.millionths.entry(time).or_default() += amount.millionths();
            self.sum += amount.millionths();
        }
    }

    /// Removes an amount, if its time has not been dropped as expired.
    fn remove(&mut self, time: i64, amount: Credits) {
        if let Some(stored) = self.millionths.get_mut(&time) {
            let removed = amount.millionths().min(*stored);
            *stored -= removed;
            self.sum -= removed;
            if *stored == 0 {
                self.millionths.remove(&time);
            }
        }
    }

    /// Drops the amounts up to `time`, and sums the rest.
    fn after(&mut self, time: i64) -> Spent {
        while let Some(first) = self
            .millionths
            .first_entry()
            .filter(|entry| *entry.key() <= time)
        {
            self.sum -= first.remove();
        }
        Spent {
            sum: self.sum,
            first: self.millionths.keys().next().copied(),
        }
    }
}

/// The longest submission: the longest deadline of a request to the upstream, and a minute. An
/// older reservation was interrupted.
const MAX_SUBMISSION_MS: i64 = 11 * 60 * 1000;

/// The reservations that are being submitted, by key: their group, their start and their expected
/// price. A budget that they use up may be free again in a second, and a caller can't see those of
/// other callers.
#[derive(Debug, Default)]
pub(super) struct Unsettled(HashMap<String, (Group, i64, Credits)>);

impl Unsettled {
    pub(super) fn add(&mut self, record: &CreateRecord) {
        if !record.is_reservation() {
            return;
        }
        self.0
            .retain(|_, (_, since, _)| record.created_at - *since < MAX_SUBMISSION_MS);
        self.0.insert(
            record.key.clone(),
            (record.group, record.created_at, record.counted()),
        );
    }

    pub(super) fn remove(&mut self, key: &str) {
        self.0.remove(key);
    }

    pub(super) fn count(&self, now: i64) -> u32 {
        self.groups(now).count() as u32
    }

    pub(super) fn count_of(&self, group: Group, now: i64) -> u32 {
        self.groups(now).filter(|other| *other == group).count() as u32
    }

    /// Returns the millionths of a credit that the reservations count.
    pub(super) fn millionths(&self, now: i64) -> u64 {
        self.submitted(now)
            .map(|(.., credits)| credits.millionths())
            .sum()
    }

    fn groups(&self, now: i64) -> impl Iterator<Item = Group> {
        self.submitted(now).map(|(group, ..)| *group)
    }

    fn submitted(&self, now: i64) -> impl Iterator<Item = &(Group, i64, Credits)> {
        self.0
            .values()
            .filter(move |(_, since, _)| now - since < MAX_SUBMISSION_MS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 1_800_000_000_000;

    fn add(unsettled: &mut Unsettled, key: &str, group: Group, created_at: i64) {
        unsettled.add(&CreateRecord::unsettled(key.to_owned(), group, created_at));
    }

    #[test]
    fn a_reservation_counts_for_eleven_minutes() {
        let mut unsettled = Unsettled::default();
        add(&mut unsettled, "first", Group::Generate, NOW);
        add(&mut unsettled, "second", Group::Process, NOW + 1);
        for (after, count, of_generate) in
            [(1, 2, 1), (659_999, 2, 1), (660_000, 1, 0), (660_001, 0, 0)]
        {
            let counts = (
                unsettled.count(NOW + after),
                unsettled.count_of(Group::Generate, NOW + after),
            );
            assert_eq!(counts, (count, of_generate), "after {after} ms");
        }
    }

    #[test]
    fn an_interrupted_reservation_is_dropped_when_another_is_added() {
        for (after, stored) in [(659_999, 2), (660_000, 1), (660_001, 1)] {
            let mut unsettled = Unsettled::default();
            add(&mut unsettled, "first", Group::Generate, NOW);
            add(&mut unsettled, "second", Group::Generate, NOW + after);
            assert_eq!(unsettled.0.len(), stored, "after {after} ms");
        }
    }
}
