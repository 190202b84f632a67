//! The dialect: the shapes that the default reads, and what a document may change.

use mediagate_core::Expects::{self, Data, Status, Task, TaskOrResult};
use mediagate_core::Unreadable;
use mediagate_dialect::{Decoded, Dialect};
use serde_json::{Value, json};

fn dialect(document: Value) -> Dialect {
    Dialect::parse(&document.to_string()).expect("a dialect")
}

/// Describes a decoded response.
fn read(dialect: &Dialect, status: u16, body: &Value, expects: Expects) -> String {
    match dialect.decode(status, Some(body), expects) {
        Decoded::Task(task) => {
            let progress = task.progress.map(|progress| progress.to_string());
            let words = [task.id, task.state, progress].map(|word| word.unwrap_or("-".into()));
            let mut words = Vec::from(words);
            let outputs = task.outputs.into_iter();
            words.extend(outputs.filter_map(|output| output.url.or(output.asset_id)));
            words.extend(task.error.map(|error| {
                format!(
                    "{:?} {}",
                    error.message.unwrap_or_default(),
                    error.code.unwrap_or_default()
                )
            }));
            words.join(" ")
        }
        Decoded::Data(_) => "data".into(),
        Decoded::Result(_, outputs) => {
            let urls = outputs.into_iter().filter_map(|output| output.url);
            urls.fold("result".into(), |words, url| words + " " + &url)
        }
        Decoded::Error(envelope) => format!("error {}", envelope.code.0),
        Decoded::Unreadable(unreadable) => unreadable.name().into(),
    }
}

fn by_default(status: u16, body: Value, expects: Expects) -> String {
    read(&Dialect::default(), status, &body, expects)
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
        let expects = match next() {
            "Task" => Task,
            "Status" => Status,
            "TaskOrResult" => TaskOrResult,
            _ => Data,
        };
        let body = next().parse().expect("JSON");
        assert_eq!(read(dialect, status, &body, expects), expected, "{case}");
    }
}

#[test]
fn a_task_is_read_from_the_shapes_that_are_likely() {
    for body in r#"{"code": 0, "data": {"task": {"id": "t", "status": "RUNNING"}}}
{"code": 0, "data": {"id": "t", "status": "RUNNING"}}
{"code": 0, "data": {"task_id": "t", "task_status": "RUNNING"}}
{"code": 0, "data": {"taskId": "t", "state": "RUNNING"}}
{"code": 0, "data": [{"id": "t", "status": "RUNNING"}]}
{"code": 0, "data": {"job": {"id": "t", "status": {"state": "RUNNING"}}}}
{"code": 0, "data": {"task": {"id": "t"}, "status": "RUNNING"}}
{"code": 0, "message": "ok", "task": {"id": "t", "status": "RUNNING"}}
{"code": 0, "message": "ok", "id": "t", "status": "RUNNING"}
{"task": {"id": "t", "status": "RUNNING"}}
{"task": {"id": "t"}, "status": "RUNNING"}
{"id": "t", "status": "RUNNING"}"#
        .lines()
    {
        for expects in ["Task", "Status", "TaskOrResult"] {
            check(&format!("200 {expects} {body} => t RUNNING -"));
        }
    }
}

#[test]
fn a_state_beside_the_task_is_no_envelopes() {
    check(
        r#"200 Status {"code": 0, "status": "ok", "progress": 1, "data": {"task": {"id": "t"}}} => t - -
200 Status {"code": 0, "status": "ok", "data": {"task": {"id": "t"}, "status": "RUNNING"}} => t RUNNING -"#,
    );
}

