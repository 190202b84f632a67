//! What a ledger decides. It holds no clock and does no I/O: times are given, in milliseconds since 1970.

use std::cell::RefCell;

use mediagate_core::Group;

use super::tallies::{Counted, Tallies, Tally, Usage};
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
    /// Writes an entry, unless there is one with its key; whether it did.
    fn insert(&self, entry: &Entry) -> Result<bool, Self::Error>;
    /// Writes an entry in the place of any with its key.
    fn put(&self, entry: &Entry) -> Result<(), Self::Error>;
    /// Writes answer, task and slot of an entry that is there; one that is not stays so.
    fn update(&self, entry: &Entry) -> Result<(), Self::Error>;
    /// Removes the entry of a key.
    fn remove(&self, key: &str) -> Result<(), Self::Error>;
    /// Ends the slots of a task of a group, and tells until when they would have been taken.
    fn free(&self, group: Group, task: &str) -> Result<Vec<i64>, Self::Error>;
    /// Removes the entries from before a moment; whether any is left.
    fn forget(&self, before: i64) -> Result<bool, Self::Error>;
    /// The entries since a moment, and the slots that are taken now.
    fn counted(&self, since: i64, now: i64) -> Result<Counted, Self::Error>;
}

/// What is to be done with a create.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Admission {
    /// It is written down: ask the service, then [`Book::settle`] it, whatever comes.
    Granted(Entry),
    /// It was answered with this before.
    Answered(String),
    /// It is being asked for just now: wait for that.
    UnderWay,
    /// It was being asked for when the ledger was lost: nobody can tell what became of it.
    Interrupted(Entry),
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
pub struct Book<S> {
    store: S,
    /// What counts, as the store has it; none until somebody asks.
    tallies: RefCell<Option<Tallies>>,
}

impl<S: Store> Book<S> {
    /// A book over what was written down before. While it lives, nobody else may write.
    pub fn new(store: S) -> Self {
        Book { store, tallies: RefCell::new(None) }
    }

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
        let exhausted = self.limits(group, budget, now)?.into_iter().find(|it| it.left == 0);
        let entry = Entry {
            key: key.to_owned(),
            fingerprint: fingerprint.to_owned(),
            group,
            at: now,
            answer: None,
            task: None,
            slot_until: now + SLOT_MS,
        };
        // Nearly every key is new: writing it finds that out.
        if exhausted.is_none() && self.store.insert(&entry)? {
            self.count(|it| it.add(&entry));
            return Ok(Admission::Granted(entry));
        }
        let (known, old) = match self.store.find(key)? {
            Some(it) if it.at > now - KEPT_MS => (Some(it), None),
            old => (None, old),
        };
        Ok(match (known, exhausted) {
            (Some(it), _) if it.fingerprint != fingerprint => Admission::OtherBody,
            (Some(Entry { answer: Some(answer), .. }), _) => Admission::Answered(answer),
            (Some(_), _) if under_way => Admission::UnderWay,
            (Some(it), _) => Admission::Interrupted(it),
            (None, Some(limit)) => Admission::Exhausted(limit),
            (None, None) => {
                self.store.put(&entry)?;
                self.count(|it| {
                    old.iter().for_each(|old| it.drop(old));
                    it.add(&entry);
                });
                Admission::Granted(entry)
            }
        })
    }

    /// Writes down how a create ended.
    ///
    /// # Errors
    /// Those of the store; the create then counts as interrupted.
    pub fn settle(&self, entry: Entry, end: End, now: i64) -> Result<(), S::Error> {
        match end {
            End::Released => {
                self.store.remove(&entry.key)?;
                self.count(|it| it.drop(&entry));
            }
            End::Kept { answer, task, busy } => {
                let slot_until = if busy { now + SLOT_MS } else { 0 };
                let settled = Entry { answer: Some(answer), task, slot_until, ..entry };
                self.store.update(&settled)?;
                self.count(|it| {
                    it.free(entry.slot_until);
                    it.take(slot_until);
                });
            }
        }
        Ok(())
    }

    /// Takes back a create that was granted by this name.
    ///
    /// # Errors
    /// Those of the store; the create then goes on counting.
    pub fn release(&self, key: &str, now: i64) -> Result<(), S::Error> {
        match self.store.find(key)? {
            Some(entry) => self.settle(entry, End::Released, now),
            None => Ok(()),
        }
    }

    /// Ends the slots of a task that has ended.
    ///
    /// # Errors
    /// Those of the store; the slots then end by themselves.
    pub fn free(&self, group: Group, task: &str) -> Result<(), S::Error> {
        let freed = self.store.free(group, task)?;
        self.count(|it| freed.iter().for_each(|until| it.free(*until)));
        Ok(())
    }

    /// Forgets what is too old; whether anything is left.
    ///
    /// # Errors
    /// Those of the store.
    pub fn forget(&self, now: i64) -> Result<bool, S::Error> {
        *self.tallies.borrow_mut() = None;
        self.store.forget(now - KEPT_MS)
    }

    /// What is left of each limit that a budget sets for a group.
    ///
    /// # Errors
    /// Those of the store.
    pub fn limits(&self, group: Group, budget: &Budget, now: i64) -> Result<Vec<Limit>, S::Error> {
        if budget.is_unlimited() {
            return Ok(Vec::new());
        }
        let usage = self.usage(now)?;
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

    fn usage(&self, now: i64) -> Result<Usage, S::Error> {
        let mut tallies = self.tallies.borrow_mut();
        let counted = match tallies.take() {
            Some(it) => it,
            None => Tallies::of(self.store.counted(now - KEPT_MS, now)?),
        };
        Ok(tallies.insert(counted).usage(now - KEPT_MS, now))
    }

    /// Counts what was written just now, where anything is counted yet.
    fn count(&self, change: impl FnOnce(&mut Tallies)) {
        if let Some(tallies) = self.tallies.borrow_mut().as_mut() {
            change(tallies);
        }
    }
}

fn seconds(milliseconds: i64) -> u32 {
    milliseconds.max(0).unsigned_abs().div_ceil(1000) as u32
}
