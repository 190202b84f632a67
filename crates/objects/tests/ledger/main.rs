//! The ledger's policy under random schedules: repeated creates, other bodies, interruptions, late
//! responses, and passing time. A reference model predicts each decision.

mod budgets;
mod failures;
mod memory;
mod model;
#[path = "../../../core/tests/seed/mod.rs"]
mod seed;
mod world;

use std::collections::BTreeSet;

use mediagate_access::identity::{Budget, Credits, Item, Taking};
use mediagate_core::Group;
use mediagate_objects::ledger::store::CreateRecord;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use world::{Fate, World};

/// A create of the group `generate`, with the body `body`.
fn create(key: &str, now: i64) -> CreateRecord {
    CreateRecord {
        fingerprint: Some("body".to_owned()),
        ..CreateRecord::unsettled(key.to_owned(), Group::Generate, now)
    }
}

#[derive(Clone, Debug)]
enum Step {
    /// A caller requests a create, by key and body.
    Create(u8, u8),
    Reserve(u8),
    Release(u8),
    /// A reserved create, by key, gets an outcome, and a running task if true.
    Charge(u8, bool),
    CheckPool(&'static str),
    Take(Taking),
    /// The upstream responds to a create, by key, with a cost of so many credits.
    Respond(u8, Fate, Option<u64>),
    Interrupt,
    /// A running task ends. If false, a task of another group with an equal id ends instead.
    /// Its record may have a cost.
    Finish(usize, bool, Option<u64>),
    Wait(i64),
    /// Time passes until something expires, plus some milliseconds.
    WaitForChange(i64),
    Prune,
    /// The clock jumps some milliseconds ahead, and back.
    Jump(i64),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let fates = [
        Fate::Running,
        Fate::Running,
        Fate::Ended,
        Fate::Rejected,
        Fate::Unknown,
    ];
    let key = || 0..6_u8;
    let body = prop::sample::select(vec![0, 0, 0, 1]);
    let fate = prop::sample::select(fates.to_vec());
    let cost = || prop::option::of(prop::sample::select(vec![0, 1, 3, 9]));
    let task = (0..4_usize, any::<bool>(), cost());
    let step = prop_oneof![
        10 => (key(), body).prop_map(|(key, body)| Step::Create(key, body)),
        2 => (0..2_u8).prop_map(Step::Reserve),
        1 => (0..2_u8).prop_map(Step::Release),
        1 => (0..2_u8, any::<bool>()).prop_map(|(key, is_running)| Step::Charge(key, is_running)),
        1 => prop::sample::select(vec!["key 1", "reserved", "other"]).prop_map(Step::CheckPool),
        2 => taking().prop_map(Step::Take),
        8 => (key(), fate, cost()).prop_map(|(key, fate, cost)| Step::Respond(key, fate, cost)),
        1 => Just(Step::Interrupt),
        2 => task.prop_map(|(nth, of_its_group, cost)| Step::Finish(nth, of_its_group, cost)),
        2 => (0..90_000_000_i64).prop_map(Step::Wait),
        2 => (0..3_000_000_i64).prop_map(Step::Wait),
        3 => (-1..=1_i64).prop_map(Step::WaitForChange),
        1 => Just(Step::Prune),
        1 => (0..200_000_000_i64).prop_map(Step::Jump),
    ];
    prop::collection::vec(step, 1..100)
}

fn taking() -> impl Strategy<Value = Taking> {
    let max = |most: u64| prop::option::weighted(0.8, 0..most);
    let upload = (0..=1_u64, 0..50_u64, max(4), max(120));
    let upload = upload.prop_map(|(count, bytes, max, max_bytes)| Taking {
        item: Item::Upload,
        count,
        bytes,
        max,
        max_bytes,
    });
    let estimate = max(4).prop_map(|max| Taking {
        item: Item::Estimate,
        count: 1,
        bytes: 0,
        max,
        max_bytes: None,
    });
    prop_oneof![2 => upload, 1 => estimate]
}

fn budget() -> impl Strategy<Value = Budget> {
    let limit = || prop::option::weighted(0.7, 0..7_u32);
    let credits = prop::option::weighted(0.5, 0..20_u64);
    (limit(), limit(), limit(), limit(), credits).prop_map(
        |(creates, generate, process, in_flight, credits)| Budget {
            creates,
            generate,
            process,
            in_flight,
            credits: credits.map(Credits::from_millionths),
        },
    )
}

fn run(budget: Budget, steps: Vec<Step>) -> World {
    let mut world = World::new(budget);
    for step in steps {
        match step {
            Step::Create(key, body) => world.create(key, body),
            Step::Reserve(key) => world.reserve(key),
            Step::Release(key) => world.release(key),
            Step::Charge(key, is_running) => world.charge(key, is_running),
            Step::CheckPool(prefix) => world.check_pool(prefix),
            Step::Take(taking) => world.take(&taking),
            Step::Respond(key, fate, cost) => world.respond(key, fate, cost),
            Step::Interrupt => world.interrupt(),
            Step::Finish(nth, of_its_group, cost) => world.finish(nth, of_its_group, cost),
            Step::Wait(milliseconds) => world.wait(milliseconds),
            Step::WaitForChange(difference) => world.wait_for_change(difference),
            Step::Prune => world.prune(),
            Step::Jump(milliseconds) => world.jump(milliseconds),
        }
        world.check();
    }
    world
}

proptest! {
    #![proptest_config(seed::config(500))]

    #[test]
    fn every_decision_is_the_models(budget in budget(), steps in steps()) {
        run(budget, steps).end();
    }
}

// The property above proves little unless its schedules reach every decision.
#[test]
fn random_schedules_lead_to_every_decision() {
    let mut runner = TestRunner::new(seed::config(1));
    let mut seen = BTreeSet::new();
    for _ in 0..200 {
        let (budget, steps) = (budget(), steps())
            .new_tree(&mut runner)
            .expect("a schedule")
            .current();
        seen.extend(run(budget, steps).decisions.into_keys());
    }
    let every = [
        "creates",
        "credits",
        "estimates",
        "generate",
        "granted",
        "in progress",
        "in_flight",
        "interrupted",
        "key reused",
        "pool has room",
        "pool used up",
        "process",
        "replayed",
        "taken",
        "upload_bytes",
        "uploads",
    ];
    assert_eq!(seen.into_iter().collect::<Vec<_>>(), every);
}
