//! Invalid input gets an issue with the field, the reason and a remedy; valid input gets none.

use mediagate_core::{
    Code, MAX_ISSUES, Severity, code_of, find, is_valid, validate, validate_strictly,
    validate_upload,
};
use serde_json::{Value, json};

/// Returns the paths and reasons of a body's errors.
fn errors(name: &str, body: Value) -> Vec<(String, &'static str)> {
    found(name, body, Severity::Error)
}

/// Returns the paths and reasons of the warnings of a body without an error.
fn warnings(name: &str, body: Value) -> Vec<(String, &'static str)> {
    assert_eq!(errors(name, body.clone()), [], "{body}");
    found(name, body, Severity::Warning)
}

fn found(name: &str, body: Value, severity: Severity) -> Vec<(String, &'static str)> {
    let found = validate(find(name).expect(name), &body);
    assert!(found.iter().all(|issue| !issue.message.is_empty()));
    assert_eq!(
        is_valid(&found),
        found
            .iter()
            .all(|issue| issue.severity == Severity::Warning)
    );
    found
        .into_iter()
        .filter(|issue| issue.severity == severity)
        .map(|issue| (issue.path, issue.reason.name()))
        .collect()
}

fn one(path: &str, reason: &'static str) -> Vec<(String, &'static str)> {
    vec![(path.to_owned(), reason)]
}

#[test]
fn a_body_is_an_object() {
    for body in [json!(null), json!([]), json!("text"), json!(1)] {
        assert_eq!(errors("merge_pdf", body), one("", "wrong_type"));
    }
}

#[test]
fn all_issues_are_listed_at_once_with_the_nearest_name() {
    let body = json!({"fileId": "f", "prompt": " ", "duration_seconds": 0, "title": 4});
    let found = validate(find("image_to_video").expect("known"), &body);
    let paths: Vec<_> = found
        .iter()
        .map(|issue| (issue.path.as_str(), issue.severity.name()))
        .collect();
    let expected = [
        ("fileId", "warning"),
        ("file_id", "error"),
        ("prompt", "error"),
        ("duration_seconds", "warning"),
        ("title", "error"),
    ];
    assert_eq!(paths, expected);
    assert!(
        found[0].message.contains("did you mean file_id?"),
        "{}",
        found[0].message
    );
    assert!(found[4].message.contains("a number") && found[4].message.contains("a string"));
}

#[test]
fn a_name_that_is_no_fields_passes_unless_names_are_strict() {
    let body = json!({"input_file_ids": ["f"], "style": 1, "titl": "t", "region.x": 1});
    assert_eq!(
        warnings("merge_pdf", body.clone()),
        one("titl", "unknown_field")
    );
    let strict = validate_strictly(find("merge_pdf").expect("known"), &body);
    let mut strict: Vec<_> = strict
        .iter()
        .map(|issue| (issue.path.as_str(), issue.severity))
        .collect();
    strict.sort_unstable_by_key(|issue| issue.0);
    assert_eq!(
        strict,
        ["region.x", "style", "titl"].map(|path| (path, Severity::Error)),
        "merge_pdf has no region"
    );
    let nested = json!({"file_id": "f", "region": {"x": 1, "z": 1, "hieght": 2}});
    assert_eq!(
        warnings("subtitle_removal", nested.clone()),
        one("region.hieght", "unknown_field")
    );
    assert_eq!(
        validate_strictly(find("subtitle_removal").expect("known"), &nested).len(),
        2
    );
}

#[test]
fn null_counts_as_absent_in_an_optional_field() {
    for (name, body) in [
        (
            "merge_pdf",
            json!({"input_file_ids": ["f"], "model_id": null, "title": null}),
        ),
        (
            "subtitle_removal",
            json!({"file_id": "f", "region": null, "region.x": null}),
        ),
        (
            "subtitle_removal",
            json!({"file_id": "f", "region": {"x": null, "y": 3}}),
        ),
        (
            "omni_reference_to_video",
            json!({"prompt": "p", "image_file_ids": null, "audio_file_ids": ["a"]}),
        ),
        (
            "text_to_image",
            json!({"prompt": "p", "cfg_normalization": null, "guidance_scale": null, "seed": null}),
        ),
    ] {
        assert_eq!(warnings(name, body), [], "{name}");
    }
    assert_eq!(
        errors("text_to_image", json!({"prompt": null})),
        one("prompt", "missing")
    );
    assert_eq!(
        errors("merge_pdf", json!({"input_file_ids": [null]})),
        one("input_file_ids[0]", "wrong_type")
    );
    let references = json!({"prompt": "p", "image_file_ids": null});
    assert_eq!(
        errors("omni_reference_to_video", references),
        one("image_file_ids", "missing")
    );
}

