//! What a ledger decides. It has no clock and does no I/O. Times are milliseconds since 1970.

use std::cell::RefCell;

use mediagate_core::Group;

use super::record::{CreateRecord, EntryResult, NewEntry};
use super::store::Store;
use super::unsettled::Unsettled;
use super::usage::{Tally, Usage, UsageCounter};
use crate::identity::{Budget, Limit, LimitName, Planned, Shortage, Taking};

/// How long a create is stored and counted, in milliseconds: 24 hours.
///
/// `KEY_LIFETIME_MS` in `pkg/src/store/creates.ts` must stay shorter. A page that repeats a create after this time can be charged
/// twice.
pub const RETENTION_MS: i64 = 24 * 60 * 60 * 1000;
/// How long a task holds its slot where its end is not seen, in milliseconds: 30 minutes.
pub const SLOT_MS: i64 = 30 * 60 * 1000;
/// How soon a reservation may turn out to be free, in seconds: upstream rejects many a create at once.
const UNSETTLED_RETRY_S: u32 = 5;
/// What is taken within this time is counted as one, in milliseconds: 10 minutes.
pub const BUCKET_MS: i64 = 10 * 60 * 1000;

/// What is to be done with a create.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Admission {
    /// It is stored: submit it, then [`LedgerPolicy::settle`] it, whatever happens.
    Granted {
        /// The create.
        record: CreateRecord,
        /// The number of its entry in the history.
        number: i64,
    },
    /// It has this outcome already.
    Settled(String),
    /// It is being submitted: wait for that.
    InProgress,
    /// It was being submitted when the ledger was interrupted: its outcome is unknown.
    Interrupted(CreateRecord),
    /// The key was used with another body.
    KeyReused,
    /// A limit is used up.
    Exhausted(Limit),
}

/// How a create ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Settlement {
    /// Nothing can have been charged: the record is deleted.
    Released,
    /// It may have been charged: it stays stored, and counts.
    Kept {
        /// The outcome of every repetition, as JSON.
        outcome: String,
        /// The upstream's id of the task that was created.
        task: Option<String>,
        /// Whether a task may be running: a known one, or one that was created without a readable response.
        is_running: bool,
        /// The history's part. `None` if there is no readable response, and for a reservation.
        result: Option<EntryResult>,
    },
}

/// A create to decide on.
#[derive(Clone, Copy, Debug)]
pub struct CreateAttempt<'a> {
    /// Capability and idempotency key.
    pub key: &'a str,
    /// A hash of the body; `None` for a reservation of another ledger.
    pub fingerprint: Option<&'a str>,
    /// The new entry of the history. `None` for a reservation.
    pub entry: Option<NewEntry<'a>>,
    /// The capability's group.
    pub group: Group,
    /// The caller's budget.
    pub budget: &'a Budget,
    /// Whether this object is submitting it.
    pub is_in_progress: bool,
}

/// The rules, over a store.
pub struct LedgerPolicy<S> {
    store: S,
    /// What counts, as it is stored; `None` until it is needed.
    usage: RefCell<Option<UsageCounter>>,
    /// The reservations that were granted by this object and are not settled.
    unsettled: RefCell<Unsettled>,
}

impl<S: Store> LedgerPolicy<S> {
    /// A policy over stored creates. While it exists, nothing else may write to the store.
    pub fn new(store: S) -> Self {
        LedgerPolicy {
            store,
            usage: RefCell::new(None),
            unsettled: RefCell::default(),
        }
    }

