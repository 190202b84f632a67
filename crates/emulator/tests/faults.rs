//! Tests of the scene's list of faults. `hostile.rs` tests directives in titles.
use std::time::{Duration, Instant};

use crate::support::{Api, Sent, sample, start_with};
use mediagate_core::FileKind;
use reqwest::{Method, header};
use serde_json::{Value, json};

const DRAW: &str = "generate/image/text_to_image";

fn small() -> Value {
    json!({ "prompt": "x", "width": 32, "height": 32 })
}

async fn start_faulty(faults: Value) -> Api {
    start_with(|config| config.scene = json!({ "faults": faults })).await
}

#[tokio::test]
async fn a_late_fault_replaces_the_response_of_a_request_that_was_served() {
    let api = start_faulty(json!([{ "path": DRAW, "do": "reset late", "times": 1 }])).await;
    let scene = || api.admin(Method::GET, "scene", Value::Null);
    let credits = async || scene().await.1["credits"].as_u64().unwrap();
    let before = credits().await;
    let create = api.request(Method::POST, DRAW, Some(&small()));
    assert!(create.send().await.is_err());
    assert_eq!(before - credits().await, 4, "it was charged");
    let by_title = json!({ "prompt": "x", "title": "emulate: html late" });
    let request = api.request(Method::POST, DRAW, Some(&by_title));
    assert_eq!(request.status().await, 502);
    assert_eq!(before - credits().await, 8);
}

#[tokio::test]
async fn responses_are_slow_or_arrive_in_pieces() {
    let api = start_faulty(json!([
        { "path": "models", "do": "drip=1" },
        { "path": "upload_urls", "do": "slow=200 jitter=50" },
    ]))
    .await;
    let mut response = api.request(Method::GET, "models", None).sent().await;
    let mut pieces = Vec::new();
    while let Some(piece) = response.chunk().await.unwrap() {
        pieces.push(piece);
    }
    assert!(pieces.len() > 10, "{} pieces", pieces.len());
    let whole: Value = serde_json::from_slice(&pieces.concat()).unwrap();
    assert_eq!(whole["code"], 0, "all of it arrives");
    let started = Instant::now();
    assert_eq!(api.code("upload_urls", json!({})).await, 12);
    assert!(started.elapsed() >= Duration::from_millis(200));
}

#[tokio::test]
async fn tasks_have_unknown_states_numeric_ids_and_states_out_of_order() {
    let directive = "out-of-order numeric-id state=DREAMING";
    let fault = json!({ "path": "generate/*", "method": "POST", "do": directive });
    let api = start_faulty(json!([fault])).await;
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
    let api = start_faulty(json!([
        { "path": "uploads/*", "do": "status=503", "times": 1 },
        { "path": "files/*", "do": "cut", "times": 1 },
    ]))
    .await;
    let (url, _) = api.upload_url(4).await;
    let preflight = (api.client.request(Method::OPTIONS, &url))
        .header(header::ORIGIN, "http://a.example")
        .header(header::ACCESS_CONTROL_REQUEST_METHOD, "PUT");
    assert_eq!(preflight.status().await, 200, "does not count as a request");
    let put = || api.client.put(&url).body("1234");
    let failed = put()
        .header(header::ORIGIN, "http://a.example")
        .sent()
        .await;
    assert_eq!(failed.status(), 503);
    assert_eq!(failed.headers()[header::ACCESS_CONTROL_ALLOW_ORIGIN], "*");
    assert_eq!(put().status().await, 200);

    let file_id = api.upload(sample(FileKind::Image)).await;
    let body = json!({ "file_id": file_id });
    let task = api.finished("process/image/background_removal", body).await;
    let url = task["output_url"].as_str().unwrap();
    let get = async || api.client.get(url).sent().await.bytes().await;
    assert!(get().await.is_err());
    assert!(get().await.unwrap().starts_with(b"\x89PNG"));
}
