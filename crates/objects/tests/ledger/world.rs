//! A ledger with the gateway before it and the upstream behind it. Each event happens to the policy
//! and to the model, and both must agree.

use std::collections::BTreeMap;

use mediagate_access::identity::{Budget, Credits, Taking};
use mediagate_core::Group;
use mediagate_objects::ledger::policy::{Admission, LedgerPolicy, Settlement};
use mediagate_objects::ledger::store::{CreateRecord, KeptCreate};

use super::memory::Memory;
use super::model::{Expected, Model};

/// Returns the expected price of a key's creates. One key has none.
fn price_of(key: &str) -> Option<Credits> {
    match key.as_bytes().last() {
        Some(b'5') => None,
        Some(digit) => Some(Credits::from_millionths(u64::from(digit % 4))),
        None => None,
    }
}

/// The longest deadline of a request to the upstream: ten minutes.
const DEADLINE_MS: i64 = 600_000;
const DAY_MS: i64 = 86_400_000;
const HALF_AN_HOUR_MS: i64 = 1_800_000;
const BUCKET_MS: i64 = 600_000;

#[derive(Clone, Copy, Debug)]
pub(crate) enum Fate {
    /// A task that runs.
    Running,
    /// A task that has ended, or a result.
    Ended,
    /// An error that excludes a charge.
    Rejected,
    /// No response, or an unreadable one.
    Unknown,
}

pub(crate) struct World {
    budget: Budget,
    stored: Memory,
    policy: LedgerPolicy<Memory>,
    model: Model,
    now: i64,
    in_progress: BTreeMap<String, CreateRecord>,
    /// The times at which the upstream may have charged, by key.
    charged: BTreeMap<String, Vec<i64>>,
    running: Vec<(Group, String)>,
    pub(crate) decisions: BTreeMap<&'static str, u32>,
}

fn group_of(key: &str) -> Group {
    if key.ends_with(['0', '1']) {
        Group::Process
    } else {
        Group::Generate
    }
}

impl World {
    pub(crate) fn new(budget: Budget) -> Self {
        let stored = Memory::default();
        World {
            budget,
            policy: LedgerPolicy::new(stored.clone()),
            stored,
            model: Model::default(),
            now: 1_800_000_000_000,
            in_progress: BTreeMap::new(),
            charged: BTreeMap::new(),
            running: Vec::new(),
            decisions: BTreeMap::new(),
        }
    }

    /// A caller requests a create.
    pub(crate) fn create(&mut self, key: u8, body: u8) {
        let key = format!("key {key}");
        let body = format!("body {body}");
        let group = group_of(&key);
        match self.admit(&key, &body, group, self.in_progress.contains_key(&key)) {
            // The create is sent now, so the upstream may charge even if the ledger is interrupted.
            Admission::Granted { record, .. } => {
                assert_eq!(
                    self.in_progress.insert(key.clone(), record),
                    None,
                    "submitted twice at once"
                );
                self.charged.entry(key).or_default().push(self.now);
            }
            // The gateway settles interrupted creates with an unknown outcome.
            Admission::Interrupted(record) => {
                assert_eq!(
                    (&*record.key, record.fingerprint.as_deref(), record.group),
                    (&*key, Some(&*body), group)
                );
                self.settle(record, "interrupted", None, true, None);
            }
            _ => {}
        }
    }

    /// Another ledger reserves a create in this one.
    pub(crate) fn reserve(&mut self, key: u8) {
        self.admit(&format!("reserved {key}"), "", Group::Generate, true);
    }

    /// Another ledger releases a reserved create.
    pub(crate) fn release(&mut self, key: u8) {
        let key = format!("reserved {key}");
        self.policy
            .settle_key(&key, Settlement::Released, self.now)
            .expect("no errors");
        self.model.release(&key);
    }

    /// Another ledger has an outcome of a reserved create.
    pub(crate) fn charge(&mut self, key: u8, is_running: bool) {
        let key = format!("reserved {key}");
        let task = is_running.then(|| format!("task of {key}"));
        if let Some(task) = &task {
            self.running.push((Group::Generate, task.clone()));
        }
        self.model.settle(
            &key,
            None,
            task.as_deref(),
            is_running.then_some(self.now),
            None,
        );
        let settlement = Settlement::Kept(KeptCreate {
            task,
            is_running,
            ..KeptCreate::default()
        });
        self.policy
            .settle_key(&key, settlement, self.now)
            .expect("no errors");
    }

