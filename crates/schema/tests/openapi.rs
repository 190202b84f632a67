//! The OpenAPI parts that gateway and emulator share.

use mediagate_core::{CAPABILITIES, Capability, Code, EXTENSION_NOTE, find};
use mediagate_schema::openapi::{
    Document, Operation, RequestBody, camel_case, codes, create, input_name,
};
use mediagate_schema::{self as schema, Ids};
use serde_json::{Value, json};

/// Returns the written operation of a capability, and its document.
fn written(capability: &Capability) -> (Value, Value) {
    let mut document = Document::new(
        json!({"title": "t"}),
        &[("Generate", "g"), ("Process", "p")],
    );
    let operation = create(&mut document, capability, Ids::Raw);
    document.add("POST", "/x", operation);
    let document = document.finish(json!([{"url": "/"}]), json!([{"token": []}]));
    (document["paths"]["/x"]["post"].clone(), document)
}

#[test]
fn names_are_in_camel_case() {
    assert_eq!(camel_case("image_to_video"), "imageToVideo");
    assert_eq!(
        input_name(find("image_to_video").expect("known")),
        "ImageToVideoInput"
    );
}

#[test]
fn an_operation_says_all_that_the_catalogue_does() {
    for capability in CAPABILITIES {
        let (operation, document) = written(capability);
        assert_eq!(operation["operationId"], camel_case(capability.name()));
        assert_eq!(
            operation["tags"],
            json!([if capability.path.starts_with("generate") {
                "Generate"
            } else {
                "Process"
            }])
        );
        assert_eq!(operation["summary"], capability.title);
        let description = operation["description"].as_str().expect("a string");
        assert!(description.starts_with(capability.summary), "{description}");
        for code in codes(capability) {
            assert!(
                description.contains(&format!("`{} {}`", code.0, code.name())),
                "{description}"
            );
        }
        let body = &operation["requestBody"];
        assert_eq!(body["required"], true);
        let content = &body["content"]["application/json"];
        assert_eq!(
            content["schema"]["$ref"],
            format!("#/components/schemas/{}", input_name(capability))
        );
        assert_eq!(
            document["components"]["schemas"][input_name(capability)],
            schema::input(capability, Ids::Raw)
        );
        for (name, all_fields) in [("least", false), ("whole", true)] {
            let example = schema::example(capability, Ids::Raw, all_fields);
            assert_eq!(content["examples"][name]["value"], example);
        }
    }
}

#[test]
fn a_description_names_the_codes_in_order_and_the_exceptions() {
    let described = |name: &str| {
        written(find(name).expect(name)).0["description"]
            .as_str()
            .expect("text")
            .to_owned()
    };
    let omni = described("omni_reference_to_video");
    assert!(
        omni.contains(
            " One of `image_file_ids`, `video_file_ids`, `audio_file_ids` must not be empty.\n"
        ),
        "{omni}"
    );
    assert!(
        omni.contains("\n\nApplication codes: `0 ok`, `12 invalid_input`, "),
        "{omni}"
    );
    assert!(
        omni.ends_with("`1409 paid_plan_required`, `1410 invalid_model`."),
        "{omni}"
    );
    let undocumented = described("text_to_image");
    assert!(
        undocumented.contains("may respond with the result itself, without a task."),
        "{undocumented}"
    );
    let start = "Application codes: The media service documents none; any of `0 ok`, ";
    assert!(undocumented.contains(start), "{undocumented}");
    assert_eq!(
        codes(find("text_to_image").expect("known")),
        Code::ALL.iter().map(|row| row.0).collect::<Vec<_>>()
    );
    for other in ["merge_pdf", "image_to_video"] {
        let text = described(other);
        assert!(
            !text.contains("One of")
                && !text.contains("without a task")
                && !text.contains("documents none")
        );
    }
}

#[test]
fn only_the_description_of_an_extension_says_that_the_document_lacks_it() {
    for capability in CAPABILITIES {
        let (operation, _) = written(capability);
        let description = operation["description"].as_str().expect("text");
        assert_eq!(
            description.contains(EXTENSION_NOTE),
            capability.is_extension,
            "{description}"
        );
    }
}

#[test]
fn an_operation_has_only_the_parts_that_it_sets() {
    let mut document = Document::new(json!({"title": "t"}), &[("A", "a")]);
    document.add(
        "GET",
        "/x",
        Operation {
            id: "least".into(),
            tag: "A",
            ..Operation::default()
        },
    );
    let body = RequestBody {
        media_type: "text/plain",
        schema: json!({}),
        examples: Vec::new(),
    };
    let parameters = vec![json!({"name": "p"})];
    let security = Some(json!([]));
    document.add(
        "PUT",
        "/x",
        Operation {
            tag: "A",
            parameters,
            body: Some(body),
            security,
            ..Operation::default()
        },
    );
    let document = document.finish(json!([]), json!([{"token": []}]));
    assert_eq!(document["openapi"], "3.1.1");
    assert_eq!(
        (&document["info"]["title"], &document["tags"]),
        (&json!("t"), &json!([{"name": "A", "description": "a"}]))
    );
    assert_eq!(
        (&document["servers"], &document["security"]),
        (&json!([]), &json!([{"token": []}]))
    );
    let get = json!({
        "operationId": "least", "tags": ["A"], "summary": "", "description": "", "responses": {},
    });
    assert_eq!(document["paths"]["/x"]["get"], get);
    let put = &document["paths"]["/x"]["put"];
    assert_eq!(
        (&put["parameters"], &put["security"]),
        (&json!([{"name": "p"}]), &json!([]))
    );
    assert_eq!(
        put["requestBody"],
        json!({"required": true, "content": {"text/plain": {"schema": {}}}})
    );
}
