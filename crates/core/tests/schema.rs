//! The schemas and the validator are of one mind.

mod strategies;

use jsonschema::Validator;
use mediagate_core::schema::{self, Ids};
use mediagate_core::{CAPABILITIES, Capability, Kind, find, validate, validate_upload};
use proptest::prelude::*;
use serde_json::{Value, json};
use strategies::{any_json, valid_request};

/// A validator that takes nothing but a correct schema.
fn judge(schema: &Value) -> Validator {
    jsonschema::draft202012::meta::validate(schema).expect("a correct schema");
    jsonschema::draft202012::new(schema).expect("a usable schema")
}

thread_local! {
    /// One for each capability, in the catalogue's order: they take their time to be made.
    static RAW: Vec<Validator> = CAPABILITIES.iter().map(|it| judge(&schema::input(it, Ids::Raw))).collect();
}

fn accepts(capability: &Capability, body: &Value) -> bool {
    let index = CAPABILITIES.iter().position(|it| std::ptr::eq(*it, capability)).expect("in the catalogue");
    RAW.with(|it| it[index].is_valid(body))
}

/// Whether the validator finds nothing that a schema could say.
fn valid_but_for_order(capability: &Capability, body: &Value) -> bool {
    let mut body = body.clone();
    for field in capability.fields().filter(|it| it.kind == Kind::PageRange) {
        // A range on its head is put on its feet, so that nothing but its form is left to judge.
        if let Some(text) = body.get(field.name).and_then(Value::as_str).map(ascending) {
            body[field.name] = json!(text);
        }
    }
    validate(capability, &&body).iter().all(|it| it.reason == "order")
}

fn ascending(ranges: &str) -> String {
    let number = |it: &str| it.parse::<u64>().ok();
    let range = |it: &str| match it.split_once('-') {
        Some((first, last)) if number(first) > number(last) && number(last).is_some() => format!("{last}-{first}"),
        _ => it.to_owned(),
    };
    ranges.split(',').map(range).collect::<Vec<_>>().join(",")
}

#[test]
fn every_example_is_valid_for_both() {
    for capability in CAPABILITIES {
        for ids in [Ids::Raw, Ids::Sealed] {
            let judge = judge(&schema::input(capability, ids));
            for whole in [false, true] {
                let example = schema::example(capability, ids, whole);
                assert_eq!(validate(capability, &&example), [], "{}", capability.name());
                assert!(judge.is_valid(&example), "{} {ids:?}: {:?}", capability.name(), judge.validate(&example));
            }
            let whole = schema::example(capability, ids, true);
            assert_eq!(whole.as_object().expect("an object").len(), capability.fields().count());
        }
    }
    assert!(judge(&schema::upload()).is_valid(&schema::upload_example()));
}

#[test]
fn every_field_says_what_it_is_and_shows_a_valid_value() {
    for capability in CAPABILITIES {
        let schema = schema::input(capability, Ids::Sealed);
        for field in capability.fields() {
            let property = &schema["properties"][field.name];
            let place = format!("{}.{}", capability.name(), field.name);
            assert!(property["description"].as_str().is_some_and(|it| it.starts_with(field.doc)), "{place}");
            let examples = property["examples"].as_array().expect(&place);
            let shown = examples.iter().chain(property.get("default"));
            assert!(shown.clone().count() > 0 && shown.clone().all(|it| judge(property).is_valid(it)), "{place}");
            assert!(field.default.is_none() || property.get("default").is_some(), "{place}");
        }
    }
}

#[test]
fn the_edges_of_every_rule_are_the_same() {
    let strings = [
        "",
        " ",
        "\u{85}",
        "\u{feff}",
        "\u{1c}",
        "\u{a0}\u{3000}",
        "x",
        "00:00:00",
        "00:00:00\n",
        "24:00:60",
        "٠٠:٠٠:٠٠",
        "1",
        "0",
        "00",
        "01",
        "0000000000001",
        "1234567890",
        "123456789",
        "1-2,3",
        "1-",
        "-1",
        "1\n",
        "3-1",
        "1,,2",
        "1 ",
        "+5",
        "-5",
        "-5dB",
        "+5dB",
        "5db",
        "5.",
        ".5",
        ".",
        "dB",
        "1e5",
        "1e123",
        "1e+05dB",
        "1.5.5",
        "123456789012345678901234",
        "1234567890123456789012345",
        "+12345678901234567890123dB",
    ];
    let numbers = ["0", "1", "-1", "-2", "1.0", "1e0", "1.5", "2147483647", "2147483648", "-0.0", "1e300", "1e-7"];
    let mut values: Vec<Value> = strings.iter().map(|it| json!(it)).collect();
    values.extend(numbers.iter().map(|it| serde_json::from_str::<Value>(it).expect(it)));
    let times = ["00:60:00", "00:00:60", "99:59:59", "0:00:00"].iter().chain(&strings);
    values.extend(times.map(|it| json!([{"start_time": it, "end_time": "99:59:59"}])));
    values.extend(strings.iter().map(|it| json!([it])));
    let rectangle = json!({"x": 0, "y": 0, "width": 1, "height": 1});
    let with = |name: &str, value: Value| {
        let mut other = rectangle.clone();
        other[name] = value;
        other
    };
    values.extend([json!(null), json!(true), json!([]), json!({}), rectangle.clone()]);
    values.extend([with("x", json!(-1)), with("width", json!(0)), with("z", json!(0)), with("y", json!("0"))]);
    values.extend([json!([1, 1]), json!([1]), json!([1, 1, 1]), json!([1, 0]), json!(["f"]), json!([" "])]);
    values.extend([json!(vec!["f"; 1000]), json!(vec!["f"; 1001]), json!([{"start_time": "00:00:00"}])]);
    let mut compared = 0;
    for capability in CAPABILITIES {
        for field in capability.fields() {
            for value in &values {
                let mut body = schema::example(capability, Ids::Raw, true);
                body[field.name] = value.clone();
                let expected = valid_but_for_order(capability, &body);
                assert_eq!(accepts(capability, &body), expected, "{}.{}: {value}", capability.name(), field.name);
                compared += 1;
            }
        }
    }
    assert!(compared > 5000);
}

