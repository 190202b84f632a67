//! The check of a create against the models of an account.

use mediagate_core::find;
use mediagate_core::models::{Catalogue, Exclusion, Model, Values};
use serde_json::{Value, json};

/// Returns a catalogue of models, each with a `model_id`, and perhaps a `capability` and
/// `generation_options` with lists of values.
fn catalogue(models: &Value) -> Catalogue {
    let models = models.as_array().expect("a list").iter().map(|record| {
        let options = record["generation_options"]
            .as_object()
            .into_iter()
            .flatten();
        let values = |listed: &Value| {
            let listed = listed.as_array()?.clone();
            Some(Values {
                listed,
                others: Vec::new(),
            })
        };
        Model {
            id: record["model_id"].as_str().expect("an id").to_owned(),
            capability: record["capability"]
                .as_str()
                .and_then(find)
                .map(|known| known.name()),
            options: options
                .map(|(name, listed)| (name.clone(), values(listed)))
                .collect(),
            references: None,
            record: record.clone(),
        }
    });
    Catalogue {
        models: models.collect(),
        is_complete: false,
    }
}

/// Returns the paths of the values that a catalogue excludes.
fn check(models: &Value, name: &str, body: &Value) -> String {
    match catalogue(models).check(find(name).expect(name), body) {
        Ok(()) => String::new(),
        Err(Exclusion::Model) => "1410".into(),
        Err(Exclusion::Values(issues)) => {
            let paths: Vec<_> = issues.into_iter().map(|issue| issue.path).collect();
            paths.join(" ")
        }
    }
}

#[test]
fn a_model_of_the_same_id_is_that_of_the_capability() {
    let model = |capability: &str, clarity: &str| json!({"model_id": "m", "capability": capability, "generation_options": {"clarity": [clarity]}});
    let models = json!([model("audio_driven", "480P"), model("image_to_video", "4K")]);
    for (clarity, expected) in [("4K", ""), ("480P", "clarity"), ("4k", "clarity")] {
        let body = json!({"file_id": "f", "prompt": "p", "model_id": "m", "clarity": clarity});
        assert_eq!(
            check(&models, "image_to_video", &body),
            expected,
            "{clarity}"
        );
    }
}

#[test]
fn what_the_document_names_is_never_excluded() {
    let models = json!([{
        "model_id": "image-audio-driven-video-default",
        "generation_options": {"resolution": ["1080p"]},
    }]);
    for (more, expected) in [
        (json!({"resolution": "720p"}), ""),
        // A create without a model has the documented default model.
        (json!({"resolution": "480p"}), "resolution"),
        (json!({"resolution": "480p", "model_id": " "}), "resolution"),
    ] {
        let mut body =
            json!({"prompt_text": "t", "prompt_image_file_id": "i", "prompt_audio_file_id": "a"});
        for (name, value) in more.as_object().into_iter().flatten() {
            body[name] = value.clone();
        }
        assert_eq!(
            check(&models, "image_audio_driven", &body),
            expected,
            "{more}"
        );
    }
    let split = json!({"input_file_id": "f", "model_id": "split-pdf-default"});
    assert_eq!(check(&models, "split_pdf", &split), "");
}

#[test]
fn the_models_of_a_capability_have_the_values_that_can_be_read() {
    let catalogue = catalogue(&json!([
        {
            "model_id": "m",
            "capability": "image_to_video",
            "generation_options": {"clarity": ["2K", "4K"], "seed": "any"},
        },
        {"model_id": "n", "capability": "split_pdf", "generation_options": {"clarity": ["8K"]}},
        {"model_id": "split-pdf-default"},
        {"model_id": "o", "generation_options": {"clarity": ["1K"]}},
    ]));
    let models = |name: &str| -> Value {
        let values = |(name, values): (&str, &[Value])| (name.to_owned(), json!(values));
        let of = catalogue.models_of(find(name).expect("known"));
        of.map(|(id, options)| (id.to_owned(), options.map(values).collect::<Value>()))
            .collect()
    };
    assert_eq!(
        models("image_to_video"),
        json!({"m": {"clarity": ["2K", "4K"]}})
    );
    assert_eq!(
        models("split_pdf"),
        json!({"n": {"clarity": ["8K"]}, "split-pdf-default": {}})
    );
    assert_eq!(models("merge_pdf"), json!({}));
}

#[test]
fn numbers_and_booleans_are_choices_by_their_value() {
    let models = json!([{"model_id": "m", "generation_options": {
        "cfg_normalization": [false],
        "guidance_scale": ["2.5"],
        "num_inference_steps": [4, "8"],
        "seed": ["random"],
        "prompt": ["a cat"],
    }}]);
    for (name, value, is_taken) in [
        ("cfg_normalization", json!(false), true),
        ("cfg_normalization", json!(true), false),
        ("guidance_scale", json!(2.5), true),
        ("guidance_scale", json!(3), false),
        ("num_inference_steps", json!(8), true),
        ("num_inference_steps", json!(5), false),
        // The documented default, and a number that can't be compared with a word.
        ("guidance_scale", json!(0), true),
        ("seed", json!(7), true),
    ] {
        let body = json!({"prompt": "p", "model_id": "m", name: value});
        let expected = if is_taken { "" } else { name };
        assert_eq!(
            check(&models, "text_to_image", &body),
            expected,
            "{name} {value}"
        );
    }
}

#[test]
fn records_have_what_was_read() {
    let model = |record: Value, listed: &[&str]| Model {
        id: "m".to_owned(),
        capability: None,
        options: Vec::from([
            (
                "clarity".to_owned(),
                Some(Values {
                    listed: listed.iter().map(|value| json!(value)).collect(),
                    others: Vec::new(),
                }),
            ),
            ("seed".to_owned(), None),
        ]),
        references: None,
        record,
    };
    let same = json!({"model_id": "m", "price": 4, "generation_options": {"clarity": ["2K"]}});
    let other = json!({"id": "m", "generation_options": {"clarity": {"values": ["4K"]}}});
    let catalogue = Catalogue {
        models: vec![model(same.clone(), &["2K"]), model(other, &["4K"])],
        is_complete: false,
    };
    let expected = json!([
        same,
        {
            "id": "m", "model_id": "m", "generation_options": {"clarity": ["4K"]},
            "raw": {"generation_options": {"clarity": {"values": ["4K"]}}},
        },
    ]);
    assert_eq!(json!(catalogue.records()), expected);
}

#[test]
fn a_model_names_fields_and_lists_their_values() {
    let catalogue = catalogue(&json!([
        {"model_id": "n", "generation_options": {"references": ["image"], "seed": [1], "clarity": []}},
    ]));
    let capability = find("image_to_video").expect("known");
    let of = |model: &str| json!({ "model_id": model });
    let names = |model: &str, field| catalogue.names(capability, &of(model), field);
    assert!(names("n", "seed") && !names("n", "seeds") && !names("other", "seed"));
    assert!(!names("n", "clarity"), "the document knows it");
    assert!(!names("n", "references"), "it is no field");
    let lists = |field, value: Value| catalogue.lists(capability, &of("n"), field, &value);
    assert!(lists("seed", json!(1)) && lists("seed", json!([1, "1"])));
    for (field, value) in [
        ("seed", json!(2)),
        ("seed", json!([1, "a"])),
        ("other", json!(1)),
    ] {
        assert!(!lists(field, value.clone()), "{field} {value}");
    }
}
