//! Codes and outcomes.

use Outcome::{Rejected, Unknown};
use mediagate_core::{Code, Outcome};

/// Each code: its number, its name, true if a read may be retried, and the outcome of a create.
const CODES: [(i32, &str, bool, Outcome); 14] = [
    (0, "ok", false, Unknown),
    (12, "invalid_input", false, Rejected),
    (13, "unauthenticated", false, Rejected),
    (16, "rate_limit", true, Rejected),
    (99, "server_error", true, Unknown),
    (1401, "insufficient_credits", false, Rejected),
    (1402, "asset_category_mismatch", false, Rejected),
    (1403, "voice_asset_required", false, Rejected),
    (1404, "provider_error", true, Unknown),
    (1405, "provider_timeout", true, Unknown),
    (1407, "asset_locked", false, Rejected),
    (1408, "asset_expired", false, Rejected),
    (1409, "paid_plan_required", false, Rejected),
    (1410, "invalid_model", false, Rejected),
];

#[test]
fn every_documented_code_has_a_name_and_a_meaning() {
    assert_eq!(
        Code::ALL.iter().map(|row| row.0.0).collect::<Vec<_>>(),
        CODES.map(|row| row.0)
    );
    for (number, name, is_retryable, outcome) in CODES {
        let code = Code(number);
        assert_eq!(
            (code.name(), code.message()),
            (name, &*name.replace('_', " ")),
            "{number}"
        );
        assert!(code.is_documented(), "{number}");
        assert_eq!(
            (code.is_retryable(), code.outcome()),
            (is_retryable, outcome),
            "{number}"
        );
    }
}

#[test]
fn of_any_other_code_nothing_is_known() {
    for number in [-1, 1, 14, 17, 98, 100, 1400, 1406, 1411, i32::MIN, i32::MAX] {
        let code = Code(number);
        assert_eq!((code.name(), code.message()), ("unknown", ""), "{number}");
        assert!(!code.is_documented() && !code.is_retryable(), "{number}");
        assert_eq!(
            code.outcome(),
            Unknown,
            "{number}: the account may be charged"
        );
    }
}

#[test]
fn causes_that_share_a_code_differ_by_status_and_reason() {
    for (code, status, reason, cause) in [
        (13, 401, "no_token", "unauthenticated"),
        (13, 401, "", "unauthenticated"),
        (13, 403, "scope", "forbidden"),
        (13, 403, "", "forbidden"),
        (13, 502, "upstream_credentials", "upstream_credentials"),
        (16, 429, "rate_limit", "rate_limit"),
        (16, 429, "budget", "budget_exceeded"),
        (12, 403, "invalid_ticket", "invalid_input"),
        (1401, 402, "budget", "insufficient_credits"),
        (7, 403, "scope", "unknown"),
    ] {
        assert_eq!(
            Code(code).cause(status, reason),
            cause,
            "{code} {status} {reason}"
        );
    }
}
