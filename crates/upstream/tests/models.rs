//! The model catalogue: its readable shapes, and the creates that it excludes.

use mediagate_core::find;
use mediagate_core::models::{Catalogue, Exclusion};
use mediagate_upstream::Dialect;
use serde_json::{Value, json};

fn read_models(response: &Value) -> Catalogue {
    let catalogue = Dialect::default().models.read(response);
    catalogue.expect("a catalogue")
}

/// Returns the paths of the issues of a create that a catalogue excludes, `1410` for the model, or
/// an empty string if it excludes nothing.
fn check(response: &Value, name: &str, body: Value) -> String {
    match read_models(response).check(find(name).expect(name), &body) {
        Ok(()) => String::new(),
        Err(Exclusion::Model) => "1410".into(),
        Err(Exclusion::Values(issues)) => {
            let paths: Vec<_> = issues.into_iter().map(|issue| issue.path).collect();
            paths.join(" ")
        }
    }
}

/// Returns the second object with the members of the first that it lacks.
fn with(least: Value, more: Value) -> Value {
    let mut body = least;
    for (name, value) in more.as_object().into_iter().flatten() {
        body[name] = value.clone();
    }
    body
}

/// Checks a create of `image_to_video` with these fields.
fn check_video(response: &Value, more: Value) -> String {
    let least = json!({"file_id": "f", "prompt": "p", "model_id": "m"});
    check(response, "image_to_video", with(least, more))
}

#[test]
fn many_shapes_are_read() {
    let options = json!({"clarity": ["720P"], "duration_seconds": [5, 10]});
    let model = json!({"model_id": "m", "generation_options": options});
    for response in [
        json!({"code": 0, "data": {"models": [model]}}),
        json!({"code": 0, "data": [model]}),
        json!({"data": {"items": [model], "total": 1, "next": null}}),
        json!({"models": [model]}),
        json!([model]),
        json!({"data": {"models": {"m": {"generation_options": options}}}}),
        json!({"data": {"models": [
            {"id": "m", "generationOptions": {"clarity": ["720P"], "durationSeconds": ["5", "10"]}},
        ]}}),
        json!({"data": {"models": [{"name": "m", "options": [
            {"name": "clarity", "values": [{"value": "720P", "label": "HD"}]},
            {"name": "duration_seconds", "values": [5, 10]},
        ]}]}}),
        json!({"data": {"models": [{"model_id": "m", "generation_options": {
            "clarity": {"values": ["720P"], "default": "720P"},
            "duration_seconds": {"enum": [5, 10]},
        }}]}}),
    ] {
        let check = |more: Value| check_video(&response, more);
        assert_eq!(
            check(json!({"clarity": "720P", "duration_seconds": 10.0})),
            "",
            "{response}"
        );
        // In another case of letters, the service may take a value for another one.
        assert_eq!(check(json!({"clarity": "720p"})), "clarity", "{response}");
        let wrong = json!({"clarity": "4K", "duration_seconds": 7});
        assert_eq!(check(wrong), "clarity duration_seconds", "{response}");
    }
}

#[test]
fn a_key_is_the_id_where_a_model_has_no_other() {
    let response = json!({"models": {"m": {"serves": "image_to_video"}}});
    let ids = |document: Value| {
        let read = Dialect::parse(&document.to_string())
            .expect("a dialect")
            .models
            .read(&response);
        read.map(|catalogue| {
            catalogue
                .records()
                .into_iter()
                .map(|record| record["model_id"].clone())
                .collect::<Value>()
        })
    };
    assert_eq!(ids(json!({})), None, "which may be anything");
    assert_eq!(
        ids(json!({"models": {"list": "/models", "id": []}})),
        Some(json!(["m"]))
    );
}

#[test]
fn what_is_not_a_catalogue_is_none() {
    for response in [
        json!({}),
        json!({"code": 0, "data": null}),
        json!({"data": {"models": []}}),
        json!({"data": {"models": {"m": {"model_id": "m"}, "currency": "credits"}}}),
        json!("text"),
        json!(7),
    ] {
        assert_eq!(
            Dialect::default().models.read(&response),
            None,
            "{response}"
        );
    }
}

