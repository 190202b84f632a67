//! The schemas and the validator accept the same values.

#[path = "../../core/tests/seed/mod.rs"]
mod seed;
#[path = "../../core/tests/strategies/mod.rs"]
mod strategies;

use jsonschema::Validator;
use mediagate_core::{
    CAPABILITIES, Capability, Issue, IssueReason, Severity, find, is_valid, validate,
    validate_strictly, validate_upload,
};
use mediagate_schema::{self as schema, Ids};
use proptest::prelude::*;
use serde_json::{Value, json};
use strategies::{any_json, valid_request};

/// Returns a validator for a schema, which must be a valid schema.
fn validator(schema: &Value) -> Validator {
    jsonschema::draft202012::meta::validate(schema).expect("a correct schema");
    jsonschema::draft202012::new(schema).expect("a usable schema")
}

thread_local! {
    /// A validator for each capability, in the catalogue's order. Building them takes time.
    static RAW: Vec<Validator> = CAPABILITIES
        .iter()
        .map(|capability| validator(&schema::input(capability, Ids::Raw)))
        .collect();
}

fn accepts(capability: &Capability, body: &Value) -> bool {
    let index = CAPABILITIES
        .iter()
        .position(|known| std::ptr::eq(*known, capability))
        .expect("in the catalogue");
    RAW.with(|validators| validators[index].is_valid(body))
}

/// Returns true if a body has no error that a schema can express. The document shows a size with
/// two sides, so the schema has two. The gateway only warns of another number of them.
fn valid_except_order(capability: &Capability, body: &Value) -> bool {
    let issues = validate_strictly(capability, body);
    let is_size =
        |issue: &Issue| issue.path == "video_size" && issue.reason == IssueReason::Malformed;
    issues.iter().all(|issue| {
        issue.reason == IssueReason::Order || issue.severity == Severity::Warning && !is_size(issue)
    })
}

#[test]
fn every_example_is_valid_for_both() {
    for capability in CAPABILITIES {
        for ids in [Ids::Raw, Ids::Sealed] {
            let validator = validator(&schema::input(capability, ids));
            for all_fields in [false, true] {
                let example = schema::example(capability, ids, all_fields);
                assert_eq!(validate(capability, &example), [], "{}", capability.name());
                assert!(
                    validator.is_valid(&example),
                    "{} {ids:?}: {:?}",
                    capability.name(),
                    validator.validate(&example)
                );
            }
            let whole = schema::example(capability, ids, true);
            assert_eq!(
                whole.as_object().expect("an object").len(),
                capability.fields().count()
            );
        }
    }
    assert!(validator(&schema::upload()).is_valid(&schema::upload_example()));
}

#[test]
fn every_field_has_a_description_and_a_valid_example() {
    for capability in CAPABILITIES {
        let schema = schema::input(capability, Ids::Sealed);
        for field in capability.fields() {
            let property = &schema["properties"][field.name];
            let path = format!("{}.{}", capability.name(), field.name);
            assert!(
                property["description"]
                    .as_str()
                    .is_some_and(|text| text.starts_with(field.doc)),
                "{path}"
            );
            let examples = property["examples"].as_array().expect(&path);
            let are_valid = examples
                .iter()
                .all(|example| validator(property).is_valid(example));
            assert!(!examples.is_empty() && are_valid, "{path}");
            // Generators of clients treat a field with a default as required.
            assert_eq!(property.get("default"), None, "{path}");
            let text = property["description"].as_str().expect(&path);
            assert!(
                field.default.is_none() || text.contains("By default "),
                "{path}"
            );
        }
    }
}

#[test]
fn a_description_adds_the_rules_that_the_type_does_not_express() {
    for case in "\
        image_to_video.file_id: The id of an uploaded image.
        omni_reference_to_video.video_file_ids: Ids of uploaded files (video).
        merge_pdf.input_file_ids: Ids of uploaded files (PDF).
        video_logo_removal.logo_file_id: The id of an uploaded image, or a list of ids.
        split_video.segments: None ends before it starts.
        image_to_video.aspect_ratio: Other values are the model's own.
        image_to_video.prompt:
        image_to_video.duration_seconds:"
        .lines()
    {
        let (field, rule) = case.trim().split_once(':').expect("a rule");
        let (capability, name) = field.split_once('.').expect("a field");
        let capability = find(capability).expect("known");
        let doc = capability.field(name).expect("a field").doc;
        let property = &schema::input(capability, Ids::Raw)["properties"][name];
        let text = property["description"].as_str().expect("a text");
        let without_default = text.split(" By default ").next().expect("a first part");
        assert_eq!(without_default, format!("{doc}{rule}"), "{field}");
    }
}

