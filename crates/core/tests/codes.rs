//! Codes, outcomes and the names of the other closed lists.

use Outcome::{Rejected, Unknown};
use mediagate_core::{AssetCategory, Code, FileKind, Group, Kind, Outcome, Type};

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
    for number in [
        -1,
        1,
        11,
        14,
        15,
        17,
        98,
        100,
        1400,
        1406,
        1411,
        i32::MIN,
        i32::MAX,
    ] {
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

#[test]
fn outcomes_and_groups_have_their_names_on_the_wire() {
    assert_eq!(
        [Outcome::NotSent, Rejected, Unknown].map(Outcome::name),
        ["not_sent", "rejected", "unknown"]
    );
    assert_eq!(Group::ALL.map(Group::name), ["generate", "process"]);
    assert_eq!(
        Group::ALL.map(|group| Group::named(group.name())),
        Group::ALL.map(Some)
    );
    assert_eq!(["", "Generate", "generate/"].map(Group::named), [None; 3]);
}

#[test]
fn a_file_input_offers_files_of_the_fields_kind() {
    let kinds = [
        FileKind::Image,
        FileKind::Video,
        FileKind::Audio,
        FileKind::Pdf,
    ];
    assert_eq!(
        kinds.map(FileKind::accept),
        ["image/*", "video/*", "audio/*", "application/pdf"]
    );
}

#[test]
fn messages_name_what_is_expected_and_what_was_found() {
    let whole = [
        Kind::Integer,
        Kind::PositiveInteger,
        Kind::Int32,
        Kind::PositiveInt32,
    ];
    assert_eq!(whole.map(Kind::expected), ["a whole number"; 4]);
    let assets = [AssetCategory::Avatar, AssetCategory::Voice]
        .map(|category| Kind::Asset(category).expected());
    assert_eq!(
        assets,
        ["the id of an avatar asset", "the id of a voice asset"]
    );
    let found = [
        Type::Null,
        Type::Boolean,
        Type::Number,
        Type::Text,
        Type::List,
        Type::Object,
        Type::Blob,
        Type::Other,
    ];
    let words = [
        "null",
        "a boolean",
        "a number",
        "a string",
        "a list",
        "an object",
        "a file",
        "not a JSON value",
    ];
    assert_eq!(found.map(Type::described), words);
}
