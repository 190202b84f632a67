//! Results of tasks as inputs, and the history, over real connections.

use crate::gateway::{Fault, Gateway, record};
use mediagate::request::OmniReferenceToVideo;
use mediagate::{ErrorKind, FileInput, FileUrl, Outcome};
use serde_json::json;

const FILES: &str = "POST /api/app/v1/files";
const OMNI: &str = "POST /api/app/v1/generate/video/omni_reference_to_video";

fn videos(videos: impl IntoIterator<Item = impl Into<FileInput>>) -> OmniReferenceToVideo {
    OmniReferenceToVideo::new("they meet").video_file_ids(videos)
}

#[tokio::test]
async fn a_task_in_a_request_is_waited_for_and_its_output_moved() {
    let gateway = Gateway::start().await;
    let mut ended = record("SUCCEEDED");
    ended["outputs"] = json!(["odd", { "url": "https://out.test/1", "kind": "video" }]);
    gateway.records([record("PROCESSING"), ended]);
    let (client, task) = gateway.created().await;
    client
        .omni_reference_to_video(videos([&task]))
        .await
        .unwrap();
    assert_eq!(
        gateway.seen(FILES)[0].json(),
        json!({ "task_id": "task/1", "output": 1 })
    );
    assert_eq!(
        gateway.seen(OMNI)[0].json(),
        json!({ "prompt": "they meet", "video_file_ids": ["moved"] })
    );
    // An output of an unknown form is left out, and the others keep their positions.
    let outputs = &task.snapshot().outputs;
    assert_eq!(
        (
            outputs.len(),
            outputs[0].output,
            outputs[0].task_id.as_str()
        ),
        (1, 1, "task/1")
    );
}

#[tokio::test]
async fn an_output_of_a_snapshot_is_an_input() {
    let gateway = Gateway::start().await;
    let (client, task) = gateway.created().await;
    let done = task.done().await.unwrap();
    assert!(done.has_ended() && !mediagate::TaskSnapshot::default().has_ended());
    let request = videos([
        FileInput::from("file_9"),
        (&done.outputs[0]).into(),
        (&done).into(),
        task.saved().into(),
    ]);
    client.omni_reference_to_video(request).await.unwrap();
    assert_eq!(gateway.seen(FILES).len(), 3);
    assert!(
        gateway
            .seen(FILES)
            .iter()
            .all(|seen| seen.json() == json!({ "task_id": "task/1", "output": 0 }))
    );
    assert_eq!(
        gateway.seen(OMNI)[0].json()["video_file_ids"],
        json!(["file_9", "moved", "moved", "moved"])
    );
    // As JSON, such as from a page, and for an estimate.
    let input = json!({ "prompt": "p", "video_file_ids": [task, done.outputs[0]] });
    client
        .create_json("omni_reference_to_video", input)
        .await
        .unwrap();
    assert_eq!(
        gateway.seen(OMNI)[1].json()["video_file_ids"],
        json!(["moved", "moved"])
    );
    client.estimate(videos([&task])).await.unwrap();
    let estimate = gateway.seen("POST /api/app/v1/credits/estimate")[0].json();
    assert_eq!(estimate["input"]["video_file_ids"], json!(["moved"]));
}

#[tokio::test]
async fn a_url_is_moved_and_a_data_uri_is_uploaded() {
    const PIXEL: &str = "data:video/mp4;base64,AAEC";
    let gateway = Gateway::start().await;
    let client = gateway.client().await;
    let url = FileUrl::new("https://cdn.test/a");
    let request = videos([
        FileInput::from(url.clone().with_media_type("video/mp4")),
        url.into(),
        PIXEL.into(),
        FileUrl::new(PIXEL).into(),
    ]);
    // As JSON, such as from a page.
    let json = serde_json::to_value(&request).unwrap();
    client.omni_reference_to_video(request).await.unwrap();
    let read: OmniReferenceToVideo = serde_json::from_value(json.clone()).unwrap();
    client.omni_reference_to_video(read).await.unwrap();
    client
        .create_json("omni_reference_to_video", json)
        .await
        .unwrap();
    for sent in gateway.seen(OMNI) {
        let ids = sent.json()["video_file_ids"].clone();
        assert_eq!(ids.as_array().map(Vec::len), Some(4), "{ids}");
        assert_eq!(ids[0], "moved", "{ids}");
        assert_ne!(ids[2], "moved", "{ids}");
    }
    let moved: Vec<_> = gateway.seen(FILES).iter().map(|seen| seen.json()).collect();
    assert_eq!(moved.len(), 6);
    assert!(moved.contains(&json!({
        "url": "https://cdn.test/a", "content_type": "video/mp4", "kind": "video",
    })));
    assert!(moved.contains(&json!({ "url": "https://cdn.test/a", "kind": "video" })));
    let uploads = gateway.seen("POST /api/app/v1/upload_urls");
    assert_eq!(uploads.len(), 6);
    assert!(uploads.iter().all(|seen| {
        seen.json() == json!({ "file_name": "file.mp4", "content_type": "video/mp4", "size": 3 })
    }));
}