#[test]
fn an_integer_is_whole_and_an_int32_has_32_bits() {
    let seed = |seed: Value| json!({"prompt": "p", "seed": seed});
    for good in [
        "-2147483649",
        "-1",
        "0",
        "9007199254740993",
        "5.0",
        "1e300",
        "18446744073709551615",
    ] {
        assert_eq!(
            warnings(
                "text_to_image",
                seed(serde_json::from_str(good).expect(good))
            ),
            [],
            "{good}"
        );
    }
    for bad in ["1.5", "-0.1", "1e-7", "2251799813685249.5"] {
        let body = seed(serde_json::from_str(bad).expect(bad));
        assert_eq!(
            errors("text_to_image", body),
            one("seed", "out_of_range"),
            "{bad}"
        );
    }
    assert_eq!(
        errors("text_to_image", seed(json!("7"))),
        one("seed", "wrong_type")
    );
    let length =
        |seconds: Value| json!({"file_id": "f", "prompt": "p", "duration_seconds": seconds});
    assert_eq!(warnings("image_to_video", length(json!(2147483647))), []);
    for doubtful in [json!(0), json!(-1), json!(-2147483648_i64)] {
        assert_eq!(
            warnings("image_to_video", length(doubtful)),
            one("duration_seconds", "out_of_range")
        );
    }
    for bad in [json!(2147483648_i64), json!(-2147483649_i64), json!(0.5)] {
        assert_eq!(
            errors("image_to_video", length(bad)),
            one("duration_seconds", "out_of_range")
        );
    }
    let sizes = json!({"input_file_id": "f", "width": 0, "height": -5});
    assert_eq!(warnings("resize_video", sizes).len(), 2);
}

#[test]
fn a_value_is_of_its_fields_type() {
    for (name, value) in [
        ("cfg_normalization", json!("true")),
        ("cfg_normalization", json!(1)),
        ("guidance_scale", json!("1")),
        ("negative_prompt", json!(1)),
    ] {
        let body = json!({"prompt": "p", name: value});
        assert_eq!(
            errors("text_to_image", body),
            one(name, "wrong_type"),
            "{name} {value}"
        );
    }
    let talk = |links: Value| {
        errors(
            "text_driven",
            json!({"avatar_asset_id": "a", "voice_asset_id": "v", "text": "t", "links": links}),
        )
    };
    assert_eq!(talk(json!(["https://h/a", ""])), []);
    assert_eq!(talk(json!("https://h/a")), one("links", "wrong_type"));
    assert_eq!(talk(json!([1])), one("links[0]", "wrong_type"));
}

#[test]
fn segments_are_times_of_which_none_ends_before_it_starts() {
    let body = |segments: Value| json!({"input_file_id": "f", "segments": segments});
    let with = |segments: Value| errors("split_video", body(segments));
    let part = |start: &str, end: &str| json!({"start_time": start, "end_time": end});
    assert_eq!(
        with(json!([
            part("00:00:00", "00:00:05"),
            part("99:59:58", "99:59:59")
        ])),
        []
    );
    assert_eq!(with(json!([])), one("segments", "empty"));
    assert_eq!(
        with(json!([part("00:00:05", "00:00:04")])),
        one("segments[0].end_time", "order")
    );
    let equal = json!([part("00:00:00", "00:00:05"), part("00:00:05", "00:00:05")]);
    assert_eq!(
        warnings("split_video", body(equal)),
        one("segments[1].end_time", "order")
    );
    assert_eq!(with(json!([part("0:00:00", "00:00:60")])).len(), 2);
    assert_eq!(
        with(json!([{"start_time": "00:00:00"}])),
        one("segments[0].end_time", "missing")
    );
    assert_eq!(
        with(json!([{"start_time": 0, "end_time": "00:00:01"}])),
        one("segments[0].start_time", "wrong_type")
    );
    assert_eq!(with(json!(["00:00:00"])), one("segments[0]", "wrong_type"));
    let many: Vec<Value> = (0..1_200)
        .map(|number| part("00:00:00", if number == 1_100 { "bad" } else { "00:00:01" }))
        .collect();
    assert_eq!(
        with(json!(many)),
        one("segments[1100].end_time", "malformed")
    );
}

