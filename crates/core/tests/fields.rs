//! Fields outside a capability, and values that JSON does not have.

use std::cell::RefCell;

use mediagate_core::{Field, Kind, Type, Value, find, validate, validate_fields};
use serde_json::json;

static SECONDS: [Field; 1] = [Field::new("seconds", Kind::Number).required()];

#[test]
fn fields_outside_a_capability_are_validated_alike() {
    let paths = |body: &serde_json::Value| -> Vec<(String, &'static str)> {
        validate_fields(&SECONDS, body)
            .into_iter()
            .map(|issue| (issue.path, issue.reason.name()))
            .collect()
    };
    assert_eq!(paths(&json!({"seconds": 2.5})), []);
    assert_eq!(paths(&json!({})), [("seconds".to_owned(), "missing")]);
    assert_eq!(
        paths(&json!({"seconds": "2"})),
        [("seconds".to_owned(), "wrong_type")]
    );
    assert_eq!(
        paths(&json!({"seconds": 1, "other": 1})),
        [("other".to_owned(), "unknown_field")]
    );
}

/// A page's values: JSON, and also `NaN`, written here as a string, and files, written as objects
/// with `is_file`.
#[derive(Clone)]
struct PageValue<'a> {
    json: &'a serde_json::Value,
    /// The names of the members that were read.
    read: &'a RefCell<Vec<String>>,
}

impl<'a> PageValue<'a> {
    fn of(&self, json: &'a serde_json::Value) -> Self {
        PageValue {
            json,
            read: self.read,
        }
    }
}

impl<'a> Value for PageValue<'a> {
    type Str = &'a str;
    type Text = String;

    const TAKES_FILES: bool = true;

    fn kind(&self) -> Type {
        match self.json.kind() {
            Type::Text if self.json == "NaN" => Type::Number,
            Type::Object if self.json["is_file"] == true => Type::Blob,
            other => other,
        }
    }
    fn text(&self) -> Option<&'a str> {
        self.json.text()
    }
    fn number(&self) -> Option<f64> {
        self.json.number()
    }
    fn get(&self, name: &str) -> Option<Self> {
        self.read.borrow_mut().push(name.to_owned());
        Value::get(&self.json, name).map(|member| self.of(member))
    }
    fn length(&self) -> usize {
        self.json.length()
    }
    fn item(&self, index: usize) -> Option<Self> {
        self.json.item(index).map(|item| self.of(item))
    }
    fn identifier(&self) -> Option<String> {
        self.json.identifier()
    }
    fn keys(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        self.json.keys()
    }
}

#[test]
fn a_number_that_is_not_finite_is_out_of_range() {
    let reasons = |json: serde_json::Value| -> Vec<&'static str> {
        let body = PageValue {
            json: &json,
            read: &RefCell::default(),
        };
        validate_fields(&SECONDS, body)
            .into_iter()
            .map(|issue| issue.reason.name())
            .collect()
    };
    assert_eq!(reasons(json!({"seconds": "NaN"})), ["out_of_range"]);
    assert_eq!(reasons(json!({"seconds": 1})), [""; 0]);
    assert_eq!(reasons(json!({"seconds": true})), ["wrong_type"]);
}

#[test]
fn a_member_that_is_absent_is_not_read() {
    let read = RefCell::default();
    let json = json!({"title": "t"});
    validate(
        find("text_to_image").expect("known"),
        PageValue {
            json: &json,
            read: &read,
        },
    );
    assert_eq!(
        read.take(),
        ["title"],
        "each costs a page a call of JavaScript"
    );
}

/// Returns the paths and the messages of the issues of a page's request.
fn messages(name: &str, json: serde_json::Value) -> Vec<String> {
    let body = PageValue {
        json: &json,
        read: &RefCell::default(),
    };
    validate(find(name).expect("known"), body)
        .into_iter()
        .map(|issue| issue.path + " " + &issue.message)
        .collect()
}

fn animate(file: serde_json::Value) -> Vec<String> {
    messages("image_to_video", json!({"file_id": file, "prompt": "p"}))
}

fn merge(files: serde_json::Value) -> Vec<String> {
    messages("merge_pdf", json!({"input_file_ids": files}))
}

#[test]
fn the_place_of_a_file_is_no_id() {
    let places = [
        ("data:image/png;base64,AA==", "malformed data URI"),
        ("blob:https://app.example/1", "URL (give it as { url }"),
        ("https://app.example/a.png", "URL (give it as { url }"),
        ("/tmp/a", "path (read"),
        ("C:\\a", "path (read"),
        ("a.png", "path (read"),
    ];
    for (text, place) in places {
        let found = messages("background_removal", json!({"file_id": text}));
        let expected = format!("file_id is a {place}");
        assert!(found.concat().starts_with(&expected), "{text}: {found:?}");
        let items = messages("merge_pdf", json!({"input_file_ids": ["Zm9v-_0", text]}));
        assert_eq!(items.len(), 1, "{text}: {items:?}");
    }
}