#[test]
fn a_final_state_counts_in_any_case_and_beside_other_words() {
    check(
        r#"200 Status {"task": {"id": "t", "status": "succeeded"}} => t SUCCEEDED -
200 Status {"task": {"id": "t", "status": "ok", "state": "SUCCEEDED"}} => t SUCCEEDED -
200 Status {"task": {"id": "t", "state": "success", "status": "Failed"}} => t FAILED -
200 Status {"task": {"id": "t", "status": " expired "}} => t EXPIRED -
200 Status {"task": {"id": "t", "status": "COMPLETED"}} => t COMPLETED -
200 Status {"task": {"id": "t", "status": 2}} => t 2 -"#,
    );
}

#[test]
fn words_of_the_dialect_end_a_task() {
    let states =
        json!({"SUCCEEDED": ["Completed", "3"], "FAILED": ["error"], "EXPIRED": ["timed_out"]});
    check_with(
        &dialect(json!({"states": states})),
        r#"200 Status {"task": {"id": "t", "status": "completed"}} => t SUCCEEDED -
200 Status {"task": {"id": "t", "status": 3}} => t SUCCEEDED -
200 Status {"task": {"id": "t", "status": "ERROR"}} => t FAILED -
200 Status {"task": {"id": "t", "status": "timed_out"}} => t EXPIRED -
200 Status {"task": {"id": "t", "status": "succeeded"}} => t SUCCEEDED -
200 Status {"task": {"id": "t", "status": "queued"}} => t queued -"#,
    );
}

#[test]
fn a_task_that_has_ended_counts_under_another_code() {
    // The state of an envelope may describe the request, unless the dialect has records only there.
    check(
        r#"502 Status {"code": 1404, "message": "m", "data": {"task": {"id": "t", "status": "FAILED"}}} => t FAILED - "m" 1404
200 Status {"code": 1404, "message": "m", "data": {"task": {"id": "t", "status": "FAILED", "error": {"message": "no face", "code": 7}}}} => t FAILED - "no face" 1404
200 Status {"code": 0, "data": {"task": {"id": "t", "status": "FAILED", "error": {"message": "no face", "code": 7}}}} => t FAILED - "no face" 7
200 Status {"code": 1404, "message": "m", "data": {"task": {"id": "t", "status": "RUNNING"}}} => error 1404
404 Status {"code": 12, "data": null} => error 12
500 Status {"code": 99, "message": "m", "status": "FAILED", "progress": 0.5} => error 99"#,
    );
    check_with(
        &dialect(json!({"task": {"record": ""}})),
        r#"500 Status {"code": 99, "message": "m", "status": "FAILED"} => error 99
500 Status {"code": 99, "message": "m", "status": "FAILED", "progress": 0.5} => - FAILED 0.5 "m" 99
429 Status {"code": 16, "status": "BUSY"} => error 16"#,
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
200 TaskOrResult {"code": 0, "data": {"id": "i", "url": "https://h/a.png"}} => result https://h/a.png
200 TaskOrResult {"id": "i", "url": "https://h/a.png"} => result https://h/a.png
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
    assert_eq!(
        Dialect::default().decode(200, None, Task),
        Decoded::Unreadable(Unreadable::NotJson)
    );
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
        read(&dialect, 200, &body, Status),
        "t - - https://h/1 https://h/2 https://h/3"
    );
}

#[test]
fn progress_has_the_scale_of_the_dialect() {
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
        let body = format!(r#"{{"task": {{"id": "t", "progress": {progress}}}}}"#);
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
        r#"200 Status {"result": {"work/item": {"key": 5, "phase": {"now": "FAILED"}, "why": "no"}, "done": 0.25}} => 5 FAILED 0.25 "no" null"#,
    );
}

/// Reads the response to a request for an upload URL. Returns the parts as JSON.
fn upload(dialect: &Dialect, body: Value) -> Value {
    dialect.upload.read(&body).map_or(Value::Null, |upload| {
        json!([
            upload.method(),
            upload.url,
            upload.file_id,
            upload.headers,
            upload.fields,
            upload.expires_at
        ])
    })
}

