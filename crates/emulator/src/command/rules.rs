//! The document's rules for the fields of a create (§4.2, §4.3).
//!
//! This is the emulator's own reading of the document. It does not use the gateway's validator, so
//! that a mistake in one of them shows in a test. Names that no field has are ignored. The job
//! judges values that the document leaves open.

use mediagate_core::{Capability, Code, Field, Kind};
use serde_json::{Map, Value};

use crate::http::{Problem, Refusal};

/// Checks the fields of a body, and returns it in the form of [`nested`]. Refuses with every
/// problem and code 12, or with 1403 if the only problem is a missing voice (§7).
pub(super) fn check(capability: &Capability, body: &Value) -> Result<Map<String, Value>, Refusal> {
    let Some(body) = body.as_object() else {
        let message = "the body is no JSON object";
        return Err(Refusal::invalid_field("", "wrong_type", message));
    };
    let input = nested(capability, body);
    let problems = problems(capability, &input);
    match problems.as_slice() {
        [] => Ok(input),
        [only] if only.path == "voice_asset_id" && only.reason == "missing" => {
            Err(Refusal::new(Code::VOICE_ASSET_REQUIRED).with_problems(&problems))
        }
        _ => Err(Refusal::invalid(problems)),
    }
}

/// Returns true if a body is valid for this capability and has no other fields.
pub(crate) fn fits(capability: &Capability, body: &Value) -> bool {
    for (name, _) in body.as_object().into_iter().flatten() {
        let (field, _) = name.split_once('.').unwrap_or((name, ""));
        if capability.field(field).is_none() {
            return false;
        }
    }
    check(capability, body).is_ok()
}

/// Returns the body with members such as `region.x` moved into `region`, and without `null`.
fn nested(capability: &Capability, body: &Map<String, Value>) -> Map<String, Value> {
    let mut input = body.clone();
    let fields = capability.fields();
    for field in fields.filter(|field| field.kind == Kind::Region) {
        for side in ["x", "y", "width", "height"] {
            if let Some(value) = input.remove(&format!("{}.{side}", field.name)) {
                let region = input
                    .entry(field.name)
                    .or_insert_with(|| Value::Object(Map::new()));
                // A `region` that is no object is reported by the field's own check.
                if let Some(region) = region.as_object_mut() {
                    region.insert(side.into(), value);
                }
            }
        }
    }
    input.retain(|_, value| !value.is_null());
    input
}

fn problems(capability: &Capability, input: &Map<String, Value>) -> Vec<Problem> {
    let mut found = Vec::new();
    for own in capability.fields() {
        found.extend(field(own, input.get(own.name)));
    }
    let mut has_reference = false;
    for name in capability.any_of {
        let files = input.get(*name).and_then(Value::as_array);
        has_reference |= files.is_some_and(|files| !files.is_empty());
    }
    if !capability.any_of.is_empty() && !has_reference {
        found.push(Problem::new(
            capability.any_of[0],
            "missing",
            "no reference file: give at least one",
        ));
    }
    found
}

fn field(field: &Field, value: Option<&Value>) -> Vec<Problem> {
    let name = field.name;
    let value = match value {
        Some(value) => value,
        None if field.required => return vec![Problem::new(name, "missing", "required")],
        None => return Vec::new(),
    };
    match field.kind {
        Kind::Segments => list(name, value, true, segment),
        Kind::Files(_) => list(name, value, field.required, filled),
        Kind::FileOrFiles(_) if value.is_array() => list(name, value, false, filled),
        Kind::TextList => list(name, value, false, text),
        Kind::Region => members(name, value, &["x", "y", "width", "height"], int32),
        Kind::VideoSize if value.is_array() => list(name, value, false, integer),
        Kind::VideoSize => members(name, value, &["width", "height"], integer),
        kind => single(name, kind, value),
    }
}

fn single(path: &str, kind: Kind, value: &Value) -> Vec<Problem> {
    match kind {
        Kind::Text => text(path, value),
        Kind::Choice => {
            let is_name = value.as_str().is_some_and(|name| !name.trim().is_empty());
            one(path, is_name, "a name")
        }
        Kind::Integer | Kind::PositiveInteger => integer(path, value),
        Kind::Int32 | Kind::PositiveInt32 => int32(path, value),
        Kind::Number => one(path, value.is_number(), "a number"),
        Kind::Boolean => one(path, value.is_boolean(), "true or false"),
        _ => filled(path, value),
    }
}

type Check = fn(&str, &Value) -> Vec<Problem>;

fn list(path: &str, value: &Value, is_filled: bool, each: Check) -> Vec<Problem> {
    let Some(items) = value.as_array() else {
        return one(path, false, "a list");
    };
    if items.is_empty() && is_filled {
        return one(path, false, "a list with something in it");
    }
    let mut found = Vec::new();
    for (index, item) in items.iter().enumerate() {
        found.extend(each(&format!("{path}[{index}]"), item));
    }
    found
}

/// Checks each member of these names that is present.
fn members(path: &str, value: &Value, names: &[&str], each: Check) -> Vec<Problem> {
    let Some(object) = value.as_object() else {
        return one(path, false, "an object");
    };
    let mut found = Vec::new();
    for name in names {
        if let Some(member) = object.get(*name)
            && !member.is_null()
        {
            found.extend(each(&format!("{path}.{name}"), member));
        }
    }
    found
}

