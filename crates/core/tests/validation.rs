//! Invalid input gets an issue with the field, the reason and a remedy; valid input gets none.

use mediagate_core::{MAX_ISSUES, find, validate, validate_upload};
use serde_json::{Value, json};

/// The paths and reasons of a body's issues.
fn issues(name: &str, body: Value) -> Vec<(String, &'static str)> {
    let found = validate(find(name).expect(name), &&body);
    assert!(found.iter().all(|it| !it.message.is_empty()));
    found.into_iter().map(|it| (it.path, it.reason)).collect()
}

fn one(path: &str, reason: &'static str) -> Vec<(String, &'static str)> {
    vec![(path.to_owned(), reason)]
}

#[test]
fn a_body_is_an_object() {
    for body in [json!(null), json!([]), json!("text"), json!(1)] {
        assert_eq!(issues("merge_pdf", body), one("", "wrong_type"));
    }
}

#[test]
fn all_issues_are_listed_at_once_with_the_nearest_name() {
    let body = json!({"fileId": "f", "prompt": " ", "duration_seconds": 0, "title": 4});
    let found = validate(find("image_to_video").expect("known"), &&body);
    let paths: Vec<&str> = found.iter().map(|it| it.path.as_str()).collect();
    assert_eq!(paths, ["fileId", "file_id", "prompt", "duration_seconds", "title"]);
    assert!(found[0].message.contains("did you mean file_id?"), "{}", found[0].message);
    assert!(found[4].message.contains("a number") && found[4].message.contains("a string"));
}

#[test]
fn integers_are_int32_and_positive_except_the_seed() {
    let body = |seed: Value| json!({"prompt": "p", "seed": seed});
    for good in [json!(-1), json!(0), json!(2147483647), json!(5.0)] {
        assert_eq!(issues("text_to_image", body(good)), []);
    }
    for bad in [json!(-2), json!(2147483648_u32), json!(1.5), json!(1e300)] {
        assert_eq!(issues("text_to_image", body(bad)), one("seed", "out_of_range"));
    }
    assert_eq!(issues("text_to_image", body(json!("7"))), one("seed", "wrong_type"));
    assert_eq!(issues("text_to_image", body(json!(null))), one("seed", "wrong_type"));
    assert_eq!(issues("resize_video", json!({"input_file_id": "f", "width": 0, "height": -5})).len(), 2);
}

#[test]
fn segments_are_times_in_order() {
    let with = |segments: Value| issues("split_video", json!({"input_file_id": "f", "segments": segments}));
    let part = |start: &str, end: &str| json!({"start_time": start, "end_time": end});
    assert_eq!(with(json!([part("00:00:00", "00:00:05"), part("99:59:58", "99:59:59")])), []);
    assert_eq!(with(json!([])), one("segments", "empty"));
    assert_eq!(
        with(json!([part("00:00:00", "00:00:05"), part("00:00:05", "00:00:05")])),
        one("segments[1].end_time", "order")
    );
    assert_eq!(with(json!([part("0:00:00", "00:00:60")])).len(), 2);
    assert_eq!(with(json!([{"start_time": "00:00:00"}])), one("segments[0].end_time", "missing"));
    assert_eq!(with(json!([{"start_time": 0, "end_time": "00:00:01"}])), one("segments[0].start_time", "wrong_type"));
    assert_eq!(with(json!(["00:00:00"])), one("segments[0]", "wrong_type"));
    let many: Vec<Value> = (0..12).map(|it| part("00:00:00", if it == 11 { "bad" } else { "00:00:01" })).collect();
    assert_eq!(with(json!(many)), one("segments[11].end_time", "malformed"));
}

#[test]
fn regions_and_sizes_have_positive_extent() {
    let region = |it: Value| issues("subtitle_removal", json!({"file_id": "f", "region": it}));
    assert_eq!(region(json!({"x": 0, "y": 0, "width": 1, "height": 1})), []);
    assert_eq!(region(json!({"x": -1, "y": 0, "width": 0, "height": 1})).len(), 2);
    assert_eq!(region(json!({"x": 0, "y": 0, "width": 1})), one("region.height", "missing"));
    assert_eq!(region(json!({"x": 0, "y": 0, "width": 1, "hight": 1})).len(), 2);
    assert_eq!(region(json!([0, 0, 1, 1])), one("region", "wrong_type"));
    let size = |it: Value| issues("video_logo_removal", json!({"input_video_file_id": "f", "video_size": it}));
    assert_eq!(size(json!([1280, 720])), []);
    assert_eq!(size(json!([1280])), one("video_size", "malformed"));
    assert_eq!(size(json!([1280, 0])), one("video_size[1]", "out_of_range"));
    assert_eq!(size(json!({"width": 1})), one("video_size", "wrong_type"));
}

