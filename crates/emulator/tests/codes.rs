//! Tests of every documented code (§7): by a request that causes it, and by a directive in a title.

use crate::support::{Sent, mp4, quick, sample, start, start_with, wav};
use mediagate_core::{CAPABILITIES, Code, FileKind};
use mediagate_emulator::Plan;
use reqwest::Method;
use serde_json::{Value, json};

const TEXT_DRIVEN: &str = "generate/video/text_driven";
const DRAW: &str = "generate/image/text_to_image";
const OMNI: &str = "generate/video/omni_reference_to_video";

#[tokio::test]
async fn a_title_provokes_every_code_of_every_capability() {
    let api = start_with(|config| config.extensions = true).await;
    for capability in CAPABILITIES {
        for (code, name, message) in Code::ALL.iter().filter(|(code, ..)| *code != Code::OK) {
            let title = format!("emulate: code={}", code.0);
            let (status, envelope) = api.post(capability.path, json!({ "title": title })).await;
            let got = (&envelope["code"], &envelope["message"]);
            assert_eq!(got, (&json!(code.0), &json!(message)), "{name}");
            assert!(status >= 400, "{name}");
        }
    }
    let (_, envelope) = api
        .post(OMNI, json!({ "title": "emulate: code=1409" }))
        .await;
    assert!(envelope["data"]["paid_plan_required"]["required_plan"].is_string());
    let (status, envelope) = api
        .post(OMNI, json!({ "title": "emulate: code=4711 status=503" }))
        .await;
    assert_eq!((status, &envelope["code"]), (503, &json!(4711)));
}

#[tokio::test]
async fn requests_without_the_key_are_unauthenticated() {
    let mut api = start(quick()).await;
    for key in ["", "wrong", "emulator-dev-ke", "emulator-dev-keyy"] {
        api.service.key = key.into();
        for path in ["models", "generate/tasks/x", "nowhere"] {
            let (status, envelope) = api.get(path).await;
            let got = (status, &envelope["code"]);
            assert_eq!(got, (401, &json!(13)), "{path} with {key:?}");
        }
    }
    let bare = api.client.post(api.url("process/asset/merge_pdf"));
    assert_eq!(bare.status().await, 401);
}

#[tokio::test]
async fn a_plan_that_is_too_low_names_the_required_plan() {
    let api = start_with(|config| config.plan = Plan::Free).await;
    let body = json!({ "file_id": api.upload(sample(FileKind::Image)).await, "prompt": "x" });
    let (status, envelope) = api.post("generate/video/image_to_video", body).await;
    assert_eq!((status, &envelope["code"]), (402, &json!(1409)));
    let expected = json!({
        "required_plan": "starter",
        "current_plan": "free",
        "model_id": "emulator-2-6-image-to-video",
    });
    assert_eq!(envelope["data"]["paid_plan_required"], expected);
}

#[tokio::test]
async fn a_create_without_enough_credits_is_1401() {
    let api = start_with(|config| config.credits = 5).await;
    let body = json!({ "prompt": "x", "width": 32, "height": 32 });
    assert_eq!(api.code(DRAW, body.clone()).await, 0);
    let (_, envelope) = api.post(DRAW, body).await;
    assert_eq!(
        (&envelope["code"], &envelope["data"]["credits"]),
        (&json!(1401), &json!(1))
    );
}

#[tokio::test]
async fn the_rate_limit_responds_with_retry_after() {
    let api = start_with(|config| config.rate_limit = 3).await;
    let mut codes = Vec::new();
    for _ in 0..4 {
        codes.push(api.code(DRAW, json!({})).await);
    }
    assert_eq!(codes, [12, 12, 12, 16]);
    let limited = api.request(Method::POST, "upload_urls", Some(&json!({})));
    let limited = limited.sent().await;
    assert_eq!(limited.status(), 429);
    let wait = limited.headers()["retry-after"].to_str().unwrap();
    assert!(wait.parse::<u64>().unwrap() >= 1);
    assert_eq!(api.get("models").await.0, 200, "reads are not counted");
}

#[tokio::test]
async fn unknown_models_are_1410() {
    let api = start(quick()).await;
    for model_id in ["gpt", "split-pdf-default"] {
        let body = json!({ "prompt": "x", "model_id": model_id });
        assert_eq!(api.code(DRAW, body).await, 1410, "{model_id}");
    }
}

