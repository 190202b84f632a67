//! Tasks that are followed, over real connections.

use std::time::Duration;

use crate::gateway::{Gateway, event, record};
use futures_util::StreamExt;
use mediagate::{ErrorKind, SavedTask};
use serde_json::json;

const EVENTS: &str = "GET /api/app/v1/tasks";
const POLL: &str = "GET /api/app/v1/generate/tasks/task%2F1";

#[tokio::test]
async fn updates_are_a_stream_whose_chunks_cut_characters() {
    let text = [
        event("PROCESSING"),
        ":\n\n".into(),
        event("\u{e4}\u{20ac}\u{1d11e}"),
        event("SUCCEEDED"),
    ]
    .concat();
    let gateway = Gateway::start().await;
    gateway.stream(&text.as_bytes().chunks(3).collect::<Vec<_>>());
    let (_client, task) = gateway.created().await;
    let updates: Vec<_> = task
        .updates()
        .map(|update| update.unwrap().state.unwrap())
        .collect()
        .await;
    assert_eq!(
        updates,
        [
            "QUEUED",
            "PROCESSING",
            "\u{e4}\u{20ac}\u{1d11e}",
            "SUCCEEDED"
        ]
    );
    assert!(task.snapshot().has_succeeded());
    assert!(gateway.seen(POLL).is_empty());
    gateway.aborted(1).await;
}

#[tokio::test]
async fn a_task_has_its_warnings_and_the_reason_of_its_failure() {
    let gateway = Gateway::start().await;
    let mut failed = record("FAILED");
    failed["warnings"] = json!(["seed was ignored"]);
    failed["error"] = json!({ "message": "no faces", "reason": "content_refused" });
    gateway.records([failed]);
    let (_client, task) = gateway.created().await;
    let error = task.done().await.unwrap_err();
    let report = error.report();
    assert_eq!(error.kind(), ErrorKind::Task, "{error:?}");
    assert_eq!(report.code, "task_failed");
    assert_eq!(report.reason.as_deref(), Some("content_refused"));
    assert_eq!(report.message, "the task failed: no faces");
    let snapshot = report.task.as_ref().unwrap();
    assert_eq!(snapshot.state.as_deref(), Some("FAILED"));
    assert_eq!(snapshot.warnings, ["seed was ignored"]);
}

#[tokio::test]
async fn a_saved_task_is_restored() {
    let gateway = Gateway::start().await;
    let (client, task) = gateway.created().await;
    let text = serde_json::to_string(&task).unwrap();
    assert_eq!(text, r#"{"id":"task/1","capability":"text_to_image"}"#);
    drop((client, task));
    let client = gateway.client().await;
    let saved: SavedTask = serde_json::from_str(&text).unwrap();
    let task = client.restore(saved).unwrap();
    assert_eq!(task.snapshot().state, None);
    let read = task.refresh().await.unwrap();
    assert_eq!(read.state.as_deref(), Some("SUCCEEDED"));
    let output = &read.outputs[0];
    assert_eq!(
        (output.url.as_deref(), output.kind.as_deref()),
        (Some("https://media.example.com/1.mp4"), Some("video"))
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
    let (_client, task) = gateway.created().await;
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
