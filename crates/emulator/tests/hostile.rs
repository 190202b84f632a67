//! Tests of directives in titles, malformed requests and damaged media. The emulator responds to
//! all of them and keeps running.

use crate::support::{Api, assert_no_panic, pdf, png, quick, sample, start, wav};
use mediagate_core::FileKind;
use mediagate_emulator::MediaError;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

const DRAW: &str = "generate/image/text_to_image";

fn with_directive(words: &str) -> Value {
    json!({ "prompt": "x", "width": 32, "height": 32, "title": format!("emulate: {words}") })
}

#[tokio::test]
async fn responses_without_an_envelope() {
    let api = start(quick()).await;
    let request = async |words: &str| {
        api.send(Method::POST, DRAW, Some(&with_directive(words)))
            .await
    };
    let html = request("html").await.unwrap();
    assert_eq!(html.status(), StatusCode::BAD_GATEWAY);
    assert!(html.text().await.unwrap().starts_with("<!doctype html>"));
    assert_eq!(request("empty").await.unwrap().text().await.unwrap(), "");
    assert!(request("reset").await.is_err(), "nothing arrives");
    assert!(
        request("cut").await.unwrap().text().await.is_err(),
        "the end never arrives"
    );
    let started = std::time::Instant::now();
    request("slow=300").await.unwrap();
    assert!(started.elapsed().as_millis() >= 300);
    assert_eq!(api.code(DRAW, with_directive("explode")).await, 12);
}

#[tokio::test]
async fn directives_that_change_a_task() {
    let api = start(quick()).await;
    for (words, status) in [("state=FAILED", "FAILED"), ("state=EXPIRED", "EXPIRED")] {
        let task = api.finished(DRAW, with_directive(words)).await;
        assert_eq!(task["status"], status);
        assert!(task.get("outputs").is_none() && task.get("output_url").is_none());
    }
    assert_eq!(
        api.finished(DRAW, with_directive("asset")).await["asset_id"],
        "avatar_owned"
    );

    let (_, created) = api.post(DRAW, with_directive("numeric-id")).await;
    let id = created["data"]["task"]["id"].as_u64().unwrap();
    assert_eq!(
        api.get(&format!("generate/tasks/{id}")).await.1["data"]["task"]["id"],
        id
    );

    let (_, created) = api.post(DRAW, with_directive("html at=poll")).await;
    let path = format!(
        "generate/tasks/{}",
        created["data"]["task"]["id"].as_str().unwrap()
    );
    assert_eq!(
        api.send(Method::GET, &path, None).await.unwrap().status(),
        StatusCode::BAD_GATEWAY
    );

    for words in ["echo-key", "echo-key code=99"] {
        let (_, envelope) = api.post(DRAW, with_directive(words)).await;
        assert!(
            envelope["message"].as_str().unwrap().contains(&api.key),
            "{envelope}"
        );
        assert!(
            envelope["data"].to_string().contains(&api.key),
            "{envelope}"
        );
    }
}