#[test]
fn warnings_never_hide_an_error_and_errors_no_warning() {
    let equal = json!({"start_time": "00:00:01", "end_time": "00:00:01"});
    let mut segments = vec![equal; 500];
    segments.push(json!({"start_time": "00:00:01", "end_time": "0"}));
    let body = json!({"input_file_id": "f", "segments": segments});
    assert_eq!(
        errors("split_video", body.clone()),
        one("segments[500].end_time", "malformed")
    );
    assert_eq!(
        found("split_video", body, Severity::Warning).len(),
        MAX_ISSUES
    );
    let errors_first = json!({"input_video_file_id": "f", "logo_file_id": vec![" "; 60], "video_size": vec![0; MAX_ISSUES - 1]});
    assert_eq!(errors("video_logo_removal", errors_first.clone()).len(), 60);
    assert_eq!(
        found("video_logo_removal", errors_first, Severity::Warning).len(),
        MAX_ISSUES
    );
}

#[test]
fn a_region_may_be_partial_nested_or_by_dotted_names() {
    let region = |region: Value| json!({"file_id": "f", "region": region});
    for good in [
        json!({"x": 0, "y": 0, "width": 1, "height": 1}),
        json!({"x": -1, "y": 0}),
        json!({}),
    ] {
        assert_eq!(warnings("background_removal", region(good)), []);
    }
    assert_eq!(
        warnings("subtitle_removal", region(json!({"width": 0, "height": 1}))),
        one("region.width", "out_of_range")
    );
    assert_eq!(
        errors("subtitle_removal", region(json!([0, 0, 1, 1]))),
        one("region", "wrong_type")
    );
    assert_eq!(
        errors("subtitle_removal", region(json!({"x": 0.5}))),
        one("region.x", "out_of_range")
    );
    let dotted = json!({"file_id": "f", "region.x": 5, "region.width": 0});
    assert_eq!(
        warnings("subtitle_removal", dotted),
        one("region.width", "out_of_range")
    );
    assert_eq!(
        errors("subtitle_removal", json!({"file_id": "f", "region.x": "5"})),
        one("region.x", "wrong_type")
    );
    let twice =
        json!({"file_id": "f", "region": {"x": 1, "y": 1}, "region.x": 1, "region.width": 1});
    let strict = validate_strictly(find("subtitle_removal").expect("known"), &twice);
    assert_eq!(
        strict
            .iter()
            .map(|issue| (issue.path.as_str(), issue.reason.name()))
            .collect::<Vec<_>>(),
        [("region.x", "malformed")]
    );
}

#[test]
fn a_video_size_is_a_list_or_an_object() {
    let body = |size: Value| json!({"input_video_file_id": "f", "video_size": size});
    for good in [
        json!([1280, 720]),
        json!({"width": 1280, "height": 720}),
        json!({}),
        json!({"w": 1, "h": "x"}),
    ] {
        assert_eq!(
            warnings("video_logo_removal", body(good.clone())),
            [],
            "{good}"
        );
        assert_eq!(
            validate_strictly(find("video_logo_removal").expect("known"), &body(good)),
            []
        );
    }
    for odd in [json!([1280]), json!([]), json!([1, 2, 3])] {
        assert_eq!(
            warnings("video_logo_removal", body(odd)),
            one("video_size", "malformed")
        );
    }
    assert_eq!(
        warnings("video_logo_removal", body(json!([1280, 0]))),
        one("video_size[1]", "out_of_range")
    );
    assert_eq!(
        errors("video_logo_removal", body(json!([1280, "7"]))),
        one("video_size[1]", "wrong_type")
    );
    assert_eq!(
        errors("video_logo_removal", body(json!({"width": "1"}))),
        one("video_size.width", "wrong_type")
    );
    assert_eq!(
        errors("video_logo_removal", body(json!("1280x720"))),
        one("video_size", "wrong_type")
    );
}

