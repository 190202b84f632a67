//! Tests of the whole flow for every capability: upload, create, poll, and a result that can be
//! played.
use crate::support::ffmpeg::frame;
use crate::support::{Sent, png, quick, sample, start, start_with};
use mediagate_core::{CAPABILITIES, FileKind};
use mediagate_emulator::{Config, Results, TextToImage};
use reqwest::{Method, header};
use serde_json::{Value, json};

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
    let api = start_with(|config| config.results = Results::Placeholder).await;
    let cut_off = sample(FileKind::Video)[..40].to_vec();
    let file_id = api.upload(cut_off).await;
    let body =
        json!({ "prompt": "x", "model_id": "omni-reference-15s", "video_file_ids": [file_id] });
    let path = "generate/video/omni_reference_to_video";
    let task = api.finished(path, body).await;
    assert_eq!(
        (&task["status"], &task["outputs"][0]["content_type"]),
        (&json!("SUCCEEDED"), &json!("video/mp4"))
    );
}

/// Asserts that each capability yields a file of its kind.
async fn every_kind(config: Config) {
    let api = start(Config {
        extensions: true,
        ..config
    })
    .await;
    for capability in CAPABILITIES {
        let body = api.valid(capability).await;
        let task = api.finished(capability.path, body).await;
        assert_eq!(task["status"], "SUCCEEDED", "{task}");
        let url = task["output_url"].as_str().unwrap();
        let file = api.client.get(url).sent().await;
        let kind = match capability.medium() {
            "asset" => "application/pdf",
            medium => medium,
        };
        let content_type = file.headers()[header::CONTENT_TYPE].to_str().unwrap();
        assert!(
            content_type.starts_with(kind),
            "{}: {content_type}",
            capability.name()
        );
        let found = infer::get(&file.bytes().await.unwrap()).unwrap();
        assert!(found.mime_type().contains(kind), "{}", capability.name());
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

const TEXT_TO_VIDEO: &str = "generate/video/text_to_video";

#[tokio::test]
async fn an_extension_is_unknown_by_default() {
    let api = start(quick()).await;
    let body = json!({ "prompt": "a lighthouse", "duration_seconds": 3 });
    let unknown = api.post("generate/video/text_to_movie", body.clone()).await;
    assert_eq!(api.post(TEXT_TO_VIDEO, body.clone()).await, unknown);
    assert_eq!(unknown.0, 404);
    let (_, models) = api.get("models").await;
    assert!(!models.to_string().contains("text_to_video"), "{models}");
    let named = json!({ "capability": "text_to_video", "input": body });
    for estimate in [named, body] {
        assert_eq!(api.code("credits/estimate", estimate).await, 12);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn with_its_switch_an_extension_draws_a_video_of_the_prompt() {
    let api = start_with(|config| config.extensions = true).await;
    let body = json!({
        "prompt": "a lighthouse",
        "aspect_ratio": "9:16",
        "duration_seconds": 3,
        "seed": 7,
    });
    let (_, estimate) = api.post("credits/estimate", body.clone()).await;
    assert_eq!(estimate["data"]["credits"], 30);
    assert_eq!(estimate["data"]["capability"], "text_to_video");
    let task = api.finished(TEXT_TO_VIDEO, body.clone()).await;
    assert_eq!(
        (&task["model_id"], &task["credits"]),
        (&json!("text-to-video-default"), &json!(30))
    );
    assert_eq!(task["outputs"][0]["note"], "drawn, no model ran: seed 7");
    let clip = api.download(&task["output_url"]).await;
    assert_eq!(
        mediagate_clip::seconds(std::io::Cursor::new(&clip)),
        Some(3.0)
    );
    let first = frame(&clip, 0.0);
    assert_eq!((first.width(), first.height()), (480, 854));
    assert_ne!(first, frame(&clip, 2.5), "the drawing moves");
    let mut invalid = body;
    invalid["clarity"] = json!("9K");
    assert_eq!(api.code(TEXT_TO_VIDEO, invalid).await, 12);
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
        404,
        "the other group's path"
    );
}

#[tokio::test]
async fn an_upload_url_accepts_the_announced_bytes_once() {
    let api = start(quick()).await;
    let (url, _) = api.upload_url(4).await;
    let put = |bytes: &'static str| api.client.put(&url).body(bytes).status();
    assert_eq!(put("12345").await, 400);
    assert_eq!(put("123").await, 400);
    assert_eq!(put("1234").await, 200);
    assert_eq!(put("1234").await, 409);
    let guess = format!("{}/uploads/0123456789abcdef", api.base_url);
    assert_eq!(api.client.put(guess).body("1234").status().await, 404);
    for size in [json!(0), json!(1.5), json!("4"), json!(1e15), json!(null)] {
        let request = json!({ "file_name": "a.png", "content_type": "image/png", "size": size });
        assert_eq!(api.code("upload_urls", request).await, 12, "{size}");
    }
}

#[tokio::test]
async fn cors_allows_uploads_and_results_but_not_the_api() {
    let api = start(quick()).await;
    let allows = async |url: String, method: &str| {
        let preflight = (api.client.request(Method::OPTIONS, url))
            .header(header::ORIGIN, "http://127.0.0.1:8787")
            .header(header::ACCESS_CONTROL_REQUEST_METHOD, method)
            .header(header::ACCESS_CONTROL_REQUEST_HEADERS, "content-type");
        let response = preflight.sent().await;
        response
            .headers()
            .contains_key(header::ACCESS_CONTROL_ALLOW_ORIGIN)
    };
    let upload = format!("{}/uploads/x", api.base_url);
    assert!(allows(upload, "PUT").await);
    assert!(!allows(api.url("upload_urls"), "POST").await);

    let file_id = api.upload(sample(FileKind::Image)).await;
    let body = json!({ "file_id": file_id });
    let task = api.finished("process/image/background_removal", body).await;
    let part = (api.client.get(task["output_url"].as_str().unwrap()))
        .header(header::RANGE, "bytes=0-7")
        .header(header::ORIGIN, "http://127.0.0.1:8787");
    let part = part.sent().await;
    assert_eq!(part.status(), 206);
    assert_eq!(part.headers()[header::ACCESS_CONTROL_ALLOW_ORIGIN], "*");
    assert_eq!(part.bytes().await.unwrap().as_ref(), b"\x89PNG\r\n\x1a\n");
}

#[tokio::test]
async fn models_are_listed_and_credits_estimated() {
    let api = start(quick()).await;
    let (_, models) = api.get("models").await;
    let models = models["data"]["models"].as_array().unwrap();
    let ids: Vec<_> = models.iter().map(|model| &model["model_id"]).collect();
    assert!(ids.contains(&&json!("text-to-image-default")), "{ids:?}");
    for model in models {
        assert!(model["generation_options"].is_object(), "{model}");
    }
    let file_id = api.upload(sample(FileKind::Image)).await;
    let input = json!({ "file_id": file_id, "prompt": "x", "duration_seconds": 3 });
    let body = json!({ "capability": "image_to_video", "input": input });
    let (_, estimate) = api.post("credits/estimate", body).await;
    assert_eq!(estimate["data"]["credits"], 30);
    for body in [
        json!({ "capability": "teleport", "input": {} }),
        json!({ "capability": "split_pdf" }),
    ] {
        assert_eq!(api.code("credits/estimate", body).await, 12);
    }
}

#[tokio::test]
async fn text_to_image_responds_in_the_configured_form() {
    let response = async |form| {
        let api = start_with(|config| config.text_to_image = form).await;
        let body = json!({ "prompt": "x", "width": 32, "height": 32 });
        let request = api.request(Method::POST, "generate/image/text_to_image", Some(&body));
        let bytes = request.download().await;
        serde_json::from_slice::<Value>(&bytes).unwrap_or_default()
    };
    assert_eq!(response(TextToImage::Empty).await, Value::Null);
    let bare = response(TextToImage::Bare).await;
    assert!(bare.get("code").is_none() && bare["images"][0]["url"].is_string());
    let data = response(TextToImage::Data).await;
    assert!(
        data["code"] == 0
            && data["data"]["images"][0]["url"].is_string()
            && data["data"].get("task").is_none()
    );
    let inline = response(TextToImage::Inline).await;
    let picture = inline["data"]["images"][0]["b64_json"].as_str().unwrap();
    assert!(picture.starts_with("iVBORw0KGgo"), "base64 of a PNG");
}
