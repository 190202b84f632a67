//! A budget that differs from the one of the create before, as with a new token.

use mediagate_core::Group;
use mediagate_worker::identity::{Budget, Limit, LimitName};
use mediagate_worker::ledger::policy::{Admission, CreateAttempt, LedgerPolicy};

use super::memory::Memory;

const NOW: i64 = 1_800_000_000_000;

#[test]
fn waiting_helps_unless_the_new_budget_allows_nothing() {
    let policy = LedgerPolicy::new(Memory::default());
    let admit = |key: &'static str, budget: &Budget| {
        let group = Group::Generate;
        policy.admit(CreateAttempt { key, fingerprint: "body", group, budget, is_in_progress: false }, NOW)
    };
    assert!(matches!(admit("first", &Budget::default()), Ok(Admission::Granted(_))));
    for (max, reset) in [(1, 86_400), (0, 0)] {
        let limit = Limit { name: LimitName::Creates, max: max.into(), left: 0, reset };
        let budget = Budget { creates: Some(max), ..Budget::default() };
        assert_eq!(admit("second", &budget), Ok(Admission::Exhausted(limit)));
    }
}
