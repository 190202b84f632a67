//! Tests of the dialects over HTTP.
use std::{collections::BTreeMap, time::Duration};

use crate::support::{Api, Sent, quick, start};
use mediagate_emulator::{Config, Results, dialect::NAMED};
use serde_json::{Value, json};

const DRAW: &str = "generate/image/text_to_image";
const REMOVAL: &str = "process/image/background_removal";

/// Returns the words of a dialect, and the places of the parts in its responses, as JSON Pointers.
/// `{data}` and `{task}` stand for the places of these names.
fn parts(name: &str) -> Value {
    let mut parts = json!({
        "data": "/data", "task": "/data/task",
        "request": ["file_name", "content_type", "size"],
        "url": "{data}/upload_url", "file_id": "{data}/file_id",
        "task_path": "generate/tasks", "id": "{task}/id", "state": "{task}/status",
        "created": "{task}/created_at", "progress": "{task}/progress",
        "message": "{task}/error/message", "output": "{task}/output_url",
        "running": ["QUEUED", "RUNNING"],
        "success": [200, 0, "SUCCEEDED"], "failure": [200, 0, "FAILED"],
        "models": "{data}/models", "model_id": "/model_id",
        "clarity": "/generation_options/clarity/0", "credits": "{data}/credits",
    });
    let changes = match name {
        "presigned-put" | "post-form" => json!({ "url": "{data}/url" }),
        "camel-case" => json!({
            "request": ["fileName", "contentType", "fileSize"],
            "url": "{data}/uploadUrl", "file_id": "{data}/fileId", "id": "{task}/taskId",
            "created": "{task}/createdAt", "message": "{task}/errorMessage",
            "output": "{task}/outputUrl", "model_id": "/modelId",
            "clarity": "/generationOptions/clarity/0",
        }),
        "bare" => json!({
            "data": "", "task": "",
            "success": [200, null, "SUCCEEDED"], "failure": [200, null, "FAILED"],
        }),
        "other-words" => json!({
            "running": ["pending", "processing"],
            "success": [200, 0, "completed"], "failure": [200, 0, "error"],
        }),
        "done-flag" => json!({
            "state": "{task}/done", "running": [false],
            "success": [200, 0, true], "failure": [200, 0, true],
        }),
        "failure-code" => json!({ "failure": [502, 1404, "FAILED"] }),
        "path-by-medium" => json!({ "task_path": "generate/image/tasks" }),
        "keyed-models" => json!({ "clarity": "/generation_options/clarity/values/0" }),
        "assets" => json!({ "output": "{task}/asset_id", "asset": "{data}/asset/url" }),
        "no-progress" => json!({ "progress": null }),
        _ => json!({}),
    };
    json_patch::merge(&mut parts, &changes);
    parts
}

/// Returns a part of a response, or `null` if the response lacks the part.
fn get<'a>(parts: &Value, body: &'a Value, part: &str) -> &'a Value {
    let word = |part: &str| parts[part].as_str().unwrap_or_default();
    let place = word(part).replace("{data}", word("data"));
    let place = place.replace("{task}", word("task"));
    body.pointer(&place).unwrap_or(&Value::Null)
}

async fn speaking(names: &str, scene: Value) -> Api {
    start(Config {
        dialect: names.parse().unwrap(),
        results: Results::Placeholder,
        scene,
        ..quick()
    })
    .await
}

/// Creates a drawing, and returns the response with its end. `outcome` is the part with the HTTP
/// status, the code and the state of this response.
async fn drawn(api: &Api, parts: &Value, title: &str, outcome: &str) -> Value {
    let input = json!({ "prompt": "x", "title": title });
    let (mut status, mut body) = api.post(DRAW, input).await;
    assert!(get(parts, &body, "created").is_string(), "{body}");
    let id = get(parts, &body, "id").as_str().unwrap();
    let path = format!("{}/{id}", parts["task_path"].as_str().unwrap());
    let running = parts["running"].as_array().unwrap();
    while running.contains(get(parts, &body, "state")) {
        assert!(get(parts, &body, "output").is_null(), "too early: {body}");
        tokio::time::sleep(Duration::from_millis(20)).await;
        (status, body) = api.get(&path).await;
    }
    let state = get(parts, &body, "state");
    assert_eq!(json!([status, body["code"], state]), parts[outcome]);
    body
}

