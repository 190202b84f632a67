//! What a ledger decides. It holds no clock and does no I/O: times are given, in milliseconds since 1970.

use mediagate_core::Group;

use crate::session::Budget;

/// How long a create is remembered, and how long it counts.
pub const KEPT_MS: i64 = 24 * 60 * 60 * 1000;
/// How long a task holds its slot where nobody sees it end.
pub const SLOT_MS: i64 = 30 * 60 * 1000;

/// One create, as it is remembered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Capability and idempotency key, or a random name where the caller gave no key.
    pub key: String,
    /// A hash of the body: the same key with another one is refused.
    pub fingerprint: String,
    /// The capability's group.
    pub group: Group,
    /// When it was written down, which is before the service was asked.
    pub at: i64,
    /// What it was answered with; none while the service is being asked.
    pub answer: Option<String>,
    /// The task that it made, where that may still run.
    pub task: Option<String>,
    /// Until when it counts as a task in flight.
    pub slot_until: i64,
}

/// Where entries are kept. Each call is atomic, and what it wrote survives before anything leaves the machine.
pub trait Store {
    /// Why storage failed.
    type Error;
    /// The entry of a key.
    fn find(&self, key: &str) -> Result<Option<Entry>, Self::Error>;
    /// Writes an entry in the place of any with its key.
    fn put(&self, entry: &Entry) -> Result<(), Self::Error>;
    /// Removes the entry of a key.
    fn remove(&self, key: &str) -> Result<(), Self::Error>;
    /// Ends the slot of a task of a group.
    fn free(&self, group: Group, task: &str) -> Result<(), Self::Error>;
    /// Removes the entries from before a moment; whether any is left.
    fn forget(&self, before: i64) -> Result<bool, Self::Error>;
    /// Counts the entries since a moment, and the slots that are taken now.
    fn usage(&self, since: i64, now: i64) -> Result<Usage, Self::Error>;
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
    fn and(self, other: Tally) -> Tally {
        Tally { count: self.count + other.count, first: self.first.into_iter().chain(other.first).min() }
    }
}

/// What is to be done with a create.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Admission {
    /// It is written down: ask the service, then [`Book::settle`] it, whatever comes.
    Granted,
    /// It was answered with this before.
    Answered(String),
    /// It is being asked for just now: wait for that.
    UnderWay,
    /// It was being asked for when the ledger was lost: nobody can tell what became of it.
    Interrupted,
    /// The key was used with another body.
    OtherBody,
    /// A budget is used up.
    Exhausted(Limit),
}

/// One limit and what is left of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limit {
    /// `creates`, `generate`, `process` or `in_flight`.
    pub name: &'static str,
    /// The most.
    pub most: u32,
    /// What is left.
    pub left: u32,
    /// Seconds until there is more, where something counts.
    pub reset: u32,
}

/// How a create ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// Nothing can have been charged: it is as if it had never been.
    Released,
    /// It may have been charged: it is remembered and counts.
    Kept {
        /// What every repetition is answered with.
        answer: String,
        /// The task that was made, where it has not ended yet.
        task: Option<String>,
        /// Whether a task may be running: one that is known, or one that nobody knows of.
        busy: bool,
    },
}

/// The rules, over a store.
pub struct Book<S>(pub S);

impl<S: Store> Book<S> {
    /// Decides on a create. `under_way` tells whether this very process is asking the service for it.
    ///
    /// # Errors
    /// Those of the store; nothing is granted then.
    pub fn admit(
        &self,
        key: &str,
        fingerprint: &str,
        group: Group,
        budget: &Budget,
        under_way: bool,
        now: i64,
    ) -> Result<Admission, S::Error> {
        if let Some(entry) = self.0.find(key)?.filter(|it| it.at > now - KEPT_MS) {
            return Ok(match entry {
                it if it.fingerprint != fingerprint => Admission::OtherBody,
                Entry { answer: Some(answer), .. } => Admission::Answered(answer),
                _ if under_way => Admission::UnderWay,
                _ => Admission::Interrupted,
            });
        }
        if let Some(limit) = self.limits(group, budget, now)?.into_iter().find(|it| it.left == 0) {
            return Ok(Admission::Exhausted(limit));
        }
        let (key, fingerprint) = (key.to_owned(), fingerprint.to_owned());
        let slot_until = now + SLOT_MS;
        self.0.put(&Entry { key, fingerprint, group, at: now, answer: None, task: None, slot_until })?;
        Ok(Admission::Granted)
    }

    /// Writes down how a create ended. One that is not there stays so.
    ///
    /// # Errors
    /// Those of the store; the create then counts as interrupted.
    pub fn settle(&self, key: &str, end: End, now: i64) -> Result<(), S::Error> {
        match end {
            End::Released => self.0.remove(key),
            End::Kept { answer, task, busy } => match self.0.find(key)? {
                Some(entry) => {
                    let slot_until = if busy { now + SLOT_MS } else { 0 };
                    self.0.put(&Entry { answer: Some(answer), task, slot_until, ..entry })
                }
                None => Ok(()),
            },
        }
    }

    /// What is left of each limit that a budget sets for a group.
    ///
    /// # Errors
    /// Those of the store.
    pub fn limits(&self, group: Group, budget: &Budget, now: i64) -> Result<Vec<Limit>, S::Error> {
        if budget.is_unlimited() {
            return Ok(Vec::new());
        }
        let usage = self.0.usage(now - KEPT_MS, now)?;
        let of_group = match group {
            Group::Generate => usage.generate,
            Group::Process => usage.process,
        };
        let created = usage.generate.and(usage.process);
        let of_age = |it: Tally| it.first.map(|it| it + KEPT_MS);
        let all = [
            ("creates", budget.creates, created.count, of_age(created)),
            (group.name(), budget.of(group), of_group.count, of_age(of_group)),
            ("in_flight", budget.in_flight, usage.in_flight.count, usage.in_flight.first),
        ];
        let limit = |(name, most, count, resets): (_, Option<u32>, u32, Option<i64>)| {
            let most = most?;
            let reset = seconds(resets.map_or(0, |it| it - now));
            Some(Limit { name, most, left: most.saturating_sub(count), reset })
        };
        Ok(all.into_iter().filter_map(limit).collect())
    }
}

fn seconds(milliseconds: i64) -> u32 {
    milliseconds.max(0).unsigned_abs().div_ceil(1000) as u32
}
