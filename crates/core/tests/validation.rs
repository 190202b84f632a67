//! Invalid input gets an issue with the field, the reason and a remedy; valid input gets none.

use mediagate_core::{
    Code, Issue, MAX_ISSUES, Severity, code_of, find, is_valid, validate, validate_strictly,
    validate_upload,
};
use serde_json::{Value, json};

/// Checks rows of a capability, a body and its issues. A `~` marks a warning.
fn check(rows: &str) {
    for row in unwrapped(rows).lines() {
        let (request, expected) = row.split_once(" => ").expect("a row");
        let (name, body) = request.split_once(' ').expect("a body");
        let body: Value = body.parse().expect("JSON");
        assert_eq!(issues(name, &body), expected, "{row}");
    }
}

/// Joins the lines of each row. A line that continues a row is indented.
fn unwrapped(rows: &str) -> String {
    rows.replace("\n  ", " ")
}

fn issues(name: &str, body: &Value) -> String {
    let found = validate(find(name).expect(name), body);
    assert!(found.iter().all(|issue| !issue.message.is_empty()));
    let has_error = found.iter().any(|issue| issue.severity == Severity::Error);
    assert_eq!(is_valid(&found), !has_error);
    shown(&found)
}

fn strict(name: &str, body: Value) -> String {
    shown(&validate_strictly(find(name).expect(name), &body))
}

fn shown(found: &[Issue]) -> String {
    let mark = |issue: &Issue| match issue.severity {
        Severity::Warning => "~",
        Severity::Error => "",
    };
    let words: Vec<_> = found
        .iter()
        .map(|issue| format!("{}{} {}", mark(issue), issue.path, issue.reason.name()))
        .collect();
    if words.is_empty() {
        "valid".into()
    } else {
        words.join(", ")
    }
}

#[test]
fn issues_have_the_path_and_the_reason_of_each_value() {
    check(ROWS);
}

const ROWS: &str = r#"merge_pdf null =>  wrong_type
merge_pdf [] =>  wrong_type
merge_pdf "text" =>  wrong_type
merge_pdf 1 =>  wrong_type
image_to_video {"fileId": "f", "prompt": " ", "duration_seconds": 0, "title": 4}
  => ~fileId unknown_field, file_id missing, prompt empty, ~duration_seconds out_of_range,
  title wrong_type
merge_pdf {"input_file_ids": ["f"], "style": 1, "titl": "t", "region.x": 1} => ~titl unknown_field
subtitle_removal {"file_id": "f", "region": {"x": 1, "z": 1, "hieght": 2}}
  => ~region.hieght unknown_field
merge_pdf {"input_file_ids": ["f"], "model_id": null, "title": null} => valid
subtitle_removal {"file_id": "f", "region": null, "region.x": null} => valid
subtitle_removal {"file_id": "f", "region": {"x": null, "y": 3}} => valid
omni_reference_to_video {"prompt": "p", "image_file_ids": null, "audio_file_ids": ["a"]} => valid
text_to_image {"prompt": "p", "cfg_normalization": null, "guidance_scale": null, "seed": null}
  => valid
text_to_image {"prompt": null} => prompt missing
merge_pdf {"input_file_ids": [null]} => input_file_ids[0] wrong_type
omni_reference_to_video {"prompt": "p", "image_file_ids": null} => image_file_ids missing
text_to_image {"prompt": "p", "seed": -2147483649} => valid
text_to_image {"prompt": "p", "seed": -1} => valid
text_to_image {"prompt": "p", "seed": 9007199254740993} => valid
text_to_image {"prompt": "p", "seed": 5.0} => valid
text_to_image {"prompt": "p", "seed": 1e300} => valid
text_to_image {"prompt": "p", "seed": 18446744073709551615} => valid
text_to_image {"prompt": "p", "seed": 1.5} => seed out_of_range
text_to_image {"prompt": "p", "seed": -0.1} => seed out_of_range
text_to_image {"prompt": "p", "seed": 1e-7} => seed out_of_range
text_to_image {"prompt": "p", "seed": 2251799813685249.5} => seed out_of_range
text_to_image {"prompt": "p", "seed": "7"} => seed wrong_type
image_to_video {"file_id": "f", "prompt": "p", "duration_seconds": 2147483647} => valid
image_to_video {"file_id": "f", "prompt": "p", "duration_seconds": 0}
  => ~duration_seconds out_of_range
image_to_video {"file_id": "f", "prompt": "p", "duration_seconds": -2147483648}
  => ~duration_seconds out_of_range