#[test]
fn references_are_required_and_lists_hold_ids() {
    let omni = |references: Value| errors("omni_reference_to_video", references);
    assert_eq!(
        omni(json!({"prompt": "p"})),
        one("image_file_ids", "missing")
    );
    assert_eq!(
        omni(json!({"prompt": "p", "image_file_ids": [], "audio_file_ids": []})),
        one("image_file_ids", "missing")
    );
    assert_eq!(omni(json!({"prompt": "p", "audio_file_ids": ["a"]})), []);
    assert_eq!(
        omni(json!({"prompt": "p", "image_file_ids": ["a", " ", 3]})).len(),
        2
    );
    assert_eq!(
        errors("merge_pdf", json!({"input_file_ids": []})),
        one("input_file_ids", "empty")
    );
    assert_eq!(
        errors("merge_pdf", json!({"input_file_ids": "a"})),
        one("input_file_ids", "wrong_type")
    );
    assert_eq!(
        warnings("merge_pdf", json!({"input_file_ids": vec!["a"; 5_000]})),
        [],
        "lists have no limit"
    );
    for good in [json!("a"), json!(["a", "b"]), json!([]), json!(null)] {
        assert_eq!(
            warnings(
                "video_logo_removal",
                json!({"input_video_file_id": "f", "logo_file_id": good})
            ),
            []
        );
    }
    assert_eq!(
        errors(
            "video_logo_removal",
            json!({"input_video_file_id": "f", "logo_file_id": ["a", ""]})
        ),
        one("logo_file_id[1]", "empty")
    );
}

#[test]
fn a_blank_text_is_an_error_only_where_the_document_says_so() {
    assert_eq!(
        warnings(
            "text_to_image",
            json!({"prompt": " ", "negative_prompt": ""})
        ),
        one("prompt", "empty")
    );
    assert_eq!(
        errors("image_to_video", json!({"file_id": "f", "prompt": " "})),
        one("prompt", "empty")
    );
    let pages = |range: &str| json!({"input_file_id": "f", "page_range": range});
    assert_eq!(errors("split_pdf", pages(" ")), one("page_range", "empty"));
    assert_eq!(warnings("split_pdf", pages("1 - 3, 5-")), []);
    assert_eq!(
        warnings("split_pdf", pages("3-1")),
        one("page_range", "malformed")
    );
    let volume = |volume: &str| json!({"input_file_id": "f", "volume": volume});
    assert_eq!(
        errors("adjust_audio_volume", volume("")),
        one("volume", "empty")
    );
    assert_eq!(warnings("adjust_audio_volume", volume("-6dB")), []);
    assert_eq!(
        warnings("adjust_audio_volume", volume("volume*2")),
        one("volume", "malformed")
    );
}

#[test]
fn a_voice_that_is_all_that_is_missing_has_a_code_of_its_own() {
    let code = |body: Value| code_of(&validate(find("text_driven").expect("known"), &body));
    let missing = json!({"avatar_asset_id": "a", "text": "t"});
    assert_eq!(code(missing.clone()), Code::VOICE_ASSET_REQUIRED);
    let with = |name: &str, value: Value| {
        let mut body = missing.clone();
        body[name] = value;
        body
    };
    assert_eq!(
        code(with("voice_asset_id", json!(null))),
        Code::VOICE_ASSET_REQUIRED
    );
    assert_eq!(
        code(with("voice_asset_id", json!(" "))),
        Code::VOICE_ASSET_REQUIRED
    );
    assert_eq!(
        code(with("duration_seconds", json!(0))),
        Code::VOICE_ASSET_REQUIRED,
        "a warning is no error"
    );
    assert_eq!(code(with("voice_asset_id", json!(7))), Code::INVALID_INPUT);
    assert_eq!(code(with("text", json!(" "))), Code::INVALID_INPUT);
    assert_eq!(code(json!({"avatar_asset_id": "a"})), Code::INVALID_INPUT);
}

