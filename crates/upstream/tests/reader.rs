//! The reader of responses: which shapes it reads by default, and what the settings change.

mod support;

use mediagate_core::Expects::{Status, Task, TaskOrResult};
use mediagate_core::Unreadable;
use mediagate_upstream::{Answer, Dialect};
use serde_json::{Value, json};
use support::{dialect, read};

fn by_default(status: u16, body: Value, expects: mediagate_core::Expects) -> String {
    read(&Dialect::default(), status, body, expects)
}

/// Checks how the default dialect reads responses. A line of `cases` has the status, the
/// expectation, the body, and the result.
fn check(cases: &str) {
    check_with(&Dialect::default(), cases);
}

fn check_with(dialect: &Dialect, cases: &str) {
    for case in cases.lines() {
        let (request, expected) = case.rsplit_once(" => ").expect("a case");
        let mut words = request.splitn(3, ' ');
        let mut next = || words.next().expect("a word");
        let status = next().parse().expect("a status");
        let expects = support::expects(next());
        let body = next().parse().expect("JSON");
        assert_eq!(read(dialect, status, body, expects), expected, "{case}");
    }
}

#[test]
fn a_task_is_read_from_the_listed_places() {
    for body in r#"{"code": 0, "data": {"task": {"id": "t", "status": "RUNNING"}}}
{"code": 0, "data": {"id": "t", "status": "RUNNING"}}
{"code": 0, "data": {"task_id": "t", "task_status": "RUNNING"}}
{"code": 0, "data": {"taskId": "t", "state": "RUNNING"}}
{"code": 0, "data": [{"id": "t", "status": "RUNNING"}]}
{"code": 0, "data": {"job": {"id": "t", "status": {"state": "RUNNING"}}}}
{"code": 0, "data": {"task": {"id": "t"}, "status": "RUNNING"}}
{"code": 0, "message": "ok", "task": {"id": "t", "status": "RUNNING"}}
{"code": 0, "message": "ok", "id": "t", "status": "RUNNING"}"#
        .lines()
    {
        for expects in ["Task", "Status", "TaskOrResult"] {
            check(&format!("200 {expects} {body} => t RUNNING -"));
        }
    }
}