#[test]
fn a_file_in_place_of_an_id_is_of_the_fields_kind() {
    let file =
        |media_type: &str, size: u32| json!({"is_file": true, "type": media_type, "size": size});
    let logo = |logo: serde_json::Value| {
        messages(
            "video_logo_removal",
            json!({"input_video_file_id": "v", "logo_file_id": logo}),
        )
    };
    for media_type in ["image/png", "", "application/octet-stream", "application/*"] {
        assert_eq!(animate(file(media_type, 1)), [""; 0], "{media_type}");
        assert_eq!(logo(file(media_type, 1)), [""; 0], "{media_type}");
        assert_eq!(
            logo(json!([file(media_type, 1), "an id"])),
            [""; 0],
            "{media_type}"
        );
    }
    for media_type in ["video/mp4", "audio/mpeg", "text/plain", "application/pdf"] {
        let expected = ["file_id is a file of another kind; give an image"];
        assert_eq!(animate(file(media_type, 1)), expected, "{media_type}");
    }
    let empty = "is an empty file; give one with at least one byte";
    assert_eq!(animate(file("image/png", 0)), [format!("file_id {empty}")]);
    assert_eq!(
        logo(json!([file("image/png", 0)])),
        [format!("logo_file_id[0] {empty}")]
    );
    assert_eq!(
        merge(json!([
            file("application/pdf", 1),
            file("application/octet-stream", 1),
            "an id"
        ])),
        [""; 0]
    );
    let other = "is a file of another kind; give a PDF";
    assert_eq!(
        merge(json!([file("image/png", 1)])),
        [format!("input_file_ids[0] {other}")]
    );
    assert_eq!(
        animate(json!(7)),
        ["file_id is a number; give a File, a Blob, a file id or { url }, or a task or an output"]
    );
    assert_eq!(
        merge(json!("f")),
        [
            "input_file_ids is a string; give a list of Files, Blobs, file ids or { url }, or of \
                tasks or outputs"
        ]
    );
    assert_eq!(
        logo(json!(7)),
        [
            "logo_file_id is a number; give a File, a Blob, a file id or { url }, or a task or an \
                output, or a list of them"
        ]
    );
    let photo = file("image/png", 1);
    for (name, input) in [
        ("image_to_video", json!({"file_id": "f", "prompt": photo})),
        (
            "audio_driven",
            json!({"avatar_asset_id": photo, "audio_file_id": "a"}),
        ),
    ] {
        let found = messages(name, input);
        assert!(found[0].contains(" is a file; give "), "{found:?}");
    }
}

#[test]
fn a_client_takes_results_in_place_of_ids_and_a_gateway_does_not() {
    let speak = |asset: serde_json::Value| {
        messages(
            "audio_driven",
            json!({"avatar_asset_id": asset, "audio_file_id": "a"}),
        )
    };
    let task = json!({"id": "t", "capability": "text_to_image"});
    let output =
        |kind: &str| json!({"task_id": "t", "output": 0, "url": "https://h/a", "kind": kind});
    let asset = json!({"task_id": "t", "output": 0, "asset_id": "a"});
    for value in [&task, &output("image"), &output(""), &output("hologram")] {
        assert_eq!(animate(value.clone()), [""; 0], "{value}");
    }
    let expected = ["file_id is an output of another kind; give an image"];
    for value in [&output("video"), &output("audio"), &output("pdf"), &asset] {
        assert_eq!(animate(value.clone()), expected, "{value}");
    }
    for value in [&task, &asset] {
        assert_eq!(speak(value.clone()), [""; 0], "{value}");
    }
    let other = "avatar_asset_id is an output of another kind; give an output with an asset_id, or the task";
    // An output with only a position may be of any kind.
    let place = json!({"task_id": "t", "output": 7});
    assert_eq!(
        (speak(output("image")), speak(place.clone())),
        (vec![other.to_owned()], vec![other.to_owned()])
    );
    assert_eq!(animate(place), [""; 0]);
    assert_eq!(merge(json!([task, output("pdf"), "id"])), [""; 0]);
    assert_eq!(
        merge(json!([output("image")])),
        ["input_file_ids[0] is an output of another kind; give a PDF"]
    );
    // Objects that name neither a task nor an output.
    for value in [
        json!({}),
        json!({"id": "t"}),
        json!({"id": " ", "capability": "text_to_image"}),
        json!({"id": 7, "capability": "text_to_image"}),
        json!({"id": "t", "capability": "no_such"}),
        json!({"task_id": "t"}),
        json!({"task_id": "t", "output": "0"}),
        json!({"task_id": "", "output": 0}),
        json!({"url": 7}),
        json!({"url": "https://h/a", "capability": "no_such"}),
    ] {
        let expected = [
            "file_id is an object; give a File, a Blob, a file id or { url }, or a task or an \
                output",
        ];
        assert_eq!(animate(value.clone()), expected, "{value}");
    }
    for url in [
        "https://h/a.png",
        "HTTPS://h/a.png",
        "http://127.0.0.1/a.png",
    ] {
        assert_eq!(animate(json!({"url": url})), [""; 0], "{url}");
        assert_eq!(
            merge(json!(["id", {"url": url, "type": "application/pdf"}])),
            [""; 0]
        );
    }
    for (url, problem) in [
        ("a.png", "is no https URL"),
        ("", "is no https URL"),
        ("blob:https://h/1", "is no https URL"),
        ("data:image/png", "is a malformed data URI"),
    ] {
        let found = animate(json!({"url": url}));
        assert!(
            found[0].starts_with(&format!("file_id {problem}; give a File")),
            "{found:?}"
        );
    }
    assert!(speak(json!({"url": "https://h/a"}))[0].starts_with("avatar_asset_id is an object"));
    // On the wire, there are only ids.
    for value in [task, output("image")] {
        let body = json!({"file_id": value, "prompt": "p"});
        let issues = validate(find("image_to_video").expect("a capability"), &body);
        let messages: Vec<_> = issues.into_iter().map(|issue| issue.message).collect();
        assert_eq!(
            messages,
            ["is an object; give the id of an uploaded file"],
            "{body}"
        );
    }
}

#[test]
fn a_value_is_the_string_that_it_holds_and_no_other() {
    let is = |value: serde_json::Value, text: &str| (&value).is(text);
    assert!(is(json!("task"), "task") && is(json!(""), ""));
    assert!(
        !is(json!("task"), "Task")
            && !is(json!("task"), "tas")
            && !is(json!(1), "1")
            && !is(json!(null), "")
    );
}
