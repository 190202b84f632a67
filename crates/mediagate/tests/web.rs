//! Tests of the client on a page, in a browser, with a gateway and the emulator behind it. The
//! address of the page names the gateway. `tests/rust/web.test.mjs` starts page, gateway and
//! emulator.

#![cfg(target_family = "wasm")]
#![expect(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use futures_util::future::{Either, select};
use gloo_net::http::Request;
use gloo_timers::future::TimeoutFuture;
use js_sys::{Array, JSON, Uint8Array};
use mediagate::request::{BackgroundRemoval, TextToImage};
use mediagate::{Client, ErrorKind, File, SavedTask};
use serde::Serialize;
use serde_json::json;
use serde_wasm_bindgen::Serializer;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};
use web_sys::UrlSearchParams;

wasm_bindgen_test_configure!(run_in_browser);

fn parameter(name: &str) -> String {
    let search = web_sys::window().unwrap().location().search().unwrap();
    let value = UrlSearchParams::new_with_str(&search).unwrap().get(name);
    value.unwrap_or_else(|| panic!("the page's address has no {name}"))
}

async fn connected() -> Client {
    Client::connect(parameter("gateway")).await.unwrap()
}

/// Returns a picture in the form in which a person chooses it: a PNG of one pixel.
fn chosen(name: &str) -> web_sys::File {
    const PNG: [u8; 67] = [
        137, 80, 78, 71, 13, 10, 26, 10, 0, 0, 0, 13, 73, 72, 68, 82, 0, 0, 0, 1, 0, 0, 0, 1, 8, 0,
        0, 0, 0, 58, 126, 155, 85, 0, 0, 0, 10, 73, 68, 65, 84, 8, 215, 99, 96, 0, 0, 0, 2, 0, 1,
        226, 33, 188, 51, 0, 0, 0, 0, 73, 69, 78, 68, 174, 66, 96, 130,
    ];
    let parts = Array::of1(&Uint8Array::from(&PNG[..]));
    web_sys::File::new_with_u8_array_sequence(&parts, name).unwrap()
}

#[wasm_bindgen_test]
async fn a_chosen_file_is_uploaded_with_progress_and_becomes_a_result() {
    let client = connected().await;
    let file = File::from(chosen("dot.png"));
    assert_eq!(
        (file.name(), file.media_type(), file.size()),
        ("dot.png", "image/png", 67)
    );
    // A page's callbacks share its state without locks.
    let progress = Rc::new(RefCell::new(Vec::new()));
    let noticed = progress.clone();
    let id = client
        .upload(&file)
        .progress(move |sent| noticed.borrow_mut().push((sent.loaded, sent.total)))
        .await
        .unwrap();
    assert_eq!(progress.borrow().last(), Some(&(67, 67)));
    let task = client
        .background_removal(BackgroundRemoval::new(&file))
        .await
        .unwrap();
    let done = task.done().await.unwrap();
    assert!(done.has_succeeded());
    let url = done.outputs[0].url.clone().unwrap();
    assert!(url.starts_with("http"), "{url}");
    // A file is uploaded only once.
    assert_eq!(client.upload(&file).await.unwrap(), id);
}

#[wasm_bindgen_test]
async fn updates_end_with_the_last_state() {
    let client = connected().await;
    let task = client
        .text_to_image(TextToImage::new("a lighthouse at dusk"))
        .await
        .unwrap();
    let mut updates = task.updates();
    let mut states = Vec::new();
    while let Some(update) = updates.next().await {
        states.push(update.unwrap().state.unwrap_or_default());
    }
    assert_eq!(
        states.last().map(String::as_str),
        Some("SUCCEEDED"),
        "{states:?}"
    );
    assert!(states.len() > 1, "{states:?}");
}

#[wasm_bindgen_test]
async fn another_client_of_the_page_has_the_same_session() {
    let task = connected()
        .await
        .text_to_image(TextToImage::new("a lighthouse"))
        .await
        .unwrap();
    let text = serde_json::to_string(&task).unwrap();
    drop(task);
    let saved: SavedTask = serde_json::from_str(&text).unwrap();
    let restored = connected().await.restore(saved).unwrap();
    assert!(restored.done().await.unwrap().has_succeeded());
}

