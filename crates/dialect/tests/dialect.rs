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
            let words = [
                task.id,
                task.state,
                task.progress.map(|progress| progress.to_string()),
            ];
            let mut words: Vec<String> = words
                .into_iter()
                .map(|word| word.unwrap_or("-".into()))
                .collect();
            words.extend(
                task.outputs
                    .into_iter()
                    .filter_map(|output| output.url.or(output.asset_id)),
            );
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
            ["result".to_owned()]
                .into_iter()
                .chain(urls)
                .collect::<Vec<_>>()
                .join(" ")
        }
        Decoded::Error(envelope) => format!("error {}", envelope.code.0),
        Decoded::Unreadable(unreadable) => unreadable.name().into(),
    }
}

fn by_default(status: u16, body: Value, expects: Expects) -> String {
    read(&Dialect::default(), status, &body, expects)
}

#[test]
fn a_task_is_read_from_the_shapes_that_are_likely() {
    for body in [
        json!({"code": 0, "data": {"task": {"id": "t", "status": "RUNNING"}}}),
        json!({"code": 0, "data": {"id": "t", "status": "RUNNING"}}),
        json!({"code": 0, "data": {"task_id": "t", "task_status": "RUNNING"}}),
        json!({"code": 0, "data": {"taskId": "t", "state": "RUNNING"}}),
        json!({"code": 0, "data": [{"id": "t", "status": "RUNNING"}]}),
        json!({"code": 0, "data": {"job": {"id": "t", "status": {"state": "RUNNING"}}}}),
        json!({"code": 0, "data": {"task": {"id": "t"}, "status": "RUNNING"}}),
        json!({"code": 0, "message": "ok", "task": {"id": "t", "status": "RUNNING"}}),
        json!({"code": 0, "message": "ok", "id": "t", "status": "RUNNING"}),
        json!({"task": {"id": "t", "status": "RUNNING"}}),
        json!({"task": {"id": "t"}, "status": "RUNNING"}),
        json!({"id": "t", "status": "RUNNING"}),
    ] {
        for expects in [Task, Status, TaskOrResult] {
            assert_eq!(
                by_default(200, body.clone(), expects),
                "t RUNNING -",
                "{body} {expects:?}"
            );
        }
    }
}

#[test]
fn a_state_beside_the_task_is_no_envelopes() {
    let body = |inner: Value| json!({"code": 0, "status": "ok", "progress": 1, "data": inner});
    assert_eq!(
        by_default(200, body(json!({"task": {"id": "t"}})), Status),
        "t - -"
    );
    assert_eq!(
        by_default(
            200,
            body(json!({"task": {"id": "t"}, "status": "RUNNING"})),
            Status
        ),
        "t RUNNING -"
    );
}

#[test]
fn a_final_state_counts_in_any_case_and_beside_other_words() {
    for (state, expected) in [
        (json!({"status": "succeeded"}), "SUCCEEDED"),
        (json!({"status": "ok", "state": "SUCCEEDED"}), "SUCCEEDED"),
        (json!({"state": "success", "status": "Failed"}), "FAILED"),
        (json!({"status": " expired "}), "EXPIRED"),
        (json!({"status": "COMPLETED"}), "COMPLETED"),
        (json!({"status": 2}), "2"),
    ] {
        let mut record = state.clone();
        record["id"] = json!("t");
        let read = by_default(200, json!({"code": 0, "data": {"task": record}}), Status);
        assert_eq!(read, format!("t {expected} -"), "{state}");
    }
}