#[test]
fn an_example_has_the_required_fields_or_all() {
    let example =
        |name: &str, ids, all_fields| schema::example(find(name).expect("known"), ids, all_fields);
    let prompt = "the two characters meet on a bridge";
    assert_eq!(
        example("omni_reference_to_video", Ids::Raw, false),
        json!({"prompt": prompt, "image_file_ids": ["file_1"]}),
        "of those that must not all be empty, the first"
    );
    assert_eq!(
        example("image_to_video", Ids::Raw, true),
        json!({
            "file_id": "file_1", "prompt": "slow push in", "aspect_ratio": "16:9",
            "clarity": "720P", "duration_seconds": 5, "model_id": "a-model",
            "title": "My first task",
        })
    );
    assert_eq!(
        example("merge_pdf", Ids::Sealed, true),
        json!({
            "input_file_ids": [schema::SEALED_EXAMPLE],
            "model_id": "merge-pdf-default",
            "title": "My first task",
        })
    );
}

#[test]
fn the_limits_of_every_rule_are_the_same() {
    let strings = "| |\u{85}|\u{feff}|\u{1c}|\u{a0}\u{3000}|x|00:00:00|00:00:00\n|24:00:60|\
        ٠٠:٠٠:٠٠|1|0|00|01|0000000000001|1234567890|123456789|1-2,3|1-|-1|1\n|3-1|1,,2|1 |+5|-5|\
        -5dB|+5dB|5db|5.|.5|.|dB|1e5|1e123|1e+05dB|1.5.5|123456789012345678901234|\
        1234567890123456789012345|+12345678901234567890123dB";
    let strings = || strings.split('|');
    let values = r#"
        0 1 -1 -2147483648 -2147483649 1.0 1.5 2147483647 2147483648 -0.0 1e300 1e-7
        null true [] {} [1,1] [1] [1,1,1] [1,0] ["f"] [" "] [{"start_time":"00:00:00"}]
        {"x":0,"y":0,"width":1,"height":1} {"x":-1,"y":0,"width":1,"height":1}
        {"x":0,"y":0,"width":0,"height":1} {"x":0,"y":0,"width":1,"height":1,"z":0}
        {"x":0,"y":"0","width":1,"height":1} {"x":null,"y":0,"width":1,"height":1}
        {"width":1,"height":null,"w":"x"} {"width":"1"} {"x":1}
    "#;
    let values = serde_json::Deserializer::from_str(values).into_iter();
    let mut values: Vec<Value> = values.collect::<Result<_, _>>().expect("JSON");
    let times = "00:60:00 00:00:60 99:59:59 0:00:00"
        .split(' ')
        .chain(strings());
    values.extend(times.map(|time| json!([{"start_time": time, "end_time": "99:59:59"}])));
    values.extend(strings().flat_map(|text| [json!(text), json!([text])]));
    values.push(json!(vec!["f"; 1001]));
    let mut compared = 0;
    for capability in CAPABILITIES {
        for field in capability.fields() {
            for value in &values {
                let mut body = schema::example(capability, Ids::Raw, true);
                body[field.name] = value.clone();
                let expected = valid_except_order(capability, &body);
                assert_eq!(
                    accepts(capability, &body),
                    expected,
                    "{}.{}: {value}",
                    capability.name(),
                    field.name
                );
                compared += 1;
            }
        }
    }
    assert!(compared > 5000);
}

#[test]
fn the_limits_of_uploads_are_the_same() {
    let validator = validator(&schema::upload());
    let long = "x".repeat(256);
    for (name, values) in [
        ("file_name", json!(["", " ", "é", 4])),
        ("content_type", json!(["", " ", "a b", "é", "a\n", long])),
        (
            "size",
            json!([0, 1, 1.0, 1.5, "1", 9007199254740991_u64, 1e16]),
        ),
        ("other", json!([1])),
    ] {
        for value in values.as_array().expect("a list") {
            let mut body = schema::upload_example();
            body[name] = value.clone();
            assert_eq!(
                validator.is_valid(&body),
                is_valid(&validate_upload(&body)),
                "{name}: {value}"
            );
        }
    }
}