#[tokio::test]
async fn malformed_requests_are_rejected() {
    let api = start(quick()).await;
    let deep = "[".repeat(100_000);
    for body in [
        "",
        "null",
        "[]",
        "1",
        "{",
        "\u{0}",
        "{\"prompt\":\"\\ud800\"}",
        r#"{"prompt":1e999}"#,
        &deep,
    ] {
        let request = api
            .client
            .post(api.url(DRAW))
            .bearer_auth(&api.key)
            .header("content-type", "application/json");
        let response = request.body(body.to_owned()).send().await.unwrap();
        assert_eq!(response.status(), StatusCode::BAD_REQUEST);
        assert_eq!(response.json::<Value>().await.unwrap()["code"], 12);
    }
    let big = json!({ "prompt": "x".repeat(2 << 20) });
    assert_eq!(api.post(DRAW, big).await.0, StatusCode::PAYLOAD_TOO_LARGE);
    let form = api
        .client
        .post(api.url(DRAW))
        .bearer_auth(&api.key)
        .body("prompt=x")
        .send()
        .await
        .unwrap();
    assert_eq!(form.status(), StatusCode::UNSUPPORTED_MEDIA_TYPE);
    let (_, envelope) = api
        .post(DRAW, json!({ "width": "1", "seed": 1.5, "style": "any" }))
        .await;
    let paths: Vec<_> = envelope["data"]["errors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|problem| problem["path"].as_str())
        .collect();
    for path in ["prompt", "width", "seed"] {
        assert!(paths.contains(&Some(path)), "{path} in {paths:?}");
    }
    assert_eq!(
        paths.len(),
        3,
        "a name that the document does not know is ignored: {paths:?}"
    );
    assert_eq!(
        api.code(
            DRAW,
            json!({ "prompt": "x", "width": 2147483647, "height": 2147483647 })
        )
        .await,
        12
    );
}

#[tokio::test]
async fn unknown_paths_and_methods_are_rejected() {
    let api = start(quick()).await;
    for path in [
        "",
        "generate",
        "generate/tasks/",
        "generate/tasks/none",
        "generate/tasks/%ff",
        "process/video/explode",
    ] {
        let (status, envelope) = api.get(path).await;
        assert!(
            status.is_client_error() && envelope["code"] == 12,
            "{path}: {status} {envelope}"
        );
    }
    assert_eq!(api.get(DRAW).await.0, StatusCode::METHOD_NOT_ALLOWED);
    for path in [
        "/files/../uploads",
        "/files/%2e%2e%2fuploads",
        "/files/none.png",
        "/files/",
        "/nowhere",
    ] {
        let response = api
            .client
            .get(format!("{}{path}", api.emulator.base_url()))
            .send()
            .await
            .unwrap();
        assert_eq!(response.status(), StatusCode::NOT_FOUND, "{path}");
        assert_eq!(response.json::<Value>().await.unwrap()["code"], 12);
    }
}

/// Returns the error message of a task that fails.
async fn failure_message(api: &Api, path: &str, body: Value) -> String {
    let task = api.finished(path, body).await;
    assert_eq!(task["status"], "FAILED", "{task}");
    task["error"]["message"].as_str().unwrap_or_default().into()
}

#[tokio::test]
async fn damaged_media_fail_their_task_with_a_message() {
    let api = start(quick()).await;
    let half = |bytes: Vec<u8>| bytes[..bytes.len() / 2].to_vec();
    let picture = api.upload(half(png(64, 64, [1, 2, 3]))).await;
    assert_eq!(
        failure_message(
            &api,
            "process/image/background_removal",
            json!({ "file_id": picture })
        )
        .await,
        MediaError::DamagedPicture.to_string()
    );
    let document = api.upload(b"%PDF-1.7\nnothing of the kind".to_vec()).await;
    let message = failure_message(
        &api,
        "process/asset/merge_pdf",
        json!({ "input_file_ids": [document] }),
    )
    .await;
    assert_eq!(message, MediaError::UnreadableDocument.to_string());
    let sound = api.upload(wav(&[1; 100])[..120].to_vec()).await;
    let body = json!({ "input_file_id": sound, "volume": "2" });
    assert_eq!(
        failure_message(&api, "process/audio/adjust_audio_volume", body).await,
        MediaError::DamagedSound.to_string()
    );
    for media in [FileKind::Image, FileKind::Pdf, FileKind::Audio] {
        let bytes = sample(media);
        for cut in (16..bytes.len()).step_by(bytes.len() / 7 + 1) {
            let id = api.upload(bytes[..cut].to_vec()).await;
            for (path, body) in [
                ("process/image/background_removal", json!({ "file_id": id })),
                ("process/asset/merge_pdf", json!({ "input_file_ids": [id] })),
                (
                    "process/asset/split_pdf",
                    json!({ "input_file_id": id, "page_range": "1" }),
                ),
                (
                    "process/audio/adjust_audio_volume",
                    json!({ "input_file_id": id, "volume": "2" }),
                ),
            ] {
                if api.code(path, body.clone()).await == 0 {
                    assert_no_panic(&api.finished(path, body).await, path);
                }
            }
        }
    }
}

#[tokio::test]
async fn a_document_with_a_password_fails_its_task() {
    use lopdf::{Document, EncryptionState, EncryptionVersion, Object, Permissions, StringFormat};
    let api = start(quick()).await;
    let mut document = Document::load_mem(&pdf(&["secret"])).unwrap();
    let id = || Object::String(vec![7; 16], StringFormat::Literal);
    document.trailer.set("ID", vec![id(), id()]);
    let version = EncryptionVersion::V2 {
        document: &document,
        owner_password: "owner",
        user_password: "user",
        key_length: 128,
        permissions: Permissions::all(),
    };
    let state = EncryptionState::try_from(version).unwrap();
    document.encrypt(&state).unwrap();
    let mut bytes = Vec::new();
    document.save_to(&mut bytes).unwrap();
    let locked = api.upload(bytes).await;
    let message = failure_message(
        &api,
        "process/asset/split_pdf",
        json!({ "input_file_id": locked, "page_range": "1" }),
    )
    .await;
    assert_eq!(message, MediaError::LockedDocument.to_string());
}
