//! The times that count against budgets, in memory. With them, admitting a create does not read all
//! creates of a day. Times are milliseconds since 1970.

use std::collections::BTreeMap;

use mediagate_core::Group;
use serde::Deserialize;

use super::store::CreateRecord;

/// The times that count against budgets, as the store returns them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CountedTimes {
    /// The times at which creates of the group `generate` were stored.
    pub generate: Vec<i64>,
    /// The times at which creates of the group `process` were stored.
    pub process: Vec<i64>,
    /// The times at which the slots of tasks in flight expire.
    pub slots: Vec<i64>,
}

/// The sums of an item over several buckets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct Taken {
    /// The number of times it was taken.
    pub count: u64,
    /// The sum of the bytes.
    pub bytes: u64,
    /// The start of the first bucket. `None` if nothing was taken.
    pub first: Option<i64>,
}

/// The counts to compare with a budget.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Creates of the group `generate`.
    pub generate: Tally,
    /// Creates of the group `process`.
    pub process: Tally,
    /// Tasks in flight, and the time at which the first slot expires.
    pub in_flight: Tally,
}

/// A number of times, and the earliest of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// The number of times.
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
    /// The latest `now` of a count. Times that had expired by then are dropped.
    counted_until: i64,
}

impl UsageCounter {
    pub(super) fn of(counted: CountedTimes, now: i64) -> Self {
        let CountedTimes {
            generate,
            process,
            slots,
        } = counted;
        UsageCounter {
            generate: Times::of(generate),
            process: Times::of(process),
            slots: Times::of(slots),
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
    }

    pub(super) fn remove(&mut self, record: &CreateRecord) {
        self.creates(record.group).remove(record.created_at);
        self.free_slot(record.slot_until);
    }

    pub(super) fn take_slot(&mut self, until: i64) {
        self.slots.add(until);
    }

    pub(super) fn free_slot(&mut self, until: i64) {
        self.slots.remove(until);
    }

    /// Counts the creates after `since` and the slots that are taken at `now`. The counter must be
    /// complete at `now`.
    pub(super) fn usage(&mut self, since: i64, now: i64) -> Usage {
        self.counted_until = now;
        Usage {
            generate: self.generate.after(since),
            process: self.process.after(since),
            in_flight: self.slots.after(now),
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

    /// Removes one occurrence, if it has not been dropped as expired.
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
