//! Responses, task records and ids are decoded, however malformed.

use mediagate_core::ids::{IdKind, id_kind};
use mediagate_core::response::{DecodedResponse, Expects, Unreadable, decode};
use mediagate_core::{Code, DecodedTask, Envelope};
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
    let task = DecodedTask::decode(&big);
    assert_eq!(
        (task.id.as_deref(), task.state.as_deref(), task.progress),
        (Some("18446744073709551615"), Some("3"), Some(0.45))
    );
    let odd = json!({"id": {"a": 1}, "status": "Warming Up", "progress": "45%"});
    let odd = DecodedTask::decode(&odd);
    assert_eq!(
        (odd.id.as_deref(), odd.state.as_deref(), odd.progress),
        (None, Some("Warming Up"), Some(0.45))
    );
    assert!(!odd.is_terminal());
    for state in ["SUCCEEDED", "FAILED", "EXPIRED"] {
        assert!(DecodedTask::decode(&json!({"id": 1, "status": state})).is_terminal());
    }
    assert!(!DecodedTask::decode(&json!({"id": 1})).is_terminal());
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
            assert_eq!(DecodedTask::decode(&record).progress, progress, "{record}");
        }
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
