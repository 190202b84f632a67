//! Tasks that are followed, over real connections.

use std::time::Duration;

use crate::gateway::{Gateway, event, record};
use futures_util::StreamExt;
use mediagate::request::TextToImage;
use mediagate::{Client, ErrorKind, SavedTask, Task};
use serde_json::json;

const EVENTS: &str = "GET /api/app/v1/tasks";
const POLL: &str = "GET /api/app/v1/generate/tasks/task%2F1";

async fn created(gateway: &Gateway) -> (Client, Task) {
    let client = Client::connect(&gateway.url)
        .token("token-1")
        .await
        .unwrap();
    let task = client
        .text_to_image(TextToImage::new("a lighthouse"))
        .await
        .unwrap();
    (client, task)
}

#[tokio::test]
async fn updates_are_a_stream_whatever_its_chunks() {
    let text = [
        event("PROCESSING"),
        ":\n\n".into(),
        event("\u{e4}\u{20ac}\u{1d11e}"),
        event("SUCCEEDED"),
    ]
    .concat();
    for size in [1, 3, 7, 10_000] {
        let gateway = Gateway::start().await;
        gateway.stream(&text.as_bytes().chunks(size).collect::<Vec<_>>());
        let (_client, task) = created(&gateway).await;
        let updates: Vec<_> = task
            .updates()
            .map(|update| update.unwrap().state.unwrap())
            .collect()
            .await;
        assert_eq!(
            (updates[0].as_str(), updates.last().unwrap().as_str()),
            ("QUEUED", "SUCCEEDED"),
            "{size}"
        );
        if size < 10_000 {
            assert_eq!(
                updates,
                [
                    "QUEUED",
                    "PROCESSING",
                    "\u{e4}\u{20ac}\u{1d11e}",
                    "SUCCEEDED"
                ],
                "{size}"
            );
        }
        assert!(task.snapshot().has_succeeded());
        assert!(gateway.seen(POLL).is_empty());
        gateway.aborted(1).await;
    }
}

#[tokio::test]
async fn a_task_without_a_stream_is_polled() {
    let gateway = Gateway::start().await;
    gateway.records([record("PROCESSING"), record("SUCCEEDED")]);
    let (_client, task) = created(&gateway).await;
    let done = task.done().await.unwrap();
    assert!(done.has_ended());
    assert_eq!(
        done.outputs[0].url.as_deref(),
        Some("https://media.example.com/1.mp4")
    );
    assert_eq!(
        (done.outputs[0].kind.as_deref(), done.capability.as_str()),
        (Some("video"), "text_to_image")
    );
    assert_eq!(gateway.seen(POLL).len(), 2);
}

#[tokio::test]
async fn a_task_that_fails_is_an_error_with_its_snapshot() {
    let gateway = Gateway::start().await;
    gateway.records([record("FAILED")]);
    let (_client, task) = created(&gateway).await;
    let error = task.done().await.unwrap_err();
    let report = error.report();
    assert_eq!(error.kind(), ErrorKind::Task, "{error:?}");
    assert_eq!(
        report.task.as_ref().unwrap().state.as_deref(),
        Some("FAILED")
    );
    assert_eq!(report.code, "task_failed");
}

#[tokio::test]
async fn a_task_has_its_warnings_and_the_reason_of_its_failure() {
    let gateway = Gateway::start().await;
    let mut failed = record("FAILED");
    failed["warnings"] = json!(["seed was ignored"]);
    failed["error"] = json!({ "message": "no faces", "reason": "content_refused" });
    gateway.records([failed]);
    let (_client, task) = created(&gateway).await;
    let error = task.done().await.unwrap_err();
    let report = error.report();
    assert_eq!(report.reason.as_deref(), Some("content_refused"));
    assert_eq!(report.message, "the task failed: no faces");
    assert_eq!(report.task.as_ref().unwrap().warnings, ["seed was ignored"]);
}

#[tokio::test]
async fn a_saved_task_is_restored() {
    let gateway = Gateway::start().await;
    let (client, task) = created(&gateway).await;
    let text = serde_json::to_string(&task).unwrap();
    assert_eq!(text, r#"{"id":"task/1","capability":"text_to_image"}"#);
    drop((client, task));
    let client = Client::connect(&gateway.url)
        .token("token-1")
        .await
        .unwrap();
    let saved: SavedTask = serde_json::from_str(&text).unwrap();
    let task = client.restore(saved).unwrap();
    assert_eq!(task.snapshot().state, None);
    assert_eq!(
        task.refresh().await.unwrap().state.as_deref(),
        Some("SUCCEEDED")
    );
    assert_eq!(task.snapshot().state.as_deref(), Some("SUCCEEDED"));
    let unknown = serde_json::from_str(r#"{"id":"1","capability":"no_such_thing"}"#).unwrap();
    assert!(
        client
            .restore(unknown)
            .is_err_and(|error| error.kind() == ErrorKind::InvalidArgument)
    );
}

#[tokio::test]
async fn dropping_what_follows_a_task_closes_its_stream() {
    let gateway = Gateway::start().await;
    gateway.stream(&[event("PROCESSING").as_bytes()]);
    gateway.stream(&[event("PROCESSING").as_bytes()]);
    let (_client, task) = created(&gateway).await;
    let mut updates = task.updates();
    while updates.next().await.unwrap().unwrap().state.as_deref() != Some("PROCESSING") {}
    // A wait that ends leaves the stream to the remaining followers of the task.
    tokio::time::timeout(Duration::from_millis(50), task.done().into_future())
        .await
        .unwrap_err();
    tokio::time::timeout(Duration::from_millis(50), updates.next())
        .await
        .unwrap_err();
    assert_eq!(gateway.seen(EVENTS).len(), 1);
    drop(updates);
    gateway.aborted(1).await;
    let error = task
        .done()
        .timeout(Duration::from_secs(1))
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TimedOut, "{error:?}");
    gateway.aborted(2).await;
}

#[tokio::test]
async fn a_task_outlives_its_client() {
    let gateway = Gateway::start().await;
    let (client, task) = created(&gateway).await;
    drop(client);
    assert!(task.done().await.unwrap().has_succeeded());
}
