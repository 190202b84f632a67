//! Responses, task records and ids are decoded, however malformed.

use mediagate_core::ids::{IdKind, id_kind};
use mediagate_core::outputs;
use mediagate_core::response::{DecodedResponse, Expects, Unreadable, decode};
use mediagate_core::{Code, Envelope, Task};
use serde_json::{Value, json};

fn kind(status: u16, body: Value, expects: Expects) -> String {
    match decode(status, Some(&body), expects) {
        DecodedResponse::Task(task) => format!("task {}", task.id.unwrap_or_default()),
        DecodedResponse::Result(value) => format!("result {value}"),
        DecodedResponse::Error(envelope) => format!("refused {}", envelope.code.0),
        DecodedResponse::Unreadable(unreadable) => unreadable.name().to_owned(),
    }
}

#[test]
fn the_envelope_decides_and_not_the_status() {
    let rows = r#"200 Task {"code": 1401, "message": "insufficient credits"} => refused 1401
500 Task {"code": 1401, "message": "insufficient credits"} => refused 1401
500 Task {"code": 0, "data": {"task": {"id": "t"}}} => task t
200 Task {"code": "12", "message": "x"} => refused 12
200 Task {"code": -7} => refused -7
200 Task {"code": "-7"} => refused -7
200 Task {"code": "2147483647"} => refused 2147483647
200 Task {"code": "-2147483648"} => refused -2147483648
200 Task {"code": "0000000012"} => refused 12
200 Task {"code": ""} => not_an_envelope
200 Task {"code": "-"} => not_an_envelope
200 Task {"code": "--7"} => not_an_envelope
200 Task {"code": "+7"} => not_an_envelope
200 Task {"code": "1.0"} => not_an_envelope
200 Task {"code": "2147483648"} => not_an_envelope
200 Task {"code": "-2147483649"} => not_an_envelope
200 Task {"code": "00000000012"} => not_an_envelope
200 Task {"code": "１"} => not_an_envelope
200 Task {"code": 1.5} => not_an_envelope
200 Task {"code": null} => not_an_envelope
200 Task {"code": 3e9} => not_an_envelope
200 Task {"url": "https://x/y.png"} => not_an_envelope
200 Task null => not_an_envelope
200 Task [] => not_an_envelope
200 Task "ok" => not_an_envelope
200 TaskOrResult {"url": "u"} => result {"url":"u"}
502 TaskOrResult {"url": "u"} => not_an_envelope
199 Data {"code": 0, "data": {"url": "u"}} => contradictory
200 Data {"code": 0, "data": {"url": "u"}} => result {"url":"u"}
299 TaskOrResult {"code": 0, "data": {"url": "u"}} => result {"url":"u"}
300 TaskOrResult {"code": 0, "data": {"url": "u"}} => contradictory
200 Data {"code": 0} => no_data
200 Task {"code": 0, "data": null} => no_task
200 Task {"code": 0, "data": {}} => no_task
200 Task {"code": 0, "data": {"task": null}} => no_task
200 Task {"code": 0, "data": {"task": "t"}} => no_task
200 Task {"code": 0, "data": {"task": {"id": " "}}} => no_task
200 Task {"code": 0, "data": {"task": {"status": "RUNNING"}}} => no_task
200 Status {"code": 0, "data": {"task": {"status": "RUNNING"}}} => task 
200 Status {"code": 0, "data": {"task": null}} => no_task"#;
    for row in rows.lines() {
        let (request, expected) = row.split_once(" => ").expect("a row");
        let mut words = request.splitn(3, ' ');
        let mut next = || words.next().expect("a word");
        let status = next().parse().expect("a status");
        let expects = match next() {
            "Task" => Expects::Task,
            "Status" => Expects::Status,
            "TaskOrResult" => Expects::TaskOrResult,
            _ => Expects::Data,
        };
        let body = next().parse().expect("JSON");
        assert_eq!(kind(status, body, expects), expected, "{row}");
    }
    assert_eq!(
        decode::<&Value>(200, None, Expects::Task),
        DecodedResponse::Unreadable(Unreadable::NotJson)
    );
}