image_to_video {"file_id": "f", "prompt": "p", "duration_seconds": 2147483648}
  => duration_seconds out_of_range
image_to_video {"file_id": "f", "prompt": "p", "duration_seconds": -2147483649}
  => duration_seconds out_of_range
image_to_video {"file_id": "f", "prompt": "p", "duration_seconds": 0.5}
  => duration_seconds out_of_range
text_to_video {"prompt": "p"} => valid
text_to_video {"prompt": "p", "aspect_ratio": "9:16", "clarity": "1080P", "duration_seconds": 8,
  "seed": -1, "model_id": "m", "title": "t"} => valid
text_to_video {"duration_seconds": 5} => prompt missing
text_to_video {"prompt": " ", "aspect_ratio": 1, "clarity": 2, "duration_seconds": 0, "seed": 0.5}
  => prompt empty, aspect_ratio wrong_type, clarity wrong_type, ~duration_seconds out_of_range,
  seed out_of_range
resize_video {"input_file_id": "f", "width": 0, "height": -5}
  => ~width out_of_range, ~height out_of_range
text_to_image {"prompt": "p", "cfg_normalization": "true"} => cfg_normalization wrong_type
text_to_image {"prompt": "p", "cfg_normalization": 1} => cfg_normalization wrong_type
text_to_image {"prompt": "p", "guidance_scale": "1"} => guidance_scale wrong_type
text_to_image {"prompt": "p", "negative_prompt": 1} => negative_prompt wrong_type
text_driven {"avatar_asset_id": "a", "voice_asset_id": "v", "text": "t",
  "links": ["https://h/a", ""]} => valid
text_driven {"avatar_asset_id": "a", "voice_asset_id": "v", "text": "t", "links": "https://h/a"}
  => links wrong_type
text_driven {"avatar_asset_id": "a", "voice_asset_id": "v", "text": "t", "links": [1]}
  => links[0] wrong_type
split_video {"input_file_id": "f", "segments": [{"start_time": "00:00:00", "end_time": "00:00:05"},
  {"start_time": "99:59:58", "end_time": "99:59:59"}]} => valid
split_video {"input_file_id": "f", "segments": []} => segments empty
split_video {"input_file_id": "f", "segments": [{"start_time": "00:00:05", "end_time": "00:00:04"}]}
  => segments[0].end_time order
split_video {"input_file_id": "f", "segments": [{"start_time": "00:00:05", "end_time": "00:00:05"}]}
  => ~segments[0].end_time order
split_video {"input_file_id": "f", "segments": [{"start_time": "0:00:00", "end_time": "00:00:60"}]}
  => segments[0].start_time malformed, segments[0].end_time malformed
split_video {"input_file_id": "f", "segments": [{"start_time": "00:00:00"}]}
  => segments[0].end_time missing
split_video {"input_file_id": "f", "segments": [{"start_time": 0, "end_time": "00:00:01"}]}
  => segments[0].start_time wrong_type
split_video {"input_file_id": "f", "segments": ["00:00:00"]} => segments[0] wrong_type
background_removal {"file_id": "f", "region": {"x": -1, "y": 0, "width": 1, "height": 1}} => valid
background_removal {"file_id": "f", "region": {}} => valid
subtitle_removal {"file_id": "f", "region": {"width": 0, "height": 1}} => ~region.width out_of_range
subtitle_removal {"file_id": "f", "region": [0, 0, 1, 1]} => region wrong_type
subtitle_removal {"file_id": "f", "region": {"x": 0.5}} => region.x out_of_range
subtitle_removal {"file_id": "f", "region.x": 5, "region.width": 0} => ~region.width out_of_range
subtitle_removal {"file_id": "f", "region.x": "5"} => region.x wrong_type
video_logo_removal {"input_video_file_id": "f", "video_size": [1280, 720]} => valid
video_logo_removal {"input_video_file_id": "f", "video_size": {"width": 1280, "height": 720}}
  => valid
video_logo_removal {"input_video_file_id": "f", "video_size": {"w": 1, "h": "x"}} => valid
video_logo_removal {"input_video_file_id": "f", "video_size": [1280]} => ~video_size malformed
video_logo_removal {"input_video_file_id": "f", "video_size": [1, 2, 3]} => ~video_size malformed
video_logo_removal {"input_video_file_id": "f", "video_size": [1280, 0]}
  => ~video_size[1] out_of_range
