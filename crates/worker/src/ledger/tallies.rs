//! What counts against budgets, kept in memory: nobody reads through a day's creates to allow one more.

use std::collections::BTreeMap;

use mediagate_core::Group;

use super::book::Entry;

/// The moments that count, as a store has them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counted {
    /// When the creates of the group `generate` were made.
    pub generate: Vec<i64>,
    /// When those of the group `process` were.
    pub process: Vec<i64>,
    /// Until when each slot of a task in flight is taken.
    pub slots: Vec<i64>,
}

/// What counts against budgets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Creates of the group `generate`.
    pub generate: Tally,
    /// Creates of the group `process`.
    pub process: Tally,
    /// Tasks in flight, and when the first slot ends by itself.
    pub in_flight: Tally,
}

/// A count, and the earliest of the moments that were counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// How many.
    pub count: u32,
    /// The earliest, where there is one.
    pub first: Option<i64>,
}

impl Tally {
    /// Both counts as one.
    pub(super) fn and(self, other: Tally) -> Tally {
        Tally { count: self.count + other.count, first: self.first.into_iter().chain(other.first).min() }
    }
}

/// The same moments as [`Counted`], in order.
pub(super) struct Tallies {
    generate: Moments,
    process: Moments,
    slots: Moments,
}

impl Tallies {
    pub(super) fn of(counted: Counted) -> Self {
        let Counted { generate, process, slots } = counted;
        Tallies { generate: Moments::of(generate), process: Moments::of(process), slots: Moments::of(slots) }
    }

    /// Counts an entry that was written.
    pub(super) fn add(&mut self, entry: &Entry) {
        self.creates(entry.group).add(entry.at);
        self.take(entry.slot_until);
    }

    /// Counts an entry no more.
    pub(super) fn drop(&mut self, entry: &Entry) {
        self.creates(entry.group).remove(entry.at);
        self.free(entry.slot_until);
    }

    /// Counts a slot that is taken until then.
    pub(super) fn take(&mut self, until: i64) {
        self.slots.add(until);
    }

    /// Counts it no more.
    pub(super) fn free(&mut self, until: i64) {
        self.slots.remove(until);
    }

    /// What counts of the creates since a moment, and of the slots now. Both only ever move on.
    pub(super) fn usage(&mut self, since: i64, now: i64) -> Usage {
        Usage {
            generate: self.generate.after(since),
            process: self.process.after(since),
            in_flight: self.slots.after(now),
        }
    }

    fn creates(&mut self, group: Group) -> &mut Moments {
        match group {
            Group::Generate => &mut self.generate,
            Group::Process => &mut self.process,
        }
    }
}

/// Moments, with how often each is there.
#[derive(Default)]
struct Moments {
    times: BTreeMap<i64, u32>,
    count: u32,
}

impl Moments {
    fn of(moments: Vec<i64>) -> Self {
        let mut all = Moments::default();
        moments.into_iter().for_each(|it| all.add(it));
        all
    }

    fn add(&mut self, moment: i64) {
        *self.times.entry(moment).or_default() += 1;
        self.count += 1;
    }

    /// Removes one; where it is over it is gone already.
    fn remove(&mut self, moment: i64) {
        if let Some(times) = self.times.get_mut(&moment) {
            *times -= 1;
            self.count -= 1;
            if *times == 0 {
                self.times.remove(&moment);
            }
        }
    }

    /// Forgets what is over at a moment, and counts the rest.
    fn after(&mut self, moment: i64) -> Tally {
        while let Some(first) = self.times.first_entry().filter(|it| *it.key() <= moment) {
            self.count -= first.remove();
        }
        Tally { count: self.count, first: self.times.keys().next().copied() }
    }
}