#[test]
fn an_upload_is_read_from_the_shapes_that_are_likely() {
    let url = "https://s/u";
    for body in [
        json!({"code": 0, "data": {"upload_url": url, "file_id": "f"}}),
        json!({"code": 0, "data": {"uploadUrl": url, "fileId": "f"}}),
        json!({
            "code": 0,
            "data": {"presigned_url": url, "file": {"id": "f", "url": "https://cdn/f"}},
        }),
        json!({"code": 0, "data": {"file": {"id": "f"}, "upload": {"url": url}}}),
        json!({"code": 0, "data": [{"upload_url": url, "id": "f"}]}),
        json!({"code": 0, "data": {"uploads": [{"upload_url": url, "file_id": "f"}]}}),
        json!({"upload_url": url, "file_id": "f"}),
        json!({"signedUrl": url, "id": "f"}),
    ] {
        assert_eq!(
            upload(&Dialect::default(), body.clone()),
            json!(["PUT", url, "f", {}, {}, null]),
            "{body}"
        );
    }
    for body in [
        json!({"data": {"upload_url": " ", "file_id": "f"}}),
        json!({"data": {"upload_url": url}}),
        json!(null),
    ] {
        assert_eq!(upload(&Dialect::default(), body), Value::Null);
    }
}

#[test]
fn headers_and_fields_of_an_upload_are_read_and_checked() {
    let body = json!({"code": 0, "data": {
        "upload_url": "https://s/u", "file_id": 7, "method": "put", "expires_in": 60,
        "headers": {
            "X-Amz-Meta-A": "1",
            "Content-Type": "image/png",
            "Authorization": "Bearer x",
            "cookie": "a=b",
            "Host": "h",
            "bad name": "1", "x-bad": "a\nb", "content-length": "5", "Sec-X": "1",
        },
    }});
    let headers = json!({"x-amz-meta-a": "1", "content-type": "image/png"});
    assert_eq!(
        upload(&Dialect::default(), body),
        json!(["PUT", "https://s/u", "7", headers, {}, 60])
    );
    let form = json!({"data": {
        "url": "https://s",
        "id": "f",
        "fields": {"key": "k", "policy": "p", "size": 5, "x": null},
    }});
    let fields = json!({"key": "k", "policy": "p", "size": "5"});
    assert_eq!(
        upload(&Dialect::default(), form),
        json!(["POST", "https://s", "f", {}, fields, null])
    );
    let listed = json!({"data": {
        "url": "https://s",
        "id": "f",
        "headers": [{"name": "X-A", "value": "1"}, {"key": "X-B", "value": 2}, 3],
    }});
    assert_eq!(
        upload(&Dialect::default(), listed),
        json!(["PUT", "https://s", "f", {"x-a": "1", "x-b": "2"}, {}, null])
    );
}

#[test]
fn requests_are_filled_in() {
    let input = json!({"file_name": "a.PNG", "content_type": "image/png", "size": 5});
    assert_eq!(
        Dialect::default().upload.body(&input),
        input,
        "without a title"
    );
    let template = json!({
        "file": {"name": "{file_name}", "ext": "{extension}"},
        "bytes": "{size}",
        "as_text": "{size} bytes of {media}",
        "t": "{title}",
        "list": ["{title}", 1],
        "{": "{}",
        "braces": "{} {{size}}",
    });
    let without_size = json!({"file_name": "a.PNG", "content_type": "image/png"});
    assert_eq!(
        Dialect::default().upload.body(&without_size),
        without_size,
        "of a file without a length"
    );
    let upload = dialect(json!({"upload": {"request": template}}));
    assert_eq!(
        upload.upload.body(&input),
        json!({
            "file": {"name": "a.PNG", "ext": "png"},
            "bytes": 5,
            "as_text": "5 bytes of image",
            "list": [1],
            "{": "{}",
            "braces": "{} {5}",
        })
    );
    let request = json!({"capability": "{capability}", "at": "{path}", "input": "{input}"});
    let estimate = dialect(json!({"estimate": {"request": request}}));
    let body = estimate
        .estimate
        .body("split_video", "/p", &json!({"a": 1}));
    assert_eq!(
        body,
        json!({"capability": "split_video", "at": "/p", "input": {"a": 1}})
    );
    assert_eq!(
        Dialect::default()
            .estimate
            .body("split_video", "/p", &json!({"a": 1})),
        json!({"a": 1})
    );
    let beside =
        dialect(json!({"estimate": {"request": {"...": "{input}", "type": "{capability}"}}}));
    assert_eq!(
        beside.estimate.body("split_video", "/p", &json!({"a": 1})),
        json!({"a": 1, "type": "split_video"})
    );
    assert_eq!(
        beside.estimate.body("split_video", "/p", &json!([])),
        json!({"...": [], "type": "split_video"})
    );
}

