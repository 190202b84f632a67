//! Values are read as `serde_json` reads the same JSON.

use std::collections::BTreeSet;

use mediagate_core::{CAPABILITIES, Value as CoreValue, validate};
use serde_json::{Value as Json, json};

use super::*;

fn samples() -> Vec<Json> {
    vec![
        json!(null),
        json!(true),
        json!(1.5),
        json!(-7),
        json!(18_446_744_073_709_551_615_u64),
        json!(""),
        json!("  "),
        json!("é \u{1d11e}"),
        json!([]),
        json!([1, [2, null], { "a": [] }]),
        json!({ "prompt": "a", "file_id": 12, "segments": [{ "start_time": "00:00:01", "end_time": "x" }], "seed": 0.5 }),
        json!({ "a": { "b": { "c": [true, false] } }, "": null }),
    ]
}

/// Asserts that a handle reads as the JSON that its value is of.
fn assert_reads(handle: Handle, json: &Json) {
    assert_eq!(handle.kind(), json.kind(), "{json}");
    assert_eq!(handle.text().as_deref(), json.text(), "{json}");
    assert_eq!(handle.number(), json.number(), "{json}");
    assert_eq!(handle.length(), json.length(), "{json}");
    assert_eq!(
        handle.identifier().map(|it| it.string().to_string()),
        json.identifier(),
        "{json}"
    );
    let names: BTreeSet<String> = handle.keys().map(|it| it.to_string()).collect();
    // Whether the JSON's members are in the order of its text depends on what else is compiled with this crate.
    assert_eq!(names, json.keys().map(str::to_owned).collect(), "{json}");
    names
        .iter()
        .for_each(|it| assert_reads(handle.get(it).unwrap(), json.get(it.as_str()).unwrap()));
    handle
        .items()
        .zip(json.items())
        .for_each(|(item, json)| assert_reads(item, json));
    assert!(handle.get("absent").is_none() && handle.item(99).is_none());
}

#[test]
fn values_read_as_their_json() {
    entered(&mut Table::default(), || {
        for json in samples() {
            let value = from_json(json.clone());
            assert_eq!(to_json(&value), json);
            assert_reads(hold(value), &json);
        }
    });
}

#[test]
fn inputs_are_validated_as_their_json() {
    entered(&mut Table::default(), || {
        for (capability, json) in CAPABILITIES
            .iter()
            .flat_map(|it| samples().into_iter().map(move |json| (it, json)))
        {
            let paths = |issues: Vec<mediagate_core::Issue>| {
                issues
                    .into_iter()
                    .map(|it| (it.path, it.reason))
                    .collect::<Vec<_>>()
            };
            let issues = paths(validate(capability, hold(from_json(json.clone()))));
            assert_eq!(
                issues,
                paths(validate(capability, &json)),
                "{} {json}",
                capability.name()
            );
        }
    });
}

#[test]
fn what_is_expected_of_a_task_is_no_change() {
    let value = |eta: i32, state: &str, poll_after: Option<i32>| {
        let mut json = json!({ "state": state, "raw": { "eta": { "seconds": eta } } });
        poll_after
            .into_iter()
            .for_each(|it| json["raw"]["poll_after"] = it.into());
        from_json(json)
    };
    assert!(value(1, "A", None).is_same(&value(2, "A", Some(3))));
    assert!(!value(1, "A", None).is_same(&value(1, "B", None)));
    assert!(!from_json(json!([1])).is_same(&from_json(json!([1, 2]))));
    assert!(!from_json(json!({ "raw": { "eta": 1 } })).is_same(&from_json(json!({ "raw": {} }))));
}

#[test]
fn files_and_lists_are_identical_to_themselves_alone() {
    let file = File::from_bytes("a.png", vec![1]);
    let other = File::from_bytes("a.png", vec![1]);
    assert!(Value::File(file.clone()).is_identical(&Value::File(file.clone())));
    assert!(!Value::File(file).is_identical(&Value::File(other)));
    let list = from_json(json!([]));
    assert!(list.is_identical(&list.clone()) && !list.is_identical(&from_json(json!([]))));
    assert!(from_json(json!("a")).is_identical(&from_json(json!("a"))));
}

#[test]
fn values_that_are_not_referred_to_are_swept() {
    let (mut one, mut other) = (Table::default(), Table::default());
    let in_other = entered(&mut other, || hold(Value::text("other")));
    let last = entered(&mut one, || {
        let present = hold(Value::text("present"));
        let handles: Vec<_> = (0..200).map(|_| hold(Value::Null)).collect();
        sweep(|visit| visit(present));
        assert_eq!(&*present.string(), "present");
        handles.into_iter().next_back().unwrap()
    });
    let read = std::panic::AssertUnwindSafe(|| entered(&mut one, || last.value()));
    assert!(
        std::panic::catch_unwind(read).is_err(),
        "to read a swept handle is a defect"
    );
    assert_eq!(&*entered(&mut other, || in_other.string()), "other");
}
