//! The decisions of a ledger, without a clock and with no I/O but its store. Times are milliseconds
//! since 1970.

use std::cell::RefCell;

use mediagate_access::identity::{Budget, Credits, Limit, LimitName, Planned, Shortage, Taking};
use mediagate_core::Group;

use super::store::{CreateRecord, KeptCreate, RETENTION_MS, SLOT_MS, Store};
use super::usage::{Tally, Unsettled, Usage, UsageCounter};

/// The seconds until a retry while other creates are being submitted. The upstream rejects many
/// creates at once, which frees their share of the budget.
const UNSETTLED_RETRY_S: u32 = 5;
/// The length of a bucket. All that is taken in a bucket counts until the bucket is a day old.
pub const BUCKET_MS: i64 = 10 * 60 * 1000;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Admission {
    /// The create is stored. Submit it, then always call [`LedgerPolicy::settle`].
    Granted {
        record: CreateRecord,
        /// The number of the create's entry in the history.
        number: i64,
    },
    /// The create already has this outcome.
    Settled(String),
    /// The create is being submitted. Wait for its outcome.
    InProgress,
    /// The ledger was interrupted during the submission. The outcome is unknown.
    Interrupted(CreateRecord),
    /// The key was used with another body.
    KeyReused,
    /// The request itself is refused, and its key has no outcome.
    Excluded,
    Exhausted(Limit),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Settlement {
    /// Nothing can have been charged. The record is deleted.
    Released,
    /// The create may have been charged. It stays stored, and counts.
    Kept(KeptCreate),
}

pub struct LedgerPolicy<S> {
    store: S,
    /// The counted times, read from the store on first use.
    usage: RefCell<Option<UsageCounter>>,
    /// The reservations that this object has granted and not settled.
    unsettled: RefCell<Unsettled>,
}

impl<S: Store> LedgerPolicy<S> {
    /// Returns a policy over stored creates. While it exists, nothing else may write to the store.
    pub fn new(store: S) -> Self {
        LedgerPolicy {
            store,
            usage: RefCell::new(None),
            unsettled: RefCell::default(),
        }
    }

    /// Decides on a create, new or repeated, within its caller's budget, and stores a new one.
    /// `is_in_progress` is true if this object is submitting a create with its key. A create with
    /// `is_excluded` is never stored, but a repetition still gets its outcome. Nothing is granted
    /// after an error.
    pub fn admit(
        &self,
        record: CreateRecord,
        budget: &Budget,
        is_in_progress: bool,
        is_excluded: bool,
    ) -> Result<Admission, S::Error> {
        let now = record.created_at;
        let exhausted = self.exhausted(record.group, record.expected, budget, now)?;
        // Nearly every key is new, so try to insert it first: one statement instead of two.
        if exhausted.is_none()
            && !is_excluded
            && let Some(number) = self.store.insert(&record)?
        {
            return Ok(self.granted(record, number));
        }
        let known = self.store.find(&record.key)?;
        // An old record may still be stored, since records are removed at most every ten minutes.
        if let Some(known) = known
            .as_ref()
            .filter(|known| known.created_at > now - RETENTION_MS)
        {
            return Ok(match &known.outcome {
                _ if known.fingerprint != record.fingerprint => Admission::KeyReused,
                Some(outcome) => Admission::Settled(outcome.clone()),
                None if is_in_progress => Admission::InProgress,
                None => Admission::Interrupted(known.clone()),
            });
        }
        if is_excluded {
            return Ok(Admission::Excluded);
        }
        if let Some(limit) = exhausted {
            return Ok(Admission::Exhausted(limit));
        }
        self.store.forget_key(&record.key)?;
        // The key was just forgotten, and nothing else writes to the store, so the insert succeeds.
        let Some(number) = self.store.insert(&record)? else {
            return Ok(Admission::InProgress);
        };
        self.count(|counter| known.iter().for_each(|expired| counter.remove(expired)));
        Ok(self.granted(record, number))
    }

    fn granted(&self, record: CreateRecord, number: i64) -> Admission {
        self.count(|counter| counter.add(&record));
        self.unsettled.borrow_mut().add(&record);
        Admission::Granted { record, number }
    }

    /// Stores the end of a create. After an error, the create counts as interrupted.
    pub fn settle(
        &self,
        record: CreateRecord,
        settlement: Settlement,
        now: i64,
    ) -> Result<(), S::Error> {
        self.unsettled.borrow_mut().remove(&record.key);
        match settlement {
            Settlement::Kept(kept) if kept.is_running && kept.cost < Some(record.counted()) => {
                // Only the end of a task lowers what it counts: many services report 0 at first.
                let kept = KeptCreate { cost: None, ..kept };
                return self.keep(&record, &kept, now);
            }
            Settlement::Released => {
                self.store.remove(&record.key)?;
                self.count(|counter| counter.remove(&record));
            }
            Settlement::Kept(kept) => self.keep(&record, &kept, now)?,
        }
        Ok(())
    }

    fn keep(&self, record: &CreateRecord, kept: &KeptCreate, now: i64) -> Result<(), S::Error> {
        let slot_until = kept.is_running.then_some(now + SLOT_MS);
        self.store.update(&record.key, kept, slot_until)?;
        self.count(|counter| {
            counter.free_slot(record.slot_until);
            counter.take_slot(slot_until);
            let cost = kept.cost.unwrap_or(record.counted());
            counter.change_cost(record.created_at, record.counted(), cost);
        });
        Ok(())
    }

    /// Stores the end of a create by its key. Does nothing if no create is stored under the key.
    /// After an error, the create continues to count.
    pub fn settle_key(&self, key: &str, settlement: Settlement, now: i64) -> Result<(), S::Error> {
        match self.store.find(key)? {
            Some(record) => self.settle(record, settlement, now),
            None => Ok(()),
        }
    }

    /// Returns true if a create with this key is stored. Writes nothing.
    pub fn has(&self, key: &str, now: i64) -> Result<bool, S::Error> {
        Ok(self
            .store
            .find(key)?
            .is_some_and(|record| record.created_at > now - RETENTION_MS))
    }

    /// Returns true if the key of a stored create begins with `prefix`. Writes nothing.
    pub fn has_prefix(&self, prefix: &str) -> Result<bool, S::Error> {
        self.store.has_prefix(prefix)
    }

    /// Returns the limit that would refuse a new create. Returns `None` also if the key of a stored
    /// create begins with `prefix`. Writes nothing.
    pub fn used_up(
        &self,
        prefix: Option<&str>,
        group: Group,
        expected: Option<Credits>,
        budget: &Budget,
        now: i64,
    ) -> Result<Option<Limit>, S::Error> {
        let Some(limit) = self.exhausted(group, expected, budget, now)? else {
            return Ok(None);
        };
        // If such a create is stored, the request may repeat it, and no limit refuses that.
        let may_repeat = match prefix {
            Some(prefix) => self.store.has_prefix(prefix)?,
            None => false,
        };
        Ok((!may_repeat).then_some(limit))
    }

    fn exhausted(
        &self,
        group: Group,
        expected: Option<Credits>,
        budget: &Budget,
        now: i64,
    ) -> Result<Option<Limit>, S::Error> {
        for limit in self.limits(group, budget, now)? {
            let is_exhausted = match limit.name {
                LimitName::Credits => {
                    if let Some(refusing) = self.too_few_credits(&limit, expected, now)? {
                        return Ok(Some(refusing));
                    }
                    false
                }
                _ => limit.left == 0,
            };
            if is_exhausted {
                return Ok(Some(limit));
            }
        }
        Ok(None)
    }

    /// Returns a limit of credits, with the time at which the create fits, if the create exceeds
    /// it. A create without a price exceeds every limit of credits. So does every create while more
    /// was spent than the limit allows.
    fn too_few_credits(
        &self,
        limit: &Limit,
        expected: Option<Credits>,
        now: i64,
    ) -> Result<Option<Limit>, S::Error> {
        let used = self.usage(now)?.spent.sum;
        let Some(expected) = expected.map(Credits::millionths) else {
            return Ok(Some(Limit {
                reset: 0,
                ..limit.clone()
            }));
        };
        if used + expected <= limit.max {
            return Ok(None);
        }
        let excess = used + expected - limit.max;
        let reset = if expected > limit.max {
            // Waiting does not help.
            0
        } else {
            let counter = self.usage.borrow();
            let time = counter.as_ref().and_then(|counter| counter.time_of(excess));
            let reset = seconds(time.map_or(0, |time| time + RETENTION_MS - now));
            // If unsettled reservations use up the limit, it may be free within seconds.
            let is_passing = self.unsettled.borrow().millionths(now) >= excess;
            if is_passing {
                reset.min(UNSETTLED_RETRY_S)
            } else {
                reset
            }
        };
        Ok(Some(Limit {
            reset,
            ..limit.clone()
        }))
    }

    /// Stores the cost of a task that has ended, which counts instead of the expected price.
    pub fn set_cost(&self, group: Group, task: &str, cost: Credits) -> Result<(), S::Error> {
        let all = self.store.priced(group, task)?;
        if all.is_empty() {
            return Ok(());
        }
        self.store.set_cost(group, task, cost)?;
        self.count(|counter| {
            for priced in &all {
                counter.change_cost(priced.created_at, priced.counted(), cost);
            }
        });
        Ok(())
    }

    /// Frees the slots of a task that has ended. After an error, the slots expire.
    pub fn free(&self, group: Group, task: &str) -> Result<(), S::Error> {
        let freed = self.store.free(group, task)?;
        self.count(|counter| {
            freed
                .iter()
                .for_each(|until| counter.free_slot(Some(*until)))
        });
        Ok(())
    }

    /// Removes all that is older than [`RETENTION_MS`]. Returns the time of the next removal, or
    /// `None` if nothing is left.
    pub fn prune(&self, now: i64) -> Result<Option<i64>, S::Error> {
        // The next use reads the counter again, from the remaining entries.
        *self.usage.borrow_mut() = None;
        Ok(self
            .store
            .prune(now - RETENTION_MS)?
            .map(|oldest| oldest + RETENTION_MS))
    }

    /// Returns the rest of each limit that a budget sets for a group.
    pub fn limits(&self, group: Group, budget: &Budget, now: i64) -> Result<Vec<Limit>, S::Error> {
        if budget.is_unlimited() {
            return Ok(Vec::new());
        }
        let usage = self.usage(now)?;
        let of_group = match group {
            Group::Generate => usage.generate,
            Group::Process => usage.process,
        };
        let unsettled = self.unsettled.borrow();
        let creates = usage.generate.plus(usage.process).after(RETENTION_MS);
        let of_group = of_group.after(RETENTION_MS);
        let in_all = unsettled.count(now);
        let in_group = unsettled.count_of(group, now);
        let all = [
            limit(LimitName::Creates, budget.creates, creates, in_all, now),
            limit(group.into(), budget.of(group), of_group, in_group, now),
            limit(
                LimitName::InFlight,
                budget.in_flight,
                usage.in_flight,
                in_all,
                now,
            ),
        ];
        let credits = budget.credits.map(|max| {
            let expires_at = usage.spent.first.map(|first| first + RETENTION_MS);
            Limit {
                name: LimitName::Credits,
                max: max.millionths(),
                left: max.millionths().saturating_sub(usage.spent.sum),
                reset: seconds(expires_at.map_or(0, |expires_at| expires_at - now)),
            }
        });
        Ok(all.into_iter().flatten().chain(credits).collect())
    }

    /// Returns what a budget lacks for planned creates, or `None` if it suffices. `others` are
    /// creates that other pipelines have planned and that are not counted yet.
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
        Ok(limits
            .iter()
            .find_map(|limit| planned.shortage(limit, others)))
    }

    /// Counts something other than a create, such as an upload. Returns the limit that refuses it.
    /// Nothing is granted after an error.
    pub fn take(&self, taking: &Taking, now: i64) -> Result<Option<Limit>, S::Error> {
        let refused = self.refused(taking, now)?;
        if refused.is_none() {
            self.store.take(taking, now - now.rem_euclid(BUCKET_MS))?;
        }
        Ok(refused)
    }

    /// Returns the limit that would refuse a [`LedgerPolicy::take`], without counting it.
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

    /// Applies a change of the store to the counter, if the counter has been read.
    fn count(&self, change: impl FnOnce(&mut UsageCounter)) {
        if let Some(counter) = self.usage.borrow_mut().as_mut() {
            change(counter);
        }
    }
}

/// Returns a limit of a budget. `max` is `None` if the budget does not set the limit. `used` has
/// the time at which the first item stops counting, and includes the `unsettled` items.
fn limit(
    name: LimitName,
    max: Option<u32>,
    used: Tally,
    unsettled: u32,
    now: i64,
) -> Option<Limit> {
    let max = max?;
    let reset = seconds(used.first.map_or(0, |expires_at| expires_at - now));
    // If unsettled reservations use up the limit, it may be free within seconds.
    let is_passing = used.count >= max && used.count.saturating_sub(unsettled) < max;
    let reset = match max {
        // Waiting does not help.
        0 => 0,
        _ if is_passing => reset.min(UNSETTLED_RETRY_S),
        _ => reset,
    };
    Some(Limit {
        name,
        max: max.into(),
        left: max.saturating_sub(used.count).into(),
        reset,
    })
}

fn seconds(milliseconds: i64) -> u32 {
    milliseconds.max(0).unsigned_abs().div_ceil(1000) as u32
}