#[test]
fn a_region_and_a_size_are_sent_in_the_shape_of_the_dialect() {
    let shaped = |document: Value, name: &str, body: Value| {
        let mut body = body.as_object().expect("an object").clone();
        dialect(document)
            .create
            .shape(mediagate_core::find(name).expect("known"), &mut body);
        Value::Object(body)
    };
    let nested = json!({});
    let dotted = json!({"create": {"region": "dotted"}});
    let region = |document: &Value, body: Value| shaped(document.clone(), "subtitle_removal", body);
    let one = json!({"f": 1, "region": {"x": 1, "width": 2}});
    let other = json!({"f": 1, "region.x": 1, "region.width": 2});
    let mixed = json!({"f": 1, "region": {"x": 1}, "region.width": 2});
    for body in [&one, &other, &mixed] {
        assert_eq!(
            (region(&nested, body.clone()), region(&dotted, body.clone())),
            (one.clone(), other.clone())
        );
    }
    for same in [
        json!({"f": 1}),
        json!({"region": null}),
        json!({"region": [1]}),
    ] {
        assert_eq!(
            (region(&nested, same.clone()), region(&dotted, same.clone())),
            (same.clone(), same)
        );
    }
    assert_eq!(
        region(&nested, json!({"region": {}})),
        json!({"region": {}})
    );
    assert_eq!(
        region(&dotted, json!({"region": {}})),
        json!({}),
        "a dotted region without parts has no member"
    );
    assert_eq!(
        shaped(dotted, "merge_pdf", one.clone()),
        one,
        "it has no region"
    );

    let list = json!({});
    let object = json!({"create": {"video_size": "object"}});
    let size = |document: &Value, size: Value| {
        shaped(
            document.clone(),
            "video_logo_removal",
            json!({ "video_size": size }),
        )["video_size"]
            .clone()
    };
    let one = json!([1280, 720]);
    let other = json!({"width": 1280, "height": 720});
    for written in [&one, &other] {
        assert_eq!(
            (size(&list, written.clone()), size(&object, written.clone())),
            (one.clone(), other.clone())
        );
    }
    let more = json!({"width": 1280, "height": 720, "depth": 1});
    for same in [
        json!([1]),
        json!([1, 2, 3]),
        json!({"width": 1}),
        json!({"w": 1, "h": 2}),
        more,
        json!(null),
    ] {
        assert_eq!(
            (size(&list, same.clone()), size(&object, same.clone())),
            (same.clone(), same)
        );
    }
}

