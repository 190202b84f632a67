//! A budget that changes between creates, as with a new token, and a clock that is set back.

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
        policy.admit(
            CreateAttempt {
                key,
                fingerprint: Some("body"),
                entry: None,
                group,
                budget,
                is_in_progress: false,
            },
            NOW,
        )
    };
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
    let group = Group::Generate;
    for key in ["first", "second"] {
        let attempt = CreateAttempt {
            key,
            fingerprint: Some("body"),
            entry: None,
            group,
            budget: &budget,
            is_in_progress: false,
        };
        assert!(matches!(
            policy.admit(attempt, NOW),
            Ok(Admission::Granted { .. })
        ));
    }
    let left = |now| -> Vec<u64> {
        let limits = policy.limits(group, &budget, now).expect("no errors");
        limits.into_iter().map(|limit| limit.left).collect()
    };
    for ahead in [1, 1_800_000, 86_400_000, 400_000_000] {
        left(NOW + ahead);
        assert_eq!(left(NOW), [0, 0], "{ahead} ms ahead");
        let attempt = CreateAttempt {
            key: "third",
            fingerprint: Some("body"),
            entry: None,
            group,
            budget: &budget,
            is_in_progress: false,
        };
        assert!(
            matches!(policy.admit(attempt, NOW), Ok(Admission::Exhausted(_))),
            "{ahead} ms ahead"
        );
    }
    assert_eq!(left(NOW + 86_400_000), [2, 2]);
}
