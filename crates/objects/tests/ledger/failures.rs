//! Failing storage. Nothing is granted while it fails, and the counts in memory remain equal to the
//! stored counts.

use mediagate_access::identity::{Budget, Item, Taking};
use mediagate_core::Group;
use mediagate_objects::ledger::policy::{Admission, LedgerPolicy, Settlement};
use mediagate_objects::ledger::store::RETENTION_MS;
use mediagate_objects::ledger::store::{CreateRecord, KeptCreate};

use super::create;
use super::memory::Memory;

const NOW: i64 = 1_800_000_000_000;
const BUDGET: Budget = Budget {
    creates: Some(3),
    generate: None,
    process: None,
    in_flight: Some(3),
    credits: None,
};

struct Ledger {
    policy: LedgerPolicy<Memory>,
    store: Memory,
}

impl Ledger {
    fn new() -> Self {
        let store = Memory::default();
        Ledger {
            policy: LedgerPolicy::new(store.clone()),
            store,
        }
    }

    fn admit(&self, key: &str, budget: &Budget, now: i64) -> Result<Admission, ()> {
        self.policy.admit(create(key, now), budget, false, false)
    }

    fn granted(&self, key: &str, now: i64) -> CreateRecord {
        match self.admit(key, &BUDGET, now) {
            Ok(Admission::Granted { record, .. }) => record,
            other => unreachable!("{other:?}"),
        }
    }

    fn while_failing<T>(&self, method: &'static str, action: impl FnOnce(&Self) -> T) -> T {
        self.store.fail(Some(method));
        let result = action(self);
        self.store.fail(None);
        result
    }

    /// Returns the numbers of creates and slots that count. Checks that memory and storage agree.
    fn used(&self, now: i64) -> Vec<u32> {
        let used = |policy: &LedgerPolicy<Memory>| -> Vec<u32> {
            let limits = policy
                .limits(Group::Generate, &BUDGET, now)
                .expect("no failure");
            limits
                .iter()
                .map(|limit| (limit.max - limit.left) as u32)
                .collect()
        };
        let in_memory = used(&self.policy);
        assert_eq!(
            in_memory,
            used(&LedgerPolicy::new(self.store.clone())),
            "as stored"
        );
        in_memory
    }
}

fn settled(outcome: &str) -> Settlement {
    Settlement::Kept(KeptCreate {
        outcome: Some(outcome.into()),
        task: Some("task".into()),
        is_running: true,
        ..KeptCreate::default()
    })
}

#[test]
fn nothing_is_granted_if_storage_fails() {
    let tomorrow = NOW + 86_400_000;
    for (method, now) in [
        ("counted", NOW),
        ("insert", NOW),
        ("find", tomorrow),
        ("forget_key", tomorrow),
    ] {
        let ledger = Ledger::new();
        if now > NOW {
            // A key that was used the day before is looked up and replaced.
            ledger.granted("key", NOW);
        }
        assert_eq!(
            ledger.while_failing(method, |ledger| ledger.admit("key", &BUDGET, now)),
            Err(()),
            "{method}"
        );
        assert_eq!(ledger.used(now), [0, 0], "{method}");
        ledger.granted("key", now);
        assert_eq!(ledger.used(now), [1, 1], "{method}");
    }
}

#[test]
fn without_a_limit_nothing_is_counted() {
    let ledger = Ledger::new();
    let admission = ledger.while_failing("counted", |ledger| {
        ledger.admit("key", &Budget::default(), NOW)
    });
    assert!(
        matches!(admission, Ok(Admission::Granted { .. })),
        "{admission:?}"
    );
}

#[test]
fn a_create_whose_outcome_is_not_stored_is_found_interrupted() {
    for (method, settlement) in [
        ("update", settled("made")),
        ("remove", Settlement::Released),
    ] {
        let ledger = Ledger::new();
        let record = ledger.granted("key", NOW);
        assert_eq!(ledger.used(NOW), [1, 1]);
        let settle = |ledger: &Ledger| {
            ledger
                .policy
                .settle(record.clone(), settlement.clone(), NOW + 5)
        };
        assert_eq!(ledger.while_failing(method, settle), Err(()), "{method}");
        assert_eq!(ledger.used(NOW + 5), [1, 1], "{method}");
        assert_eq!(
            ledger.admit("key", &BUDGET, NOW + 5),
            Ok(Admission::Interrupted(record.clone())),
            "{method}"
        );
        assert_eq!(settle(&ledger), Ok(()), "{method}");
    }
}

#[test]
fn a_create_is_stored_from_its_grant_until_it_is_released_or_old() {
    let ledger = Ledger::new();
    let has = |now| ledger.policy.has("key", now);
    assert_eq!(has(NOW), Ok(false));
    let record = ledger.granted("key", NOW);
    assert_eq!(
        (
            has(NOW),
            has(NOW + RETENTION_MS - 1),
            has(NOW + RETENTION_MS)
        ),
        (Ok(true), Ok(true), Ok(false))
    );
    assert_eq!(ledger.while_failing("find", |_| has(NOW)), Err(()));
    assert_eq!(
        ledger.policy.settle(record, Settlement::Released, NOW),
        Ok(())
    );
    assert_eq!(has(NOW), Ok(false));
}

#[test]
fn a_slot_that_is_not_freed_in_storage_stays_taken() {
    let ledger = Ledger::new();
    let record = ledger.granted("key", NOW);
    ledger
        .policy
        .settle(record, settled("made"), NOW)
        .expect("no failure");
    let free = |ledger: &Ledger| ledger.policy.free(Group::Generate, "task");
    assert_eq!(ledger.while_failing("free", free), Err(()));
    assert_eq!(ledger.used(NOW), [1, 1]);
    assert_eq!((free(&ledger), ledger.used(NOW)), (Ok(()), vec![1, 0]));
    assert_eq!(
        (free(&ledger), ledger.used(NOW)),
        (Ok(()), vec![1, 0]),
        "once is enough"
    );
}

#[test]
fn a_create_that_is_not_released_in_storage_continues_to_count() {
    for method in ["find", "remove"] {
        let ledger = Ledger::new();
        ledger.granted("key", NOW);
        let release = |ledger: &Ledger| ledger.policy.settle_key("key", Settlement::Released, NOW);
        assert_eq!(ledger.while_failing(method, release), Err(()), "{method}");
        assert_eq!(ledger.used(NOW), [1, 1], "{method}");
        assert_eq!(
            (release(&ledger), ledger.used(NOW)),
            (Ok(()), vec![0, 0]),
            "{method}"
        );
        assert_eq!(release(&ledger), Ok(()), "there is nothing left to release");
    }
}

#[test]
fn a_taking_that_is_not_stored_is_not_granted() {
    let upload = Taking {
        item: Item::Upload,
        count: 1,
        bytes: 5,
        max: Some(1),
        max_bytes: None,
    };
    for method in ["taken", "take"] {
        let ledger = Ledger::new();
        assert_eq!(
            ledger.while_failing(method, |ledger| ledger.policy.take(&upload, NOW)),
            Err(()),
            "{method}"
        );
        assert_eq!(ledger.policy.take(&upload, NOW), Ok(None), "{method}");
        assert!(
            ledger
                .policy
                .take(&upload, NOW)
                .is_ok_and(|limit| limit.is_some()),
            "{method}"
        );
    }
}
