//! What counts against budgets, in memory, so that admitting a create does not read all creates of a day. Times are
//! milliseconds since 1970.

use std::collections::BTreeMap;

use mediagate_core::Group;
use serde::Deserialize;

use super::record::CreateRecord;

/// The times that count, as they are stored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CountedTimes {
    /// When each create of the group `generate` was stored.
    pub generate: Vec<i64>,
    /// When each create of the group `process` was stored.
    pub process: Vec<i64>,
    /// Until when each slot of a task in flight is taken.
    pub slots: Vec<i64>,
}

/// What was taken of an item.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct Taken {
    /// How often.
    pub count: u64,
    /// The bytes together.
    pub bytes: u64,
    /// When the first bucket begins; `None` where nothing was taken.
    pub first: Option<i64>,
}

/// What counts against budgets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Creates of the group `generate`.
    pub generate: Tally,
    /// Creates of the group `process`.
    pub process: Tally,
    /// Tasks in flight, and when the first slot expires.
    pub in_flight: Tally,
}

/// A count, and the earliest of the counted times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// How many.
    pub count: u32,
    /// The earliest; `None` where the count is 0.
    pub first: Option<i64>,
}

impl Tally {
    /// Both counts as one.
    pub(super) fn plus(self, other: Tally) -> Tally {
        Tally {
            count: self.count + other.count,
            first: self.first.into_iter().chain(other.first).min(),
        }
    }
}

/// The same times as [`CountedTimes`], kept up to date.
pub(super) struct UsageCounter {
    generate: Times,
    process: Times,
    slots: Times,
    /// The latest time for which usage was counted. What had expired by then is dropped.
    counted_until: i64,
}

impl UsageCounter {
    /// Counts the times that the store returned at `now`.
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

    /// Returns whether the counter has every time that counts at `now`. After the clock was set back, dropped times may count
    /// again.
    pub(super) fn is_complete_at(&self, now: i64) -> bool {
        now >= self.counted_until
    }

    /// Counts a record that was written.
    pub(super) fn add(&mut self, record: &CreateRecord) {
        self.creates(record.group).add(record.created_at);
        self.take_slot(record.slot_until);
    }

    /// Stops counting a record.
    pub(super) fn remove(&mut self, record: &CreateRecord) {
        self.creates(record.group).remove(record.created_at);
        self.free_slot(record.slot_until);
    }

    /// Counts a slot that is taken until a time.
    pub(super) fn take_slot(&mut self, until: i64) {
        self.slots.add(until);
    }

    /// Stops counting a slot.
    pub(super) fn free_slot(&mut self, until: i64) {
        self.slots.remove(until);
    }

    /// Counts the creates since a time and the slots taken now, for which the counter must be complete.
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

/// Times, with how often each occurs.
#[derive(Default)]
struct Times {
    occurrences: BTreeMap<i64, u32>,
    count: u32,
}

impl Times {
    fn of(times: Vec<i64>) -> Self {
        let mut all = Times::default();
        times.into_iter().for_each(|it| all.add(it));
        all
    }

    fn add(&mut self, time: i64) {
        *self.occurrences.entry(time).or_default() += 1;
        self.count += 1;
    }

    /// Removes one occurrence, where it has not expired already.
    fn remove(&mut self, time: i64) {
        if let Some(occurrences) = self.occurrences.get_mut(&time) {
            *occurrences -= 1;
            self.count -= 1;
            if *occurrences == 0 {
                self.occurrences.remove(&time);
            }
        }
    }

    /// Drops the times up to this one, and counts the rest.
    fn after(&mut self, time: i64) -> Tally {
        while let Some(first) = self
            .occurrences
            .first_entry()
            .filter(|it| *it.key() <= time)
        {
            self.count -= first.remove();
        }
        Tally {
            count: self.count,
            first: self.occurrences.keys().next().copied(),
        }
    }
}