video_logo_removal {"input_video_file_id": "f", "video_size": [1280, "7"]}
  => video_size[1] wrong_type
video_logo_removal {"input_video_file_id": "f", "video_size": {"width": "1"}}
  => video_size.width wrong_type
video_logo_removal {"input_video_file_id": "f", "video_size": "1280x720"} => video_size wrong_type
omni_reference_to_video {"prompt": "p"} => image_file_ids missing
omni_reference_to_video {"prompt": "p", "image_file_ids": [], "audio_file_ids": []}
  => image_file_ids missing
omni_reference_to_video {"prompt": "p", "audio_file_ids": ["a"]} => valid
omni_reference_to_video {"prompt": "p", "image_file_ids": ["a", " ", 3]}
  => image_file_ids[1] empty, image_file_ids[2] wrong_type
merge_pdf {"input_file_ids": []} => input_file_ids empty
merge_pdf {"input_file_ids": "a"} => input_file_ids wrong_type
video_logo_removal {"input_video_file_id": "f", "logo_file_id": "a"} => valid
video_logo_removal {"input_video_file_id": "f", "logo_file_id": ["a", "b"]} => valid
video_logo_removal {"input_video_file_id": "f", "logo_file_id": []} => valid
video_logo_removal {"input_video_file_id": "f", "logo_file_id": null} => valid
video_logo_removal {"input_video_file_id": "f", "logo_file_id": ["a", ""]} => logo_file_id[1] empty
text_to_image {"prompt": " ", "negative_prompt": " ", "title": ""} => prompt empty
text_to_image {"prompt": "\u00a0\u2003\n"} => prompt empty
image_to_video {"file_id": "f", "prompt": " "} => prompt empty
split_pdf {"input_file_id": "f", "page_range": " "} => page_range empty
split_pdf {"input_file_id": "f", "page_range": "1 - 3, 5-"} => valid
split_pdf {"input_file_id": "f", "page_range": "3-1"} => ~page_range malformed
adjust_audio_volume {"input_file_id": "f", "volume": ""} => volume empty
adjust_audio_volume {"input_file_id": "f", "volume": "-6dB"} => valid
adjust_audio_volume {"input_file_id": "f", "volume": "volume*2"} => ~volume malformed
video_logo_removal {"input_video_file_id": "f", "logo_type": " "} => ~logo_type empty
video_logo_removal {"input_video_file_id": "f", "logo_type": "default"} => valid"#;

#[test]
fn an_unknown_name_or_a_part_that_is_there_twice_is_an_error_if_names_are_strict() {
    let region = json!({"file_id": "f", "region": {"x": 1, "y": 1}, "region.x": 1});
    assert_eq!(strict("subtitle_removal", region), "region.x malformed");
    let body = json!({"input_file_ids": ["f"], "titl": "t"});
    assert_eq!(strict("merge_pdf", body), "titl unknown_field");
    let body = json!({"input_file_ids": ["f"], "region.x": 1});
    assert_eq!(strict("merge_pdf", body), "region.x unknown_field");
    let size = json!({"input_video_file_id": "f", "video_size": {"w": 1}});
    assert_eq!(strict("video_logo_removal", size), "valid");
}

#[test]
fn warnings_never_hide_an_error_and_errors_no_warning() {
    let counts = |name: &str, body: Value| {
        let found = validate(find(name).expect(name), &body);
        let errors = found
            .iter()
            .filter(|issue| issue.severity == Severity::Error)
            .count();
        (errors, found.len() - errors)
    };
    let equal = json!({"start_time": "00:00:01", "end_time": "00:00:01"});
    let mut segments = vec![equal; 1_100];
    segments.push(json!({"start_time": "00:00:01", "end_time": "0"}));
    let body = json!({"input_file_id": "f", "segments": segments});
    assert_eq!(counts("split_video", body), (1, MAX_ISSUES));
    let sizes = vec![0; MAX_ISSUES - 1];
    let body =
        json!({"input_video_file_id": "f", "logo_file_id": vec![" "; 60], "video_size": sizes});
    assert_eq!(counts("video_logo_removal", body), (60, MAX_ISSUES));
}

