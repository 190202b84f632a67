//! Tests of the admin interface, which sets the scene and resets everything.
use std::time::Duration;

use crate::support::{Api, quick, sample, start};
use mediagate_core::FileKind;
use mediagate_emulator::{Config, Emulator, EmulatorError};
use reqwest::{Method, StatusCode, header};
use serde_json::{Value, json};

const DRAW: &str = "generate/image/text_to_image";
const OMNI: &str = "generate/video/omni_reference_to_video";

fn small() -> Value {
    json!({ "prompt": "x", "width": 32, "height": 32 })
}

async fn scene(api: &Api) -> Value {
    api.admin(Method::GET, "scene", None).await.1
}

#[tokio::test]
async fn one_request_sets_the_scene_and_one_resets_it() {
    let api = start(quick()).await;
    let before = scene(&api).await;
    let file_id = api.upload(sample(FileKind::Image)).await;
    let done = api.finished(DRAW, small()).await;

    let changes = json!({
        "plan": "free", "credits": 5,
        "assets": { "avatar_public": { "state": "locked" } },
        "models": {
            "text-to-image-default": { "price": { "credits": 5, "per": "task" } },
            "flux": {
                "capability": "text_to_image",
                "required_plan": "pro",
                "price": { "credits": 1, "per": "task" },
            },
            "omni-reference-standard": { "generation_options": { "clarity": ["8K"] } },
        },
    });
    let (status, set) = api.admin(Method::PUT, "scene", Some(&changes)).await;
    assert_eq!(
        (status, &set["plan"], &set["rate_limit"]),
        (StatusCode::OK, &json!("free"), &before["rate_limit"])
    );

    let body = json!({
        "avatar_asset_id": "avatar_public", "voice_asset_id": "voice_public", "text": "Hi",
    });
    assert_eq!(api.code("generate/video/text_driven", body).await, 1407);
    let body = json!({ "file_id": file_id, "prompt": "x" });
    assert_eq!(api.code("generate/video/image_to_video", body).await, 1409);
    let mut pro = small();
    pro["model_id"] = json!("flux");
    assert_eq!(api.code(DRAW, pro).await, 1409);
    let omni =
        |clarity: &str| json!({ "prompt": "x", "image_file_ids": [file_id], "clarity": clarity });
    assert_eq!(
        (
            api.code(OMNI, omni("1080P")).await,
            api.code(OMNI, omni("8K")).await
        ),
        (12, 1401)
    );
    assert_eq!(
        (api.code(DRAW, small()).await, api.code(DRAW, small()).await),
        (0, 1401)
    );
    assert_eq!(scene(&api).await["credits"], 0);
    let models = api.get("models").await.1["data"]["models"].clone();
    assert!(
        models
            .as_array()
            .unwrap()
            .iter()
            .any(|model| model["model_id"] == "flux")
    );

    let (_, topped) = api
        .admin(Method::PATCH, "scene", Some(&json!({ "credits": 9 })))
        .await;
    assert_eq!(
        (&topped["plan"], &topped["credits"]),
        (&json!("free"), &json!(9)),
        "members that are absent stay"
    );
    let (_, replaced) = api
        .admin(Method::PUT, "scene", Some(&json!({ "credits": 9 })))
        .await;
    assert_eq!(
        replaced["plan"], before["plan"],
        "members that are absent are as at the start"
    );

    let (status, reset) = api.admin(Method::POST, "reset", None).await;
    assert_eq!((status, &reset), (StatusCode::OK, &before));
    assert_eq!(
        api.get(&format!("generate/tasks/{}", done["id"].as_str().unwrap()))
            .await
            .0,
        StatusCode::NOT_FOUND
    );
    let output = api
        .client
        .get(done["output_url"].as_str().unwrap())
        .send()
        .await
        .unwrap();
    assert_eq!(output.status(), StatusCode::NOT_FOUND);
    assert_eq!(
        api.code(
            "process/image/background_removal",
            json!({ "file_id": file_id })
        )
        .await,
        12
    );
}

