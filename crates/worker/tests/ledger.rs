//! The ledger's policy under thousands of random schedules: repetitions, interruptions, late outcomes, time that passes.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use mediagate_core::Group;
use mediagate_worker::identity::Budget;
use mediagate_worker::ledger::policy::{Admission, CreateAttempt, LedgerPolicy, RETENTION_MS, SLOT_MS, Settlement};
use mediagate_worker::ledger::record::CreateRecord;
use mediagate_worker::ledger::store::Store;
use mediagate_worker::ledger::usage::CountedTimes;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// Storage that survives every interruption, as a Durable Object's does.
#[derive(Clone, Default)]
struct Memory(Rc<RefCell<BTreeMap<String, CreateRecord>>>);

impl Store for Memory {
    type Error = ();

    fn find(&self, key: &str) -> Result<Option<CreateRecord>, ()> {
        Ok(self.0.borrow().get(key).cloned())
    }

    fn insert(&self, record: &CreateRecord) -> Result<bool, ()> {
        let is_new = !self.0.borrow().contains_key(&record.key);
        if is_new {
            self.replace(record)?;
        }
        Ok(is_new)
    }

    fn replace(&self, record: &CreateRecord) -> Result<(), ()> {
        self.0.borrow_mut().insert(record.key.clone(), record.clone());
        Ok(())
    }

    fn update(&self, record: &CreateRecord) -> Result<(), ()> {
        if let Some(it) = self.0.borrow_mut().get_mut(&record.key) {
            *it = record.clone();
        }
        Ok(())
    }

    fn remove(&self, key: &str) -> Result<(), ()> {
        self.0.borrow_mut().remove(key);
        Ok(())
    }

    fn free(&self, group: Group, task: &str) -> Result<Vec<i64>, ()> {
        let mut records = self.0.borrow_mut();
        let its = records.values_mut().filter(|it| it.group == group && it.task.as_deref() == Some(task));
        Ok(its.map(|it| std::mem::take(&mut it.slot_until)).collect())
    }

    fn prune(&self, before: i64) -> Result<bool, ()> {
        self.0.borrow_mut().retain(|_, it| it.created_at > before);
        Ok(!self.0.borrow().is_empty())
    }

    fn counted(&self, since: i64, now: i64) -> Result<CountedTimes, ()> {
        let records = self.0.borrow();
        let of = |group| {
            records.values().filter(|it| it.group == group && it.created_at > since).map(|it| it.created_at).collect()
        };
        let slots = records.values().map(|it| it.slot_until).filter(|it| *it > now).collect();
        Ok(CountedTimes { generate: of(Group::Generate), process: of(Group::Process), slots })
    }
}

/// What may happen next.
#[derive(Clone, Debug)]
enum Step {
    /// A caller requests a create, by key and body.
    Create(u8, u8),
    /// The upstream responds to one that is in progress.
    Respond(u8, Fate),
    /// The ledger is interrupted, and its requests with it; its storage survives.
    Interrupt,
    /// A task ends.
    Finish(u8),
    /// Minutes pass.
    Wait(u16),
    /// The alarm fires.
    Prune,
}

#[derive(Clone, Copy, Debug)]
enum Fate {
    Made,
    Rejected,
    Unknown,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let fate = prop_oneof![3 => Just(Fate::Made), 1 => Just(Fate::Rejected), 1 => Just(Fate::Unknown)];
    let step = prop_oneof![
        6 => (0..6_u8, 0..2_u8).prop_map(|(key, body)| Step::Create(key, body)),
        5 => (0..6_u8, fate).prop_map(|(key, fate)| Step::Respond(key, fate)),
        1 => Just(Step::Interrupt),
        2 => (0..6_u8).prop_map(Step::Finish),
        3 => (0..1000_u16).prop_map(Step::Wait),
        1 => Just(Step::Prune),
    ];
    prop::collection::vec(step, 1..120)
}

/// A ledger, the upstream behind it, and what that may have charged.
#[derive(Default)]
struct World {
    stored: Memory,
    policy: Option<LedgerPolicy<Memory>>,
    now: i64,
    in_progress: BTreeMap<String, CreateRecord>,
    /// When the upstream may have charged, by key.
    charged: BTreeMap<String, Vec<i64>>,
    /// Running tasks, and when they were created.
    running: BTreeMap<String, i64>,
}

fn group_of(key: &str) -> Group {
    if key.ends_with(['0', '1']) { Group::Process } else { Group::Generate }
}

const BUDGET: Budget = Budget { creates: Some(5), generate: Some(4), process: None, in_flight: Some(2) };