#[tokio::test]
async fn assets_must_exist_fit_and_be_usable() {
    let api = start(quick()).await;
    let code = async |avatar: &str, voice: &str| {
        let body = json!({ "avatar_asset_id": avatar, "voice_asset_id": voice, "text": "Hi" });
        api.code(TEXT_DRIVEN, body).await
    };
    assert_eq!(code("avatar_owned", "voice_owned").await, 0);
    for (avatar, voice, expected) in [
        ("voice_public", "voice_public", 1402),
        ("avatar_public", "avatar_public", 1402),
        ("avatar_public", "nobody", 1403),
        ("avatar_public", "voice_foreign", 1403),
        ("avatar_foreign", "voice_public", 12),
        ("avatar_locked", "voice_public", 1407),
        ("avatar_public", "voice_locked", 1407),
        ("avatar_expired", "voice_public", 1408),
        ("avatar_public", "voice_expired", 1408),
    ] {
        assert_eq!(code(avatar, voice).await, expected, "{avatar} with {voice}");
    }
}

#[tokio::test]
async fn files_must_exist_and_fit() {
    let api = start(quick()).await;
    let sound = api.upload(sample(FileKind::Audio)).await;
    let code = async |file_id: &str| {
        let body = json!({ "file_id": file_id, "prompt": "x" });
        api.code("generate/video/image_to_video", body).await
    };
    assert_eq!(code(&sound).await, 1402);
    assert_eq!(code("file_unknown").await, 12);
    let body = json!({ "input_file_ids": [sound] });
    let (_, envelope) = api.post("process/asset/merge_pdf", body).await;
    assert_eq!(
        (&envelope["code"], &envelope["data"]["errors"][0]["path"]),
        (&json!(12), &json!("input_file_ids[0]"))
    );
    let named = api.upload(b"this is text, called movie.mp4".to_vec()).await;
    let body = json!({ "file_id": named });
    assert_eq!(api.code("process/video/subtitle_removal", body).await, 12);
}

#[tokio::test]
async fn omni_models_enforce_their_rules() {
    let api = start(quick()).await;
    let image = api.upload(sample(FileKind::Image)).await;
    let video = api.upload(mp4(12)).await;
    let short = api.upload(wav(&[0; 3000])).await;
    let long = api.upload(wav(&[0; 4000])).await;
    let code = async |model_id: &str, mut body: Value| {
        body["prompt"] = json!("x");
        body["model_id"] = json!(model_id);
        api.code(OMNI, body).await
    };
    let both = |sound: &str| json!({ "video_file_ids": [video], "audio_file_ids": [sound] });
    let with = |field: &str, value: Value| json!({ "image_file_ids": [image], field: value });
    for (model, body, expected) in [
        ("images-only", json!({ "image_file_ids": [image] }), 0),
        ("images-only", with("audio_file_ids", json!([short])), 12),
        ("15s", both(&short), 0),
        ("15s", both(&long), 12),
        ("standard", both(&long), 0),
        ("standard", with("aspect_ratio", json!("5:7")), 12),
        ("standard", with("clarity", json!("9K")), 12),
        ("standard", with("duration_seconds", json!(999)), 12),
    ] {
        let model = format!("omni-reference-{model}");
        assert_eq!(
            code(&model, body.clone()).await,
            expected,
            "{model}: {body}"
        );
    }
}

#[tokio::test]
async fn only_listed_logo_types_are_accepted() {
    let api = start(quick()).await;
    let video = api.upload(mp4(1)).await;
    let code = async |logo_type: &str| {
        let body = json!({ "input_video_file_id": video, "logo_type": logo_type });
        api.code("process/video/video_logo_removal", body).await
    };
    assert_eq!(
        (code("default").await, code("platform_mode_9").await),
        (0, 0)
    );
    assert_eq!((code("platform_mode_10").await, code("x").await), (12, 12));
}

#[tokio::test]
async fn a_setting_makes_every_status_200() {
    let api = start_with(|config| config.status_200 = true).await;
    let (status, envelope) = api.post(OMNI, json!({})).await;
    assert_eq!((status, &envelope["code"]), (200, &json!(12)));
    assert_eq!(api.get("generate/tasks/none").await.0, 200);
}
