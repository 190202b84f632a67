//! Tests of the dialects over HTTP. A client speaks each of them by hand, from upload to result.
use std::collections::BTreeMap;

use crate::support::spoken::{
    Issued, at, confirm, create, get, issue, merge, multipart, named, poll, send, speaking, upload,
};
use crate::support::{Api, Sent, quick, start};
use mediagate_core::find;
use mediagate_emulator::{
    Config, Emulator, EmulatorError, Results,
    dialect::{Dialect, NAMED, RegionForm, Scale, SizeForm, Transfer, ValuesForm},
};
use serde_json::{Value, json};

const DRAW: &str = "generate/image/text_to_image";
const REMOVAL: &str = "process/image/background_removal";

/// Speaks a dialect from upload to result.
async fn converse(name: &str, dialect: Dialect) {
    let api = speaking(dialect.clone()).await;
    let file_id = upload(&api, &dialect).await;
    let path_of = |name| dialect.paths.task(find(name).expect("a capability"));

    let removal = json!({ "file_id": file_id });
    let id = create(&api, &dialect, REMOVAL, removal.clone()).await;
    let path = path_of("background_removal");
    let (status, body) = poll(&api, &dialect, &path, &id, &dialect.states.succeeded).await;
    assert_eq!(status, 200, "{name}: {body}");
    let record = get(&body, &dialect.task.read);
    let url = result_url(&api, &dialect, record).await;
    let file = api.client.get(&url).download().await;
    assert!(file.starts_with(b"\x89PNG"), "{name}");
    assert_eq!(
        record.pointer(dialect.task.id.as_str()).is_some(),
        dialect.task.status_record_has_id,
        "{name}: {body}"
    );
    if let (Some(outputs), None) = (&dialect.task.outputs, &dialect.paths.asset) {
        assert_eq!(
            get(record, outputs)[0][&dialect.task.url_name],
            url,
            "{name}"
        );
    }
    if let Some(progress) = &dialect.task.progress {
        let complete = match dialect.task.scale {
            Scale::Fraction => json!(1.0),
            Scale::Percent => json!(100),
            Scale::Text => json!("100%"),
        };
        assert_eq!(get(record, progress), &complete, "{name}");
    }

    let failing = json!({ "prompt": "x", "title": "emulate: state=FAILED" });
    let other = create(&api, &dialect, DRAW, failing).await;
    assert_ne!(other, id);
    let path = path_of("text_to_image");
    let (status, body) = poll(&api, &dialect, &path, &other, &dialect.states.failed).await;
    let failure_code = dialect.task.failure_code.map(i64::from);
    assert_eq!(status == 200, failure_code.is_none(), "{name}: {body}");
    let expected = failure_code.or(dialect.envelope.then_some(0));
    assert_eq!(code_of(&body).as_i64(), expected);
    assert_eq!(
        get(get(&body, &dialect.task.read), &dialect.task.error_message),
        "ended on request",
        "{name}"
    );

    account(name, &api, &dialect, removal).await;
    let (status, refusal) = api.post(REMOVAL, json!({ "file_id": "none" })).await;
    let message = refusal.get("message").or(refusal.get("Message"));
    let expected = (400, &json!(12), Some(&json!("invalid input")));
    assert_eq!((status, code_of(&refusal), message), expected);
    api.emulator.stop().await;
}

/// Returns the URL of a task's first result, which may be an asset.
async fn result_url(api: &Api, dialect: &Dialect, record: &Value) -> String {
    let Some(path) = &dialect.paths.asset else {
        let url = get(record, &dialect.task.output);
        return url.as_str().unwrap().to_owned();
    };
    let name = ["asset_id", "assetId"][usize::from(dialect.task.camel_case)];
    let id = record[name].as_str().unwrap();
    let url = format!("{}{path}", api.base_url).replace("{asset_id}", id);
    let (status, body) = api.client.get(url).bearer_auth(&api.key).read().await;
    assert_eq!(status, 200, "{body}");
    let found = mediagate_core::outputs::find(&body, &[]);
    found[0].url.clone().unwrap()
}

/// Returns the code of an envelope in either case of letters, or `null` if there is no code.
fn code_of(body: &Value) -> &Value {
    body.get("Code").unwrap_or(&body["code"])
}

