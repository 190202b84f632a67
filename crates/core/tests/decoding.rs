//! Responses, task records and ids are decoded, however malformed.

use mediagate_core::ids::{IdKind, id_kind};
use mediagate_core::response::{self, Expects, Response, decode};
use mediagate_core::{Code, Envelope, Task};
use serde_json::{Value, json};

fn kind(status: u16, body: Value, expects: Expects) -> String {
    match decode(status, Some(&body), expects) {
        Response::Task(task) => format!("task {}", task.id),
        Response::Result(value) => format!("result {value}"),
        Response::Error(envelope) => format!("refused {}", envelope.code.0),
        Response::Unreadable(reason) => reason.to_owned(),
    }
}

#[test]
fn the_envelope_decides_and_not_the_status() {
    let error = json!({"code": 1401, "message": "insufficient credits"});
    assert_eq!(kind(200, error.clone(), Expects::Task), "refused 1401");
    assert_eq!(kind(500, error, Expects::Task), "refused 1401");
    assert_eq!(kind(500, json!({"code": 0, "data": {"task": {"id": "t"}}}), Expects::Task), "task t");
    assert_eq!(kind(200, json!({"code": "12", "message": "x"}), Expects::Task), "refused 12");
    assert_eq!(kind(200, json!({"code": -7}), Expects::Task), "refused -7");
}

#[test]
fn a_body_without_an_envelope_is_an_error_except_for_text_to_image() {
    assert_eq!(kind(200, json!({"url": "https://x/y.png"}), Expects::Task), response::NOT_AN_ENVELOPE);
    assert_eq!(kind(200, json!({"url": "u"}), Expects::TaskOrResult), r#"result {"url":"u"}"#);
    assert_eq!(kind(502, json!({"url": "u"}), Expects::TaskOrResult), response::NOT_AN_ENVELOPE);
    for body in [json!(null), json!([]), json!("ok"), json!({"code": 1.5}), json!({"code": null}), json!({"code": 3e9})]
    {
        assert_eq!(kind(200, body, Expects::Task), response::NOT_AN_ENVELOPE);
    }
    assert_eq!(decode::<&Value>(200, None, Expects::Task), Response::Unreadable(response::NOT_JSON));
}

#[test]
fn success_without_the_expected_data_is_an_error() {
    for data in [json!(null), json!({}), json!({"task": null}), json!({"task": "t"}), json!({"task": {"id": " "}})] {
        assert_eq!(kind(200, json!({"code": 0, "data": data}), Expects::Task), response::NO_TASK);
    }
    assert_eq!(kind(200, json!({"code": 0}), Expects::Data), response::NO_DATA);
    assert_eq!(kind(200, json!({"code": 0, "data": {"url": "u"}}), Expects::TaskOrResult), r#"result {"url":"u"}"#);
    assert_eq!(kind(500, json!({"code": 0, "data": {"url": "u"}}), Expects::Data), response::CONTRADICTORY);
}

#[test]
fn a_status_need_not_repeat_the_id() {
    let body = json!({"code": 0, "data": {"task": {"status": "RUNNING"}}});
    assert_eq!(kind(200, body.clone(), Expects::Status), "task ");
    assert_eq!(kind(200, body, Expects::Task), response::NO_TASK);
    assert_eq!(kind(200, json!({"code": 0, "data": {"task": null}}), Expects::Status), response::NO_TASK);
}

#[test]
fn records_are_decoded_tolerantly() {
    let big: Value =
        serde_json::from_str(r#"{"task_id": 18446744073709551615, "state": 3, "percent": 45}"#).expect("JSON");
    let task = Task::decode(&&big);
    assert_eq!(
        (task.id.as_str(), task.state.as_deref(), task.progress),
        ("18446744073709551615", Some("3"), Some(0.45))
    );
    let odd = json!({"id": {"a": 1}, "status": "Warming Up", "progress": "45%"});
    let odd = Task::decode(&&odd);
    assert_eq!((odd.id.as_str(), odd.state.as_deref(), odd.progress), ("", Some("Warming Up"), Some(0.45)));
    assert!(!odd.is_terminal());
    for state in ["SUCCEEDED", "FAILED", "EXPIRED"] {
        assert!(Task::decode(&&json!({"id": 1, "status": state})).is_terminal());
    }
    assert!(!Task::decode(&&json!({"id": 1})).is_terminal());
    assert_eq!(Task::decode(&&json!({"progress": -1})).progress, None);
}

#[test]
fn outputs_are_found_in_every_part_of_a_record() {
    let record = json!({
        "id": "t", "status": "SUCCEEDED", "avatar_asset_id": "asked", "input": {"url": "https://h/in.png"},
        "thumbnail_url": "https://h/t.png", "links": ["https://h/link"],
        "output_url": "https://h/a.mp4?sig=1",
        "result": {"asset_id": 77, "items": [{"url": "https://h/b.bin", "content_type": "image/png"}]},
        "outputs": ["https://h/a.mp4?sig=1", "https://h/c.pdf", "no url"],
    });
    let outputs = Task::decode(&&record).outputs();
    let shown: Vec<_> = outputs.iter().map(|it| (it.url.as_deref(), it.asset_id.as_deref(), it.kind)).collect();
    assert_eq!(shown.len(), 4, "{shown:?}");
    assert!(shown.contains(&(Some("https://h/a.mp4?sig=1"), None, Some("video"))));
    assert!(shown.contains(&(Some("https://h/b.bin"), None, Some("image"))));
    assert!(shown.contains(&(Some("https://h/c.pdf"), None, Some("pdf"))));
    assert!(shown.contains(&(None, Some("77"), None)));
}

#[test]
fn produced_assets_are_outputs_under_every_name() {
    for (record, ids) in [
        (json!({"id": "t", "asset": {"id": "a", "category": "avatar"}}), vec!["a"]),
        (json!({"id": "t", "asset_ids": ["a", 7, ""]}), vec!["7", "a"]),
        (
            json!({"id": "t", "asset_id": "a", "output_asset": {"id": "a"}, "result": {"assets": [{"id": "b"}]}}),
            vec!["a", "b"],
        ),
        (json!({"id": "t", "result": {"avatar_asset_id": "a", "voice_asset_id": "b"}}), vec!["a", "b"]),
        (json!({"id": "t", "avatar_asset_id": "asked", "voice_asset_id": "asked"}), vec![]),
    ] {
        let mut found: Vec<_> = Task::decode(&&record).outputs().into_iter().filter_map(|it| it.asset_id).collect();
        found.sort();
        assert_eq!(found, ids.iter().map(|it| it.to_string()).collect::<Vec<_>>(), "{record}");
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
    ] {
        assert_eq!(id_kind(container, member), kind, "{container}.{member}");
    }
}

#[test]
fn envelopes_keep_their_parts() {
    let body = json!({"code": 1409, "message": "m", "data": {"paid_plan_required": {"plan": "Starter"}}});
    let envelope = Envelope::decode(&&body).expect("an envelope");
    assert_eq!((envelope.code, envelope.message.as_str()), (Code::PAID_PLAN_REQUIRED, "m"));
    assert_eq!(envelope.data, Some(&body["data"]));
}