#[test]
fn a_blank_choice_is_doubtful() {
    let body = |value: &str| json!({"input_video_file_id": "f", "logo_type": value});
    assert_eq!(
        warnings("video_logo_removal", body(" ")),
        one("logo_type", "empty")
    );
    assert_eq!(errors("video_logo_removal", body("")), []);
    assert_eq!(warnings("video_logo_removal", body("default")), []);
}

#[test]
fn uploads_name_type_and_size() {
    let upload = |size: Value| {
        validate_upload(&json!({"file_name": "a.png", "content_type": "image/png", "size": size}))
    };
    assert_eq!(upload(json!(5_000_000_000_u64)), []);
    for bad in [
        json!(0),
        json!(-1),
        json!(1.5),
        json!(1e17),
        json!("1"),
        json!(null),
    ] {
        let issues = upload(bad.clone());
        assert_eq!(issues.len(), 1, "{bad}");
        assert!(
            issues[0].message.ends_with("give a whole number from 1"),
            "{bad}"
        );
    }
    assert_eq!(validate_upload(&json!({})).len(), 3);
    assert_eq!(
        [json!(1), json!(9_007_199_254_740_991_u64)].map(|size| upload(size).len()),
        [0, 0]
    );
    assert_eq!(
        upload(json!(9_007_199_254_740_992_u64)).len(),
        1,
        "no float is exact from here on"
    );
    let of_type = |media_type: &str| {
        let body = json!({"file_name": "a", "content_type": media_type, "size": 1});
        validate_upload(&body)
            .into_iter()
            .map(|issue| (issue.path, issue.reason.name()))
            .collect::<Vec<_>>()
    };
    for good in ["image/png", "text/plain; charset=utf-8", &"x".repeat(255)] {
        assert_eq!(of_type(good), [], "{good}");
    }
    for bad in ["image/png\n", "bild/é", &"x".repeat(256)] {
        assert_eq!(of_type(bad), one("content_type", "malformed"), "{bad:?}");
    }
}

#[test]
fn a_message_says_what_to_give() {
    let message = |name: &str, body: Value| {
        validate_strictly(find(name).expect(name), &body)[0]
            .message
            .clone()
    };
    for (name, body, expected) in [
        ("merge_pdf", json!(4), "is a number; give a JSON object"),
        (
            "merge_pdf",
            json!({}),
            "is missing; give a list of ids of uploaded files",
        ),
        (
            "merge_pdf",
            json!({"input_file_ids": []}),
            "is empty; give a list of ids of uploaded files, at least one",
        ),
        (
            "merge_pdf",
            json!({"input_file_ids": [" "]}),
            "is empty; give the id of an uploaded file",
        ),
        (
            "merge_pdf",
            json!({"input_file_ids": ["f"], "zzz": 1}),
            "is not a known field; leave it out, or use one of input_file_ids, model_id, title",
        ),
        (
            "merge_pdf",
            json!({"input_file_ids": ["f"], "titl": 1}),
            "is not a known field; did you mean title?",
        ),
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
        let mut body: Value = (0..extra)
            .map(|number| (format!("unknown_field_{number}"), json!(1)))
            .collect();
        for (name, value) in [
            ("file_name", json!("f")),
            ("content_type", json!("image/png")),
            ("size", json!(1)),
        ] {
            body[name] = value;
        }
        validate_upload(&body).len()
    };
    assert_eq!([99, 100, 101, 5_000].map(upload), [99, 100, 100, 100]);
    let ids = |count: usize| errors("merge_pdf", json!({"input_file_ids": vec![" "; count]})).len();
    assert_eq!([99, 100, 101, 5_000].map(ids), [99, 100, 100, 100]);
}

#[test]
fn a_hostile_body_is_cheap() {
    let body: Value = (0..50_000)
        .map(|number| (format!("unknown_field_{number}"), json!(1)))
        .collect();
    let found = validate_strictly(find("text_to_image").expect("known"), &body);
    assert!((MAX_ISSUES..=MAX_ISSUES + 1).contains(&found.len()));
    let long = validate_strictly(
        find("text_to_image").expect("known"),
        &json!({"prompt": "p", "é".repeat(100_000): 1}),
    );
    assert!(long[0].path.len() < 200);
}