    /// Another ledger checks whether it may reserve one.
    pub(crate) fn check_pool(&mut self, prefix: &str) {
        let expected = self.model.used_up(
            Some(prefix),
            Group::Generate,
            price_of(prefix),
            &self.budget,
            self.now,
        );
        assert_eq!(
            self.policy.used_up(
                Some(prefix),
                Group::Generate,
                price_of(prefix),
                &self.budget,
                self.now
            ),
            Ok(expected.clone())
        );
        // Without a prefix, stored creates change nothing.
        let own = self.policy.used_up(
            None,
            Group::Generate,
            price_of(prefix),
            &self.budget,
            self.now,
        );
        let expected_own = self.model.used_up(
            None,
            Group::Generate,
            price_of(prefix),
            &self.budget,
            self.now,
        );
        assert_eq!(own, Ok(expected_own));
        *self
            .decisions
            .entry(if expected.is_some() {
                "pool used up"
            } else {
                "pool has room"
            })
            .or_default() += 1;
    }

    /// An anonymous caller takes something other than a create.
    pub(crate) fn take(&mut self, taking: &Taking) {
        let expected = self.model.take(taking, self.now);
        assert_eq!(
            self.policy.take(taking, self.now),
            Ok(expected.clone()),
            "{taking:?} at {}",
            self.now
        );
        *self
            .decisions
            .entry(expected.map_or("taken", |limit| limit.name.name()))
            .or_default() += 1;
    }

    /// Lets policy and model decide on a create. Returns the policy's admission.
    fn admit(&mut self, key: &str, body: &str, group: Group, is_in_progress: bool) -> Admission {
        let expected = self.model.create(
            (key, body, price_of(key)),
            group,
            &self.budget,
            is_in_progress,
            self.now,
        );
        let record = CreateRecord {
            fingerprint: Some(body.to_owned()).filter(|body| !body.is_empty()),
            expected: price_of(key),
            ..CreateRecord::unsettled(key.to_owned(), group, self.now)
        };
        let admission = self
            .policy
            .admit(record, &self.budget, is_in_progress, false);
        let admission = admission.expect("no errors");
        let (name, decided) = match admission.clone() {
            Admission::Granted { record, .. } => {
                assert_eq!(
                    (record.created_at, record.slot_until),
                    (self.now, Some(self.now + HALF_AN_HOUR_MS))
                );
                ("granted", Expected::Granted)
            }
            Admission::Settled(outcome) => ("replayed", Expected::Replayed(outcome)),
            Admission::InProgress => ("in progress", Expected::InProgress),
            Admission::Interrupted(_) => ("interrupted", Expected::Interrupted),
            Admission::KeyReused => ("key reused", Expected::KeyReused),
            Admission::Excluded => unreachable!("nothing is excluded"),
            Admission::Exhausted(limit) => (limit.name.name(), Expected::Refused(limit)),
        };
        assert_eq!(decided, expected, "{key:?} with {body:?} at {}", self.now);
        *self.decisions.entry(name).or_default() += 1;
        admission
    }

    /// The upstream responds to a create that is in progress.
    pub(crate) fn respond(&mut self, key: u8, fate: Fate, cost: Option<u64>) {
        let key = format!("key {key}");
        let Some(record) = self.in_progress.remove(&key) else {
            return;
        };
        match fate {
            Fate::Running => {
                let task = format!("task of {key} at {}", self.now);
                self.running.push((record.group, task.clone()));
                self.settle(record, &format!("made {task}"), Some(&task), true, cost);
            }
            Fate::Ended => {
                self.settle(record, &format!("ended at {}", self.now), None, false, cost);
            }
            Fate::Unknown => self.settle(record, "unknown", None, true, None),
            Fate::Rejected => {
                self.charged.entry(key.clone()).or_default().pop();
                self.policy
                    .settle(record, Settlement::Released, self.now)
                    .expect("no errors");
                self.model.release(&key);
            }
        }
    }

    fn settle(
        &mut self,
        record: CreateRecord,
        outcome: &str,
        task: Option<&str>,
        is_running: bool,
        cost: Option<u64>,
    ) {
        let running_since = is_running.then_some(self.now);
        self.model
            .settle(&record.key, Some(outcome), task, running_since, cost);
        let settlement = Settlement::Kept(KeptCreate {
            outcome: Some(outcome.to_owned()),
            task: task.map(str::to_owned),
            is_running,
            cost: cost.map(Credits::from_millionths),
            ..KeptCreate::default()
        });
        self.policy
            .settle(record, settlement, self.now)
            .expect("no errors");
    }