#[test]
fn words_of_the_dialect_end_a_task() {
    let dialect = dialect(json!({
        "states": {
            "SUCCEEDED": ["Completed", "3"],
            "FAILED": ["error"],
            "EXPIRED": ["timed_out"],
        },
    }));
    for (word, state) in [
        (json!("completed"), "SUCCEEDED"),
        (json!(3), "SUCCEEDED"),
        (json!("ERROR"), "FAILED"),
        (json!("timed_out"), "EXPIRED"),
        (json!("succeeded"), "SUCCEEDED"),
        (json!("queued"), "queued"),
    ] {
        let body = json!({"code": 0, "data": {"task": {"id": "t", "status": word}}});
        assert_eq!(read(&dialect, 200, &body, Status), format!("t {state} -"));
    }
}

#[test]
fn a_task_that_has_ended_counts_under_another_code() {
    let body = |code: i32, task: Value| json!({"code": code, "message": "provider error", "data": {"task": task}});
    let failed = json!({"id": "t", "status": "FAILED"});
    assert_eq!(
        by_default(502, body(1404, failed.clone()), Status),
        "t FAILED - \"provider error\" 1404"
    );
    let told = json!({"id": "t", "status": "FAILED", "error": {"message": "no face", "code": 7}});
    assert_eq!(
        by_default(200, body(1404, told.clone()), Status),
        "t FAILED - \"no face\" 1404"
    );
    assert_eq!(
        by_default(200, body(0, told), Status),
        "t FAILED - \"no face\" 7"
    );
    assert_eq!(
        by_default(
            200,
            body(1404, json!({"id": "t", "status": "RUNNING"})),
            Status
        ),
        "error 1404"
    );
    assert_eq!(
        by_default(404, json!({"code": 12, "data": null}), Status),
        "error 12"
    );
    // The state of an envelope may describe the request, unless the dialect has records only there.
    let own = json!({"code": 99, "message": "server error", "status": "FAILED"});
    let record =
        json!({"code": 99, "message": "server error", "status": "FAILED", "progress": 0.5});
    assert_eq!(by_default(500, record.clone(), Status), "error 99");
    let bare = dialect(json!({"task": {"record": ""}}));
    assert_eq!(read(&bare, 500, &own, Status), "error 99");
    assert_eq!(
        read(&bare, 500, &record, Status),
        "- FAILED 0.5 \"server error\" 99"
    );
    assert_eq!(
        read(&bare, 429, &json!({"code": 16, "status": "BUSY"}), Status),
        "error 16"
    );
}

#[test]
fn a_create_that_brings_a_task_is_one_unless_the_code_rejects() {
    let body = |code: i32, data: Value| json!({"code": code, "message": "m", "data": data});
    let task = json!({"task": {"id": "t"}});
    for code in [99, 1404, 1405, 4711] {
        assert_eq!(
            by_default(200, body(code, task.clone()), Task),
            "t - -",
            "{code}"
        );
        assert_eq!(
            by_default(200, body(code, json!({"task_id": "t"})), Task),
            "t - -",
            "{code}"
        );
        assert_eq!(
            by_default(200, body(code, json!({"id": "request"})), Task),
            format!("error {code}")
        );
    }
    for code in [12, 13, 16, 1401, 1409, 1410] {
        assert_eq!(
            by_default(200, body(code, task.clone()), Task),
            format!("error {code}")
        );
    }
}