/// Reads the models and an estimate.
async fn account(name: &str, api: &Api, dialect: &Dialect, input: Value) {
    let url = |path: &String| format!("{}{path}", api.base_url);
    if let Some(path) = &dialect.paths.models {
        let request = || api.client.get(url(path));
        assert_eq!(request().status().await, 401, "{name}");
        let (_, body) = request().bearer_auth(&api.key).read().await;
        let models = get(&body, &dialect.models.list);
        let model = match models.as_array() {
            Some(list) => list
                .iter()
                .find(|model| get(model, &dialect.models.id) == "omni-reference-standard")
                .unwrap(),
            None => &models["omni-reference-standard"],
        };
        assert_eq!(models.is_object(), dialect.models.keyed, "{name}");
        if let Some(capability) = &dialect.models.capability {
            assert_eq!(get(model, capability), "omni_reference_to_video", "{name}");
        }
        if let Some(options) = &dialect.models.options {
            let options = get(model, options);
            let clarity = match dialect.models.values {
                ValuesForm::Lists => &options["clarity"],
                ValuesForm::Values => &options["clarity"]["values"],
                ValuesForm::Named => &options
                    .as_array()
                    .unwrap()
                    .iter()
                    .find(|option| option["name"] == "clarity")
                    .unwrap()["values"],
            };
            assert_eq!(clarity[0], "480P", "{name}");
        }
    }
    if let Some(path) = &dialect.paths.estimate {
        let mut body = match &dialect.estimate.input {
            Some(place) => at(place, input),
            None => input,
        };
        if let Some(place) = &dialect.estimate.capability {
            merge(&mut body, at(place, json!("background_removal")));
        }
        let request = api.client.post(url(path)).bearer_auth(&api.key);
        let (status, body) = request.json(&body).read().await;
        assert_eq!(status, 200, "{name}: {body}");
        assert_eq!(get(&body, &dialect.estimate.credits), 2, "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_named_dialect_is_spoken() {
    for named in NAMED {
        converse(named.name, named.dialect()).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn dialects_drawn_at_random_are_spoken() {
    for seed in 0..40 {
        converse(&format!("seed={seed}"), Dialect::seeded(seed)).await;
    }
}

#[tokio::test]
async fn a_signed_upload_needs_its_headers() {
    let dialect = named("presigned-put");
    let api = speaking(dialect.clone()).await;
    let issued = issue(&api, &dialect, 4).await;
    assert_eq!(
        issued.headers.keys().collect::<Vec<_>>(),
        ["content-type", "x-storage-signature"]
    );
    let with = async |name: &str, value: &str| {
        let mut headers = issued.headers.clone();
        headers.insert(name.into(), value.into());
        let issued = Issued {
            headers,
            ..issued.clone()
        };
        send(&api, &dialect, &issued, b"%PDF").await.0
    };
    let without = api.client.put(&issued.url).body("%PDF");
    assert_eq!(without.status().await, 403);
    assert_eq!(with("x-storage-signature", "another").await, 403);
    assert_eq!(with("content-type", "image/jpeg").await, 403);
    assert_eq!(with("content-type", "image/png").await, 200);
    let other = issue(&api, &dialect, 4).await;
    assert_ne!(
        other.headers["x-storage-signature"],
        issued.headers["x-storage-signature"]
    );
}

#[tokio::test]
async fn a_form_needs_its_fields_before_the_file() {
    let dialect = named("post-form");
    let api = speaking(dialect.clone()).await;
    let issued = issue(&api, &dialect, 4).await;
    let post = async |fields: &BTreeMap<String, String>, file: &[u8]| {
        multipart(api.client.post(&issued.url), fields, file)
            .status()
            .await
    };
    assert_eq!(post(&BTreeMap::new(), b"%PDF").await, 403);
    let mut lacking = issued.fields.clone();
    lacking.remove("policy");
    assert_eq!(post(&lacking, b"%PDF").await, 403);
    lacking.insert("policy".into(), "another".into());
    assert_eq!(post(&lacking, b"%PDF").await, 403);
    let late = "--limit\r\n\
        content-disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\n%PDF\r\n\
        --limit\r\n\
        content-disposition: form-data; name=\"policy\"\r\n\r\nx\r\n\
        --limit--\r\n";
    let late = (api.client.post(&issued.url))
        .header("content-type", "multipart/form-data; boundary=limit")
        .body(late);
    assert_eq!(late.status().await, 403, "fields after the file");
    assert_eq!(post(&issued.fields, b"%PD").await, 400);
    assert_eq!(post(&issued.fields, b"%PDFF").await, 400);
    for (request, refused) in [
        (api.client.put(&issued.url), 405),
        (api.client.post(&issued.url), 400),
    ] {
        assert_eq!(request.body("%PDF").status().await, refused);
    }
    assert_eq!(post(&issued.fields, b"%PDF").await, 200);
    assert_eq!(post(&issued.fields, b"%PDF").await, 409);
}

#[tokio::test]
async fn bytes_may_need_the_key() {
    let dialect = named("key-on-put");
    let api = speaking(dialect.clone()).await;
    let issued = issue(&api, &dialect, 4).await;
    let put = || api.client.put(&issued.url).body("%PDF");
    let (status, refusal) = put().read().await;
    assert_eq!((status, &refusal["code"]), (401, &json!(13)));
    assert_eq!(put().bearer_auth("another").status().await, 401);
    assert_eq!(put().bearer_auth(&api.key).status().await, 200);
}

#[tokio::test]
async fn a_file_may_need_to_be_confirmed() {
    let dialect = named("confirmed");
    let path = dialect.upload.confirm.clone().unwrap();
    let api = speaking(dialect.clone()).await;
    let issued = issue(&api, &dialect, 4).await;
    let confirm = async || confirm(&api, &path, &issued.file_id).await.0;
    assert_eq!(confirm().await, 404, "before its upload");
    send(&api, &dialect, &issued, b"\x89PNG").await;
    let body = json!({ "file_id": issued.file_id });
    let (status, refusal) = api.post(REMOVAL, body.clone()).await;
    assert_eq!(status, 400);
    let error = &refusal["data"]["errors"][0];
    assert_eq!(
        (&error["path"], &error["reason"]),
        (&json!("file_id"), &json!("unconfirmed_file"))
    );
    assert_eq!((confirm().await, confirm().await), (200, 200));
    assert_eq!(api.code(REMOVAL, body).await, 0);
}

#[tokio::test]
async fn results_may_be_assets() {
    let dialect = named("assets");
    let api = speaking(dialect.clone()).await;
    let input = json!({ "prompt": "x" });
    let id = create(&api, &dialect, DRAW, input).await;
    let path = &dialect.paths.generate_task;
    let (_, body) = poll(&api, &dialect, path, &id, "SUCCEEDED").await;
    let task = &body["data"]["task"];
    let asset_id = task["asset_id"].as_str().unwrap();
    assert_eq!(task["outputs"][0]["asset_id"], asset_id);
    assert!(!body.to_string().contains("http"), "{body}");
    let (_, asset) = api.get(&format!("assets/{asset_id}")).await;
    let url = asset["data"]["asset"]["url"].as_str().unwrap();
    assert_eq!(api.client.get(url).status().await, 200);
    for missing in ["none.png", "..%2Fuploads", ".."] {
        let (status, _) = api.get(&format!("assets/{missing}")).await;
        assert_eq!(status, 404, "{missing}");
    }
}

#[tokio::test]
async fn refusals_name_what_is_wrong_as_the_dialect_has_it() {
    let mut dialect = named("silent-refusals");
    let api = speaking(dialect.clone()).await;
    let (status, refusal) = api.post("upload_urls", json!({ "file_name": "a" })).await;
    let expected = json!({ "code": 12, "message": "invalid input", "data": null });
    assert_eq!((status, refusal), (400, expected));
    let extra = json!({ "filename": "a", "mime_type": "image/png", "file_size": 4, "title": "t" });
    assert_eq!(api.code("upload_urls", extra.clone()).await, 0);
    let mut unknown = extra;
    unknown["kind"] = json!("x");
    assert_eq!(api.code("upload_urls", unknown.clone()).await, 12);

    dialect.upload.request.problems = serde_json::from_value(json!("message")).unwrap();
    let api = speaking(dialect).await;
    let (_, refusal) = api.post("upload_urls", unknown).await;
    assert_eq!(refusal["message"], "invalid input: `kind` is not known");
    let (_, refusal) = api
        .post("upload_urls", json!({ "filename": "a/b", "file_size": 4 }))
        .await;
    let expected =
        "invalid input: `filename` is not a name without a slash; `mime_type` is required";
    assert_eq!(refusal["message"], expected);
}

#[tokio::test]
async fn shapes_that_the_dialect_lacks_are_refused() {
    let mut dialect = named("dotted");
    let api = speaking(dialect.clone()).await;
    let file_id = upload(&api, &dialect).await;
    let dotted = json!({ "file_id": file_id, "region.x": 0 });
    let nested = json!({ "file_id": file_id, "region": { "x": 0 } });
    let estimate = |input: &Value| json!({ "capability": "background_removal", "input": input });
    assert_eq!(api.code(REMOVAL, dotted.clone()).await, 0);
    assert_eq!(api.code(REMOVAL, nested.clone()).await, 12);
    assert_eq!(api.code("credits/estimate", estimate(&dotted)).await, 0);
    assert_eq!(api.code("credits/estimate", estimate(&nested)).await, 12);
    dialect.create.region = RegionForm::Nested;
    dialect.create.video_size = SizeForm::List;
    let api = speaking(dialect.clone()).await;
    let file_id = upload(&api, &dialect).await;
    let dotted = json!({ "file_id": file_id, "region.x": 0 });
    let nested = json!({ "file_id": file_id, "region": { "x": 0 } });
    assert_eq!(api.code(REMOVAL, dotted).await, 12);
    assert_eq!(api.code(REMOVAL, nested).await, 0);
    let size = json!({ "video_size": { "width": 1, "height": 1 } });
    let (_, refusal) = api.post("process/video/video_logo_removal", size).await;
    assert_eq!(refusal["data"]["errors"][0]["path"], "video_size");
}

#[tokio::test]
async fn responses_are_as_the_names_promise() {
    let api = speaking(named("bare")).await;
    let (_, body) = api.post(DRAW, json!({ "prompt": "x" })).await;
    assert!(
        body["id"].is_string() && body["status"].is_string() && body.get("data").is_none(),
        "{body}"
    );

    let api = speaking(named("camel-case")).await;
    let (_, body) = api.post(DRAW, json!({ "prompt": "x" })).await;
    for name in ["taskId", "createdAt", "modelId", "status"] {
        assert!(body["data"]["task"].get(name).is_some(), "{name}: {body}");
    }

    let mut dialect = named("record-in-list");
    dialect.task.numeric_id = true;
    let api = speaking(dialect).await;
    let (_, body) = api.post(DRAW, json!({ "prompt": "x" })).await;
    assert!(body["data"]["tasks"][0]["id"].is_u64(), "{body}");

    let api = speaking(named("nested-file")).await;
    let request = json!({ "file": { "name": "a", "content_type": "image/png", "size": 1 } });
    let (_, body) = api.post("upload_urls", request).await;
    let data = &body["data"];
    assert_eq!(
        data["upload"]["headers"],
        json!([{ "name": "content-type", "value": "image/png" }])
    );
    assert_eq!(data["file"]["object"], "file");
    assert!(
        data["upload"]["expires"].as_u64().unwrap() > 1_000_000_000_000,
        "{data}"
    );

    let api = speaking(named("no-catalogue")).await;
    assert_eq!(api.get("models").await.0, 404);
    assert_eq!(api.post("credits/estimate", json!({})).await.0, 404);
}

#[tokio::test]
async fn directives_and_faults_apply_in_every_dialect() {
    let mut dialect = named("record-in-data");
    dialect.paths.process_task = "/kitchen/{task_id}/ticket".into();
    let faults = json!([{ "path": "kitchen/*", "do": "status=503", "times": 1 }]);
    let scene = json!({ "faults": faults });
    let api = start(Config {
        dialect,
        scene,
        results: Results::Placeholder,
        ..quick()
    })
    .await;
    let title = "emulate: echo-key numeric-id state=DREAMING seconds=0.2";
    let body = json!({ "prompt": "x", "title": title });
    let (_, body) = api.post(DRAW, body).await;
    assert!(
        body["message"].as_str().unwrap().contains(&api.key) && body["data"]["task_id"].is_u64(),
        "{body}"
    );
    assert!(body["data"]["debug"].to_string().contains(&api.key));
    let url = format!("{}/kitchen/none/ticket", api.base_url);
    let read = || api.client.get(&url).bearer_auth(&api.key).status();
    assert_eq!((read().await, read().await), (503, 404));
    assert_eq!(api.client.get(&url).status().await, 401);
}

#[test]
fn the_readme_lists_every_name_and_has_a_valid_file() {
    let readme = include_str!("../README.md");
    let section = readme
        .split("## Other dialects")
        .nth(1)
        .and_then(|text| text.split("\n## ").next())
        .unwrap();
    for named in NAMED {
        assert!(
            section.contains(&format!("`{}`", named.name)),
            "{}",
            named.name
        );
    }
    let file = section
        .split("```json")
        .nth(1)
        .and_then(|text| text.split("```").next())
        .unwrap();
    let dialect = Dialect::from_json(file.as_bytes()).unwrap();
    assert_eq!(
        (dialect.upload.send, dialect.paths.estimate),
        (Transfer::Form, None)
    );
}

#[tokio::test]
async fn a_dialect_that_contradicts_itself_does_not_start() {
    let mut dialect = Dialect::default();
    dialect.upload.send = Transfer::Form;
    let bound = Emulator::bind(Config { dialect, ..quick() }).await;
    let Err(EmulatorError::Dialect(message)) = bound else {
        panic!("the dialect is accepted");
    };
    assert!(message.contains("upload.response.fields"), "{message}");
}