#[test]
fn only_sealed_ids_are_accepted_where_they_are_required() {
    let validator = validator(&schema::input(
        find("merge_pdf").expect("known"),
        Ids::Sealed,
    ));
    let accepts = |id: &str| validator.is_valid(&json!({"input_file_ids": [id]}));
    assert!(accepts(schema::SEALED_EXAMPLE));
    for id in [
        "",
        "file_1",
        &"a".repeat(22),
        &"a".repeat(8193),
        &format!("{}=", schema::SEALED_EXAMPLE),
    ] {
        assert!(!accepts(id), "{id}");
    }
}

#[test]
fn a_response_of_each_kind_matches_its_schema() {
    let task = json!({"id": schema::SEALED_EXAMPLE, "outputs": [], "anything": {"else": 1}});
    for capability in CAPABILITIES {
        let validator = validator(&schema::envelope(schema::created(capability)));
        let is_valid =
            |data: Value| validator.is_valid(&json!({"code": 0, "message": "ok", "data": data}));
        assert!(is_valid(json!({"task": task})) && is_valid(json!({"task": task, "asset": {}})));
        assert!(!is_valid(json!({"task": {"id": "raw", "outputs": []}})) && !is_valid(json!({})));
        assert!(!is_valid(json!({"result": {"outputs": []}})));
        let has_no_outputs = is_valid(json!({"task": task, "result": {}}));
        assert_eq!(
            has_no_outputs,
            !capability.may_omit_task,
            "the result's schema is that of {}",
            capability.name()
        );
    }
    validator(&schema::issue());
}

#[test]
fn a_task_may_have_warnings_and_content_that_was_refused() {
    let validator = validator(&schema::task());
    let is_valid = |members: Value| {
        let mut task = json!({"id": schema::SEALED_EXAMPLE, "outputs": []});
        for (name, value) in members.as_object().into_iter().flatten() {
            task[name] = value.clone();
        }
        validator.is_valid(&task)
    };
    let error = |reason: &str| json!({"error": {"message": "no", "code": 12, "reason": reason}});
    assert!(is_valid(error("content_refused")) && !is_valid(error("another")));
    assert!(is_valid(
        json!({"warnings": ["seed was ignored"], "provider": "p"})
    ));
    assert!(!is_valid(json!({"warnings": "seed was ignored"})));
}

proptest! {
    #![proptest_config(crate::seed::config(256))]

    #[test]
    fn the_schema_accepts_valid_requests((capability, body) in valid_request()) {
        prop_assert!(accepts(capability, &body), "{}: {}", capability.name(), body);
    }

    #[test]
    fn both_agree_after_one_value_changes(
        (capability, mut body) in valid_request(),
        at in any::<prop::sample::Index>(),
        value in any_json(),
    ) {
        let fields: Vec<_> = capability.fields().collect();
        body[at.get(&fields).name] = value;
        let is_valid = valid_except_order(capability, &body);
        prop_assert_eq!(accepts(capability, &body), is_valid, "{}", body);
    }

    #[test]
    fn both_agree_after_one_string_changes_or_is_removed(
        (capability, mut body) in valid_request(),
        at in any::<prop::sample::Index>(),
        text in "[0-9:,.eE+dB -]{0,12}|\\PC{0,8}",
    ) {
        let fields: Vec<_> = capability.fields().collect();
        let name = at.get(&fields).name;
        body[name] = json!(text);
        let is_valid = valid_except_order(capability, &body);
        prop_assert_eq!(accepts(capability, &body), is_valid, "{}", body);
        body.as_object_mut().expect("an object").remove(name);
        let is_valid = valid_except_order(capability, &body);
        prop_assert_eq!(accepts(capability, &body), is_valid, "{}", body);
    }

    #[test]
    fn both_agree_on_any_json(body in any_json()) {
        for capability in CAPABILITIES {
            prop_assert_eq!(accepts(capability, &body), valid_except_order(capability, &body));
        }
    }
}
