//! Tests of the scene's list of faults. `hostile.rs` tests directives in titles.
use std::time::{Duration, Instant};

use crate::support::{Api, quick, sample, start};
use mediagate_core::FileKind;
use mediagate_emulator::Config;
use reqwest::{Method, StatusCode, header};
use serde_json::{Value, json};

const DRAW: &str = "generate/image/text_to_image";

fn small() -> Value {
    json!({ "prompt": "x", "width": 32, "height": 32 })
}

async fn start_with(faults: Value) -> Api {
    start(Config {
        scene: json!({ "faults": faults }),
        ..quick()
    })
    .await
}

/// Returns the HTTP statuses of this many creates. A create without a response counts as 0.
async fn statuses(api: &Api, times: usize) -> Vec<u16> {
    let mut statuses = Vec::new();
    for _ in 0..times {
        statuses.push(
            api.send(Method::POST, DRAW, Some(&small()))
                .await
                .map_or(0, |response| response.status().as_u16()),
        );
    }
    statuses
}

#[tokio::test]
async fn faults_apply_by_path_and_count() {
    let api = start_with(json!([
        {
            "path": "generate/image/*", "method": "POST",
            "do": "status=503", "after": 1, "times": 2,
        },
        { "path": "generate/image/*", "do": "reset", "times": 1 },
        { "path": "models", "do": "html" },
    ]))
    .await;
    assert_eq!(statuses(&api, 5).await, [0, 503, 503, 200, 200]);
    let (status, envelope) = api.get("generate/tasks/none").await;
    assert_eq!(
        (status, &envelope["code"]),
        (StatusCode::NOT_FOUND, &json!(12)),
        "another path"
    );
    let page = api.send(Method::GET, "models", None).await.unwrap();
    assert_eq!(page.status(), StatusCode::BAD_GATEWAY);
    assert!(page.text().await.unwrap().starts_with("<!doctype html>"));
}

#[tokio::test]
async fn a_seed_repeats_the_random_choices() {
    let rules = json!([{ "path": DRAW, "do": "code=1404", "chance": 0.5 }]);
    let sequence = async |seed: u64| {
        let api = start(Config {
            seed,
            scene: json!({ "faults": rules }),
            ..quick()
        })
        .await;
        statuses(&api, 24).await
    };
    let first = sequence(3).await;
    assert!(first.contains(&200) && first.contains(&502), "{first:?}");
    assert_eq!(sequence(3).await, first);
    assert_ne!(sequence(4).await, first);
}

#[tokio::test]
async fn a_late_fault_replaces_the_response_of_a_request_that_was_served() {
    let api = start_with(json!([{ "path": DRAW, "do": "reset late", "times": 1 }])).await;
    let credits = async || {
        api.admin(Method::GET, "scene", None).await.1["credits"]
            .as_u64()
            .unwrap()
    };
    let before = credits().await;
    assert_eq!(statuses(&api, 1).await, [0]);
    assert_eq!(before - credits().await, 4, "it was charged");
    let by_title = json!({ "prompt": "x", "title": "emulate: html late" });
    assert_eq!(
        api.send(Method::POST, DRAW, Some(&by_title))
            .await
            .unwrap()
            .status(),
        StatusCode::BAD_GATEWAY
    );
    assert_eq!(before - credits().await, 8);
}

#[tokio::test]
async fn responses_are_slow_or_arrive_in_pieces() {
    let api = start_with(json!([
        { "path": "models", "do": "drip=1" },
        { "path": "upload_urls", "do": "slow=200 jitter=50" },
    ]))
    .await;
    let mut response = api.send(Method::GET, "models", None).await.unwrap();
    let mut pieces = Vec::new();
    while let Some(piece) = response.chunk().await.unwrap() {
        pieces.push(piece);
    }
    assert!(pieces.len() > 10, "{} pieces", pieces.len());
    assert_eq!(
        serde_json::from_slice::<Value>(&pieces.concat()).unwrap()["code"],
        0,
        "all of it arrives"
    );
    let started = Instant::now();
    assert_eq!(api.code("upload_urls", json!({})).await, 12);
    assert!(started.elapsed() >= Duration::from_millis(200));
}

#[tokio::test]
async fn tasks_have_unknown_states_numeric_ids_and_states_out_of_order() {
    let directive = "out-of-order numeric-id state=DREAMING";
    let fault = json!({ "path": "generate/*", "method": "POST", "do": directive });
    let api = start_with(json!([fault])).await;
    let (_, created) = api.post(DRAW, small()).await;
    let id = created["data"]["task"]["id"].as_u64().unwrap();
    let mut states = Vec::new();
    let mut progress = Vec::new();
    // Once the work has ended, the state alternates.
    while states.iter().filter(|state| *state == "SUCCEEDED").count() < 3 {
        let task = api.get(&format!("generate/tasks/{id}")).await.1["data"]["task"].clone();
        states.push(task["status"].as_str().unwrap().to_owned());
        progress.push(task["progress"].as_f64().unwrap());
        tokio::task::yield_now().await;
    }
    assert!(states.contains(&"DREAMING".into()), "{states:?}");
    let ended = states
        .iter()
        .position(|state| state == "SUCCEEDED")
        .unwrap();
    assert!(
        states[ended..].contains(&"DREAMING".into()),
        "an earlier state after the end: {states:?}"
    );
    assert!(!progress.is_sorted(), "{progress:?}");
}

#[tokio::test]
async fn faults_of_uploads_and_results_have_cors_headers() {
    let api = start_with(json!([
        { "path": "uploads/*", "do": "status=503", "times": 1 },
        { "path": "files/*", "do": "cut", "times": 1 },
    ]))
    .await;
    let body = json!({ "file_name": "a", "content_type": "image/png", "size": 4 });
    let (_, envelope) = api.post("upload_urls", body).await;
    let url = envelope["data"]["upload_url"].as_str().unwrap();
    let preflight = api
        .client
        .request(Method::OPTIONS, url)
        .header(header::ORIGIN, "http://a.example");
    let preflight = preflight
        .header(header::ACCESS_CONTROL_REQUEST_METHOD, "PUT")
        .send()
        .await
        .unwrap();
    assert!(
        preflight.status().is_success(),
        "a preflight does not count as a request"
    );
    let failed = api
        .client
        .put(url)
        .body("1234")
        .header(header::ORIGIN, "http://a.example")
        .send()
        .await
        .unwrap();
    assert_eq!(failed.status(), StatusCode::SERVICE_UNAVAILABLE);
    assert!(
        failed
            .headers()
            .contains_key(header::ACCESS_CONTROL_ALLOW_ORIGIN)
    );
    assert_eq!(
        api.client
            .put(url)
            .body("1234")
            .send()
            .await
            .unwrap()
            .status(),
        StatusCode::OK
    );

    let file_id = api.upload(sample(FileKind::Image)).await;
    let task = api
        .finished(
            "process/image/background_removal",
            json!({ "file_id": file_id }),
        )
        .await;
    let get = async || {
        api.client
            .get(task["output_url"].as_str().unwrap())
            .send()
            .await
            .unwrap()
            .bytes()
            .await
    };
    assert!(get().await.is_err());
    assert!(get().await.unwrap().starts_with(b"\x89PNG"));
}
