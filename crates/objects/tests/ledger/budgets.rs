//! A budget that changes between creates, as with a new token, and a clock that is set back.

use mediagate_access::identity::{Budget, Limit, LimitName};
use mediagate_core::Group;
use mediagate_objects::ledger::policy::{Admission, LedgerPolicy};

use super::create;
use super::memory::Memory;

const NOW: i64 = 1_800_000_000_000;

#[test]
fn waiting_helps_unless_the_new_budget_allows_nothing() {
    let policy = LedgerPolicy::new(Memory::default());
    let admit = |key, budget: &Budget| policy.admit(create(key, NOW), budget, false, false);
    assert!(matches!(
        admit("first", &Budget::default()),
        Ok(Admission::Granted { .. })
    ));
    for (max, reset) in [(1, 86_400), (0, 0)] {
        let limit = Limit {
            name: LimitName::Creates,
            max: max.into(),
            left: 0,
            reset,
        };
        let budget = Budget {
            creates: Some(max),
            ..Budget::default()
        };
        assert_eq!(admit("second", &budget), Ok(Admission::Exhausted(limit)));
    }
}

#[test]
fn a_clock_that_jumps_a_day_ahead_and_back_forgets_nothing() {
    let policy = LedgerPolicy::new(Memory::default());
    let budget = Budget {
        creates: Some(2),
        in_flight: Some(2),
        ..Budget::default()
    };
    let admit = |key| policy.admit(create(key, NOW), &budget, false, false);
    for key in ["first", "second"] {
        assert!(matches!(admit(key), Ok(Admission::Granted { .. })));
    }
    let left = |now| -> Vec<u64> {
        let limits = policy.limits(Group::Generate, &budget, now);
        let limits = limits.expect("no errors");
        limits.into_iter().map(|limit| limit.left).collect()
    };
    for ahead in [1, 1_800_000, 86_400_000, 400_000_000] {
        left(NOW + ahead);
        assert_eq!(left(NOW), [0, 0], "{ahead} ms ahead");
        assert!(
            matches!(admit("third"), Ok(Admission::Exhausted(_))),
            "{ahead} ms ahead"
        );
    }
    assert_eq!(left(NOW + 86_400_000), [2, 2]);
}