    /// Decides on a create.
    ///
    /// # Errors
    /// Those of the store; nothing is granted then.
    pub fn admit(&self, attempt: CreateAttempt<'_>, now: i64) -> Result<Admission, S::Error> {
        let CreateAttempt {
            key,
            fingerprint,
            entry,
            group,
            budget,
            is_in_progress,
        } = attempt;
        let exhausted = self
            .limits(group, budget, now)?
            .into_iter()
            .find(|it| it.left == 0);
        let record = CreateRecord {
            key: key.to_owned(),
            fingerprint: fingerprint.map(str::to_owned),
            group,
            created_at: now,
            outcome: None,
            task: None,
            slot_until: now + SLOT_MS,
        };
        // Nearly every key is new, and inserting it shows whether it is.
        if exhausted.is_none()
            && let Some(number) = self.store.insert(&record, entry)?
        {
            return Ok(self.granted(record, number));
        }
        let (known, expired) = match self.store.find(key)? {
            Some(it) if it.created_at > now - RETENTION_MS => (Some(it), None),
            expired => (None, expired),
        };
        Ok(match (known, exhausted) {
            (Some(it), _) if it.fingerprint.as_deref() != fingerprint => Admission::KeyReused,
            (
                Some(CreateRecord {
                    outcome: Some(outcome),
                    ..
                }),
                _,
            ) => Admission::Settled(outcome),
            (Some(_), _) if is_in_progress => Admission::InProgress,
            (Some(it), _) => Admission::Interrupted(it),
            (None, Some(limit)) => Admission::Exhausted(limit),
            (None, None) => {
                self.store.forget_key(key)?;
                // The key was just forgotten, and nothing else writes to the store, so the insert succeeds.
                let Some(number) = self.store.insert(&record, entry)? else {
                    return Ok(Admission::InProgress);
                };
                self.count(|counter| {
                    expired.iter().for_each(|expired| counter.remove(expired));
                });
                self.granted(record, number)
            }
        })
    }

    fn granted(&self, record: CreateRecord, number: i64) -> Admission {
        self.count(|counter| counter.add(&record));
        self.unsettled.borrow_mut().add(&record);
        Admission::Granted { record, number }
    }

    /// Stores how a create ended.
    ///
    /// # Errors
    /// Those of the store; the create then counts as interrupted.
    pub fn settle(
        &self,
        record: CreateRecord,
        settlement: Settlement,
        now: i64,
    ) -> Result<(), S::Error> {
        self.unsettled.borrow_mut().remove(&record.key);
        match settlement {
            Settlement::Released => {
                self.store.remove(&record.key)?;
                self.count(|it| it.remove(&record));
            }
            Settlement::Kept {
                outcome,
                task,
                is_running,
                result,
            } => {
                let slot_until = if is_running { now + SLOT_MS } else { 0 };
                let settled = CreateRecord {
                    outcome: Some(outcome),
                    task,
                    slot_until,
                    ..record
                };
                self.store.update(&settled, result.as_ref())?;
                self.count(|it| {
                    it.free_slot(record.slot_until);
                    it.take_slot(slot_until);
                });
            }
        }
        Ok(())
    }

    /// The same for the create that was granted under this key, where there is one.
    ///
    /// # Errors
    /// Those of the store; the create then goes on counting.
    pub fn settle_key(&self, key: &str, settlement: Settlement, now: i64) -> Result<(), S::Error> {
        match self.store.find(key)? {
            Some(record) => self.settle(record, settlement, now),
            None => Ok(()),
        }
    }

    /// Whether a create with this key is stored. Writes nothing.
    ///
    /// # Errors
    /// Those of the store.
    pub fn has(&self, key: &str, now: i64) -> Result<bool, S::Error> {
        Ok(self
            .store
            .find(key)?
            .is_some_and(|it| it.created_at > now - RETENTION_MS))
    }

    /// Whether the key of a stored create begins with this. Writes nothing.
    ///
    /// # Errors
    /// Those of the store.
    pub fn has_prefix(&self, prefix: &str) -> Result<bool, S::Error> {
        self.store.has_prefix(prefix)
    }

    /// The limit that would refuse a new create, where one is used up and no create's key begins with `prefix`. Writes
    /// nothing.
    ///
    /// # Errors
    /// Those of the store.
    pub fn used_up(
        &self,
        prefix: &str,
        group: Group,
        budget: &Budget,
        now: i64,
    ) -> Result<Option<Limit>, S::Error> {
        let Some(limit) = self
            .limits(group, budget, now)?
            .into_iter()
            .find(|it| it.left == 0)
        else {
            return Ok(None);
        };
        Ok(if self.store.has_prefix(prefix)? {
            None
        } else {
            Some(limit)
        })
    }

    /// Frees the slots of a task that has ended.
    ///
    /// # Errors
    /// Those of the store; the slots then expire.
    pub fn free(&self, group: Group, task: &str) -> Result<(), S::Error> {
        let freed = self.store.free(group, task)?;
        self.count(|it| freed.iter().for_each(|until| it.free_slot(*until)));
        Ok(())
    }

