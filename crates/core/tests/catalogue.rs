//! The catalogue agrees with the document.

use mediagate_core::{CAPABILITIES, Code, Kind, Severity, by_path, find, validate};
use serde_json::{Value, json};

fn example(capability: &mediagate_core::Capability, all: bool) -> Value {
    let fields = capability
        .fields()
        .filter(|field| all || field.required || capability.any_of.contains(&field.name));
    let parse = |text: &str| text.parse::<Value>().expect("JSON");
    fields
        .map(|field| (field.name, parse(field.example_json())))
        .collect()
}

#[test]
fn a_path_names_the_group_the_medium_and_the_capability() {
    for capability in CAPABILITIES {
        let segments = [
            capability.group().name(),
            capability.medium(),
            capability.name(),
        ];
        assert_eq!(segments.join("/"), capability.path);
        assert!(find(capability.name()).is_some_and(|found| std::ptr::eq(found, *capability)));
        assert!(by_path(capability.path).is_some_and(|found| std::ptr::eq(found, *capability)));
        for field in capability.fields() {
            assert!(std::ptr::eq(
                capability.field(field.name).expect("found by name"),
                field
            ));
        }
        assert!(capability.field("file-id").is_none());
    }
    assert!(find("image_to_vide").is_none() && by_path("generate/video/").is_none());
}

#[test]
fn documents_every_capability_and_field() {
    for capability in CAPABILITIES {
        assert!(
            !capability.title.is_empty() && !capability.summary.is_empty(),
            "{}",
            capability.path
        );
        for field in capability.fields() {
            assert!(
                !field.doc.is_empty(),
                "{}.{}",
                capability.name(),
                field.name
            );
            let default = field.default.map(serde_json::from_str::<Value>);
            assert!(
                default.is_none_or(|default| default.is_ok()),
                "{}.{}",
                capability.name(),
                field.name
            );
        }
    }
}

#[test]
fn keywords_are_what_a_search_would_not_find_without_them() {
    for capability in CAPABILITIES {
        let text = [capability.title, capability.summary, capability.name()]
            .join(" ")
            .to_lowercase();
        assert!(!capability.keywords.is_empty(), "{}", capability.name());
        for word in capability.keywords {
            assert!(
                *word == word.to_lowercase() && !text.contains(word),
                "{}: {word}",
                capability.name()
            );
        }
    }
}

#[test]
fn examples_are_valid_with_and_without_the_optional_fields() {
    for capability in CAPABILITIES {
        for all in [false, true] {
            assert_eq!(
                validate(capability, &example(capability, all)),
                [],
                "{} {all}",
                capability.name()
            );
        }
    }
}

#[test]
fn a_required_field_that_is_absent_or_blank_is_an_error() {
    for capability in CAPABILITIES {
        for field in capability.fields().filter(|field| field.required) {
            let mut body = example(capability, true);
            body[field.name] = json!(" \t\u{a0}\u{3000}");
            let issues = validate(capability, &body);
            let issue = issues
                .iter()
                .find(|issue| issue.path == field.name)
                .expect(field.name);
            assert_eq!(
                issue.severity,
                Severity::Error,
                "{}.{}",
                capability.name(),
                field.name
            );
            body.as_object_mut().expect("an object").remove(field.name);
            let issues = validate(capability, &body);
            assert_eq!(issues.len(), 1);
            assert_eq!(
                (issues[0].path.as_str(), issues[0].reason.name()),
                (field.name, "missing")
            );
            assert_eq!(issues[0].severity, Severity::Error);
        }
    }
}

#[test]
fn each_text_that_is_required_must_not_be_blank() {
    let mut filled = Vec::new();
    for capability in CAPABILITIES {
        let fields = capability
            .fields()
            .filter(|field| field.kind == Kind::FilledText)
            .inspect(|field| assert!(field.required, "{}", field.name));
        filled.extend(fields.map(|field| format!("{}.{}", capability.name(), field.name)));
    }
    filled.sort();
    assert_eq!(
        filled,
        [
            "image_audio_driven.prompt_text",
            "image_to_video.prompt",
            "object_removal_by_prompt.prompt_text",
            "omni_reference_to_video.prompt",
            "text_driven.text",
            "text_to_image.prompt",
            "text_to_image_turbo.prompt",
            "text_to_video.prompt"
        ]
    );
}

#[test]
fn lists_the_documented_codes() {
    let all: Vec<_> = Code::ALL.iter().map(|row| row.0.0.to_string()).collect();
    let common = "0 12 13 16 99 1401 1404 1405 1409 1410";
    for (name, expected) in [
        ("split_pdf", common),
        ("text_to_image_turbo", common),
        ("omni_reference_to_video", "0 12 13 99 1401 1404 1409 1410"),
        (
            "image_to_video",
            "0 12 13 16 99 1401 1402 1404 1405 1409 1410",
        ),
        (
            "audio_driven",
            "0 12 13 16 99 1401 1402 1404 1405 1407 1408 1409 1410",
        ),
        ("text_driven", &all.join(" ")),
    ] {
        let mut codes = find(name).expect(name).codes.to_vec();
        codes.sort_unstable();
        let numbers: Vec<_> = codes.iter().map(|code| code.0.to_string()).collect();
        assert_eq!(numbers.join(" "), expected, "{name}");
    }
}

/// The npm package recognises the fields for files by their names.
#[test]
fn fields_for_files_have_a_name_of_their_own() {
    for capability in CAPABILITIES {
        for field in capability.fields() {
            let is_named = field.name.ends_with("file_id") || field.name.ends_with("file_ids");
            assert_eq!(field.kind.media().is_some(), is_named, "{}", field.name);
        }
    }
}