/// Speaks a dialect, from the request for an upload URL to results.
async fn converse(name: &str) {
    let api = speaking(name, json!({})).await;
    let parts = &parts(name);
    let names = parts["request"].as_array().unwrap();
    let names = names.iter().map(|name| name.as_str().unwrap().to_owned());
    let request = names.zip([json!("a.png"), json!("image/png"), json!(4)]);
    let (_, body) = api.post("upload_urls", request.collect()).await;
    for part in ["url", "file_id"] {
        assert!(get(parts, &body, part).is_string(), "{name}: {body}");
    }

    let body = drawn(&api, parts, "", "success").await;
    let has_progress = parts.get("progress").is_some();
    assert_eq!(body.to_string().contains("progress"), has_progress);
    let mut url = get(parts, &body, "output").as_str().unwrap().to_owned();
    if parts.get("asset").is_some() {
        let (_, asset) = api.get(&format!("assets/{url}")).await;
        url = get(parts, &asset, "asset").as_str().unwrap().to_owned();
    }
    let file = api.client.get(&url).download().await;
    assert!(file.starts_with(b"\x89PNG"), "{name}");

    let body = drawn(&api, parts, "emulate: state=FAILED", "failure").await;
    assert_eq!(get(parts, &body, "message"), "ended on request", "{name}");

    let (_, body) = api.get("models").await;
    let id = "omni-reference-standard";
    let model = match get(parts, &body, "models") {
        Value::Array(models) => models
            .iter()
            .find(|model| get(parts, model, "model_id") == id),
        models => models.get(id),
    };
    assert_eq!(get(parts, model.unwrap(), "clarity"), "480P", "{name}");
    let estimate = json!({ "capability": "text_to_image", "input": { "prompt": "x" } });
    let (_, body) = api.post("credits/estimate", estimate).await;
    assert_eq!(get(parts, &body, "credits"), 4, "{name}");
    assert_eq!(api.code(DRAW, json!({})).await, 12, "{name}");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_named_dialect_is_spoken() {
    for named in NAMED {
        converse(named.name).await;
    }
}

/// Requests an upload URL in a dialect with the default's names.
async fn issue(api: &Api) -> Value {
    let body = json!({ "file_name": "a.png", "content_type": "image/png", "size": 4 });
    api.post("upload_urls", body).await.1["data"].take()
}

#[tokio::test]
async fn a_signed_upload_needs_its_headers() {
    let api = speaking("presigned-put", json!({})).await;
    let issued = issue(&api).await;
    let put = async |content_type: &str, signature: &Value| {
        let request = api.client.put(issued["url"].as_str().unwrap());
        request
            .header("content-type", content_type)
            .header("x-storage-signature", signature.as_str().unwrap())
            .body("%PDF")
            .status()
            .await
    };
    assert_eq!(issued["method"], "PUT");
    assert_eq!(issued["headers"]["content-type"], "image/png");
    let signature = &issued["headers"]["x-storage-signature"];
    let other = &issue(&api).await["headers"]["x-storage-signature"];
    assert_eq!(put("image/png", other).await, 403);
    assert_eq!(put("image/jpeg", signature).await, 403);
    assert_eq!(put("image/png", signature).await, 200);
}

#[tokio::test]
async fn a_form_needs_its_fields_before_the_file() {
    let api = speaking("post-form", json!({})).await;
    let issued = issue(&api).await;
    let url = issued["url"].as_str().unwrap();
    let fields: BTreeMap<String, String> =
        serde_json::from_value(issued["fields"].clone()).unwrap();
    let part = |name: &str, value: &str| {
        format!("--x\r\ncontent-disposition: form-data; name={name}\r\n\r\n{value}\r\n")
    };
    let post = async |parts: &[String]| {
        let request = api.client.post(url).body(parts.concat() + "--x--\r\n");
        let form = request.header("content-type", "multipart/form-data; boundary=x");
        form.status().await
    };
    let [policy, signature] = ["policy", "signature"].map(|name| part(name, &fields[name]));
    let file = part("file", "%PDF");
    let other = part("policy", "another");
    for refused in [[&signature, &file, &policy], [&signature, &other, &file]] {
        assert_eq!(post(&refused.map(String::clone)).await, 403);
    }
    let short = part("file", "%PD");
    assert_eq!(post(&[policy.clone(), signature.clone(), short]).await, 400);
    for (request, refused) in [(api.client.put(url), 405), (api.client.post(url), 400)] {
        assert_eq!(request.body("%PDF").status().await, refused);
    }
    assert_eq!(issued["method"], "POST");
    assert_eq!(post(&[policy, signature, file]).await, 200);
}

#[tokio::test]
async fn bytes_may_need_the_key() {
    let api = speaking("key-on-put", json!({})).await;
    let issued = issue(&api).await;
    let url = issued["upload_url"].as_str().unwrap();
    let put = || api.client.put(url).body("%PDF");
    let (status, refusal) = put().read().await;
    assert_eq!((status, &refusal["code"]), (401, &json!(13)));
    assert_eq!(put().bearer_auth(&api.key).status().await, 200);
}

#[tokio::test]
async fn a_file_may_need_to_be_confirmed() {
    let api = speaking("confirmed", json!({})).await;
    let issued = issue(&api).await;
    let file_id = issued["file_id"].as_str().unwrap();
    let path = format!("files/{file_id}/confirm");
    let confirm = async || api.post(&path, json!({})).await.0;
    assert_eq!(confirm().await, 404, "before its upload");
    let put = api.client.put(issued["upload_url"].as_str().unwrap());
    assert_eq!(put.body(&b"\x89PNG"[..]).status().await, 200);
    let body = json!({ "file_id": file_id });
    let (status, refusal) = api.post(REMOVAL, body.clone()).await;
    let reason = &refusal["data"]["errors"][0]["reason"];
    assert_eq!((status, reason), (400, &json!("unconfirmed_file")));
    assert_eq!((confirm().await, confirm().await), (200, 200));
    assert_eq!(api.code(REMOVAL, body).await, 0);
}

#[tokio::test]
async fn results_may_be_assets() {
    let api = speaking("assets", json!({})).await;
    let body = drawn(&api, &parts("assets"), "", "success").await;
    let task = &body["data"]["task"];
    assert_eq!(task["outputs"][0]["asset_id"], task["asset_id"]);
    assert!(!body.to_string().contains("http"), "{body}");
    for missing in ["none.png", "..%2Fuploads", ".."] {
        let (status, _) = api.get(&format!("assets/{missing}")).await;
        assert_eq!(status, 404, "{missing}");
    }
}

#[tokio::test]
async fn shapes_that_the_dialect_lacks_are_refused() {
    let api = speaking("dotted", json!({})).await;
    let refused = async |path: &str, body: Value| {
        let (_, refusal) = api.post(path, body).await;
        let error = &refusal["data"]["errors"][0];
        (error["reason"] == "wrong_shape").then(|| error["path"].clone())
    };
    let dotted = json!({ "region.x": 0 });
    let nested = json!({ "region": { "x": 0 } });
    let estimate = |input: &Value| json!({ "capability": "background_removal", "input": input });
    assert_eq!(refused("credits/estimate", estimate(&dotted)).await, None);
    let region = Some(json!("region"));
    assert_eq!(refused("credits/estimate", estimate(&nested)).await, region);
    assert_eq!(refused(REMOVAL, dotted).await, None);
    assert_eq!(refused(REMOVAL, nested).await, region);
    let logo = "process/video/video_logo_removal";
    let size = json!({ "video_size": [1, 1] });
    assert_eq!(refused(logo, size).await, Some(json!("video_size")));
}

#[tokio::test]
async fn directives_and_faults_apply_in_every_dialect() {
    let faults = json!([{ "path": "generate/image/tasks/*", "do": "status=503", "times": 1 }]);
    let api = speaking("camel-case,path-by-medium", json!({ "faults": faults })).await;
    let title = "emulate: echo-key numeric-id state=DREAMING seconds=0.2";
    let (_, body) = api
        .post(DRAW, json!({ "prompt": "x", "title": title }))
        .await;
    assert!(body["message"].as_str().unwrap().contains(&api.key));
    let task = &body["data"]["task"];
    assert!(task["taskId"].is_u64(), "{body}");
    assert!(task["debug"].to_string().contains(&api.key));
    let url = api.url("generate/image/tasks/none");
    let read = || api.client.get(&url).bearer_auth(&api.key).status();
    assert_eq!((read().await, read().await), (503, 404));
    assert_eq!(api.client.get(&url).status().await, 401);
}

#[test]
fn the_readme_lists_every_name_in_order() {
    let readme = include_str!("../README.md");
    let section = readme.split("## Other dialects").nth(1).unwrap();
    let section = section.split("\n## ").next().unwrap();
    let rows = section.lines().filter_map(|line| line.strip_prefix("| `"));
    let listed: Vec<_> = rows.filter_map(|row| row.split('`').next()).collect();
    let named: Vec<_> = NAMED.iter().map(|named| named.name).collect();
    assert_eq!(listed, named);
}
