//! The dialect as a document, and the requests that follow it.

use mediagate_upstream::Dialect;
use serde_json::{Value, json};

fn dialect(document: Value) -> Dialect {
    Dialect::parse(&document.to_string()).expect("a dialect")
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
        "filename": "{file_name}",
        "ext": "{extension}",
        "bytes": "{size}",
        "t": "{title}",
        "purpose": "media",
        "version": 2,
        "{": "{}",
        "text": "{size} bytes",
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
            "filename": "a.PNG",
            "ext": "png",
            "bytes": 5,
            "purpose": "media",
            "version": 2,
            "{": "{}",
            "text": "{size} bytes",
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
{"upload": {"request": {"n": {"m": 1}}}} => upload.request.n: is no text, number or boolean; a body with nested
{"estimate": {"request": {"a": "{size}"}}} => estimate.request.a: {size} is no placeholder
{"task": {"codes": {"1404": "LOST"}}} => task.codes.1404: unknown variant
{"task": {"codes": {"no": "FAILED"}}} => task.codes.no: is no code
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
