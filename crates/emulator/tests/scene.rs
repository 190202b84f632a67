//! Tests of the admin interface, which sets the scene and resets everything.
use std::time::Duration;

use crate::support::{Api, Sent, quick, sample, start, start_with};
use mediagate_core::FileKind;
use mediagate_emulator::{Config, Emulator, EmulatorError};
use reqwest::{Method, header};
use serde_json::{Value, json};

const DRAW: &str = "generate/image/text_to_image";
const OMNI: &str = "generate/video/omni_reference_to_video";

fn small() -> Value {
    json!({ "prompt": "x", "width": 32, "height": 32 })
}

async fn scene(api: &Api) -> Value {
    api.admin(Method::GET, "scene", Value::Null).await.1
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
    let (status, set) = api.admin(Method::PUT, "scene", changes).await;
    assert_eq!(
        (status, &set["plan"], &set["rate_limit"]),
        (200, &json!("free"), &before["rate_limit"])
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
    assert!(models.to_string().contains("flux"));

    let topped = api.patch(json!({ "credits": 9 })).await;
    assert_eq!(
        (&topped["plan"], &topped["credits"]),
        (&json!("free"), &json!(9)),
        "members that are absent stay"
    );
    let (_, replaced) = api
        .admin(Method::PUT, "scene", json!({ "credits": 9 }))
        .await;
    assert_eq!(
        replaced["plan"], before["plan"],
        "members that are absent are as at the start"
    );

    let (status, reset) = api.admin(Method::POST, "reset", Value::Null).await;
    assert_eq!((status, &reset), (200, &before));
    let task = format!("generate/tasks/{}", done["id"].as_str().unwrap());
    assert_eq!(api.get(&task).await.0, 404);
    let output = api.client.get(done["output_url"].as_str().unwrap());
    assert_eq!(output.status().await, 404);
    let body = json!({ "file_id": file_id });
    assert_eq!(api.code("process/image/background_removal", body).await, 12);
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
    let (status, body) = api.admin(Method::PUT, "scene", example.clone()).await;
    assert_eq!(status, 200, "{body}");
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
        let (status, body) = api.admin(Method::PATCH, "scene", changes).await;
        assert_eq!(status, 400);
        assert!(body["error"].as_str().unwrap().contains(part), "{body}");
    }
    let url = format!("{}/scene", api.emulator.admin_url());
    assert_eq!(api.client.put(url).body("plan=free").status().await, 415);
    assert_eq!(api.admin(Method::GET, "nowhere", Value::Null).await.0, 404);
    assert_eq!(scene(&api).await, before);
}

#[tokio::test]
async fn tasks_and_upload_urls_expire() {
    let api = start(quick()).await;
    let task = api.finished(DRAW, small()).await;
    let path = format!("generate/tasks/{}", task["id"].as_str().unwrap());
    let (early, _) = api.upload_url(4).await;
    api.patch(json!({ "task_expires_seconds": 0, "upload_url_seconds": 0 }))
        .await;
    let output = api.client.get(task["output_url"].as_str().unwrap());
    assert_eq!(output.status().await, 404, "before the task is read");
    let (_, envelope) = api.get(&path).await;
    assert_eq!(envelope["data"]["task"]["status"], "EXPIRED");
    assert!(
        envelope["data"]["task"].get("output_url").is_none(),
        "{envelope}"
    );

    let (late, _) = api.upload_url(4).await;
    let put = |url: &str| api.client.put(url).body("1234").status();
    assert_eq!((put(&early).await, put(&late).await), (200, 410));
}

#[tokio::test]
async fn the_rate_limit_can_be_changed() {
    let api = start(quick()).await;
    api.patch(json!({ "rate_limit": 1 })).await;
    assert_eq!(
        (api.code(DRAW, small()).await, api.code(DRAW, small()).await),
        (0, 16)
    );
    api.patch(json!({ "rate_limit": 0 })).await;
    assert_eq!(api.code(DRAW, small()).await, 0);
}

#[tokio::test]
async fn the_initial_scene_can_be_configured() {
    let api = start_with(|config| config.scene = json!({ "credits": 2, "plan": "free" })).await;
    assert_eq!(api.code(DRAW, small()).await, 1401);
    api.patch(json!({ "credits": 100 })).await;
    api.admin(Method::POST, "reset", Value::Null).await;
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
    let api = start_with(|config| config.task_seconds = Duration::ZERO).await;
    let file_id = api.upload(sample(FileKind::Image)).await;
    let body = json!({ "file_id": file_id, "prompt": "x", "clarity": "1080P" });
    assert_eq!(api.code("generate/video/image_to_video", body).await, 0);
    api.admin(Method::POST, "reset", Value::Null).await;
    for _ in 0..3 {
        api.finished(DRAW, small()).await;
    }
    let directory = api.emulator.directory();
    let count = |name: &str| std::fs::read_dir(directory.join(name)).unwrap().count();
    let counts = || (count("work"), count("outputs"));
    for _ in 0..1000 {
        if counts() == (0, 3) {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(counts(), (0, 3), "only the results after the reset");
    assert_eq!(count("uploads"), 0);
}

#[tokio::test]
async fn a_page_reaches_the_admin_interface_neither_by_its_origin_nor_by_its_name() {
    let api = start(quick()).await;
    assert!(!scene(&api).await.to_string().contains(&api.key));
    let public = format!("{}/scene", api.base_url);
    let public = api.client.get(public).status().await;
    assert_eq!(public, 404, "the admin interface has its own port");
    let url = format!("{}/scene", api.emulator.admin_url());
    for (name, value, expected) in [
        (header::HOST, "evil.example:8789", 403),
        (header::HOST, "intranet", 403),
        (header::ORIGIN, "http://127.0.0.1:8789", 403),
        (header::HOST, "localhost:8789", 200),
        (header::HOST, "[::1]:8789", 200),
        (header::HOST, "192.0.2.7", 200),
    ] {
        let request = api.client.get(&url).header(&name, value);
        assert_eq!(request.status().await, expected, "{name}: {value}");
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
            let bytes = api.client.get(url).download().await;
            let picture = image::load_from_memory(&bytes).unwrap();
            assert_eq!((picture.width(), picture.height()), (176, 176));
        }
    }
    assert_eq!(assets.len(), 2);
    let missing = format!("{}/avatars/voice_public", api.base_url);
    assert_eq!(api.client.get(missing).status().await, 404);
}