/// Checks a part of a video: two times in order, which may be equal.
fn segment(path: &str, value: &Value) -> Vec<Problem> {
    let [start, end] = ["start_time", "end_time"]
        .map(|name| value.get(name).and_then(Value::as_str).and_then(seconds));
    match (start, end) {
        (Some(start), Some(end)) => one(
            &format!("{path}.end_time"),
            start <= end,
            "a time after start_time",
        ),
        _ => one(
            path,
            false,
            "an object with start_time and end_time, each HH:MM:SS",
        ),
    }
}

/// Returns the seconds of a time in the form HH:MM:SS (§4.3). `None` for any other form.
pub(crate) fn seconds(time: &str) -> Option<u32> {
    let parts: Vec<&str> = time.split(':').collect();
    let [hours, minutes, seconds] = parts[..] else {
        return None;
    };
    let hours = two_digits(hours)?;
    let minutes = two_digits(minutes)?;
    let seconds = two_digits(seconds)?;
    (minutes < 60 && seconds < 60).then_some(hours * 3600 + minutes * 60 + seconds)
}

fn two_digits(part: &str) -> Option<u32> {
    // `parse` also accepts a sign.
    let is_number = part.len() == 2 && part.bytes().all(|digit| digit.is_ascii_digit());
    if is_number { part.parse().ok() } else { None }
}

fn text(path: &str, value: &Value) -> Vec<Problem> {
    one(path, value.is_string(), "a string")
}

fn filled(path: &str, value: &Value) -> Vec<Problem> {
    match value.as_str() {
        None => one(path, false, "a string"),
        Some(text) if text.trim().is_empty() => vec![Problem::new(path, "missing", "empty")],
        Some(_) => Vec::new(),
    }
}

fn whole(value: &Value) -> Option<f64> {
    value.as_f64().filter(|number| number.fract() == 0.0)
}

fn integer(path: &str, value: &Value) -> Vec<Problem> {
    one(path, whole(value).is_some(), "a whole number")
}

fn int32(path: &str, value: &Value) -> Vec<Problem> {
    let range = f64::from(i32::MIN)..=f64::from(i32::MAX);
    let is_right = whole(value).is_some_and(|number| range.contains(&number));
    one(path, is_right, "an int32")
}

/// Returns a problem unless the value is right. `expected` completes the sentence "not …".
fn one(path: &str, is_right: bool, expected: &str) -> Vec<Problem> {
    if is_right {
        return Vec::new();
    }
    vec![Problem::new(
        path,
        "invalid_value",
        format!("not {expected}"),
    )]
}

#[cfg(test)]
mod tests {
    use super::*;
    use mediagate_core::find;

    fn check(cases: &str) {
        for case in cases.trim().split(';') {
            let cells: Vec<_> = case.split('|').map(str::trim).collect();
            let body: Map<String, Value> = serde_json::from_str(cells[1]).unwrap();
            let capability = find(cells[0]).unwrap();
            let problems = problems(capability, &nested(capability, &body));
            let paths: Vec<_> = problems.into_iter().map(|problem| problem.path).collect();
            assert_eq!(paths.join(" "), cells[2], "{case}");
        }
    }

    #[test]
    fn what_the_document_forbids_is_a_problem() {
        check(
            r#"
            video_logo_removal | {"input_video_file_id": "f", "logo_type": ""} | logo_type;
            image_to_video | {"prompt": " "} | file_id prompt;
            image_to_video | {"file_id": "", "prompt": "p", "duration_seconds": 1.5}
                | file_id duration_seconds;
            image_to_video | {"file_id": "f", "prompt": "p", "duration_seconds": 3e9}
                | duration_seconds;
            omni_reference_to_video | {"prompt": "p", "image_file_ids": []} | image_file_ids;
            merge_pdf | {"input_file_ids": ["a", " ", 7]} | input_file_ids[1] input_file_ids[2];
            split_video | {"input_file_id": "f", "segments": []} | segments;
            split_video |
                {"input_file_id": "f", "segments":
                    [{"start_time": "00:00:02", "end_time": "00:00:01"}, 4]}
                | segments[0].end_time segments[1];
            subtitle_removal | {"file_id": "f", "region.x": "1", "region": {"y": 0.5}}
                | region.x region.y;
            text_to_image | {"prompt": "\u00a0"} | prompt;
            text_to_image | {"prompt": 1, "cfg_normalization": 0, "guidance_scale": "1"}
                | prompt guidance_scale cfg_normalization
            "#,
        );
    }

    #[test]
    fn what_the_document_leaves_open_passes() {
        check(
            r#"
            background_removal | {"file_id": "f", "region": {}} |;
            text_to_image |
                {"prompt": "p", "negative_prompt": " ", "seed": -5e12, "width": 0, "style": {"a": 1}, "title": null} |;
            subtitle_removal |
                {"file_id": "f", "region.x": -1, "region": {"width": 0, "height": null}} |;
            video_logo_removal |
                {"input_video_file_id": "f", "logo_file_id": [], "video_size": {"w": "x"}} |;
            video_logo_removal |
                {"input_video_file_id": "f", "logo_file_id": "g", "video_size": [1]} |;
            split_pdf | {"input_file_id": "f", "page_range": "all"} |;
            adjust_audio_volume | {"input_file_id": "f", "volume": "volume*2"} |;
            split_video |
                {"input_file_id": "f", "segments":
                    [{"start_time": "00:00:01", "end_time": "00:00:01", "x": 1}]} |
            "#,
        );
    }

    #[test]
    fn a_time_has_hours_minutes_and_seconds() {
        assert_eq!(seconds("99:59:59"), Some(359_999));
        let wrong = "|0:00:00|00:60:00|00:00:60|00:00|00:00:00:00|+1:00:00|00:00:0５";
        for text in wrong.split('|') {
            assert_eq!(seconds(text), None, "{text}");
        }
    }
}