    /// Removes what is older than the retention; when the next is, where anything is left.
    ///
    /// # Errors
    /// Those of the store.
    pub fn prune(&self, now: i64) -> Result<Option<i64>, S::Error> {
        *self.usage.borrow_mut() = None;
        Ok(self
            .store
            .prune(now - RETENTION_MS)?
            .map(|oldest| oldest + RETENTION_MS))
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
        let creates = usage.generate.plus(usage.process);
        let expiry = |it: Tally| it.first.map(|it| it + RETENTION_MS);
        let unsettled = self.unsettled.borrow();
        let all = [
            (
                LimitName::Creates,
                budget.creates,
                creates.count,
                expiry(creates),
                unsettled.count(now),
            ),
            (
                group.into(),
                budget.of(group),
                of_group.count,
                expiry(of_group),
                unsettled.count_of(group, now),
            ),
            (
                LimitName::InFlight,
                budget.in_flight,
                usage.in_flight.count,
                usage.in_flight.first,
                unsettled.count(now),
            ),
        ];
        let limit =
            |(name, max, count, resets_at, unsettled): (_, Option<u32>, u32, Option<i64>, u32)| {
                let max = max?;
                let reset = seconds(resets_at.map_or(0, |it| it - now));
                // Where reservations that are under way are what uses it up, it may be free again within seconds.
                let is_passing = count >= max && count.saturating_sub(unsettled) < max;
                let reset = match max {
                    0 => 0,
                    _ if is_passing => reset.min(UNSETTLED_RETRY_S),
                    _ => reset,
                };
                Some(Limit {
                    name,
                    max: max.into(),
                    left: max.saturating_sub(count).into(),
                    reset,
                })
            };
        Ok(all.into_iter().filter_map(limit).collect())
    }

    /// What a budget lacks for planned creates, where it does. `others` are planned elsewhere, and not counted yet.
    ///
    /// # Errors
    /// Those of the store.
    pub fn shortage(
        &self,
        planned: Planned,
        others: Planned,
        budget: &Budget,
        now: i64,
    ) -> Result<Option<Shortage>, S::Error> {
        let mut limits = Vec::new();
        for group in Group::ALL {
            limits.append(&mut self.limits(group, budget, now)?);
        }
        Ok(limits.iter().find_map(|it| planned.shortage(it, others)))
    }

    /// Counts what is taken besides creates; the limit that refuses it, where one does.
    ///
    /// # Errors
    /// Those of the store; nothing is granted then.
    pub fn take(&self, taking: &Taking, now: i64) -> Result<Option<Limit>, S::Error> {
        let refused = self.refused(taking, now)?;
        if refused.is_none() {
            self.store.take(taking, now - now.rem_euclid(BUCKET_MS))?;
        }
        Ok(refused)
    }

    /// Returns the limit that would refuse to take something, without counting it.
    ///
    /// # Errors
    /// Those of the store.
    pub fn refused(&self, taking: &Taking, now: i64) -> Result<Option<Limit>, S::Error> {
        let taken = self
            .store
            .taken(taking.item, now - RETENTION_MS - BUCKET_MS)?;
        let resets_at = taken
            .first
            .map_or(now, |first| first + BUCKET_MS + RETENTION_MS);
        Ok(taking.refused(taken.count, taken.bytes, seconds(resets_at - now)))
    }

    fn usage(&self, now: i64) -> Result<Usage, S::Error> {
        let mut usage = self.usage.borrow_mut();
        let counter = match usage.take().filter(|counter| counter.is_complete_at(now)) {
            Some(counter) => counter,
            None => UsageCounter::of(self.store.counted(now - RETENTION_MS, now)?, now),
        };
        Ok(usage.insert(counter).usage(now - RETENTION_MS, now))
    }

    /// Counts what was just written, where usage is counted yet.
    fn count(&self, change: impl FnOnce(&mut UsageCounter)) {
        if let Some(counter) = self.usage.borrow_mut().as_mut() {
            change(counter);
        }
    }
}

fn seconds(milliseconds: i64) -> u32 {
    milliseconds.max(0).unsigned_abs().div_ceil(1000) as u32
}
