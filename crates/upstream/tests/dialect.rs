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
    let other = dialect(json!({"create": {"region": "dotted", "video_size": "object"}}));
    // The capability, the caller's body, and the bodies in the default shape and in the other one.
    for row in r#"subtitle_removal {"f":1,"region":{"x":1,"width":2}} {"f":1,"region":{"x":1,"width":2}} {"f":1,"region.x":1,"region.width":2}
subtitle_removal {"f":1,"region.x":1,"region.width":2} {"f":1,"region":{"x":1,"width":2}} {"f":1,"region.x":1,"region.width":2}
subtitle_removal {"f":1,"region":{"x":1},"region.width":2} {"f":1,"region":{"x":1,"width":2}} {"f":1,"region.x":1,"region.width":2}
subtitle_removal {"f":1} {"f":1} {"f":1}
subtitle_removal {"region":null} {"region":null} {"region":null}
subtitle_removal {"region":[1]} {"region":[1]} {"region":[1]}
subtitle_removal {"region":{}} {"region":{}} {}
merge_pdf {"region":{"x":1}} {"region":{"x":1}} {"region":{"x":1}}
video_logo_removal {"video_size":[2,1]} {"video_size":[2,1]} {"video_size":{"width":2,"height":1}}
video_logo_removal {"video_size":{"width":2,"height":1}} {"video_size":[2,1]} {"video_size":{"width":2,"height":1}}
video_logo_removal {"video_size":[1]} {"video_size":[1]} {"video_size":[1]}
video_logo_removal {"video_size":{"w":1,"h":2}} {"video_size":{"w":1,"h":2}} {"video_size":{"w":1,"h":2}}
video_logo_removal {"video_size":null} {"video_size":null} {"video_size":null}"#
        .lines()
    {
        let mut words = row.split(' ');
        let capability = mediagate_core::find(words.next().expect("a name")).expect("known");
        let [given, by_default, by_other] = [0, 1, 2].map(|_| -> Value {
            words.next().expect("a body").parse().expect("JSON")
        });
        for (dialect, expected) in [(&Dialect::default(), by_default), (&other, by_other)] {
            let mut body = given.as_object().expect("an object").clone();
            dialect.create.shape(capability, &mut body);
            assert_eq!(Value::Object(body), expected, "{row}");
        }
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
{"upload": {"request": {"n": {"m": 1}}}} => upload.request.n: is no text, number or boolean; for a body with nested
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