#[tokio::test]
async fn the_scene_in_the_readme_is_valid() {
    let readme = include_str!("../README.md");
    let section = readme.split("## The scene").nth(1).unwrap();
    let example = section
        .split("```json")
        .nth(1)
        .and_then(|text| text.split("```").next())
        .unwrap();
    let example: Value = serde_json::from_str(example).unwrap();
    let api = start(quick()).await;
    let (status, body) = api.admin(Method::PUT, "scene", Some(&example)).await;
    assert_eq!(status, StatusCode::OK, "{body}");
    assert_eq!(
        body["models"]["tiny"]["generation_options"],
        example["models"]["tiny"]["generation_options"]
    );
}

#[tokio::test]
async fn an_invalid_scene_changes_nothing_and_names_the_error() {
    let api = start(quick()).await;
    let before = scene(&api).await;
    for (changes, part) in [
        (json!({ "plan": "free", "creditz": 5 }), "creditz"),
        (
            json!({ "plan": "free", "faults": [{ "do": "explode" }] }),
            "explode",
        ),
        (json!([1]), "object"),
    ] {
        let (status, body) = api.admin(Method::PATCH, "scene", Some(&changes)).await;
        assert_eq!(status, StatusCode::BAD_REQUEST);
        assert!(body["error"].as_str().unwrap().contains(part), "{body}");
    }
    let text = api
        .client
        .put(format!("{}/scene", api.emulator.admin_url()))
        .body("plan=free")
        .send()
        .await
        .unwrap();
    assert_eq!(text.status(), StatusCode::UNSUPPORTED_MEDIA_TYPE);
    assert_eq!(
        api.admin(Method::GET, "nowhere", None).await.0,
        StatusCode::NOT_FOUND
    );
    assert_eq!(scene(&api).await, before);
}

#[tokio::test]
async fn the_admin_interface_refuses_pages_and_contains_no_key() {
    let api = start(quick()).await;
    let url = format!("{}/reset", api.emulator.admin_url());
    let page = api
        .client
        .post(&url)
        .header(header::ORIGIN, "https://evil.example")
        .send()
        .await
        .unwrap();
    assert_eq!(page.status(), StatusCode::FORBIDDEN);
    assert!(!scene(&api).await.to_string().contains(&api.key));
    let public = api
        .client
        .get(format!("{}/scene", api.emulator.base_url()))
        .send()
        .await
        .unwrap();
    assert_eq!(
        public.status(),
        StatusCode::NOT_FOUND,
        "the admin interface has its own port"
    );
}

#[tokio::test]
async fn tasks_and_upload_urls_expire() {
    let api = start(quick()).await;
    let task = api.finished(DRAW, small()).await;
    let path = format!("generate/tasks/{}", task["id"].as_str().unwrap());
    let (_, envelope) = api
        .post(
            "upload_urls",
            json!({ "file_name": "a", "content_type": "image/png", "size": 4 }),
        )
        .await;
    let early = envelope["data"]["upload_url"].as_str().unwrap().to_owned();

    api.admin(
        Method::PATCH,
        "scene",
        Some(&json!({ "task_expires_seconds": 0, "upload_url_seconds": 0 })),
    )
    .await;
    let output = api
        .client
        .get(task["output_url"].as_str().unwrap())
        .send()
        .await
        .unwrap();
    assert_eq!(
        output.status(),
        StatusCode::NOT_FOUND,
        "before the task is read"
    );
    let (_, envelope) = api.get(&path).await;
    assert_eq!(envelope["data"]["task"]["status"], "EXPIRED");
    assert!(
        envelope["data"]["task"].get("output_url").is_none(),
        "{envelope}"
    );

    let (_, envelope) = api
        .post(
            "upload_urls",
            json!({ "file_name": "a", "content_type": "image/png", "size": 4 }),
        )
        .await;
    let late = envelope["data"]["upload_url"].as_str().unwrap();
    let put = async |url: &str| {
        api.client
            .put(url)
            .body("1234")
            .send()
            .await
            .unwrap()
            .status()
    };
    assert_eq!(
        (put(&early).await, put(late).await),
        (StatusCode::OK, StatusCode::GONE)
    );
}

#[tokio::test]
async fn the_rate_limit_can_be_changed() {
    let api = start(quick()).await;
    api.admin(Method::PATCH, "scene", Some(&json!({ "rate_limit": 1 })))
        .await;
    assert_eq!(
        (api.code(DRAW, small()).await, api.code(DRAW, small()).await),
        (0, 16)
    );
    api.admin(Method::PATCH, "scene", Some(&json!({ "rate_limit": 0 })))
        .await;
    assert_eq!(api.code(DRAW, small()).await, 0);
}

