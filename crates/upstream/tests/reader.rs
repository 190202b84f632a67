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
500 Status {"id": "t", "status": "SUCCEEDED"} => not_an_envelope
422 Status {"id": "t", "status": "FAILED", "error": "no face"} => t FAILED - "no face" null"#,
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
        check(code, r#"{"id": "t"}"#, "t - -");
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
200 Task {"code": 0, "data": {"task": {"status": "RUNNING"}}} => no_task
500 Task {"id": "t", "status": "RUNNING"} => not_an_envelope
200 Task ["t"] => not_an_envelope
200 Status {"a": 1} => not_an_envelope
500 TaskOrResult {"code": 0, "data": {"a": 1}} => contradictory
500 Data {"code": 0, "data": {"a": 1}} => contradictory
500 Data {"models": []} => not_an_envelope
200 Data {"code": 0, "message": "ok", "data": null} => no_data
200 Data {"models": []} => data
200 Data {"code": 0, "data": {"task": {"id": "t"}}} => data
200 Data {"code": 0, "message": "ok", "models": []} => data
200 Data [1] => data"#,
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
            json!({"status": "completed", "images": [{"url": "https://h/a.png"}]}),
            r#"states.SUCCEEDED = ["completed"]"#,
        ),
        (
            json!({"code": 0, "result": {"work": {"key": 7, "status": "odd"}}}),
            r#"task.record = "/result/work""#,
        ),
        (
            json!({"errno": 12, "text": "no"}),
            r#"envelope.code = "/errno""#,
        ),
        (
            json!({"code": 0, "pictures": ["https://h/a.png"]}),
            r#"task.outputs = ["/pictures"]"#,
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
fn the_settings_add_places_of_outputs_and_take_names_away() {
    check_with(
        &dialect(json!({"task": {"outputs": ["/artefacts", "/meta/where"]}})),
        r#"200 Status {"code": 0, "task": {"id": "t", "artefacts": ["https://h/1", {"link_url": "https://h/2"}], "meta": {"where": "https://h/3"}}} => t - - https://h/1 https://h/2 https://h/3"#,
    );
    check_with(
        &dialect(json!({"task": {"not_outputs": ["image_url"]}})),
        r#"200 Status {"code": 0, "task": {"id": "t", "imageUrl": "https://h/i.png", "url": "https://h/v.mp4"}} => t - - https://h/v.mp4"#,
    );
}

#[test]
fn progress_has_the_scale_of_the_settings() {
    for row in [
        "null 0.5 0.5",
        "null 50 0.5",
        "null \"50%\" 0.5",
        "100 1 0.01",
        "100 \"1%\" 0.01",
        "1 50 -",
    ] {
        let [complete, progress, expected] =
            [0, 1, 2].map(|word| row.split(' ').nth(word).expect(row));
        let document = format!(r#"{{"task": {{"progress_complete": {complete}}}}}"#);
        let dialect = Dialect::parse(&document).expect("a dialect");
        let body = format!(r#"{{"code": 0, "task": {{"id": "t", "progress": {progress}}}}}"#);
        check_with(&dialect, &format!("200 Status {body} => t - {expected}"));
    }
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
fn a_success_without_outputs_is_a_failure_beside_an_error() {
    check_with(
        &dialect(json!({
            "task": {"state": ["/done", "/status"]},
            "states": {"SUCCEEDED": ["true"]},
        })),
        r#"200 Status {"code": 0, "task": {"id": "t", "done": true, "error": {"message": "no face"}}} => t FAILED - "no face" null
200 Status {"code": 0, "task": {"id": "t", "status": "SUCCEEDED", "error": "no face", "images": []}} => t FAILED - "no face" null
200 Status {"code": 0, "task": {"id": "t", "done": true}} => t SUCCEEDED -
200 Status {"code": 0, "task": {"id": "t", "done": true, "error": null}} => t SUCCEEDED -
200 Status {"code": 0, "task": {"id": "t", "status": "SUCCEEDED", "error": "slow", "url": "https://h/a.png"}} => t SUCCEEDED - https://h/a.png"#,
    );
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
fn the_id_of_a_create_is_found_behind_a_place_with_only_a_state() {
    check(
        r#"200 Task {"code": 0, "data": {"status": "queued"}, "task": {"id": "t"}} => t - -
200 Task {"code": 0, "data": {"task": {"status": "queued"}, "job": {"id": "t"}}} => t - -
200 Task {"code": 0, "data": {"task": {"status": "queued"}}, "task_id": "t"} => t - -
200 Task {"code": 99, "data": {"id": null, "task_id": "t"}} => t - -
200 TaskOrResult {"code": 0, "uuid": "r", "data": {"images": ["https://h/a.png"]}} => result https://h/a.png
200 TaskOrResult {"code": 0, "data": {"uuid": "i", "images": ["https://h/a.png"]}} => result https://h/a.png"#,
    );
}

#[test]
fn the_status_of_a_task_is_that_of_its_own_item() {
    let items = json!([
        {"id": "other", "status": "SUCCEEDED", "video_url": "https://h/other.mp4"},
        {"id": "t", "status": "RUNNING"},
    ]);
    for data in [items.clone(), json!({ "tasks": items })] {
        let body = json!({"code": 0, "data": data});
        for (id, expected) in [("t", Some("RUNNING")), ("gone", None)] {
            let body = Some(body.clone());
            let answer = Dialect::default().read(200, body, Status, Some(id), &mut |_| None);
            let state = match answer {
                Answer::Task(task) => task.data["task"]["state"].as_str().map(str::to_owned),
                _ => None,
            };
            assert_eq!(state.as_deref(), expected, "{id}");
        }
    }
}

#[test]
fn a_failure_at_a_default_place_counts_beside_a_flag() {
    check_with(
        &dialect(json!({"task": {"state": ["/done"]}, "states": {"SUCCEEDED": ["true"]}})),
        r#"200 Status {"code": 0, "task": {"id": "t", "done": true, "status": "FAILED", "url": "https://h/a.png"}} => t FAILED - https://h/a.png
200 Status {"code": 0, "task": {"id": "t", "done": true, "error": "no face", "url": "https://h/a.png"}} => t FAILED - https://h/a.png "no face" null
200 TaskOrResult {"code": 0, "data": {"done": true, "status": "queued", "image_url": "https://h/a.png"}} => no_task"#,
    );
}

#[test]
fn outputs_are_found_beside_the_record_wherever_it_is() {
    for body in r#"{"code": 0, "task": {"id": "t", "status": "SUCCEEDED"}, "video_url": "https://h/v.mp4"}
{"code": 0, "data": {"id": "t", "status": "SUCCEEDED"}, "video_url": "https://h/v.mp4"}
{"code": 0, "data": {"task": {"id": "t", "status": "SUCCEEDED"}, "video_url": "https://h/v.mp4", "user": {"avatar_url": "https://h/me.png"}}}
{"code": 0, "task_id": "t", "status": "SUCCEEDED", "data": {"video_url": "https://h/v.mp4"}}
{"code": 0, "task": {"id": "t", "status": "SUCCEEDED"}, "data": {"video_url": "https://h/v.mp4"}}
{"code": 0, "data": {"task": {"id": "t", "status": "SUCCEEDED", "video_url": null, "videoUrl": "https://h/v.mp4"}}}
{"code": 0, "data": {"task": {"id": "t", "status": "SUCCEEDED", "task_result": {"videos": [{"url": "https://h/v.mp4\n"}]}}}}"#
        .lines()
    {
        check(&format!("200 Status {body} => t SUCCEEDED - https://h/v.mp4"));
    }
}