impl World {
    fn create(&mut self, key: u8, body: u8) {
        let key = format!("key {key}");
        let group = group_of(&key);
        let is_in_progress = self.in_progress.contains_key(&key);
        let policy = self.policy.as_ref().expect("a policy");
        let fingerprint = format!("body {body}");
        let attempt = CreateAttempt { key: &key, fingerprint: &fingerprint, group, budget: &BUDGET, is_in_progress };
        let admission = policy.admit(attempt, self.now).expect("no errors");
        match admission {
            // From here on the upstream may charge, whatever happens to the ledger.
            Admission::Granted(record) => {
                assert_eq!(self.in_progress.insert(key.clone(), record), None, "submitted twice at once");
                self.charged.entry(key).or_default().push(self.now);
            }
            Admission::InProgress => assert!(is_in_progress),
            Admission::Interrupted(record) => {
                assert!(!is_in_progress);
                let outcome = "unknown".to_owned();
                policy
                    .settle(record, Settlement::Kept { outcome, task: None, is_running: true }, self.now)
                    .expect("no errors");
            }
            Admission::Settled(outcome) => assert!(!outcome.is_empty() && !is_in_progress),
            Admission::KeyReused => {}
            Admission::Exhausted(limit) => assert!(limit.left == 0 && limit.reset > 0, "{limit:?}"),
        }
        self.check();
    }

    fn respond(&mut self, key: u8, fate: Fate) {
        let key = format!("key {key}");
        let Some(record) = self.in_progress.remove(&key) else { return };
        let settlement = match fate {
            Fate::Made => {
                self.running.insert(format!("task of {key} at {}", self.now), self.now);
                let task = Some(format!("task of {key} at {}", self.now));
                Settlement::Kept { outcome: "made".into(), task, is_running: true }
            }
            Fate::Unknown => Settlement::Kept { outcome: "unknown".into(), task: None, is_running: true },
            Fate::Rejected => {
                self.charged.entry(key.clone()).or_default().pop();
                Settlement::Released
            }
        };
        self.policy.as_ref().expect("a policy").settle(record, settlement, self.now).expect("no errors");
    }

    /// Time passes; the deadline of a request to the upstream is ten minutes at most.
    fn wait(&mut self, minutes: u16) {
        if minutes >= 10 {
            (0..6).for_each(|key| self.respond(key, Fate::Unknown));
        }
        self.now += i64::from(minutes) * 60_000;
    }

    fn finish(&mut self, nth: u8) {
        if let Some(task) = self.running.keys().nth(nth.into()).cloned() {
            self.running.remove(&task);
            let group = group_of(task.split(" at ").next().unwrap_or_default());
            self.policy.as_ref().expect("a policy").free(group, &task).expect("no errors");
        }
    }

    /// The ledger is interrupted: a new one starts with the stored creates.
    fn interrupt(&mut self) {
        self.in_progress.clear();
        self.policy = Some(LedgerPolicy::new(self.stored.clone()));
    }

    /// At most one charge for a key, and never more than the budget, in any 24 hours; and the usage in memory equals the
    /// stored one.
    fn check(&self) {
        for group in Group::ALL {
            let limits = |policy: &LedgerPolicy<Memory>| policy.limits(group, &BUDGET, self.now);
            assert_eq!(self.policy.as_ref().map(limits), Some(limits(&LedgerPolicy::new(self.stored.clone()))));
        }
        for (key, times) in &self.charged {
            assert!(
                times.windows(2).all(|it| it[1] - it[0] >= RETENTION_MS),
                "{key} may have been charged twice: {times:?}"
            );
        }
        let within_a_day = |it: &&i64| **it > self.now - RETENTION_MS;
        let all = self.charged.values().flatten().filter(within_a_day).count();
        assert!(all <= BUDGET.creates.expect("limited") as usize, "{all} creates");
        let generate = self.charged.iter().filter(|it| !it.0.ends_with(['0', '1'])).flat_map(|it| it.1);
        let generate = generate.filter(within_a_day).count();
        assert!(generate <= BUDGET.generate.expect("limited") as usize, "{generate} of generate");
        let in_flight = self.running.values().filter(|it| **it > self.now - SLOT_MS).count();
        assert!(in_flight <= BUDGET.in_flight.expect("limited") as usize, "{in_flight} in flight");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3_000, rng_seed: RngSeed::Fixed(20), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn one_charge_for_a_key_and_none_beyond_the_budget(steps in steps()) {
        let mut world = World { now: 1_800_000_000_000, ..World::default() };
        world.interrupt();
        for step in steps {
            match step {
                Step::Create(key, body) => world.create(key, body),
                Step::Respond(key, fate) => world.respond(key, fate),
                Step::Interrupt => world.interrupt(),
                Step::Finish(nth) => world.finish(nth),
                Step::Wait(minutes) => world.wait(minutes),
                Step::Prune => drop(world.policy.as_ref().expect("a policy").prune(world.now)),
            }
        }
        // Every reservation ends: once nothing is in progress and a day has passed, every limit is unused.
        world.in_progress.clear();
        world.now += RETENTION_MS;
        let policy = world.policy.take().expect("a policy");
        let limits = policy.limits(Group::Generate, &BUDGET, world.now).expect("no errors");
        prop_assert!(limits.iter().all(|it| it.left == it.max), "{limits:?}");
        prop_assert_eq!(policy.prune(world.now), Ok(false));
    }
}