#[test]
fn references_are_required_and_lists_hold_ids() {
    let omni = |it: Value| issues("omni_reference_to_video", it);
    assert_eq!(omni(json!({"prompt": "p"})), one("image_file_ids", "missing"));
    assert_eq!(
        omni(json!({"prompt": "p", "image_file_ids": [], "audio_file_ids": []})),
        one("image_file_ids", "missing")
    );
    assert_eq!(omni(json!({"prompt": "p", "audio_file_ids": ["a"]})), []);
    assert_eq!(omni(json!({"prompt": "p", "image_file_ids": ["a", " ", 3]})).len(), 2);
    assert_eq!(issues("merge_pdf", json!({"input_file_ids": []})), one("input_file_ids", "empty"));
    assert_eq!(issues("merge_pdf", json!({"input_file_ids": "a"})), one("input_file_ids", "wrong_type"));
    for good in [json!("a"), json!(["a", "b"])] {
        assert_eq!(issues("video_logo_removal", json!({"input_video_file_id": "f", "logo_file_id": good})), []);
    }
    assert_eq!(
        issues("video_logo_removal", json!({"input_video_file_id": "f", "logo_file_id": ["a", ""]})),
        one("logo_file_id[1]", "empty")
    );
}

#[test]
fn uploads_name_type_and_size() {
    let upload =
        |size: Value| validate_upload(&&json!({"file_name": "a.png", "content_type": "image/png", "size": size}));
    assert_eq!(upload(json!(5_000_000_000_u64)), []);
    for bad in [json!(0), json!(-1), json!(1.5), json!(1e17), json!("1"), json!(null)] {
        assert_eq!(upload(bad.clone()).len(), 1, "{bad}");
    }
    assert_eq!(validate_upload(&&json!({})).len(), 3);
}

#[test]
fn a_message_says_what_to_give() {
    let message = |name: &str, body: Value| validate(find(name).expect(name), &&body)[0].message.clone();
    for (name, body, expected) in [
        ("merge_pdf", json!(4), "is a number; give a JSON object"),
        ("merge_pdf", json!({}), "is missing; give a list of ids of uploaded files"),
        ("merge_pdf", json!({"input_file_ids": []}), "is empty; give a list of ids of uploaded files, at least one"),
        ("merge_pdf", json!({"input_file_ids": [" "]}), "is empty; give the id of an uploaded file"),
        ("merge_pdf", json!({"input_file_ids": ["f"], "zzz": 1}), "is not a known field; leave it out"),
        ("merge_pdf", json!({"input_file_ids": ["f"], "titl": 1}), "is not a known field; did you mean title?"),
        (
            "omni_reference_to_video",
            json!({"prompt": "p"}),
            "no reference: give at least one of image_file_ids, video_file_ids, audio_file_ids",
        ),
    ] {
        assert_eq!(message(name, body.clone()), expected, "{body}");
    }
}

#[test]
fn reading_stops_after_a_hundred_issues() {
    let upload = |extra: usize| {
        let mut body: Value = (0..extra).map(|it| (format!("unknown_field_{it}"), json!(1))).collect();
        for (name, value) in [("file_name", json!("f")), ("content_type", json!("image/png")), ("size", json!(1))] {
            body[name] = value;
        }
        validate_upload(&&body).len()
    };
    assert_eq!([99, 100, 101, 5_000].map(upload), [99, 100, 100, 100]);
    let ids = |count: usize| issues("merge_pdf", json!({"input_file_ids": vec![" "; count]})).len();
    assert_eq!([99, 100, 101, 1_000].map(ids), [99, 100, 100, 100]);
    assert_eq!(issues("merge_pdf", json!({"input_file_ids": vec![" "; 1_001]})), one("input_file_ids", "out_of_range"));
}

#[test]
fn a_hostile_body_is_cheap() {
    let body: Value = (0..50_000).map(|it| (format!("unknown_field_{it}"), json!(1))).collect();
    let found = validate(find("text_to_image").expect("known"), &&body);
    assert!(found.len() <= MAX_ISSUES + 1);
    let long = validate(find("text_to_image").expect("known"), &&json!({"prompt": "p", "é".repeat(100_000): 1}));
    assert!(long[0].path.len() < 200);
}