#[test]
fn records_are_decoded_tolerantly() {
    let big: Value =
        serde_json::from_str(r#"{"task_id": 18446744073709551615, "state": 3, "percent": 45}"#)
            .expect("JSON");
    let task = Task::decode(&big);
    assert_eq!(
        (task.id.as_deref(), task.state.as_deref(), task.progress),
        (Some("18446744073709551615"), Some("3"), Some(0.45))
    );
    let odd = json!({"id": {"a": 1}, "status": "Warming Up", "progress": "45%"});
    let odd = Task::decode(&odd);
    assert_eq!(
        (odd.id.as_deref(), odd.state.as_deref(), odd.progress),
        (None, Some("Warming Up"), Some(0.45))
    );
    assert!(!odd.is_terminal());
    for state in ["SUCCEEDED", "FAILED", "EXPIRED"] {
        assert!(Task::decode(&json!({"id": 1, "status": state})).is_terminal());
    }
    assert!(!Task::decode(&json!({"id": 1})).is_terminal());
    for (value, progress) in [
        (json!(-1), None),
        (json!(0), Some(0.0)),
        (json!(1), Some(1.0)),
        (json!(1.5), Some(0.015)),
        (json!(100), Some(1.0)),
        (json!(100.5), None),
        (json!("0%"), Some(0.0)),
        (json!(" 100% "), Some(1.0)),
        (json!("101%"), None),
        (json!("45"), None),
        (json!(true), None),
    ] {
        for record in [
            json!({"progress": value}),
            json!({"percent": value, "progress": "?"}),
        ] {
            assert_eq!(Task::decode(&record).progress, progress, "{record}");
        }
    }
}

/// Returns the URL, the asset id and the kind of each output of a record, with `-` for none.
fn shown(record: &Value) -> Vec<String> {
    let outputs = Task::decode(record).outputs().into_iter();
    outputs
        .map(|output| {
            let [url, asset_id] =
                [output.url, output.asset_id].map(|text| text.unwrap_or("-".into()));
            format!("{url} {asset_id} {}", output.kind.unwrap_or("-"))
        })
        .collect()
}

#[test]
fn outputs_are_found_in_every_part_of_a_record() {
    let record = json!({
        "id": "t",
        "status": "SUCCEEDED",
        "avatar_asset_id": "asked",
        "input": {"url": "https://h/in.png"},
        "thumbnail_url": "https://h/t.png", "links": ["https://h/link"],
        "output_url": "https://h/a.mp4?sig=1",
        "result": {
            "asset_id": 77,
            "items": [{"url": "https://h/b.bin", "content_type": "image/png"}],
        },
        "outputs": ["https://h/a.mp4?sig=1", "https://h/c.pdf", "no url"],
    });
    let mut outputs = shown(&record);
    outputs.sort();
    let expected = [
        "- 77 -",
        "https://h/a.mp4?sig=1 - video",
        "https://h/b.bin - image",
        "https://h/c.pdf - pdf",
    ];
    assert_eq!(outputs, expected);
}

#[test]
fn the_kind_of_an_output_is_found_in_its_url_then_beside_it_then_in_its_name() {
    let kind = |record: Value| Task::decode(&record).outputs()[0].kind;
    for (kind_of, extensions) in [
        ("image", "png jpg jpeg webp gif avif PNG"),
        ("video", "mp4 webm mov m4v"),
        ("audio", "wav mp3 m4a aac ogg flac"),
        ("pdf", "pdf"),
    ] {
        let mut records = Vec::new();
        for extension in extensions.split(' ') {
            for end in ["", "?x=/c.txt#/d.txt"] {
                let url = format!("https://h/a.b.{extension}{end}");
                records.push(json!({"url": url, "type": "other"}));
            }
        }
        for name in "content_type mime_type media_type kind type".split(' ') {
            records.push(json!({"url": "https://h/a", name: format!("{kind_of}/x")}));
        }
        records.push(json!({format!("{kind_of}_url"): "https://h.mp4/a"}));
        for record in records {
            assert_eq!(kind(record.clone()), Some(kind_of), "{record}");
        }
        let record = json!({"result": {"x": {"url": "https://h/a.png", "kind": kind_of}}});
        assert_eq!(kind(record), Some("image"));
    }
    // The last one has a name and no extension.
    for url in ["https://h/a", "https://h/mp4"] {
        assert_eq!(kind(json!({"url": url})), None, "{url}");
    }
}

#[test]
fn a_url_is_an_output_by_its_form_and_by_its_members_name() {
    let assert_count = |record: Value, expected: usize| {
        let found = Task::decode(&record).outputs().len();
        assert_eq!(found, expected, "{record}");
    };
    let named = "url urls uri uris output outputs result results files videos images";
    for name in named.split(' ') {
        assert_count(json!({name: "https://h/a"}), 1);
        let urls = ["http://h/a", "http://h/b"];
        assert_count(json!({format!("final_{name}"): urls}), 2);
        assert_count(json!({format!("x{name}"): "https://h/a"}), 0);
    }
    let others = "input inputs request params parameters payload source upload thumbnail preview \
        poster cover callback webhook";
    for name in others.split(' ') {
        assert_count(json!({name: {"url": "https://h/a"}}), 0);
        assert_count(json!({format!("{name}_url"): "https://h/a"}), 0);
        assert_count(json!({format!("{name}s2_url"): "https://h/a"}), 1);
    }
    let texts = "|h/a|//h/a|ftp://h/a|https:/h|https://h/a b|https://h/\u{7}|https://h/a\n";
    for text in texts.split('|') {
        assert_count(json!({"url": text}), 0);
    }
}

#[test]
fn a_record_has_a_hundred_outputs_within_eight_levels_at_most() {
    let urls = |count: u32| {
        (0..count)
            .map(|number| format!("https://h/{number}"))
            .collect::<Vec<_>>()
    };
    let count = |record: Value| Task::decode(&record).outputs().len();
    for (urls, expected) in [(urls(99), 99), (urls(100), 100), (urls(101), 100)] {
        assert_eq!(count(json!({"urls": urls})), expected);
        let members: Value = urls
            .iter()
            .enumerate()
            .map(|(index, url)| (format!("n{index}_url"), json!(url)))
            .collect();
        assert_eq!(count(members), expected);
    }
    let nested = |levels: usize, innermost: Value| {
        (0..levels).fold(innermost, |value, _| json!({ "x": value }))
    };
    let listed = |levels: usize| json!({"urls": (0..levels).fold(json!("https://h/a"), |value, _| json!([value]))});
    assert_eq!(
        [7, 8].map(|levels| count(nested(levels, json!({"url": "https://h/a"})))),
        [1, 0]
    );
    assert_eq!([6, 7].map(|levels| count(listed(levels))), [1, 0]);
}

#[test]
fn an_output_that_a_record_repeats_is_one_with_all_that_is_known_of_it() {
    let record = json!({
        "outputs": ["https://h/a", "https://h/b"],
        "result": [
            {"url": "https://h/a", "type": "video"},
            {"url": "https://h/b", "asset_id": "b"},
        ],
        "x_asset_id": "x", "y": {"asset": {"id": "x"}},
    });
    let expected = ["https://h/a - video", "https://h/b b -", "- x -"];
    assert_eq!(shown(&record), expected, "those with a URL first");
}

#[test]
fn the_first_url_of_an_object_has_its_asset_id() {
    let record =
        json!({"result": {"asset_id": "a", "a_url": "https://h/a", "b_url": "https://h/b"}});
    assert_eq!(shown(&record), ["https://h/a a -", "https://h/b - -"]);
}

#[test]
fn beside_a_record_a_member_is_an_output_by_its_name() {
    let container = json!({
        "result": {"url": "https://h/own"},
        "video_url": "https://h/a",
        "files": [{"url": "https://h/b"}],
        "asset": {"id": "a"},
        "output_asset_id": "b",
        "thumbnail_url": "https://h/t",
        "user": {"url": "https://h/me"},
    });
    let beside = |name: &str| -> Vec<String> {
        let found = outputs::find_beside(&container, name, &[]).into_iter();
        let mut found: Vec<_> = found
            .filter_map(|output| output.url.or(output.asset_id))
            .collect();
        found.sort();
        found
    };
    assert_eq!(beside("result"), ["a", "b", "https://h/a", "https://h/b"]);
    assert_eq!(
        beside("task"),
        ["a", "b", "https://h/a", "https://h/b", "https://h/own"]
    );
}

#[test]
fn produced_assets_are_outputs_under_every_name() {
    for row in r#"{"asset": {"id": "a", "category": "avatar"}} => a
{"asset_ids": ["a", 7, ""]} => 7 a
{"asset_id": "a", "output_asset": {"id": "a"}, "result": {"assets": [{"id": "b"}]}} => a b
{"result": {"avatar_asset_id": "a", "voice_asset_id": "b"}} => a b
{"avatar_asset_id": "asked", "voice_asset_id": "asked"} =>"#
        .lines()
    {
        let (record, ids) = row.split_once("=>").expect("a row");
        let mut record: Value = record.parse().expect("JSON");
        record["id"] = json!("t");
        let outputs = Task::decode(&record).outputs().into_iter();
        let mut found: Vec<_> = outputs.filter_map(|output| output.asset_id).collect();
        found.sort();
        assert_eq!(found.join(" "), ids.trim(), "{row}");
    }
}

#[test]
fn ids_are_recognised_by_their_names() {
    for (container, member, kind) in [
        ("task", "id", Some(IdKind::Task)),
        ("output_assets", "id", Some(IdKind::Asset)),
        ("", "input_file_ids", Some(IdKind::File)),
        ("", "fileId", Some(IdKind::File)),
        ("", "parentTaskId", Some(IdKind::Task)),
        ("", "profile_id", None),
        ("user", "id", None),
        ("", "model_id", None),
        ("", "idle", None),
        ("", "id", None),
        ("", "ID", None),
        ("Task", "ID", Some(IdKind::Task)),
        ("OutputAssets", "id", Some(IdKind::Asset)),
        ("", "OUTPUT_FILE_ID", Some(IdKind::File)),
        ("", "output_FileId", Some(IdKind::File)),
        ("", "inputFILEIds", None),
        ("", "multitask_id", None),
        ("multitask", "id", None),
        ("", "tasks_ids", Some(IdKind::Task)),
        ("", "taskid", None),
    ] {
        assert_eq!(id_kind(container, member), kind, "{container}.{member}");
    }
}

#[test]
fn envelopes_keep_their_parts() {
    let body =
        json!({"code": 1409, "message": "m", "data": {"paid_plan_required": {"plan": "Starter"}}});
    let envelope = Envelope::decode(&body).expect("an envelope");
    assert_eq!(
        (
            envelope.code,
            envelope.message.and_then(|message| message.as_str())
        ),
        (Code::PAID_PLAN_REQUIRED, Some("m"))
    );
    assert_eq!(envelope.data, Some(&body["data"]));
}