#[test]
fn an_unknown_model_is_excluded_only_by_a_whole_catalogue() {
    let list = |more: &str| {
        let mut data: Value = more.parse().expect("JSON");
        data["models"] = json!([{"model_id": "m"}]);
        json!({"code": 0, "data": data})
    };
    let unknown = || json!({"prompt": "p", "image_file_ids": ["f"], "model_id": "n"});
    let check = |response: Value| check(&response, "omni_reference_to_video", unknown());
    for whole in r#"
        {}
        {"has_more": false, "total": 1, "next_cursor": ""}
        {"total_pages": 1, "next_page": 0, "count": "1"}
        {"page": 3, "meta": {"page": 3}, "user": {"total": 9}}
    "#
    .trim()
    .lines()
    {
        assert_eq!(check(list(whole)), "1410", "{whole}");
    }
    for part in r#"
        {"nextPageToken": "x"}
        {"has_next_page": true}
        {"total_pages": 2}
        {"total": "57"}
        {"meta": {"total": 9}}
        {"page_info": {"hasNextPage": true}}
        {"next_page": 2}
    "#
    .trim()
    .lines()
    {
        assert_eq!(check(list(part)), "", "{part}");
    }
    let odd = json!({"data": {"models": [{"model_id": "m"}, {"title": "a model without an id"}]}});
    assert_eq!(check(odd), "");
    for doubtful in [
        json!({"data": [{"name": "a provider", "models": [{"model_id": "n"}]}]}),
        json!({"data": [{"id": "3", "name": "A model", "slug": "n"}]}),
        json!({"data": {"models": [{"model_id": "m", "capability": "image_to_video"}]}}),
    ] {
        assert_eq!(check(doubtful.clone()), "", "{doubtful}");
    }
}

#[test]
fn ids_and_free_text_are_no_choice_and_labels_count() {
    let response = json!({"data": {"models": [{"model_id": "m", "generation_options": {
        "file_id": ["image/png"],
        "prompt": ["a"],
        "clarity": [{"id": "res_720", "name": "720P"}],
        "camera": ["pan"],
    }}]}});
    let of = |more: Value| check_video(&response, more);
    assert_eq!(of(json!({"clarity": "720P", "camera": "pan"})), "");
    assert_eq!(of(json!({"clarity": null, "camera": null})), "", "absent");
    assert_eq!(of(json!({"clarity": ""})), "", "none is chosen");
    assert_eq!(of(json!({"clarity": "res_720", "camera": ["pan"]})), "");
    for camera in [
        json!("tilt"),
        json!(["pan", "tilt"]),
        json!({"x": 1}),
        json!([["pan"]]),
    ] {
        assert_eq!(of(json!({"camera": camera})), "camera", "{camera}");
    }
}

#[test]
fn what_cannot_be_read_or_compared_excludes_nothing() {
    let response = json!({"data": {"models": [{"model_id": "m", "generation_options": {
        "clarity": "any",
        "duration_seconds": {"min": 1, "max": 5},
        "aspect_ratio": [],
        "title": [{"deep": []}],
    }}]}});
    let more =
        json!({"clarity": "8K", "duration_seconds": 900, "aspect_ratio": "1:2", "title": "t"});
    assert_eq!(check_video(&response, more), "");
    let worded = json!({"data": {"models": [
        {"model_id": "m", "generation_options": {"duration_seconds": ["short"]}},
    ]}});
    assert_eq!(check_video(&worded, json!({"duration_seconds": 5})), "");
}

#[test]
fn a_model_may_take_only_some_kinds_of_references() {
    let model = |references: Value| json!({"data": {"models": [{"model_id": "m", "references": references}]}});
    let body = json!({
        "prompt": "p",
        "model_id": "m",
        "image_file_ids": ["i"],
        "video_file_ids": ["v"],
        "audio_file_ids": [],
    });
    let of = |references: Value| check(&model(references), "omni_reference_to_video", body.clone());
    assert_eq!(of(json!(["image"])), "video_file_ids");
    assert_eq!(of(json!({"media": ["IMAGES", "videos"]})), "");
    assert_eq!(of(json!(["video"])), "image_file_ids");
    assert_eq!(of(json!(["audio"])), "image_file_ids video_file_ids");
    assert_eq!(of(json!([])), "");
    assert_eq!(of(json!(["text"])), "", "a kind that is unknown");
    assert_eq!(of(json!({})), "");
}