#[tokio::test]
async fn the_initial_scene_can_be_configured() {
    let api = start(Config {
        scene: json!({ "credits": 2, "plan": "free" }),
        ..quick()
    })
    .await;
    assert_eq!(api.code(DRAW, small()).await, 1401);
    api.admin(Method::PATCH, "scene", Some(&json!({ "credits": 100 })))
        .await;
    api.admin(Method::POST, "reset", None).await;
    assert_eq!(
        scene(&api).await["credits"],
        2,
        "a reset restores the initial scene"
    );
    let invalid = Emulator::bind(Config {
        scene: json!({ "creditz": 2 }),
        ..quick()
    })
    .await;
    assert!(
        matches!(invalid.err(), Some(EmulatorError::Scene(message)) if message.contains("creditz"))
    );
}

#[tokio::test]
async fn a_job_that_runs_during_a_reset_leaves_no_result() {
    let api = start(Config {
        task_seconds: Duration::ZERO,
        ..quick()
    })
    .await;
    let file_id = api.upload(sample(FileKind::Image)).await;
    let body = json!({ "file_id": file_id, "prompt": "x", "clarity": "1080P" });
    assert_eq!(api.code("generate/video/image_to_video", body).await, 0);
    api.admin(Method::POST, "reset", None).await;
    for _ in 0..3 {
        api.finished(DRAW, small()).await;
    }
    let outputs = || {
        std::fs::read_dir(api.emulator.directory().join("outputs"))
            .unwrap()
            .count()
    };
    let working = || {
        std::fs::read_dir(api.emulator.directory().join("work"))
            .unwrap()
            .count()
    };
    for _ in 0..1000 {
        if working() == 0 && outputs() == 3 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(
        (working(), outputs()),
        (0, 3),
        "only the results after the reset"
    );
    assert_eq!(
        std::fs::read_dir(api.emulator.directory().join("uploads"))
            .unwrap()
            .count(),
        0
    );
}

#[tokio::test]
async fn a_page_reaches_the_admin_interface_neither_by_its_origin_nor_by_its_name() {
    let api = start(quick()).await;
    let client = crate::support::client();
    for (name, value, expected) in [
        (header::HOST, "evil.example:8789", StatusCode::FORBIDDEN),
        (
            header::HOST,
            "127.0.0.1.evil.example",
            StatusCode::FORBIDDEN,
        ),
        (header::HOST, "emulator:8789", StatusCode::FORBIDDEN),
        (header::HOST, "intranet", StatusCode::FORBIDDEN),
        (
            header::ORIGIN,
            "http://127.0.0.1:8789",
            StatusCode::FORBIDDEN,
        ),
        (header::HOST, "localhost:8789", StatusCode::OK),
        (header::HOST, "[::1]:8789", StatusCode::OK),
        (header::HOST, "192.0.2.7", StatusCode::OK),
    ] {
        let url = format!("{}/scene", api.emulator.admin_url());
        let response = client.get(url).header(&name, value).send().await.unwrap();
        assert_eq!(response.status(), expected, "{name}: {value}");
    }
}

#[tokio::test]
async fn public_avatars_have_pictures_and_voices_have_none() {
    let api = start(quick()).await;
    let (_, catalogue) = api.get("models").await;
    let assets = catalogue["data"]["assets"].as_array().unwrap();
    for asset in assets {
        let is_avatar = asset["category"] == "avatar";
        assert_eq!(asset["preview_url"].is_string(), is_avatar, "{asset}");
        if is_avatar {
            let url = asset["preview_url"].as_str().unwrap();
            let bytes = api.client.get(url).send().await.unwrap().bytes();
            let picture = image::load_from_memory(&bytes.await.unwrap()).unwrap();
            assert_eq!((picture.width(), picture.height()), (176, 176));
        }
    }
    assert_eq!(assets.len(), 2);
    let missing = format!("{}/avatars/voice_public", api.emulator.base_url());
    assert_eq!(api.client.get(missing).send().await.unwrap().status(), 404);
}