#[test]
fn uploads_have_the_same_edges() {
    let judge = judge(&schema::upload());
    let long = "x".repeat(256);
    for (name, values) in [
        ("file_name", vec![json!(""), json!(" "), json!("é"), json!(4)]),
        ("content_type", vec![json!(""), json!(" "), json!("a b"), json!("é"), json!("a\n"), json!(long)]),
        (
            "size",
            vec![json!(0), json!(1), json!(1.0), json!(1.5), json!("1"), json!(9007199254740991_u64), json!(1e16)],
        ),
        ("other", vec![json!(1)]),
    ] {
        for value in values {
            let mut body = schema::upload_example();
            body[name] = value.clone();
            assert_eq!(judge.is_valid(&body), validate_upload(&&body).is_empty(), "{name}: {value}");
        }
    }
}

#[test]
fn a_sealed_id_is_told_from_anything_else() {
    let judge = judge(&schema::input(find("merge_pdf").expect("known"), Ids::Sealed));
    let takes = |id: &str| judge.is_valid(&json!({"input_file_ids": [id]}));
    assert!(takes(schema::SEALED_EXAMPLE));
    for id in ["", "file_1", &"a".repeat(22), &"a".repeat(8193), &format!("{}=", schema::SEALED_EXAMPLE)] {
        assert!(!takes(id), "{id}");
    }
}

#[test]
fn an_answer_of_each_kind_fits_its_schema() {
    let task = json!({"id": schema::SEALED_EXAMPLE, "outputs": [], "anything": {"else": 1}});
    for capability in CAPABILITIES {
        let judge = judge(&schema::envelope(schema::created(capability)));
        let of = |data: Value| judge.is_valid(&json!({"code": 0, "message": "ok", "data": data}));
        assert!(of(json!({"task": task})) && of(json!({"task": task, "asset": {}})));
        assert!(!of(json!({"task": {"id": "raw", "outputs": []}})) && !of(json!({})));
        assert_eq!(of(json!({"result": {"outputs": []}})), capability.may_answer_without_task);
    }
    judge(&schema::issue());
}

proptest! {
    #[test]
    fn what_the_validator_takes_the_schema_takes((capability, body) in valid_request()) {
        prop_assert!(accepts(capability, &body), "{}: {}", capability.name(), body);
    }

    #[test]
    fn one_other_value_is_judged_alike((capability, mut body) in valid_request(), at in any::<prop::sample::Index>(), value in any_json()) {
        let fields: Vec<_> = capability.fields().collect();
        body[at.get(&fields).name] = value;
        prop_assert_eq!(accepts(capability, &body), valid_but_for_order(capability, &body), "{}", body);
    }

    #[test]
    fn one_text_less_or_another_is_judged_alike(
        (capability, mut body) in valid_request(),
        at in any::<prop::sample::Index>(),
        text in "[0-9:,.eE+dB -]{0,12}|\\PC{0,8}",
    ) {
        let fields: Vec<_> = capability.fields().collect();
        let name = at.get(&fields).name;
        body[name] = json!(text);
        prop_assert_eq!(accepts(capability, &body), valid_but_for_order(capability, &body), "{}", body);
        body.as_object_mut().expect("an object").remove(name);
        prop_assert_eq!(accepts(capability, &body), valid_but_for_order(capability, &body), "{}", body);
    }

    #[test]
    fn anything_is_judged_alike(body in any_json()) {
        for capability in CAPABILITIES {
            prop_assert_eq!(accepts(capability, &body), valid_but_for_order(capability, &body));
        }
    }
}
