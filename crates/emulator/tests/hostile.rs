//! Tests of directives in titles, malformed requests and damaged media. The emulator responds to
//! all of them and keeps running.

use crate::support::{Sent, assert_no_panic, pdf, png, quick, sample, start, wav};
use mediagate_core::FileKind;
use mediagate_emulator::MediaError;
use reqwest::Method;
use serde_json::{Value, json};

const DRAW: &str = "generate/image/text_to_image";
const REMOVAL: &str = "process/image/background_removal";
const MERGE: &str = "process/asset/merge_pdf";
const SPLIT: &str = "process/asset/split_pdf";
const VOLUME: &str = "process/audio/adjust_audio_volume";

fn with_directive(words: &str) -> Value {
    json!({ "prompt": "x", "width": 32, "height": 32, "title": format!("emulate: {words}") })
}

#[tokio::test]
async fn responses_without_an_envelope() {
    let api = start(quick()).await;
    let request = |words: &str| {
        let body = with_directive(words);
        api.request(Method::POST, DRAW, Some(&body)).send()
    };
    let html = request("html").await.unwrap();
    assert_eq!(html.status(), 502);
    assert!(html.text().await.unwrap().starts_with("<!doctype html>"));
    assert_eq!(request("empty").await.unwrap().text().await.unwrap(), "");
    assert!(request("reset").await.is_err(), "nothing arrives");
    let cut = request("cut").await.unwrap();
    assert!(cut.text().await.is_err(), "the end never arrives");
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

    let (_, created) = api.post(DRAW, with_directive("html at=poll")).await;
    let id = created["data"]["task"]["id"].as_str().unwrap();
    let poll = api.request(Method::GET, &format!("generate/tasks/{id}"), None);
    assert_eq!(poll.status().await, 502);

    for words in ["echo-key", "echo-key code=99"] {
        let (_, envelope) = api.post(DRAW, with_directive(words)).await;
        let message = envelope["message"].as_str().unwrap();
        assert!(message.contains(&api.key), "{envelope}");
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
        let request = api.client.post(api.url(DRAW)).bearer_auth(&api.key);
        let request = request.header("content-type", "application/json");
        let (status, envelope) = request.body(body.to_owned()).read().await;
        assert_eq!((status, &envelope["code"]), (400, &json!(12)));
    }
    let big = json!({ "prompt": "x".repeat(2 << 20) });
    assert_eq!(api.post(DRAW, big).await.0, 413);
    let form = api.client.post(api.url(DRAW)).bearer_auth(&api.key);
    assert_eq!(form.body("prompt=x").status().await, 415);
    // A name that the document does not know, such as `style`, is ignored.
    let body = json!({ "width": "1", "seed": 1.5, "style": "any" });
    let (_, envelope) = api.post(DRAW, body).await;
    let errors = envelope["data"]["errors"].as_array().unwrap();
    let paths: Vec<_> = errors.iter().map(|error| &error["path"]).collect();
    assert_eq!(paths, ["prompt", "width", "seed"]);
    let large = json!({ "prompt": "x", "width": 2147483647, "height": 2147483647 });
    assert_eq!(api.code(DRAW, large).await, 12);
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
        let is_refused = (400..500).contains(&status) && envelope["code"] == 12;
        assert!(is_refused, "{path}: {status} {envelope}");
    }
    assert_eq!(api.get(DRAW).await.0, 405);
    for path in [
        "/files/../uploads",
        "/files/%2e%2e%2fuploads",
        "/files/none.png",
        "/files/",
        "/nowhere",
    ] {
        let url = format!("{}{path}", api.base_url);
        let (status, envelope) = api.client.get(url).read().await;
        assert_eq!((status, &envelope["code"]), (404, &json!(12)), "{path}");
    }
}

#[tokio::test]
async fn damaged_media_fail_their_task_with_a_message_and_the_code_of_an_invalid_input() {
    let api = start(quick()).await;
    let half = |bytes: Vec<u8>| bytes[..bytes.len() / 2].to_vec();
    let picture = api.upload(half(png(64, 64, [1, 2, 3]))).await;
    let document = api.upload(b"%PDF-1.7\nnothing of the kind".to_vec()).await;
    let sound = api.upload(wav(&[1; 100])[..120].to_vec()).await;
    for (path, body, expected) in [
        (
            REMOVAL,
            json!({ "file_id": picture }),
            MediaError::DamagedPicture,
        ),
        (
            MERGE,
            json!({ "input_file_ids": [document] }),
            MediaError::UnreadableDocument,
        ),
        (
            VOLUME,
            json!({ "input_file_id": sound, "volume": "2" }),
            MediaError::DamagedSound,
        ),
    ] {
        let task = api.finished(path, body).await;
        let error = json!({ "message": expected.to_string(), "code": 12 });
        assert_eq!(task["error"], error);
    }
    for media in [FileKind::Image, FileKind::Pdf, FileKind::Audio] {
        let bytes = sample(media);
        for cut in (16..bytes.len()).step_by(bytes.len() / 7 + 1) {
            let id = api.upload(bytes[..cut].to_vec()).await;
            for (path, body) in [
                (REMOVAL, json!({ "file_id": id })),
                (MERGE, json!({ "input_file_ids": [id] })),
                (SPLIT, json!({ "input_file_id": id, "page_range": "1" })),
                (VOLUME, json!({ "input_file_id": id, "volume": "2" })),
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
    let body = json!({ "input_file_id": locked, "page_range": "1" });
    let message = api.failure(SPLIT, body).await;
    assert_eq!(message, MediaError::LockedDocument.to_string());
}
