//! Constants that Rust and a script both write down, where no type compares them: those that differ would let one refuse
//! what the other accepts.

#![expect(clippy::panic, reason = "tests fail by panicking")]

use std::fs;
use std::path::Path;

use mediagate_worker::ledger::policy::RETENTION_MS;

/// A constant's file and name in Rust, and in a script.
type Pair = ((&'static str, &'static str), (&'static str, &'static str));

const PAIRS: &[Pair] = &[
    (("crates/core/src/events.rs", "MAX_EVENT_BYTES"), ("crates/browser/src/events.js", "MAX_LENGTH")),
    (("crates/mediagate/src/platform/network.rs", "MIN_SPEED"), ("crates/browser/src/network.js", "MIN_SPEED")),
    (("crates/worker/src/auth/verifier.rs", "MAX_LIFETIME_S"), ("pkg/server-claims.js", "MAX_LIFETIME_S")),
    (("crates/worker/src/auth/verifier.rs", "MAX_LIFETIME_S"), ("gateway/src/commands/token.js", "MAX_SECONDS")),
];

#[test]
fn a_constant_of_a_script_is_that_of_rust() {
    for ((rust, rust_name), (script, script_name)) in PAIRS {
        let (in_rust, in_script) = (value(rust, rust_name), value(script, script_name));
        assert_eq!(in_rust, in_script, "{rust_name} of {rust} and {script_name} of {script}");
    }
}

#[test]
fn a_create_is_kept_for_an_hour_less_than_its_key() {
    let factors = value("pkg/store-creates.js", "KEY_LIFETIME_MS");
    let lifetime: i64 = factors.split(" * ").map(|it| it.parse::<i64>().unwrap()).product();
    assert_eq!(lifetime + 3_600_000, RETENTION_MS);
}

/// What a file assigns to a constant, without what differs between the languages alone.
fn value(file: &str, name: &str) -> String {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(file));
    let text = text.unwrap_or_else(|error| panic!("{file} cannot be read: {error}"));
    let line = text.lines().find_map(|it| {
        let (_, rest) = it.split_once("const ")?;
        let rest = rest.strip_prefix(name)?;
        rest.starts_with([':', ' ']).then_some(rest)
    });
    let line = line.unwrap_or_else(|| panic!("{file} has no constant {name}"));
    let (_, value) = line.split_once("= ").expect("a value");
    let value = value.trim_end_matches(';').replace('_', "");
    value.strip_suffix(".0").map_or(value.clone(), str::to_owned)
}
