//! The rules of the ledger under thousands of random schedules: repeats, losses, late ends, time that passes.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use mediagate_core::Group;
use mediagate_worker::ledger::book::{Admission, Book, End, Entry, KEPT_MS, SLOT_MS, Store};
use mediagate_worker::ledger::tallies::Counted;
use mediagate_worker::session::Budget;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// Storage that outlives every loss, as a Durable Object's does.
#[derive(Clone, Default)]
struct Memory(Rc<RefCell<BTreeMap<String, Entry>>>);

impl Store for Memory {
    type Error = ();

    fn find(&self, key: &str) -> Result<Option<Entry>, ()> {
        Ok(self.0.borrow().get(key).cloned())
    }

    fn insert(&self, entry: &Entry) -> Result<bool, ()> {
        let is_new = !self.0.borrow().contains_key(&entry.key);
        if is_new {
            self.put(entry)?;
        }
        Ok(is_new)
    }

    fn put(&self, entry: &Entry) -> Result<(), ()> {
        self.0.borrow_mut().insert(entry.key.clone(), entry.clone());
        Ok(())
    }

    fn update(&self, entry: &Entry) -> Result<(), ()> {
        if let Some(it) = self.0.borrow_mut().get_mut(&entry.key) {
            *it = entry.clone();
        }
        Ok(())
    }

    fn remove(&self, key: &str) -> Result<(), ()> {
        self.0.borrow_mut().remove(key);
        Ok(())
    }

    fn free(&self, group: Group, task: &str) -> Result<Vec<i64>, ()> {
        let mut entries = self.0.borrow_mut();
        let its = entries.values_mut().filter(|it| it.group == group && it.task.as_deref() == Some(task));
        Ok(its.map(|it| std::mem::take(&mut it.slot_until)).collect())
    }

    fn forget(&self, before: i64) -> Result<bool, ()> {
        self.0.borrow_mut().retain(|_, it| it.at > before);
        Ok(!self.0.borrow().is_empty())
    }

    fn counted(&self, since: i64, now: i64) -> Result<Counted, ()> {
        let entries = self.0.borrow();
        let of = |group| entries.values().filter(|it| it.group == group && it.at > since).map(|it| it.at).collect();
        let slots = entries.values().map(|it| it.slot_until).filter(|it| *it > now).collect();
        Ok(Counted { generate: of(Group::Generate), process: of(Group::Process), slots })
    }
}

/// What may happen next.
#[derive(Clone, Debug)]
enum Step {
    /// A caller asks for a create, by key and body.
    Ask(u8, u8),
    /// The service answers one that is under way.
    Answer(u8, Fate),
    /// The ledger is lost, and what it was asking for with it; its storage is not.
    Lose,
    /// A task ends.
    Finish(u8),
    /// Minutes pass.
    Wait(u16),
    /// The alarm rings.
    Forget,
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
        6 => (0..6_u8, 0..2_u8).prop_map(|(key, body)| Step::Ask(key, body)),
        5 => (0..6_u8, fate).prop_map(|(key, fate)| Step::Answer(key, fate)),
        1 => Just(Step::Lose),
        2 => (0..6_u8).prop_map(Step::Finish),
        3 => (0..1000_u16).prop_map(Step::Wait),
        1 => Just(Step::Forget),
    ];
    prop::collection::vec(step, 1..120)
}

/// A ledger, the service behind it, and what that may have charged.
#[derive(Default)]
struct World {
    stored: Memory,
    book: Option<Book<Memory>>,
    now: i64,
    under_way: BTreeMap<String, Entry>,
    /// Moments at which the service may have charged, by key.
    charged: BTreeMap<String, Vec<i64>>,
    /// Tasks that run, with the moment they were made.
    running: BTreeMap<String, i64>,
}

fn group_of(key: &str) -> Group {
    if key.ends_with(['0', '1']) { Group::Process } else { Group::Generate }
}

const BUDGET: Budget = Budget { creates: Some(5), generate: Some(4), process: None, in_flight: Some(2) };

