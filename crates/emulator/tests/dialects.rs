//! Tests of the dialects over HTTP. The gateway's own tests speak each of them from an upload to a
//! result.
use std::{collections::BTreeMap, time::Duration};

use crate::support::{Api, Sent, quick, start};
use mediagate_emulator::{Config, Results, dialect::NAMED};
use serde_json::{Value, json};

const DRAW: &str = "generate/image/text_to_image";
const REMOVAL: &str = "process/image/background_removal";

async fn speaking(names: &str, scene: Value) -> Api {
    start(Config {
        dialect: names.parse().unwrap(),
        results: Results::Placeholder,
        scene,
        ..quick()
    })
    .await
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
    let (_, created) = api.post(DRAW, json!({ "prompt": "x" })).await;
    let path = format!(
        "generate/tasks/{}",
        created["data"]["task"]["id"].as_str().unwrap()
    );
    let body = loop {
        let (_, body) = api.get(&path).await;
        if body["data"]["task"]["status"] == "SUCCEEDED" {
            break body;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    };
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
async fn directives_apply_in_every_dialect() {
    let api = speaking("camel-case,path-by-medium", json!({})).await;
    let title = "emulate: numeric-id state=DREAMING";
    let (_, body) = api
        .post(DRAW, json!({ "prompt": "x", "title": title }))
        .await;
    assert!(body["data"]["task"]["taskId"].is_u64(), "{body}");
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