#[test]
fn what_is_no_task_stays_what_it_is() {
    for (status, body, expects, expected) in [
        (200, json!({"code": 0, "data": null}), Task, "no_task"),
        (
            200,
            json!({"code": 0, "status": "ok", "data": null}),
            Status,
            "no_task",
        ),
        (200, json!({"code": 0, "data": "t"}), Task, "no_task"),
        (
            200,
            json!({"code": 0, "data": {"task": {"status": "RUNNING"}}}),
            Task,
            "no_task",
        ),
        (
            200,
            json!({"code": 0, "data": {"task": {"status": "RUNNING"}}}),
            TaskOrResult,
            "no_task",
        ),
        (
            200,
            json!({"code": 0, "data": {"id": "i", "url": "https://h/a.png"}}),
            TaskOrResult,
            "result https://h/a.png",
        ),
        (
            200,
            json!({"id": "i", "url": "https://h/a.png"}),
            TaskOrResult,
            "result https://h/a.png",
        ),
        (
            500,
            json!({"id": "t", "status": "RUNNING"}),
            Task,
            "not_an_envelope",
        ),
        (200, json!(["t"]), Task, "not_an_envelope"),
        (200, json!([1]), TaskOrResult, "not_an_envelope"),
        (
            500,
            json!({"code": 0, "data": {"a": 1}}),
            Data,
            "contradictory",
        ),
        (200, json!({"code": 0}), Data, "no_data"),
        (200, json!({"models": []}), Data, "data"),
        (
            200,
            json!({"code": 0, "data": {"task": {"id": "t"}}}),
            Data,
            "data",
        ),
        (
            200,
            json!({"code": 0, "message": "ok", "models": []}),
            Data,
            "data",
        ),
        (
            200,
            json!({"code": 0, "message": "ok", "data": null}),
            Data,
            "no_data",
        ),
        (200, json!({"code": 0}), TaskOrResult, "no_task"),
        (
            500,
            json!({"code": 0, "data": {"a": 1}}),
            TaskOrResult,
            "contradictory",
        ),
        (500, json!({"a": 1}), TaskOrResult, "not_an_envelope"),
        (500, json!({"models": []}), Data, "not_an_envelope"),
        (200, json!([1]), Data, "data"),
        (200, json!({"a": 1}), Task, "not_an_envelope"),
        (200, json!({"a": 1}), Status, "not_an_envelope"),
    ] {
        assert_eq!(
            by_default(status, body.clone(), expects),
            expected,
            "{body}"
        );
    }
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
    let body = json!({"code": 0, "data": {"task": {"id": "t", "artefacts": ["https://h/1", {"link_url": "https://h/2"}], "meta": {"where": "https://h/3"}}}});
    assert_eq!(
        read(&dialect, 200, &body, Status),
        "t - - https://h/1 https://h/2 https://h/3"
    );
}

#[test]
fn progress_has_the_scale_of_the_dialect() {
    let body =
        |progress: Value| json!({"code": 0, "data": {"task": {"id": "t", "progress": progress}}});
    for (complete, progress, expected) in [
        (json!(null), json!(0.5), "0.5"),
        (json!(null), json!(50), "0.5"),
        (json!(null), json!("50%"), "0.5"),
        (json!(100), json!(1), "0.01"),
        (json!(100), json!("1%"), "0.01"),
        (json!(1000), json!(500), "0.5"),
        (json!(1), json!(50), "-"),
    ] {
        let dialect = dialect(json!({"task": {"progress_complete": complete}}));
        assert_eq!(
            read(&dialect, 200, &body(progress.clone()), Status),
            format!("t - {expected}"),
            "{complete} {progress}"
        );
    }
}

