//! Tests of the whole flow for every capability: upload, create, poll, and a result that can be
//! played.
use crate::support::{png, quick, sample, start};
use mediagate_core::{CAPABILITIES, FileKind};
use mediagate_emulator::{Config, Results};
use reqwest::{Method, StatusCode, header};
use serde_json::json;

#[tokio::test(flavor = "multi_thread")]
async fn every_capability_returns_a_file_of_its_kind() {
    every_kind(quick()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn placeholders_are_of_the_right_kind_and_need_no_ffmpeg() {
    let missing = Some("/nowhere/ffmpeg".into());
    every_kind(Config {
        results: Results::Placeholder,
        ffmpeg: missing,
        ..quick()
    })
    .await;
}

#[tokio::test]
async fn with_placeholders_references_are_not_measured() {
    let api = start(Config {
        results: Results::Placeholder,
        ..quick()
    })
    .await;
    let cut_off = sample(FileKind::Video)[..40].to_vec();
    let file_id = api.upload(cut_off).await;
    let body =
        json!({ "prompt": "x", "model_id": "omni-reference-15s", "video_file_ids": [file_id] });
    let task = api
        .finished("generate/video/omni_reference_to_video", body)
        .await;
    assert_eq!(
        (&task["status"], &task["outputs"][0]["content_type"]),
        (&json!("SUCCEEDED"), &json!("video/mp4"))
    );
}

/// Asserts that each capability yields a file of its kind.
async fn every_kind(config: Config) {
    let api = start(config).await;
    for capability in CAPABILITIES {
        let task = api
            .finished(capability.path, api.valid(capability).await)
            .await;
        assert_eq!(task["status"], "SUCCEEDED", "{task}");
        let file = api
            .client
            .get(task["output_url"].as_str().unwrap())
            .send()
            .await
            .unwrap();
        let kind = match capability.medium() {
            "asset" => "application/pdf",
            medium => medium,
        };
        let content_type = file.headers()[header::CONTENT_TYPE]
            .to_str()
            .unwrap()
            .to_owned();
        assert!(
            content_type.starts_with(kind),
            "{}: {content_type}",
            capability.name()
        );
        assert!(
            infer::get(&file.bytes().await.unwrap())
                .is_some_and(|found| found.mime_type().contains(kind))
        );
    }
    api.emulator.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_image_becomes_a_video_of_the_requested_length() {
    let api = start(quick()).await;
    let file_id = api.upload(png(40, 30, [200, 0, 0])).await;
    let body = json!({
        "file_id": file_id,
        "prompt": "slow push in",
        "aspect_ratio": "9:16",
        "duration_seconds": 7,
    });
    let clip = api.result("generate/video/image_to_video", body).await;
    assert_eq!(
        mediagate_clip::seconds(std::io::Cursor::new(clip)),
        Some(7.0)
    );
}

#[tokio::test]
async fn a_task_passes_through_its_states() {
    let api = start(quick()).await;
    let title = "emulate: seconds=1 state=DREAMING";
    let body = json!({ "prompt": "x", "width": 32, "height": 32, "title": title });
    let (_, created) = api.post("generate/image/text_to_image", body).await;
    let task = &created["data"]["task"];
    assert_eq!(
        (&task["status"], &task["progress"]),
        (&json!("QUEUED"), &json!(0.0))
    );
    let id = task["id"].as_str().unwrap();
    let mut states = vec!["QUEUED".to_owned()];
    let mut progress = 0.0;
    while states.last().unwrap() != "SUCCEEDED" {
        let (_, envelope) = api.get(&format!("generate/tasks/{id}")).await;
        let task = &envelope["data"]["task"];
        let now = task["progress"].as_f64().unwrap();
        assert!(now >= progress, "progress goes back");
        progress = now;
        if states.last().unwrap() != task["status"].as_str().unwrap() {
            states.push(task["status"].as_str().unwrap().into());
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    assert_eq!(states, ["QUEUED", "DREAMING", "SUCCEEDED"]);
    assert_eq!(
        api.get(&format!("process/tasks/{id}")).await.0,
        StatusCode::NOT_FOUND,
        "the other group's path"
    );
}

#[tokio::test]
async fn an_upload_url_accepts_the_announced_bytes_once() {
    let api = start(quick()).await;
    let request = json!({ "file_name": "a.png", "content_type": "image/png", "size": 4 });
    let (_, envelope) = api.post("upload_urls", request).await;
    let url = envelope["data"]["upload_url"].as_str().unwrap();
    let put = async |bytes: &'static str| {
        api.client
            .put(url)
            .body(bytes)
            .send()
            .await
            .unwrap()
            .status()
    };
    assert_eq!(put("12345").await, StatusCode::BAD_REQUEST);
    assert_eq!(put("123").await, StatusCode::BAD_REQUEST);
    assert_eq!(put("1234").await, StatusCode::OK);
    assert_eq!(put("1234").await, StatusCode::CONFLICT);
    let guess = format!("{}/uploads/0123456789abcdef", api.emulator.base_url());
    assert_eq!(
        api.client
            .put(guess)
            .body("1234")
            .send()
            .await
            .unwrap()
            .status(),
        StatusCode::NOT_FOUND
    );
    for size in [json!(0), json!(1.5), json!("4"), json!(1e15), json!(null)] {
        let request = json!({ "file_name": "a.png", "content_type": "image/png", "size": size });
        assert_eq!(api.code("upload_urls", request).await, 12, "{size}");
    }
}

#[tokio::test]
async fn cors_allows_uploads_and_results_but_not_the_api() {
    let api = start(quick()).await;
    let allows = async |url: String, method: &str| {
        let preflight = api
            .client
            .request(Method::OPTIONS, url)
            .header(header::ORIGIN, "http://127.0.0.1:8787")
            .header(header::ACCESS_CONTROL_REQUEST_METHOD, method)
            .header(header::ACCESS_CONTROL_REQUEST_HEADERS, "content-type");
        preflight
            .send()
            .await
            .unwrap()
            .headers()
            .get(header::ACCESS_CONTROL_ALLOW_ORIGIN)
            .cloned()
    };
    assert!(
        allows(format!("{}/uploads/x", api.emulator.base_url()), "PUT")
            .await
            .is_some()
    );
    assert!(allows(api.url("upload_urls"), "POST").await.is_none());

    let file_id = api.upload(sample(FileKind::Image)).await;
    let task = api
        .finished(
            "process/image/background_removal",
            json!({ "file_id": file_id }),
        )
        .await;
    let part = api
        .client
        .get(task["output_url"].as_str().unwrap())
        .header(header::RANGE, "bytes=0-7");
    let part = part
        .header(header::ORIGIN, "http://127.0.0.1:8787")
        .send()
        .await
        .unwrap();
    assert_eq!(part.status(), StatusCode::PARTIAL_CONTENT);
    assert_eq!(part.headers()[header::ACCESS_CONTROL_ALLOW_ORIGIN], "*");
    assert_eq!(part.bytes().await.unwrap().as_ref(), b"\x89PNG\r\n\x1a\n");
}

#[tokio::test]
async fn models_are_listed_and_credits_estimated() {
    let api = start(quick()).await;
    let (_, models) = api.get("models").await;
    let models = models["data"]["models"].as_array().unwrap();
    assert!(
        models
            .iter()
            .any(|model| model["model_id"] == "text-to-image-default")
    );
    assert!(
        models
            .iter()
            .all(|model| model["generation_options"].is_object())
    );
    let file_id = api.upload(sample(FileKind::Image)).await;
    let input = json!({ "file_id": file_id, "prompt": "x", "duration_seconds": 3 });
    let (_, estimate) = api
        .post(
            "credits/estimate",
            json!({ "capability": "image_to_video", "input": input }),
        )
        .await;
    assert_eq!(estimate["data"]["credits"], 30);
    assert_eq!(
        api.code(
            "credits/estimate",
            json!({ "capability": "teleport", "input": {} })
        )
        .await,
        12
    );
    assert_eq!(
        api.code("credits/estimate", json!({ "capability": "split_pdf" }))
            .await,
        12
    );
}

#[tokio::test]
async fn text_to_image_responds_in_the_configured_form() {
    use mediagate_emulator::{Config, TextToImage};
    let response = async |form| {
        let api = start(Config {
            text_to_image: form,
            ..quick()
        })
        .await;
        let body = json!({ "prompt": "x", "width": 32, "height": 32 });
        api.send(Method::POST, "generate/image/text_to_image", Some(&body))
            .await
            .unwrap()
            .text()
            .await
            .unwrap()
    };
    assert_eq!(response(TextToImage::Empty).await, "");
    let bare: serde_json::Value = serde_json::from_str(&response(TextToImage::Bare).await).unwrap();
    assert!(bare.get("code").is_none() && bare["images"][0]["url"].is_string());
    let data: serde_json::Value = serde_json::from_str(&response(TextToImage::Data).await).unwrap();
    assert!(
        data["code"] == 0
            && data["data"]["images"][0]["url"].is_string()
            && data["data"].get("task").is_none()
    );
    let inline: serde_json::Value =
        serde_json::from_str(&response(TextToImage::Inline).await).unwrap();
    let picture = inline["data"]["images"][0]["b64_json"].as_str().unwrap();
    assert!(picture.starts_with("iVBORw0KGgo"), "base64 of a PNG");
}

#[tokio::test]
async fn stopping_removes_every_file() {
    let api = start(quick()).await;
    let directory = api.emulator.directory().to_owned();
    let file_id = api.upload(sample(FileKind::Image)).await;
    let body = json!({ "file_id": file_id, "prompt": "still being drawn" });
    assert_eq!(api.code("generate/video/image_to_video", body).await, 0);
    assert!(directory.join("uploads").join(file_id).exists());
    api.emulator.stop().await;
    assert!(!directory.exists());
}