#[test]
fn a_status_needs_a_code_and_a_create_keeps_its_id_without_one() {
    for code in [
        "",
        r#""code": null, "#,
        r#""code": 1.5, "#,
        r#""code": "E17", "#,
    ] {
        for state in ["RUNNING", "SUCCEEDED"] {
            let body =
                format!(r#"{{{code}"data": {{"task": {{"id": "t", "status": "{state}"}}}}}}"#);
            check(&format!("200 Status {body} => not_an_envelope"));
            check(&format!("500 Task {body} => not_an_envelope"));
        }
        let body = |state: &str| {
            format!(
                r#"{{{code}"data": {{"task": {{"id": "t", "status": "{state}", "url": "https://h/a.png"}}}}}}"#
            )
        };
        check(&format!(
            "200 Task {} => t RUNNING - https://h/a.png",
            body("RUNNING")
        ));
        check(&format!(
            "200 Task {} => t - - https://h/a.png",
            body("SUCCEEDED")
        ));
    }
    check_with(
        &dialect(json!({"envelope": {"code": []}})),
        r#"200 Status {"id": "t", "status": "RUNNING"} => t RUNNING -
200 Status {"id": "t", "status": "SUCCEEDED", "output": "https://h/a"} => t SUCCEEDED - https://h/a
500 Status {"id": "t", "status": "SUCCEEDED"} => not_an_envelope"#,
    );
}

#[test]
fn a_state_of_the_envelope_is_of_the_request() {
    check(
        r#"200 Status {"code": 0, "status": "ok", "progress": 1, "data": {"task": {"id": "t"}}} => t - -
200 Status {"code": 0, "status": "ok", "data": {"task": {"id": "t"}, "status": "RUNNING"}} => t RUNNING -
200 Status {"code": 0, "status": "success", "data": {"task": {"id": "t", "status": "SUCCEEDED"}}} => t SUCCEEDED -
200 Status {"code": 0, "status": 200, "data": {"task": {"id": "t", "status": "SUCCEEDED"}}} => t SUCCEEDED -
200 Status {"code": 0, "status": "queued", "data": {"task": {"id": "t", "status": "SUCCEEDED"}}} => t queued -"#,
    );
}

#[test]
fn a_failure_comes_before_an_unknown_word_and_that_before_a_success() {
    check(
        r#"200 Status {"code": 0, "task": {"id": "t", "status": "succeeded"}} => t SUCCEEDED -
200 Status {"code": 0, "task": {"id": "t", "status": "ok", "state": "SUCCEEDED"}} => t SUCCEEDED -
200 Status {"code": 0, "task": {"id": "t", "state": "success", "status": "Failed"}} => t FAILED -
200 Status {"code": 0, "task": {"id": "t", "state": "SUCCEEDED", "status": "FAILED"}} => t FAILED -
200 Status {"code": 0, "task": {"id": "t", "state": "SUCCEEDED", "status": "finalizing"}} => t finalizing -
200 Status {"code": 0, "task": {"id": "t", "status": 200, "state": "SUCCEEDED"}} => t SUCCEEDED -
200 Status {"code": 0, "data": {"status": "running", "task": {"id": "t", "status": "SUCCEEDED"}}} => t running -
200 Status {"code": 0, "data": {"status": "FAILED", "task": {"id": "t", "status": "SUCCEEDED"}}} => t FAILED -
200 Status {"code": 0, "data": {"status": "FAILED", "task": {"id": "t", "status": "running"}}} => t running -
200 Status {"code": 0, "task": {"id": "t", "status": " expired "}} => t EXPIRED -
200 Status {"code": 0, "task": {"id": "t", "status": "COMPLETED"}} => t COMPLETED -
200 Status {"code": 0, "task": {"id": "t", "status": 2}} => t 2 -
200 Status {"code": 0, "success": false, "task": {"id": "t", "status": "SUCCEEDED"}} => contradictory
200 Status {"code": 0, "task": {"id": "t", "status": "SUCCEEDED", "done": false}} => contradictory
200 Task {"code": 0, "task": {"id": "t", "status": "SUCCEEDED", "done": false, "url": "https://h/a.png"}} => t - - https://h/a.png"#,
    );
}

#[test]
fn words_of_the_settings_end_a_task() {
    let states =
        json!({"SUCCEEDED": ["Completed", "3"], "FAILED": ["error"], "EXPIRED": ["timed_out"]});
    check_with(
        &dialect(json!({"states": states})),
        r#"200 Status {"code": 0, "task": {"id": "t", "status": "completed"}} => t SUCCEEDED -
200 Status {"code": 0, "task": {"id": "t", "status": 3}} => t SUCCEEDED -
200 Status {"code": 0, "task": {"id": "t", "status": "ERROR"}} => t FAILED -
200 Status {"code": 0, "task": {"id": "t", "status": "timed_out"}} => t EXPIRED -
200 Status {"code": 0, "task": {"id": "t", "status": "succeeded"}} => t SUCCEEDED -
200 Status {"code": 0, "task": {"id": "t", "status": "queued"}} => t queued -"#,
    );
}

#[test]
fn an_end_counts_by_its_http_status_and_its_code() {
    let failed =
        r#"{"code": 1404, "message": "m", "data": {"task": {"id": "t", "status": "FAILED"}}}"#;
    let succeeded = r#"{"code": 0, "data": {"task": {"id": "t", "status": "SUCCEEDED", "url": "https://h/a.png"}}}"#;
    let expired = r#"{"code": 0, "data": {"task": {"id": "t", "status": "EXPIRED"}}}"#;
    for status in [200, 202, 399, 400, 404, 499, 500, 502, 599] {
        let expected = match status {
            ..400 => "t SUCCEEDED - https://h/a.png",
            _ => "contradictory",
        };
        check(&format!("{status} Status {succeeded} => {expected}"));
        let is_below_500 = status < 500;
        let expected = if is_below_500 {
            r#"t FAILED - "m" 1404"#
        } else {
            "error 1404"
        };
        check(&format!("{status} Status {failed} => {expected}"));
        let expected = if is_below_500 {
            "t EXPIRED -"
        } else {
            "contradictory"
        };
        check(&format!("{status} Status {expired} => {expected}"));
        // The id of a create is kept under any status.
        let expected = if status < 400 {
            "t SUCCEEDED -"
        } else {
            "t - -"
        };
        check(&format!(
            "{status} Task {succeeded} => {expected} https://h/a.png"
        ));
    }
    check(
        r#"200 Status {"code": 1404, "message": "m", "data": {"task": {"id": "t", "status": "FAILED", "error": {"message": "no face", "code": 7}}}} => t FAILED - "no face" 1404
200 Status {"code": 0, "data": {"task": {"id": "t", "status": "FAILED", "error": {"message": "no face", "code": 7}}}} => t FAILED - "no face" 7
200 Status {"code": 1404, "message": "m", "data": {"task": {"id": "t", "status": "RUNNING"}}} => error 1404
200 Status {"code": 1404, "message": "m", "data": {"task": {"id": "t", "status": "SUCCEEDED", "url": "https://h/a.png"}}} => error 1404
404 Status {"code": 12, "data": null} => error 12
500 Status {"code": 99, "message": "m", "status": "FAILED", "progress": 0.5} => error 99"#,
    );
    check_with(
        &dialect(json!({"task": {"record": ""}})),
        r#"400 Status {"code": 99, "message": "m", "status": "FAILED"} => error 99
400 Status {"code": 99, "message": "m", "status": "FAILED", "progress": 0.5} => - FAILED 0.5 "m" 99
429 Status {"code": 16, "status": "BUSY"} => error 16"#,
    );
}

#[test]
fn a_code_may_end_a_task() {
    let dialect = dialect(json!({"task": {"codes": {
        "1404": "FAILED", "1405": "EXPIRED", "12": "GONE",
    }}}));
    check_with(
        &dialect,
        r#"200 Status {"code": 1404, "message": "no face", "data": null} => - FAILED - "no face" 1404
200 Status {"code": "1404", "data": null} => - FAILED - "" 1404
500 Status {"code": 1405, "message": "late"} => - EXPIRED - "late" 1405
404 Status {"code": 12} => gone
200 Status {"code": 1404, "data": {"task": {"id": "t", "status": "RUNNING"}}} => - FAILED - "" 1404
502 Status {"code": 1404, "message": "m", "data": {"task": {"status": "FAILED", "error": "no face"}}} => - FAILED - "no face" 1404
200 Status {"code": 99} => error 99
200 Task {"code": 1404, "data": null} => error 1404"#,
    );
}

#[test]
fn a_create_that_brings_a_task_is_one_unless_the_code_rejects() {
    let check = |code: i32, data: &str, expected: &str| {
        check(&format!(
            r#"200 Task {{"code": {code}, "data": {data}}} => {expected}"#
        ));
    };
    let task = r#"{"task": {"id": "t"}}"#;
    for code in [99, 1404, 1405, 4711] {
        check(code, task, "t - -");
        check(code, r#"{"task_id": "t"}"#, "t - -");
        check(code, r#"{"id": "request"}"#, &format!("error {code}"));
    }
    for code in [12, 13, 16, 1401, 1409, 1410] {
        check(code, task, &format!("error {code}"));
    }
}

#[test]
fn what_is_no_task_stays_what_it_is() {
    check(
        r#"200 Task {"code": 0, "data": null} => no_task
200 Status {"code": 0, "status": "ok", "data": null} => no_task
200 Task {"code": 0, "data": "t"} => no_task
200 Task {"code": 0, "data": {"task": {"status": "RUNNING"}}} => no_task
200 TaskOrResult {"code": 0, "data": {"task": {"status": "RUNNING"}}} => no_task
500 Task {"id": "t", "status": "RUNNING"} => not_an_envelope
200 Task ["t"] => not_an_envelope
200 TaskOrResult [1] => not_an_envelope
500 Data {"code": 0, "data": {"a": 1}} => contradictory
200 Data {"code": 0} => no_data
200 Data {"models": []} => data
200 Data {"code": 0, "data": {"task": {"id": "t"}}} => data
200 Data {"code": 0, "message": "ok", "models": []} => data
200 Data {"code": 0, "message": "ok", "data": null} => no_data
200 TaskOrResult {"code": 0} => no_task
500 TaskOrResult {"code": 0, "data": {"a": 1}} => contradictory
500 TaskOrResult {"a": 1} => not_an_envelope
500 Data {"models": []} => not_an_envelope
200 Data [1] => data
200 Task {"a": 1} => not_an_envelope
200 Status {"a": 1} => not_an_envelope"#,
    );
    let answer = Dialect::default().read(200, None, Task, None, &mut |_| None);
    let defect = Unreadable::NotJson;
    assert_eq!(
        answer,
        Answer::Unreadable {
            defect,
            remedy: None
        }
    );
}

#[test]
fn an_unreadable_create_names_the_setting_that_may_read_it() {
    for (body, setting) in [
        (
            json!({"code": 0, "status": "completed", "images": [{"url": "https://h/a.png"}]}),
            r#"states.SUCCEEDED = ["completed"]"#,
        ),
        (
            json!({"code": 0, "result": {"work": {"key": 7, "status": "new"}}}),
            r#"task.record = "/result/work""#,
        ),
        (
            json!({"errno": 0, "pictures": ["https://h/a.png"]}),
            r#"envelope.code = "/errno""#,
        ),
        (
            json!({"code": 0, "pictures": ["https://h/a.png"]}),
            r#"task.outputs = ["/pictures/0"]"#,
        ),
    ] {
        let answer = Dialect::default().read(200, Some(body), TaskOrResult, None, &mut |_| None);
        let Answer::Unreadable { remedy, .. } = answer else {
            panic!("{setting}: {answer:?}");
        };
        assert_eq!(remedy.as_deref(), Some(setting));
    }
}

#[test]
fn outputs_are_found_in_the_record_and_beside_it() {
    let task = json!({"id": "t", "status": "SUCCEEDED", "videoUrl": "https://h/a.mp4"});
    let body = json!({"code": 0, "data": {
        "task": task,
        "video_url": "https://h/b.mp4",
        "asset": {"id": "a", "name": "n"},
        "user": {"avatar_url": "https://h/me.png"},
    }});
    assert_eq!(
        by_default(200, body, Status),
        "t SUCCEEDED - https://h/a.mp4 https://h/b.mp4 a"
    );
    let dialect = dialect(json!({"task": {"outputs": ["/artefacts", "/meta/where"]}}));
    let body = json!({"code": 0, "data": {"task": {
        "id": "t",
        "artefacts": ["https://h/1", {"link_url": "https://h/2"}],
        "meta": {"where": "https://h/3"},
    }}});
    assert_eq!(
        read(&dialect, 200, body, Status),
        "t - - https://h/1 https://h/2 https://h/3"
    );
}

#[test]
fn progress_has_the_scale_of_the_settings() {
    for (complete, progress, expected) in [
        ("null", "0.5", "0.5"),
        ("null", "50", "0.5"),
        ("null", "\"50%\"", "0.5"),
        ("100", "1", "0.01"),
        ("100", "\"1%\"", "0.01"),
        ("1000", "500", "0.5"),
        ("1", "50", "-"),
    ] {
        let document = format!(r#"{{"task": {{"progress_complete": {complete}}}}}"#);
        let dialect = Dialect::parse(&document).expect("a dialect");
        let body = format!(r#"{{"code": 0, "task": {{"id": "t", "progress": {progress}}}}}"#);
        check_with(&dialect, &format!("200 Status {body} => t - {expected}"));
    }
}

#[test]
fn places_can_be_anywhere() {
    check_with(
        &dialect(json!({"task": {
            "record": "/result/work~1item",
            "id": ["/key"],
            "state": ["/phase/now"],
            "progress": "/done",
            "error_message": "/why",
        }})),
        r#"200 Status {"code": 0, "result": {"work/item": {"key": 5, "phase": {"now": "FAILED"}, "why": "no"}, "done": 0.25}} => 5 FAILED 0.25 "no" null"#,
    );
}

#[test]
fn media_as_text_is_an_output() {
    let base64 = "iVBORw0KGgo".repeat(40);
    for (data, expected) in [
        (
            json!({"image_base64": base64}),
            "result https://g/image/png",
        ),
        (json!([{"b64_json": base64}]), "result https://g/image/png"),
        (
            json!({"image": "data:image/png;base64,iVBO"}),
            "result https://g/image/png",
        ),
        (json!({"image": "a lighthouse"}), "no_task"),
        (json!({"input": {"image": base64}}), "no_task"),
        (json!({"token": base64}), "no_task"),
        (json!({"thumbnail": {"image": base64}}), "no_task"),
        (json!({"mask_image": base64}), "no_task"),
    ] {
        let body = json!({"code": 0, "data": data});
        assert_eq!(by_default(200, body, TaskOrResult), expected, "{data}");
    }
    let record = json!({"id": "t", "status": "SUCCEEDED", "images": [
        "https://h/a.png", {"b64_json": base64, "seed": 7},
    ]});
    let body = json!({"code": 0, "data": {"task": record}});
    assert_eq!(
        by_default(200, body, Status),
        "t SUCCEEDED - https://h/a.png https://g/image/png"
    );
}

#[test]
fn an_error_without_an_envelope_counts_if_its_code_is_documented() {
    check(
        r#"402 Task {"error": {"code": "insufficient_credits"}} => error 1401
402 TaskOrResult {"error": {"code": "insufficient_credits"}} => error 1401
402 Task {"error": {"code": "quota"}} => not_an_envelope
402 TaskOrResult {"error": {"code": "quota"}} => not_an_envelope
500 Task {"error": "upstream"} => not_an_envelope
500 TaskOrResult {"error": "upstream"} => not_an_envelope
200 Task {"error": {"code": "invalid_model"}} => error 1410
200 TaskOrResult {"error": {"message": "no", "code": 1410}} => error 1410
200 TaskOrResult {"error": "Insufficient credits"} => error 1401
200 TaskOrResult {"errors": [{"code": "rate-limit"}]} => error 16
200 TaskOrResult {"success": false, "message": "invalid model"} => error 1410"#,
    );
}

#[test]
fn the_members_of_the_envelope_are_a_setting() {
    check_with(
        &dialect(json!({
            "envelope": {"code": "/meta/status", "message": "/meta/text", "data": "/payload"},
            "task": {"record": "/payload/task"},
        })),
        r#"200 Task {"meta": {"status": 0}, "payload": {"task": {"id": "t", "status": "RUNNING"}}} => t RUNNING -
200 Task {"meta": {"status": "insufficient_credits", "text": "no"}} => error 1401"#,
    );
}

#[test]
fn states_may_be_booleans_and_numbers() {
    check_with(
        &dialect(json!({
            "task": {"state": ["/done", "/status"]},
            "states": {"SUCCEEDED": ["true", "2"], "FAILED": ["-1"]},
        })),
        r#"200 Status {"code": 0, "task": {"id": "t", "done": true}} => t SUCCEEDED -
200 Status {"code": 0, "task": {"id": "t", "done": false}} => t false -
200 Status {"code": 0, "task": {"id": "t", "status": 2}} => t SUCCEEDED -
200 Status {"code": 0, "task": {"id": "t", "status": -1}} => t FAILED -"#,
    );
}

#[test]
fn a_success_without_outputs_is_a_failure_beside_an_error() {
    let dialect = dialect(json!({
        "task": {"state": ["/done", "/status"]},
        "states": {"SUCCEEDED": ["true"]},
    }));
    for (record, expected) in [
        (
            json!({"id": "t", "done": true, "error": {"message": "no face"}}),
            r#"t FAILED - "no face" null"#,
        ),
        (
            json!({"id": "t", "status": "SUCCEEDED", "error": "no face", "images": []}),
            r#"t FAILED - "no face" null"#,
        ),
        (json!({"id": "t", "done": true}), "t SUCCEEDED -"),
        (
            json!({"id": "t", "done": true, "error": null}),
            "t SUCCEEDED -",
        ),
        (
            json!({"id": "t", "done": true, "error": {"message": "slow"}, "url": "https://h/a.png"}),
            "t SUCCEEDED - https://h/a.png",
        ),
    ] {
        let body = json!({"code": 0, "data": {"task": record}});
        assert_eq!(read(&dialect, 200, body, Status), expected, "{record}");
    }
}

#[test]
fn an_end_without_outputs_is_marked_and_at_a_create_it_does_not_count() {
    let lacks = |expects, record: Value| {
        let body = json!({"code": 0, "data": {"task": record}});
        let answer = Dialect::default().read(200, Some(body), expects, Some("t"), &mut |_| None);
        let Answer::Task(task) = answer else {
            panic!("{answer:?}");
        };
        (task.is_terminal, task.lacks_outputs)
    };
    let bare = json!({"id": "t", "status": "SUCCEEDED"});
    assert_eq!(lacks(Status, bare.clone()), (true, true));
    assert_eq!(lacks(Task, bare), (false, false));
    let with = json!({"id": "t", "status": "SUCCEEDED", "asset_id": "a"});
    assert_eq!(lacks(Status, with), (true, false));
    let failed = json!({"id": "t", "status": "FAILED"});
    assert_eq!(lacks(Status, failed), (true, false));
}

#[test]
fn links_of_the_service_are_no_outputs() {
    let record = json!({
        "id": "t",
        "status": "SUCCEEDED",
        "status_url": "https://h/s",
        "response_url": "https://h/r",
        "cancel_url": "https://h/c", "self": "https://h/self", "webhook_url": "https://h/w",
        "urls": {"get": "https://h/g", "cancel": "https://h/c"}, "thumbnail_url": "https://h/t",
        "logsUrl": "https://h/l",
        "output": {"video_url": "https://h/v.mp4"},
        "share_url": "https://h/share",
        "url": "https://h/tasks/t",
        "result_url": "https://h/page.html",
    });
    let body = json!({"code": 0, "data": {"task": record}});
    assert_eq!(
        by_default(200, body, Status),
        "t SUCCEEDED - https://h/v.mp4"
    );
    let dialect = dialect(json!({"task": {"not_outputs": ["image_url"]}}));
    let record = json!({"id": "t", "image_url": "https://h/i.png", "url": "https://h/v.mp4"});
    let body = json!({"code": 0, "data": {"task": record}});
    assert_eq!(read(&dialect, 200, body, Status), "t - - https://h/v.mp4");
}