#[test]
fn a_document_that_is_wrong_is_refused_by_name() {
    let cases = r#"{ => the document: EOF
[] => the document: is no JSON object
{} {} => the document: trailing
{"task": []} => task: is no JSON object
{"upload": {"send": 5}} => upload.send: is no JSON object
{"uploads": {}} => uploads: unknown field
{"task": {"ids": []}} => task.ids: unknown field
{"task": {"id": "id"}} => task.id: "id" is no JSON Pointer
{"task": {"id": ["/a", "/b~2"]}} => task.id: "/b~2" is no JSON Pointer
{"task": {"id": 5}} => task.id: invalid type: integer `5`, expected a JSON Pointer
{"task": {"progress_complete": 0}} => task.progress_complete: is no number above 0
{"states": {"SUCCEEDED": ["done"], "FAILED": ["DONE"]}} => states.SUCCEEDED: has a word that means another
{"states": {"FAILED": ["expired"]}} => states.FAILED: has a word that means another
{"states": {"FAILED": [" "]}} => states.FAILED: has a blank word
{"states": {"RUNNING": []}} => states.RUNNING: unknown field
{"upload": {"request": {"n": "{filename}"}}} => upload.request.n: {filename} is no placeholder; there are {content_type}
{"upload": {"request": {"n": ["{filename}"]}}} => upload.request.n: {filename} is no placeholder
{"estimate": {"request": "{size}"}} => estimate.request: {size} is no placeholder
{"upload": {"send": {"headers": {"Cookie": "a"}}}} => upload.send.headers: "Cookie" is no header"#;
    for case in cases.lines() {
        let (document, part) = case.split_once(" => ").expect("a case");
        let error = Dialect::parse(document).expect_err(document).to_string();
        assert!(error.starts_with(part), "{document}: {error}");
    }
}

#[test]
fn the_values_of_headers_are_not_printed() {
    let dialect =
        dialect(json!({"upload": {"send": {"headers": {"x-key": "canary"}, "api_key": true}}}));
    let printed = format!("{dialect:?}");
    assert!(printed.contains("without_length: false"), "{printed}");
    assert!(
        printed.contains("x-key")
            && printed.contains("api_key: true")
            && !printed.contains("canary"),
        "{printed}"
    );
}

#[test]
fn a_document_of_the_default_is_the_default() {
    let default = Dialect::default();
    let written = serde_json::to_string(&default).expect("JSON");
    assert_eq!(Dialect::parse(&written).as_ref(), Ok(&default));
    assert_eq!(Dialect::parse("{}"), Ok(default));
}

#[test]
fn success_without_an_output_is_no_result() {
    check(
        r#"200 TaskOrResult {"error": {"code": "insufficient_credits"}} => error 1401
200 TaskOrResult {"error": "Insufficient credits"} => error 1401
200 TaskOrResult {"error": {"message": "no", "code": 1410}} => error 1410
200 TaskOrResult {"errors": [{"code": "rate-limit"}]} => error 16
200 TaskOrResult {"Code": 1401} => error 1401
200 TaskOrResult {"Code": "1401", "Message": "no"} => error 1401
200 TaskOrResult {"success": false} => error 99
200 TaskOrResult {"success": false, "message": "invalid model"} => error 1410
200 TaskOrResult {"ok": false, "url": "https://h/a.png"} => error 99
200 TaskOrResult {"code": 0, "data": {"error": "no face", "url": "https://h/a.png"}} => error 99
200 TaskOrResult {"code": 0, "data": null} => no_task
200 TaskOrResult {"code": 0, "data": {}} => no_task
200 TaskOrResult {"code": 0, "data": "queued"} => no_task
200 TaskOrResult {"code": 0, "data": {"request_id": "r1", "status": "pending"}} => no_task
200 TaskOrResult {"request_id": "r1", "status_url": "https://h/r1/status", "response_url": "https://h/r1"} => not_an_envelope
200 TaskOrResult {} => not_an_envelope
200 TaskOrResult {"code": 0, "data": [{"task": {"id": "t", "status": "QUEUED"}}]} => t QUEUED -
200 TaskOrResult {"code": 0, "data": {"result": {"id": "t", "status": "QUEUED"}}} => t QUEUED -
200 TaskOrResult {"output": {"tasks": [{"task_id": "t", "task_status": "FAILED"}]}} => t FAILED -
200 TaskOrResult {"code": 0, "data": {"input": {"id": "t", "status": "QUEUED"}}} => no_task
200 TaskOrResult {"data": {"images": [{"id": "1", "status": "ok", "url": "https://h/a.png"}]}} => result https://h/a.png
200 TaskOrResult {"code": 0, "data": "https://h/a.png"} => result https://h/a.png
200 TaskOrResult {"code": 0, "data": ["https://h/a.png"]} => result https://h/a.png
200 TaskOrResult {"code": 0, "url": "https://h/a.png"} => result https://h/a.png
200 TaskOrResult {"error": null, "image_url": "https://h/a.png"} => result https://h/a.png
200 TaskOrResult {"errors": [], "success": true, "image_url": "https://h/a.png"} => result https://h/a.png"#,
    );
}

