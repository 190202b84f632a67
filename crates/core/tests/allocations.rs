//! Allocations, counted: the same on every machine, and held to the budgets of `tests/bench/budgets.json`.

use allocation_counter::measure;
use mediagate_core::response::{Expects, Response, decode};
use mediagate_core::{CAPABILITIES, Capability, validate};
use serde_json::{Value, json};

/// The prefix of the names of these budgets; `tests/bench` measures the others.
const PREFIX: &str = "core: ";

fn example(capability: &Capability) -> Value {
    let members = capability.fields().map(|it| {
        (
            it.name.to_owned(),
            serde_json::from_str(it.example_json()).expect(it.name),
        )
    });
    Value::Object(members.collect())
}

fn allocations(work: impl FnOnce()) -> u64 {
    measure(work).count_total
}

/// The measured counts, by the names of their budgets.
fn counts() -> Vec<(&'static str, u64)> {
    let examples: Vec<_> = CAPABILITIES.iter().map(|it| (*it, example(it))).collect();
    let files: Vec<_> = (0..1000).map(|it| format!("file-{it}")).collect();
    let list = json!({ "input_file_ids": files });
    let merge = CAPABILITIES
        .iter()
        .find(|it| it.name() == "merge_pdf")
        .expect("a capability");
    let response = json!({"code": 0, "message": "ok", "data": {"task": {"id": "t", "status": "RUNNING", "progress": 40}}});
    vec![
        (
            "core: validate every capability, allocations",
            allocations(|| {
                examples
                    .iter()
                    .for_each(|(it, body)| assert_eq!(validate(it, body), []))
            }),
        ),
        (
            "core: validate 1,000 files, allocations",
            allocations(|| assert_eq!(validate(merge, &list), [])),
        ),
        (
            "core: read an answer, allocations",
            allocations(|| {
                assert!(matches!(
                    decode(200, Some(&response), Expects::Task),
                    Response::Task(_)
                ))
            }),
        ),
    ]
}

#[test]
fn allocations_are_within_their_budgets() {
    let budgets: Value =
        serde_json::from_str(include_str!("../../../tests/bench/budgets.json")).expect("JSON");
    let counts = counts();
    let over = counts.iter().filter(|(name, count)| {
        budgets[name]["most"]
            .as_u64()
            .is_none_or(|most| *count > most)
    });
    assert_eq!(
        over.collect::<Vec<_>>(),
        Vec::<&(&str, u64)>::new(),
        "over budget, or without one"
    );
    let known = budgets
        .as_object()
        .expect("an object")
        .keys()
        .filter(|it| it.starts_with(PREFIX))
        .count();
    assert_eq!(known, counts.len(), "every budget of the core is measured");
}