#[test]
fn places_can_be_anywhere() {
    let dialect = dialect(json!({"task": {
        "record": "/result/work~1item",
        "id": ["/key"],
        "state": ["/phase/now"],
        "progress": "/done",
        "error_message": "/why",
    }}));
    let body = json!({"result": {"work/item": {"key": 5, "phase": {"now": "FAILED"}, "why": "no"}, "done": 0.25}});
    assert_eq!(
        read(&dialect, 200, &body, Status),
        "5 FAILED 0.25 \"no\" null"
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
    let form = json!({"data": {"url": "https://s", "id": "f", "fields": {"key": "k", "policy": "p", "size": 5, "x": null}}});
    let fields = json!({"key": "k", "policy": "p", "size": "5"});
    assert_eq!(
        upload(&Dialect::default(), form),
        json!(["POST", "https://s", "f", {}, fields, null])
    );
    let listed = json!({"data": {"url": "https://s", "id": "f", "headers": [{"name": "X-A", "value": "1"}, {"key": "X-B", "value": 2}, 3]}});
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
    let template = json!({"file": {"name": "{file_name}", "ext": "{extension}"}, "bytes": "{size}", "as_text": "{size} bytes of {media}", "t": "{title}", "list": ["{title}", 1], "{": "{}", "braces": "{} {{size}}"});
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
    for (document, part) in [
        ("{", "the document: EOF"),
        ("[]", "the document: is no JSON object"),
        ("{} {}", "the document: trailing"),
        (r#"{"task": []}"#, "task: is no JSON object"),
        (
            r#"{"upload": {"send": 5}}"#,
            "upload.send: is no JSON object",
        ),
        (r#"{"uploads": {}}"#, "uploads: unknown field"),
        (r#"{"task": {"ids": []}}"#, "task.ids: unknown field"),
        (
            r#"{"task": {"id": "id"}}"#,
            "task.id: \"id\" is no JSON Pointer",
        ),
        (
            r#"{"task": {"id": ["/a", "/b~2"]}}"#,
            "task.id: \"/b~2\" is no JSON Pointer",
        ),
        (
            r#"{"task": {"id": 5}}"#,
            "task.id: invalid type: integer `5`, expected a JSON Pointer",
        ),
        (
            r#"{"task": {"progress_complete": 0}}"#,
            "task.progress_complete: is no number above 0",
        ),
        (
            r#"{"states": {"SUCCEEDED": ["done"], "FAILED": ["DONE"]}}"#,
            "states.SUCCEEDED: has a word that means another",
        ),
        (
            r#"{"states": {"FAILED": ["expired"]}}"#,
            "states.FAILED: has a word that means another",
        ),
        (
            r#"{"states": {"FAILED": [" "]}}"#,
            "states.FAILED: has a blank word",
        ),
        (
            r#"{"states": {"RUNNING": []}}"#,
            "states.RUNNING: unknown field",
        ),
        (
            r#"{"upload": {"request": {"n": "{filename}"}}}"#,
            "upload.request.n: {filename} is no placeholder; there are {content_type}",
        ),
        (
            r#"{"upload": {"request": {"n": ["{filename}"]}}}"#,
            "upload.request.n: {filename} is no placeholder",
        ),
        (
            r#"{"estimate": {"request": "{size}"}}"#,
            "estimate.request: {size} is no placeholder",
        ),
        (
            r#"{"upload": {"send": {"headers": {"Cookie": "a"}}}}"#,
            "upload.send.headers: \"Cookie\" is no header",
        ),
    ] {
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
    let url = "https://h/a.png";
    for (body, expected) in [
        (
            json!({"error": {"code": "insufficient_credits"}}),
            "error 1401",
        ),
        (json!({"error": "Insufficient credits"}), "error 1401"),
        (
            json!({"error": {"message": "no", "code": 1410}}),
            "error 1410",
        ),
        (json!({"errors": [{"code": "rate-limit"}]}), "error 16"),
        (json!({"Code": 1401}), "error 1401"),
        (json!({"Code": "1401", "Message": "no"}), "error 1401"),
        (json!({"success": false}), "error 99"),
        (
            json!({"success": false, "message": "invalid model"}),
            "error 1410",
        ),
        (json!({"ok": false, "url": url}), "error 99"),
        (
            json!({"code": 0, "data": {"error": "no face", "url": url}}),
            "error 99",
        ),
        (json!({"code": 0, "data": null}), "no_task"),
        (json!({"code": 0, "data": {}}), "no_task"),
        (json!({"code": 0, "data": "queued"}), "no_task"),
        (
            json!({"code": 0, "data": {"request_id": "r1", "status": "pending"}}),
            "no_task",
        ),
        (
            json!({
                "request_id": "r1",
                "status_url": "https://h/r1/status",
                "response_url": "https://h/r1",
            }),
            "not_an_envelope",
        ),
        (json!({}), "not_an_envelope"),
        (
            json!({"code": 0, "data": [{"task": {"id": "t", "status": "QUEUED"}}]}),
            "t QUEUED -",
        ),
        (
            json!({"code": 0, "data": {"result": {"id": "t", "status": "QUEUED"}}}),
            "t QUEUED -",
        ),
        (
            json!({"output": {"tasks": [{"task_id": "t", "task_status": "FAILED"}]}}),
            "t FAILED -",
        ),
        (
            json!({"code": 0, "data": {"input": {"id": "t", "status": "QUEUED"}}}),
            "no_task",
        ),
        (
            json!({"data": {"images": [{"id": "1", "status": "ok", "url": url}]}}),
            "result https://h/a.png",
        ),
        (json!({"code": 0, "data": url}), "result https://h/a.png"),
        (json!({"code": 0, "data": [url]}), "result https://h/a.png"),
        (json!({"code": 0, "url": url}), "result https://h/a.png"),
        (
            json!({"error": null, "image_url": url}),
            "result https://h/a.png",
        ),
        (
            json!({"errors": [], "success": true, "image_url": url}),
            "result https://h/a.png",
        ),
    ] {
        let read = by_default(200, body.clone(), TaskOrResult);
        assert_eq!(read, expected, "{body}");
    }
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
    for (status, body, expected) in [
        (
            402,
            json!({"error": {"code": "insufficient_credits"}}),
            "error 1401",
        ),
        (402, json!({"error": {"code": "quota"}}), "not_an_envelope"),
        (500, json!({"error": "upstream"}), "not_an_envelope"),
        (
            200,
            json!({"error": {"code": "invalid_model"}}),
            "error 1410",
        ),
    ] {
        for expects in [Task, Status, TaskOrResult] {
            let read = by_default(status, body.clone(), expects);
            assert_eq!(read, expected, "{body} {expects:?}");
        }
    }
}

#[test]
fn the_members_of_the_envelope_are_a_setting() {
    let dialect = dialect(json!({
        "envelope": {"code": "/meta/status", "message": "/meta/text", "data": "/payload"},
        "task": {"record": "/payload/task"},
    }));
    let task =
        json!({"meta": {"status": 0}, "payload": {"task": {"id": "t", "status": "RUNNING"}}});
    assert_eq!(read(&dialect, 200, &task, Task), "t RUNNING -");
    let error = json!({"meta": {"status": "insufficient_credits", "text": "no"}});
    assert_eq!(read(&dialect, 200, &error, Task), "error 1401");
    let capitals = json!({"Code": 0, "Message": "ok", "Data": {"a": 1}});
    assert_eq!(by_default(200, capitals, Data), "data");
}

#[test]
fn states_may_be_booleans_and_numbers() {
    let dialect = dialect(json!({
        "task": {"state": ["/done", "/status"]},
        "states": {"SUCCEEDED": ["true", "2"], "FAILED": ["-1"]},
    }));
    for (record, expected) in [
        (json!({"id": "t", "done": true}), "t SUCCEEDED -"),
        (json!({"id": "t", "done": false}), "t false -"),
        (json!({"id": "t", "status": 2}), "t SUCCEEDED -"),
        (json!({"id": "t", "status": -1}), "t FAILED -"),
    ] {
        let body = json!({"code": 0, "data": {"task": record}});
        assert_eq!(read(&dialect, 200, &body, Status), expected);
    }
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
    let mut words: Vec<String> = by_default(200, body.clone(), Status)
        .split(' ')
        .map(str::to_owned)
        .collect();
    words.sort();
    assert_eq!(
        words,
        ["-", "SUCCEEDED", "https://h/share", "https://h/v.mp4", "t"]
    );
    let dialect = dialect(json!({"task": {"not_outputs": ["share_url"]}}));
    assert_eq!(
        read(&dialect, 200, &body, Status),
        "t SUCCEEDED - https://h/v.mp4"
    );
}