    /// A running task ends, or a task of another group with an equal id.
    pub(crate) fn finish(&mut self, nth: usize, of_its_group: bool, cost: Option<u64>) {
        let Some((group, task)) = self.running.get(nth).cloned() else {
            return;
        };
        let group = match group {
            _ if of_its_group => {
                self.running.remove(nth);
                group
            }
            Group::Generate => Group::Process,
            Group::Process => Group::Generate,
        };
        self.policy.free(group, &task).expect("no errors");
        self.model.finish(group, &task, cost);
        if let Some(cost) = cost.map(Credits::from_millionths) {
            self.policy.set_cost(group, &task, cost).expect("no errors");
        }
    }

    pub(crate) fn wait(&mut self, milliseconds: i64) {
        let now = self.now + milliseconds;
        for key in 0..6 {
            if self
                .in_progress
                .get(&format!("key {key}"))
                .is_some_and(|record| record.created_at + DEADLINE_MS <= now)
            {
                self.respond(key, Fate::Unknown, None);
            }
        }
        self.now = now;
    }

    /// The clock jumps ahead and back, and the limits are read in between.
    pub(crate) fn jump(&self, milliseconds: i64) {
        let ahead = self.now + milliseconds;
        for group in Group::ALL {
            let expected = self.model.limits(group, &self.budget, ahead, false);
            assert_eq!(
                self.policy.limits(group, &self.budget, ahead),
                Ok(expected),
                "{milliseconds} ms ahead"
            );
        }
    }

    /// Waits until a create stops counting or a slot expires, exactly or nearly.
    pub(crate) fn wait_for_change(&mut self, difference: i64) {
        if let Some(change) = self.model.next_change(self.now) {
            self.wait((change + difference - self.now).max(0));
        }
    }

    /// The ledger and its requests are interrupted. A new ledger starts with the stored creates.
    pub(crate) fn interrupt(&mut self) {
        self.in_progress.clear();
        self.model.interrupt();
        self.policy = LedgerPolicy::new(self.stored.clone());
    }

    /// The alarm fires.
    pub(crate) fn prune(&mut self) {
        assert_eq!(self.policy.prune(self.now), Ok(self.model.prune(self.now)));
    }

    /// Checks the rest of each limit, in memory and in storage. Also checks two promises that do
    /// not depend on the model: within 24 hours, a key is charged at most once, and no charge
    /// exceeds the budget.
    pub(crate) fn check(&self) {
        for group in Group::ALL {
            let expected = |is_restarted| {
                Ok(self
                    .model
                    .limits(group, &self.budget, self.now, is_restarted))
            };
            let restarted = LedgerPolicy::new(self.stored.clone());
            assert_eq!(
                self.policy.limits(group, &self.budget, self.now),
                expected(false),
                "in memory"
            );
            assert_eq!(
                restarted.limits(group, &self.budget, self.now),
                expected(true),
                "as stored"
            );
        }
        for (key, times) in &self.charged {
            let is_once_a_day = times.windows(2).all(|pair| pair[1] - pair[0] >= DAY_MS);
            assert!(
                is_once_a_day,
                "{key} may have been charged twice: {times:?}"
            );
        }
        let is_recent = |time: &&i64| **time > self.now - DAY_MS;
        for (group, max) in [
            (None, self.budget.creates),
            (Some(Group::Generate), self.budget.generate),
            (Some(Group::Process), self.budget.process),
        ] {
            let of_group = self
                .charged
                .iter()
                .filter(|(key, _)| group.is_none_or(|group| group_of(key) == group));
            let times = of_group.flat_map(|(_, times)| times);
            let count = times.filter(is_recent).count();
            assert!(
                max.is_none_or(|max| count <= max as usize),
                "too many of {group:?}"
            );
        }
    }

    /// Checks that every reservation ends. If nothing is in progress and a day has passed, every
    /// limit is unused and nothing is stored.
    pub(crate) fn end(mut self) {
        self.in_progress.clear();
        self.now += DAY_MS + BUCKET_MS;
        self.check();
        for group in Group::ALL {
            let limits = self
                .policy
                .limits(group, &self.budget, self.now)
                .expect("no errors");
            assert!(
                limits
                    .iter()
                    .all(|limit| limit.left == limit.max && limit.reset == 0),
                "{limits:?}"
            );
        }
        assert_eq!(self.policy.prune(self.now), Ok(None));
    }
}
