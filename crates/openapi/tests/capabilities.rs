//! The operations of the capabilities.

use mediagate_core::{CAPABILITIES, Capability, Code, EXTENSION_NOTE, PREFIX, find};
use mediagate_openapi::document;
use mediagate_schema::{self as schema, Ids};
use serde_json::Value;

fn operation(capability: &Capability) -> Value {
    let path = [PREFIX, capability.path].concat();
    document()["paths"][path]["post"].clone()
}

#[test]
fn an_operation_says_all_that_the_catalogue_does() {
    let document = document();
    for capability in CAPABILITIES {
        let operation = &document["paths"][[PREFIX, capability.path].concat()]["post"];
        assert_eq!(operation["summary"], capability.title);
        assert_eq!(operation["requestBody"]["required"], true);
        let tag = if capability.path.starts_with("generate") {
            "Generate"
        } else {
            "Process"
        };
        assert_eq!(operation["tags"], serde_json::json!([tag]));
        let description = operation["description"].as_str().expect("a string");
        assert!(description.starts_with(capability.summary), "{description}");
        assert_eq!(
            description.contains(EXTENSION_NOTE),
            capability.is_extension,
            "{description}"
        );
        for code in capability.codes {
            let code = format!("`{} {}`", code.0, code.name());
            assert!(description.contains(&code), "{description}");
        }
        let content = &operation["requestBody"]["content"]["application/json"];
        let input = content["schema"]["$ref"].as_str().expect("a reference");
        assert_eq!(
            document.pointer(&input[1..]),
            Some(&schema::input(capability, Ids::Sealed))
        );
        for (name, all_fields) in [("least", false), ("whole", true)] {
            let example = schema::example(capability, Ids::Sealed, all_fields);
            assert_eq!(content["examples"][name]["value"], example);
        }
    }
}

#[test]
fn a_description_names_the_codes_in_order_and_the_exceptions() {
    let described = |name: &str| {
        let operation = operation(find(name).expect(name));
        operation["description"].as_str().expect("text").to_owned()
    };
    let omni = described("omni_reference_to_video");
    for part in [
        " One of `image_file_ids`, `video_file_ids`, `audio_file_ids` must not be empty.\n",
        "\n\nApplication codes: `0 ok`, `12 invalid_input`, ",
        "`1409 paid_plan_required`, `1410 invalid_model`.",
    ] {
        assert!(omni.contains(part), "{omni}");
    }
    let undocumented = described("text_to_image");
    for part in [
        "may respond with the result itself, without a task.".to_owned(),
        format!(
            "Application codes: The media service documents none; any of `{} {}`, ",
            Code::OK.0,
            Code::OK.name()
        ),
    ] {
        assert!(undocumented.contains(&part), "{undocumented}");
    }
    for other in ["merge_pdf", "image_to_video"] {
        let text = described(other);
        for part in ["One of", "without a task", "documents none"] {
            assert!(!text.contains(part), "{text}");
        }
    }
}