#[tokio::test]
async fn the_history_is_listed_page_by_page() {
    let gateway = Gateway::start().await;
    let (client, _) = gateway.created().await;
    let ended = json!({
        "id": "task/1", "capability": "text_to_image", "title": "my words", "state": "SUCCEEDED",
        "outputs": [{ "url": "https://out.test/1", "kind": "video" }],
        "created_at": "2026-11-25T00:00:00Z", "ended_at": "2026-11-25T00:01:00Z", "later": 1,
    });
    let failed = json!({
        "id": "b", "capability": "split_video", "state": "FAILED", "outputs": [],
        "created_at": "2026-11-24T00:00:00Z", "error": { "message": "too long", "code": 1404 },
    });
    let lost = json!({ "id": "c", "capability": "split_pdf", "created_at": "2026-11-23T00:00:00Z", "outcome": "unknown" });
    gateway.history(json!({ "tasks": [ended, failed, lost, 7], "cursor": "a/b" }));
    let page = client.tasks().limit(20).cursor("x y").await.unwrap();
    assert_eq!(
        gateway.seen("GET /api/app/v1/tasks")[0].line,
        "GET /api/app/v1/tasks?limit=20&cursor=x+y"
    );
    assert_eq!((page.tasks.len(), page.cursor.as_deref()), (3, Some("a/b")));
    let [ended, failed, lost] = &page.tasks[..] else {
        panic!("{page:?}")
    };
    assert_eq!(
        (ended.title.as_deref(), ended.state.as_deref()),
        (Some("my words"), Some("SUCCEEDED"))
    );
    assert_eq!(
        (ended.ended_at.as_deref(), ended.created_at.as_str()),
        (Some("2026-11-25T00:01:00Z"), "2026-11-25T00:00:00Z")
    );
    assert_eq!(
        (ended.outputs[0].task_id.as_str(), ended.outputs[0].output),
        ("task/1", 0)
    );
    let error = failed.error.as_ref().unwrap();
    assert_eq!(
        (error.message.as_deref(), &error.code),
        (Some("too long"), &json!(1404))
    );
    assert_eq!(
        (lost.outcome, lost.state.as_deref()),
        (Some(Outcome::Unknown), None)
    );
    assert!(!format!("{page:?}").contains("my words"));
    // An entry can be an input like its task, and restores the task.
    client
        .omni_reference_to_video(videos([ended]))
        .await
        .unwrap();
    assert_eq!(
        gateway.seen(OMNI)[0].json()["video_file_ids"],
        json!(["moved"])
    );
    let task = client.restore(ended.saved()).unwrap();
    assert_eq!(
        (task.id().as_str(), task.capability().as_str()),
        ("task/1", "text_to_image")
    );

    gateway.history(json!({ "tasks": [] }));
    let page = client.tasks().await.unwrap();
    assert_eq!((page.tasks.len(), page.cursor), (0, None));
    assert_eq!(
        gateway.seen("GET /api/app/v1/tasks").last().unwrap().line,
        "GET /api/app/v1/tasks"
    );
}

#[tokio::test]
async fn a_task_is_forgotten() {
    const FORGET: &str = "DELETE /api/app/v1/tasks/task%2F1";
    let gateway = Gateway::start().await;
    let (client, task) = gateway.created().await;
    let running = json!({ "code": 12, "message": "it runs", "data": { "reason": "task_running" } });
    gateway.fail(FORGET, Fault::Refusal(409, None, running));
    let error = client.forget(task.id()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidInput, "{error:?}");
    assert_eq!(error.report().reason.as_deref(), Some("task_running"));
    client.forget("task/1").await.unwrap();
    assert_eq!(gateway.seen(FORGET).len(), 2);
    assert!(
        client
            .forget(" ")
            .await
            .is_err_and(|error| error.kind() == ErrorKind::InvalidArgument)
    );
}