#[test]
fn media_as_text_is_an_output() {
    let base64 = "iVBORw0KGgo".repeat(40);
    for (data, expected) in [
        (json!({"image_base64": base64}), "result"),
        (json!([{"b64_json": base64}]), "result"),
        (json!({"image": "data:image/png;base64,iVBO"}), "result"),
        (json!({"image": "a lighthouse"}), "no_task"),
        (json!({"input": {"image": base64}}), "no_task"),
        (json!({"token": base64}), "no_task"),
    ] {
        let body = json!({"code": 0, "data": data});
        assert_eq!(by_default(200, body, TaskOrResult), expected, "{data}");
    }
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
200 TaskOrResult {"error": {"code": "invalid_model"}} => error 1410"#,
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
    check(r#"200 Data {"Code": 0, "Message": "ok", "Data": {"a": 1}} => data"#);
}

#[test]
fn states_may_be_booleans_and_numbers() {
    check_with(
        &dialect(json!({
            "task": {"state": ["/done", "/status"]},
            "states": {"SUCCEEDED": ["true", "2"], "FAILED": ["-1"]},
        })),
        r#"200 Status {"task": {"id": "t", "done": true}} => t SUCCEEDED -
200 Status {"task": {"id": "t", "done": false}} => t false -
200 Status {"task": {"id": "t", "status": 2}} => t SUCCEEDED -
200 Status {"task": {"id": "t", "status": -1}} => t FAILED -"#,
    );
}

#[test]
fn a_flag_that_ends_a_task_is_a_failure_beside_an_error() {
    let dialect = dialect(json!({
        "task": {"state": ["/done"]},
        "states": {"SUCCEEDED": ["true"]},
    }));
    let state = |record: Value| {
        let body = json!({"code": 0, "data": {"task": record}});
        let Decoded::Task(task) = dialect.decode(200, Some(&body), Expects::Status) else {
            panic!("no task: {body}");
        };
        let message = task.error.and_then(|error| error.message);
        (task.state.unwrap_or_default(), message)
    };
    let failed = json!({"id": "t", "done": true, "error": {"message": "no face"}});
    assert_eq!(
        state(failed),
        ("FAILED".to_owned(), Some("no face".to_owned()))
    );
    for succeeded in [
        json!({"id": "t", "done": true}),
        json!({"id": "t", "done": true, "error": null}),
        json!({"id": "t", "done": true, "error": {"message": "slow"}, "url": "https://h/a.png"}),
    ] {
        assert_eq!(state(succeeded.clone()).0, "SUCCEEDED", "{succeeded}");
    }
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
    });
    let body = json!({"code": 0, "data": {"task": record}});
    let found = by_default(200, body.clone(), Status);
    let mut words: Vec<_> = found.split(' ').collect();
    words.sort();
    let expected = ["-", "SUCCEEDED", "https://h/share", "https://h/v.mp4", "t"];
    assert_eq!(words, expected);
    let dialect = dialect(json!({"task": {"not_outputs": ["share_url"]}}));
    assert_eq!(
        read(&dialect, 200, &body, Status),
        "t SUCCEEDED - https://h/v.mp4"
    );
}