#[wasm_bindgen_test]
async fn a_snapshot_crosses_to_javascript_as_plain_objects() {
    let client = connected().await;
    let task = client
        .text_to_image(TextToImage::new("a lighthouse"))
        .await
        .unwrap();
    let done = task.done().await.unwrap();
    let value = done.serialize(&Serializer::json_compatible()).unwrap();
    let text: String = JSON::stringify(&value).unwrap().into();
    let read: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(read["state"], json!("SUCCEEDED"));
    assert_eq!(read["outputs"][0]["url"], json!(done.outputs[0].url));
}

#[wasm_bindgen_test]
async fn a_server_that_does_not_allow_the_page_is_named_as_such() {
    let client = Client::connect(format!("{}/foreign", parameter("other")))
        .token("token")
        .await
        .unwrap();
    let error = client.models().max_retries(0).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Network, "{error:?}");
    let report = error.report();
    assert!(
        report
            .hint
            .as_deref()
            .unwrap_or_default()
            .contains("ALLOWED_ORIGINS"),
        "{report:?}"
    );
}

#[wasm_bindgen_test]
async fn dropping_a_future_aborts_its_request() {
    let other = parameter("other");
    let client = Client::connect(format!("{other}/silent"))
        .token("token")
        .await
        .unwrap();
    let models = client.models().into_future();
    let Either::Right((_, models)) = select(models, TimeoutFuture::new(500)).await else {
        panic!("a response came")
    };
    assert_eq!(aborted(&other).await, 0);
    drop(models);
    while aborted(&other).await == 0 {
        TimeoutFuture::new(50).await;
    }
}

async fn aborted(other: &str) -> u32 {
    count(other, "aborted").await
}

async fn count(other: &str, name: &str) -> u32 {
    let response = Request::get(&format!("{other}/{name}"))
        .send()
        .await
        .unwrap();
    response.text().await.unwrap().parse().unwrap()
}

#[wasm_bindgen_test]
async fn a_redirect_is_an_error_and_is_not_followed_with_an_input() {
    let other = parameter("other");
    let client = Client::connect(format!("{other}/redirect"))
        .token("token")
        .await
        .unwrap();
    let create = client.text_to_image(TextToImage::new("secret"));
    let error = create.max_retries(2).await.unwrap_err();
    assert_eq!(error.report().status, Some(302), "{error:?}");
    assert_eq!(count(&other, "followed").await, 0);
    // A page cannot keep the browser from following the redirect of an upload. The file does not
    // count as stored.
    let upload = client.upload(File::from_bytes("a.png", b"bytes".to_vec()));
    let error = upload.max_retries(0).await.unwrap_err();
    assert_eq!(error.report().status, Some(302), "{error:?}");
}

#[wasm_bindgen_test]
async fn a_wait_ends_in_time_and_the_task_goes_on() {
    let client = connected().await;
    let task = client
        .text_to_image(TextToImage::new("a lighthouse"))
        .await
        .unwrap();
    let error = task
        .done()
        .timeout(Duration::from_millis(1))
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TimedOut, "{error:?}");
    assert!(task.done().await.unwrap().has_succeeded());
}

#[wasm_bindgen_test]
async fn a_token_comes_from_the_pages_own_function() {
    let calls = Rc::new(RefCell::new(0));
    let counted = calls.clone();
    let provider = move || {
        let counted = counted.clone();
        async move {
            *counted.borrow_mut() += 1;
            Err::<String, _>("there is no backend here")
        }
    };
    let client = Client::connect(parameter("gateway"))
        .token_provider(provider)
        .await
        .unwrap();
    let error = client.models().max_retries(0).await.unwrap_err();
    assert!(
        error
            .report()
            .cause
            .as_ref()
            .is_some_and(|cause| cause.to_string().contains("no backend")),
        "{error:?}"
    );
    assert!(*calls.borrow() > 0);
}