impl World {
    fn ask(&mut self, key: u8, body: u8) {
        let key = format!("key {key}");
        let group = group_of(&key);
        let under_way = self.under_way.contains_key(&key);
        let book = self.book.as_ref().expect("a book");
        let admission =
            book.admit(&key, &format!("body {body}"), group, &BUDGET, under_way, self.now).expect("no errors");
        match admission {
            // From here on the service may charge, whatever becomes of the ledger.
            Admission::Granted(entry) => {
                assert_eq!(self.under_way.insert(key.clone(), entry), None, "asked for twice at once");
                self.charged.entry(key).or_default().push(self.now);
            }
            Admission::UnderWay => assert!(under_way),
            Admission::Interrupted(entry) => {
                assert!(!under_way);
                let answer = "unknown".to_owned();
                book.settle(entry, End::Kept { answer, task: None, busy: true }, self.now).expect("no errors");
            }
            Admission::Answered(answer) => assert!(!answer.is_empty() && !under_way),
            Admission::OtherBody => {}
            Admission::Exhausted(limit) => assert!(limit.left == 0 && limit.reset > 0, "{limit:?}"),
        }
        self.check();
    }

    fn answer(&mut self, key: u8, fate: Fate) {
        let key = format!("key {key}");
        let Some(entry) = self.under_way.remove(&key) else { return };
        let end = match fate {
            Fate::Made => {
                self.running.insert(format!("task of {key} at {}", self.now), self.now);
                let task = Some(format!("task of {key} at {}", self.now));
                End::Kept { answer: "made".into(), task, busy: true }
            }
            Fate::Unknown => End::Kept { answer: "unknown".into(), task: None, busy: true },
            Fate::Rejected => {
                self.charged.entry(key.clone()).or_default().pop();
                End::Released
            }
        };
        self.book.as_ref().expect("a book").settle(entry, end, self.now).expect("no errors");
    }

    /// Time passes; the deadline of a call to the service is ten minutes at most.
    fn wait(&mut self, minutes: u16) {
        if minutes >= 10 {
            (0..6).for_each(|key| self.answer(key, Fate::Unknown));
        }
        self.now += i64::from(minutes) * 60_000;
    }

    fn finish(&mut self, nth: u8) {
        if let Some(task) = self.running.keys().nth(nth.into()).cloned() {
            self.running.remove(&task);
            let group = group_of(task.split(" at ").next().unwrap_or_default());
            self.book.as_ref().expect("a book").free(group, &task).expect("no errors");
        }
    }

    /// The ledger is lost: another one begins with what was written down.
    fn lose(&mut self) {
        self.under_way.clear();
        self.book = Some(Book::new(self.stored.clone()));
    }

    /// At most one charge for a key, and never more than the budget, in any day; and what is counted in memory is what
    /// was written down.
    fn check(&self) {
        for group in Group::ALL {
            let limits = |book: &Book<Memory>| book.limits(group, &BUDGET, self.now);
            assert_eq!(self.book.as_ref().map(limits), Some(limits(&Book::new(self.stored.clone()))));
        }
        for (key, moments) in &self.charged {
            assert!(
                moments.windows(2).all(|it| it[1] - it[0] >= KEPT_MS),
                "{key} may have been charged twice: {moments:?}"
            );
        }
        let within_a_day = |it: &&i64| **it > self.now - KEPT_MS;
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
        world.lose();
        for step in steps {
            match step {
                Step::Ask(key, body) => world.ask(key, body),
                Step::Answer(key, fate) => world.answer(key, fate),
                Step::Lose => world.lose(),
                Step::Finish(nth) => world.finish(nth),
                Step::Wait(minutes) => world.wait(minutes),
                Step::Forget => drop(world.book.as_ref().expect("a book").forget(world.now)),
            }
        }
        // Every reservation ends: once nothing is under way and a day has passed, everything is free again.
        world.under_way.clear();
        world.now += KEPT_MS;
        let book = world.book.take().expect("a book");
        let limits = book.limits(Group::Generate, &BUDGET, world.now).expect("no errors");
        prop_assert!(limits.iter().all(|it| it.left == it.most), "{limits:?}");
        prop_assert_eq!(book.forget(world.now), Ok(false));
    }
}
