//! The catalogue agrees with the document.

use mediagate_core::{CAPABILITIES, Code, Group, Kind, Severity, by_path, find, validate};
use serde_json::{Map, Value, json};

fn example(capability: &mediagate_core::Capability, all: bool) -> Value {
    let fields = capability
        .fields()
        .filter(|field| all || field.required || capability.any_of.contains(&field.name));
    let members = fields.map(|field| {
        (
            field.name.to_owned(),
            serde_json::from_str(field.example_json()).expect(field.name),
        )
    });
    Value::Object(members.collect::<Map<_, _>>())
}

#[test]
fn holds_8_generation_and_11_processing_capabilities() {
    let count = |group| {
        CAPABILITIES
            .iter()
            .filter(|capability| capability.group() == group)
            .count()
    };
    assert_eq!((count(Group::Generate), count(Group::Process)), (8, 11));
    for capability in CAPABILITIES {
        assert!(std::ptr::eq(
            find(capability.name()).expect("found by name"),
            *capability
        ));
        assert!(std::ptr::eq(
            by_path(capability.path).expect("found by path"),
            *capability
        ));
    }
    assert!(find("image_to_vide").is_none());
    assert!(by_path("generate/video/").is_none());
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
        for field in capability.fields() {
            assert!(std::ptr::eq(
                capability.field(field.name).expect("found by name"),
                field
            ));
        }
        assert!(capability.field("file-id").is_none());
    }
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
fn a_required_field_that_is_absent_or_blank_is_an_issue() {
    for capability in CAPABILITIES {
        for field in capability.fields().filter(|field| field.required) {
            let mut body = example(capability, true);
            body[field.name] = json!("  ");
            let issues = validate(capability, &body);
            let issue = issues
                .iter()
                .find(|issue| issue.path == field.name)
                .expect(field.name);
            // The document says "must be non-empty" only of three texts, and none is a plain one.
            let is_plain_text = field.kind == Kind::Text;
            assert_eq!(
                issue.severity == Severity::Warning,
                is_plain_text,
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
fn three_texts_must_not_be_empty() {
    let all = CAPABILITIES.iter().flat_map(|capability| {
        capability
            .fields()
            .map(move |field| (capability.name(), field))
    });
    let filled: Vec<_> = all
        .filter(|row| row.1.kind == Kind::FilledText)
        .map(|row| (row.0, row.1.name))
        .collect();
    let expected = [
        ("text_driven", "text"),
        ("omni_reference_to_video", "prompt"),
        ("image_to_video", "prompt"),
    ];
    assert_eq!(filled.len(), expected.len());
    assert!(
        expected.iter().all(|row| filled.contains(row)),
        "{filled:?}"
    );
}

#[test]
fn a_documented_model_is_the_default_only_where_the_document_says_so() {
    let of = |name: &str| {
        find(name)
            .map(|capability| (capability.documented_model, capability.default_model))
            .expect(name)
    };
    for (name, model) in [
        ("text_driven", "talking-video-text-standard"),
        ("audio_driven", "talking-video-audio-standard"),
        ("subtitle_removal", "video-subtitle-removal-standard"),
        ("background_removal", "image-background-removal-standard"),
    ] {
        assert_eq!(of(name), (Some(model), None));
    }
    assert_eq!(
        of("merge_pdf"),
        (Some("merge-pdf-default"), Some("merge-pdf-default"))
    );
    for name in [
        "text_to_image_turbo",
        "image_to_video",
        "omni_reference_to_video",
    ] {
        assert_eq!(of(name), (None, None), "{name}");
    }
}

#[test]
fn lists_the_documented_codes() {
    let numbers = |name: &str| {
        let mut codes: Vec<i32> = find(name)
            .expect(name)
            .codes
            .iter()
            .map(|code| code.0)
            .collect();
        codes.sort_unstable();
        codes
    };
    let common = [0, 12, 13, 16, 99, 1401, 1404, 1405, 1409, 1410];
    assert_eq!(numbers("split_pdf"), common);
    assert_eq!(numbers("text_to_image_turbo"), common);
    assert_eq!(
        numbers("omni_reference_to_video"),
        [0, 12, 13, 99, 1401, 1404, 1409, 1410]
    );
    assert_eq!(
        numbers("image_to_video"),
        [0, 12, 13, 16, 99, 1401, 1402, 1404, 1405, 1409, 1410]
    );
    assert_eq!(
        numbers("audio_driven"),
        [
            0, 12, 13, 16, 99, 1401, 1402, 1404, 1405, 1407, 1408, 1409, 1410
        ]
    );
    assert_eq!(
        numbers("text_driven"),
        Code::ALL.iter().map(|row| row.0.0).collect::<Vec<_>>()
    );
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

/// The validator has a bit for each field of an object.
#[test]
fn no_object_has_more_than_32_fields() {
    for capability in CAPABILITIES {
        assert!(capability.fields().count() <= 32, "{}", capability.name());
    }
}