#[test]
fn a_voice_that_is_all_that_is_missing_has_a_code_of_its_own() {
    let code = |more: Value| {
        let mut body = json!({"avatar_asset_id": "a", "text": "t"});
        for (name, value) in more.as_object().into_iter().flatten() {
            body[name] = value.clone();
        }
        code_of(&validate(find("text_driven").expect("known"), &body))
    };
    for voice in [
        json!({}),
        json!({"voice_asset_id": null}),
        json!({"voice_asset_id": " "}),
        json!({"duration_seconds": 0}),
    ] {
        assert_eq!(code(voice.clone()), Code::VOICE_ASSET_REQUIRED, "{voice}");
    }
    for other in [
        json!({"voice_asset_id": 7}),
        json!({"text": " "}),
        json!({"text": null}),
    ] {
        assert_eq!(code(other.clone()), Code::INVALID_INPUT, "{other}");
    }
}

#[test]
fn uploads_name_type_and_size() {
    let upload = |media_type: &str, size: Value| {
        let body = json!({"file_name": "a", "content_type": media_type, "size": size});
        validate_upload(&body)
    };
    for good in ["1", "5000000000", "9007199254740991"] {
        let size = good.parse().expect("JSON");
        assert_eq!(upload("image/png", size), [], "{good}");
    }
    // No float is exact from 9007199254740992 on.
    for bad in [
        "0",
        "-1",
        "1.5",
        "1e17",
        "\"1\"",
        "null",
        "9007199254740992",
    ] {
        let issues = upload("image/png", bad.parse().expect("JSON"));
        assert_eq!(issues.len(), 1, "{bad}");
        let message = &issues[0].message;
        assert!(message.ends_with("give a whole number from 1"), "{bad}");
    }
    assert_eq!(validate_upload(&json!({})).len(), 3);
    for good in ["image/png", "text/plain; charset=utf-8", &"x".repeat(255)] {
        assert_eq!(upload(good, json!(1)), [], "{good}");
    }
    for bad in ["image/png\n", "bild/é", &"x".repeat(256)] {
        let issues = shown(&upload(bad, json!(1)));
        assert_eq!(issues, "content_type malformed", "{bad:?}");
    }
}

#[test]
fn a_message_says_what_to_give() {
    let rows = r#"merge_pdf 4 => is a number; give a JSON object
merge_pdf {} => is missing; give a list of ids of uploaded files
merge_pdf {"input_file_ids": []} => is empty; give a list of ids of uploaded files, at least one
merge_pdf {"input_file_ids": [" "]} => is empty; give the id of an uploaded file
merge_pdf {"input_file_ids": ["f"], "title": 4} => is a number; give a string
merge_pdf {"input_file_ids": ["f"], "zzz": 1}
  => is not a known field; leave it out, or use one of input_file_ids, model_id, title
merge_pdf {"input_file_ids": ["f"], "titl": 1} => is not a known field; did you mean title?
text_to_image {"prompt": "p", "seed": 0.5} => must be a whole number
text_to_video {"prompt": "p", "duration_seconds": 2.5} => must be a whole number
text_to_video {"prompt": "p", "duration_seconds": 3e9}
  => is out of range; give a whole number of 32 bits
text_to_video {"prompt": "p", "duration_seconds": 1e300}
  => is out of range; give a whole number of 32 bits
omni_reference_to_video {"prompt": "p"}
  => no reference: give at least one of image_file_ids, video_file_ids, audio_file_ids"#;
    for row in unwrapped(rows).lines() {
        let (request, expected) = row.split_once(" => ").expect("a row");
        let (name, body) = request.split_once(' ').expect("a body");
        let body: Value = body.parse().expect("JSON");
        let issues = validate_strictly(find(name).expect(name), &body);
        assert_eq!(issues[0].message, expected, "{row}");
    }
}

#[test]
fn reading_stops_after_a_hundred_issues() {
    let unknown = |count: usize| -> Value {
        (0..count)
            .map(|number| (format!("unknown_field_{number}"), json!(1)))
            .collect()
    };
    // Three fields of an upload are missing.
    let upload = |count: usize| validate_upload(&unknown(count)).len() - 3;
    assert_eq!([99, 100, 101, 5_000].map(upload), [99, 100, 100, 100]);
    let ids = |count: usize| {
        let body = json!({"input_file_ids": vec![" "; count]});
        validate(find("merge_pdf").expect("known"), &body).len()
    };
    assert_eq!([99, 100, 101, 5_000].map(ids), [99, 100, 100, 100]);
    let capability = find("text_to_image").expect("known");
    let found = validate_strictly(capability, &unknown(50_000));
    assert!((MAX_ISSUES..=MAX_ISSUES + 1).contains(&found.len()));
    let long = json!({"prompt": "p", "é".repeat(100_000): 1});
    assert!(validate_strictly(capability, &long)[0].path.len() < 200);
}
