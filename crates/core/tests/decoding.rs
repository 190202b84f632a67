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
    let error = json!({"code": 1401, "message": "insufficient credits"});
    assert_eq!(kind(200, error.clone(), Expects::Task), "refused 1401");
    assert_eq!(kind(500, error, Expects::Task), "refused 1401");
    assert_eq!(
        kind(
            500,
            json!({"code": 0, "data": {"task": {"id": "t"}}}),
            Expects::Task
        ),
        "task t"
    );
    assert_eq!(
        kind(200, json!({"code": "12", "message": "x"}), Expects::Task),
        "refused 12"
    );
    assert_eq!(kind(200, json!({"code": -7}), Expects::Task), "refused -7");
    for code in ["-7", "2147483647", "-2147483648", "0000000012"] {
        let number: i32 = code.parse().expect("an int32");
        assert_eq!(
            kind(200, json!({ "code": code }), Expects::Task),
            format!("refused {number}")
        );
    }
    for code in [
        "",
        "-",
        "--7",
        "+7",
        "1.0",
        "2147483648",
        "-2147483649",
        "00000000012",
        "１",
    ] {
        assert_eq!(
            kind(200, json!({ "code": code }), Expects::Task),
            "not_an_envelope",
            "{code}"
        );
    }
    let result = json!({"code": 0, "data": {"url": "u"}});
    for (status, succeeds) in [(199, false), (200, true), (299, true), (300, false)] {
        let expected = if succeeds {
            r#"result {"url":"u"}"#
        } else {
            "contradictory"
        };
        assert_eq!(
            kind(status, result.clone(), Expects::Data),
            expected,
            "{status}"
        );
        assert_eq!(
            kind(status, result.clone(), Expects::TaskOrResult),
            expected,
            "{status}"
        );
    }
}

#[test]
fn a_body_without_an_envelope_is_an_error_except_for_text_to_image() {
    assert_eq!(
        kind(200, json!({"url": "https://x/y.png"}), Expects::Task),
        "not_an_envelope"
    );
    assert_eq!(
        kind(200, json!({"url": "u"}), Expects::TaskOrResult),
        r#"result {"url":"u"}"#
    );
    assert_eq!(
        kind(502, json!({"url": "u"}), Expects::TaskOrResult),
        "not_an_envelope"
    );
    for body in [
        json!(null),
        json!([]),
        json!("ok"),
        json!({"code": 1.5}),
        json!({"code": null}),
        json!({"code": 3e9}),
    ] {
        assert_eq!(kind(200, body, Expects::Task), "not_an_envelope");
    }
    assert_eq!(
        decode::<&Value>(200, None, Expects::Task),
        DecodedResponse::Unreadable(Unreadable::NotJson)
    );
}

#[test]
fn success_without_the_expected_data_is_an_error() {
    for data in [
        json!(null),
        json!({}),
        json!({"task": null}),
        json!({"task": "t"}),
        json!({"task": {"id": " "}}),
    ] {
        assert_eq!(
            kind(200, json!({"code": 0, "data": data}), Expects::Task),
            "no_task"
        );
    }
    assert_eq!(kind(200, json!({"code": 0}), Expects::Data), "no_data");
    assert_eq!(
        kind(
            200,
            json!({"code": 0, "data": {"url": "u"}}),
            Expects::TaskOrResult
        ),
        r#"result {"url":"u"}"#
    );
    assert_eq!(
        kind(500, json!({"code": 0, "data": {"url": "u"}}), Expects::Data),
        "contradictory"
    );
}

#[test]
fn a_status_need_not_repeat_the_id() {
    let body = json!({"code": 0, "data": {"task": {"status": "RUNNING"}}});
    assert_eq!(kind(200, body.clone(), Expects::Status), "task ");
    assert_eq!(kind(200, body, Expects::Task), "no_task");
    assert_eq!(
        kind(
            200,
            json!({"code": 0, "data": {"task": null}}),
            Expects::Status
        ),
        "no_task"
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
        assert_eq!(
            Task::decode(&json!({ "progress": value })).progress,
            progress,
            "{value}"
        );
        assert_eq!(
            Task::decode(&json!({"percent": value, "progress": "?"})).progress,
            progress,
            "{value}"
        );
    }
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
    let outputs = Task::decode(&record).outputs();
    let shown: Vec<_> = outputs
        .iter()
        .map(|output| {
            (
                output.url.as_deref(),
                output.asset_id.as_deref(),
                output.kind,
            )
        })
        .collect();
    assert_eq!(shown.len(), 4, "{shown:?}");
    assert!(shown.contains(&(Some("https://h/a.mp4?sig=1"), None, Some("video"))));
    assert!(shown.contains(&(Some("https://h/b.bin"), None, Some("image"))));
    assert!(shown.contains(&(Some("https://h/c.pdf"), None, Some("pdf"))));
    assert!(shown.contains(&(None, Some("77"), None)));
}

#[test]
fn the_kind_of_an_output_is_found_in_its_url_then_beside_it_then_in_its_name() {
    let kind = |record: Value| Task::decode(&record).outputs()[0].kind;
    for (kind_of, extensions) in [
        (
            "image",
            &["png", "jpg", "jpeg", "webp", "gif", "avif", "PNG"][..],
        ),
        ("video", &["mp4", "webm", "mov", "m4v"]),
        ("audio", &["wav", "mp3", "m4a", "aac", "ogg", "flac"]),
        ("pdf", &["pdf"]),
    ] {
        for extension in extensions {
            for url in [
                format!("https://h/a.{extension}"),
                format!("https://h/a.b.{extension}?x=/c.txt#/d.txt"),
            ] {
                assert_eq!(
                    kind(json!({"url": url, "type": "other"})),
                    Some(kind_of),
                    "{url}"
                );
            }
        }
        for name in ["content_type", "mime_type", "media_type", "kind", "type"] {
            assert_eq!(
                kind(json!({"url": "https://h/a", name: format!("{kind_of}/x")})),
                Some(kind_of),
                "{name}"
            );
        }
        let name = format!("{kind_of}_url");
        assert_eq!(kind(json!({name: "https://h.mp4/a"})), Some(kind_of));
        assert_eq!(
            kind(json!({"result": {"x": {"url": "https://h/a.png", "kind": kind_of}}})),
            Some("image")
        );
    }
    assert_eq!(kind(json!({"url": "https://h/a"})), None);
    assert_eq!(
        kind(json!({"url": "https://h/mp4"})),
        None,
        "a name and no extension"
    );
}

#[test]
fn a_url_is_an_output_by_its_form_and_by_its_members_name() {
    let count = |record: Value| Task::decode(&record).outputs().len();
    for name in [
        "url", "urls", "uri", "uris", "output", "outputs", "result", "results", "files", "videos",
        "images",
    ] {
        assert_eq!(count(json!({name: "https://h/a"})), 1, "{name}");
        assert_eq!(
            count(json!({format!("final_{name}"): ["http://h/a", "http://h/b"]})),
            2,
            "{name}"
        );
        assert_eq!(
            count(json!({format!("x{name}"): "https://h/a"})),
            0,
            "{name}"
        );
    }
    for name in [
        "input",
        "inputs",
        "request",
        "params",
        "parameters",
        "payload",
        "source",
        "upload",
        "thumbnail",
    ]
    .into_iter()
    .chain(["preview", "poster", "cover", "callback", "webhook"])
    {
        assert_eq!(count(json!({name: {"url": "https://h/a"}})), 0, "{name}");
        assert_eq!(
            count(json!({format!("{name}_url"): "https://h/a"})),
            0,
            "{name}"
        );
        assert_eq!(
            count(json!({format!("{name}s2_url"): "https://h/a"})),
            1,
            "{name}"
        );
    }
    for text in [
        "",
        "h/a",
        "//h/a",
        "ftp://h/a",
        "https:/h",
        "https://h/a b",
        "https://h/\u{7}",
        "https://h/a\n",
    ] {
        assert_eq!(count(json!({"url": text})), 0, "{text:?}");
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
    let outputs = Task::decode(&record).outputs();
    let shown: Vec<_> = outputs
        .iter()
        .map(|output| {
            (
                output.url.as_deref(),
                output.asset_id.as_deref(),
                output.kind,
            )
        })
        .collect();
    let expected = [
        (Some("https://h/a"), None, Some("video")),
        (Some("https://h/b"), Some("b"), None),
        (None, Some("x"), None),
    ];
    assert_eq!(shown, expected, "those with a URL first");
}

#[test]
fn the_first_url_of_an_object_has_its_asset_id() {
    let record =
        json!({"result": {"asset_id": "a", "a_url": "https://h/a", "b_url": "https://h/b"}});
    let outputs = Task::decode(&record).outputs();
    let shown: Vec<_> = outputs
        .iter()
        .map(|output| (output.url.as_deref(), output.asset_id.as_deref()))
        .collect();
    assert_eq!(
        shown,
        [
            (Some("https://h/a"), Some("a")),
            (Some("https://h/b"), None)
        ]
    );
}

#[test]
fn outputs_with_a_url_come_first() {
    let record =
        json!({"a": {"asset_id": "1"}, "b": {"url": "https://h/a"}, "c": {"asset_id": "2"}});
    let urls: Vec<_> = Task::decode(&record)
        .outputs()
        .into_iter()
        .map(|output| output.url)
        .collect();
    assert_eq!(urls, [Some("https://h/a".to_owned()), None, None]);
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
    for (record, ids) in [
        (
            json!({"id": "t", "asset": {"id": "a", "category": "avatar"}}),
            vec!["a"],
        ),
        (
            json!({"id": "t", "asset_ids": ["a", 7, ""]}),
            vec!["7", "a"],
        ),
        (
            json!({
                "id": "t",
                "asset_id": "a",
                "output_asset": {"id": "a"},
                "result": {"assets": [{"id": "b"}]},
            }),
            vec!["a", "b"],
        ),
        (
            json!({"id": "t", "result": {"avatar_asset_id": "a", "voice_asset_id": "b"}}),
            vec!["a", "b"],
        ),
        (
            json!({"id": "t", "avatar_asset_id": "asked", "voice_asset_id": "asked"}),
            vec![],
        ),
    ] {
        let mut found: Vec<_> = Task::decode(&record)
            .outputs()
            .into_iter()
            .filter_map(|output| output.asset_id)
            .collect();
        found.sort();
        assert_eq!(
            found,
            ids.iter().map(|id| id.to_string()).collect::<Vec<_>>(),
            "{record}"
        );
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
