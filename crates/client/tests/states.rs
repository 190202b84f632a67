//! The states of a create before its response.

use std::sync::{Arc, Mutex};

use mediagate_client::{CreateState, Listeners, StepInput};
use serde_json::{Value as Json, json};

use crate::script::*;
use crate::world::{BoxFuture, Tab, pause};

const URLS: &str = "POST upload_urls";
const PUT: &str = "PUT https://s.test/1";
const FILES: &str = "POST files";
const CREATE: &str = "POST process/asset/merge_pdf";
const READ: &str = "GET process/tasks/k%2F1";

type Limits = mediagate_client::Limits<Tab>;
type Seen = Arc<Mutex<Vec<(&'static str, u64)>>>;

/// Returns limits with a listener that takes 50 ms and returns `result`, and a list of the states
/// that it receives. With each state is the number of create requests that were sent before.
fn listening(page: &Arc<Page>, result: Result<(), &'static str>) -> (Limits, Seen) {
    let seen = Seen::default();
    let into = seen.clone();
    let page = page.clone();
    let on_state = move |state: CreateState| -> BoxFuture<'static, _> {
        let creates = page.lines().iter().filter(|line| *line == CREATE).count();
        into.lock().unwrap().push((state.name(), creates as u64));
        Box::pin(async move {
            pause(50).await;
            result.map(|()| Json::Null.into())
        })
    };
    let limits = Limits {
        listeners: Listeners {
            on_progress: None,
            on_state: Some(Arc::new(on_state)),
        },
        ..limits()
    };
    (limits, seen)
}

fn names(seen: &Seen) -> Vec<&'static str> {
    seen.lock().unwrap().iter().map(|(name, _)| *name).collect()
}

fn page() -> Arc<Page> {
    let page = Page::new();
    page.always("GET tasks/k%2F1/events", text(404));
    let target = json!({ "upload_url": "https://s.test/1", "file_id": "f-1" });
    page.always(URLS, data(target));
    page.always(FILES, data(json!({ "file_id": "f-2" })).after(100));
    page.always(CREATE, state("QUEUED"));
    Arc::new(page)
}

fn ended() -> Answer {
    let outputs = json!([{ "url": "https://out.test/1", "kind": "pdf" }]);
    data(json!({ "task": { "id": "k/1", "state": "SUCCEEDED", "outputs": outputs } }))
}

fn task() -> Json {
    json!({ "id": "k/1", "capability": "split_pdf" })
}

fn output() -> Json {
    json!({ "task_id": "k/2", "output": 0, "url": "https://out.test/2", "kind": "pdf" })
}

/// Creates a merge of documents, and returns the states.
async fn merge(page: &Arc<Page>, all: Json) -> Vec<&'static str> {
    let (limits, seen) = listening(page, Ok(()));
    let all = input(
        json!({ "input_file_ids": all }),
        &[file("a.pdf", "application/pdf")],
    );
    let client = page.client();
    let create = client.create(capability("merge_pdf"), all, "k".into(), limits);
    create.await.ok().unwrap();
    page.assert_rest().await;
    names(&seen)
}

#[tokio::test(start_paused = true)]
async fn a_create_has_the_first_state_of_all_its_sources() {
    // The upload ends before the task, and after it.
    for (upload_ms, expected) in [
        (1, &["waiting", "moving", "sending"][..]),
        (20_000, &["waiting", "uploading", "moving", "sending"]),
    ] {
        let page = page();
        page.on(PUT, [text(200).after(upload_ms)]);
        page.on(READ, [state("RUNNING"), ended()]);
        page.on(FILES, [data(json!({ "file_id": "f-3" })).after(30_000)]);
        assert_eq!(
            merge(&page, json!(["#0", output(), task()])).await,
            expected
        );
    }
    let page = page();
    page.on(PUT, [text(200).after(5_000)]);
    assert_eq!(
        merge(&page, json!([output(), "#0"])).await,
        ["uploading", "sending"]
    );
}

#[tokio::test(start_paused = true)]
async fn a_source_without_work_has_no_state() {
    let page = page();
    assert_eq!(merge(&page, json!(["a", "b"])).await, ["sending"]);
    let client = page.client();
    page.on(PUT, [text(200)]);
    page.on(READ, [ended()]);
    let known = file("a.pdf", "application/pdf");
    client
        .upload(known.clone(), None, limits())
        .await
        .ok()
        .unwrap();
    let awaited = client.task("k/1".into(), capability("split_pdf"));
    awaited.done(limits()).await.ok().unwrap();
    let (limits, seen) = listening(&page, Ok(()));
    let all = input(json!({ "input_file_ids": ["#0", task()] }), &[known]);
    let create = client.create(capability("merge_pdf"), all, "k".into(), limits);
    create.await.ok().unwrap();
    assert_eq!(names(&seen), ["moving", "sending"]);
}

#[tokio::test(start_paused = true)]
async fn sending_is_reported_once_and_awaited_before_the_first_request() {
    let page = page();
    page.on(CREATE, [lost(), text(502), state("QUEUED")]);
    let (limits, seen) = listening(&page, Ok(()));
    let all = input(json!({ "input_file_ids": ["a", "b"] }), &[]);
    let client = page.client();
    let create = client.create(capability("merge_pdf"), all, "k".into(), limits);
    create.await.ok().unwrap();
    assert_eq!(*seen.lock().unwrap(), [("sending", 0)]);
    assert_eq!(page.sent().len(), 3);
    assert_eq!(page.sent()[0].at, 50);
}

#[tokio::test(start_paused = true)]
async fn an_error_of_the_listener_ends_only_a_create_that_would_be_sent() {
    let page = page();
    page.on(PUT, [text(200)]);
    let (limits, seen) = listening(&page, Err("full"));
    let all = input(
        json!({ "input_file_ids": ["#0", "b"] }),
        &[file("a.pdf", "application/pdf")],
    );
    let client = page.client();
    let create = client.create(capability("merge_pdf"), all, "k".into(), limits);
    let error = create.await.err().unwrap();
    assert_eq!(
        (
            error.kind.name(),
            error.outcome.unwrap().name(),
            error.cause
        ),
        ("aborted", "not_sent", Some("full"))
    );
    assert_eq!(names(&seen), ["uploading", "sending"]);
    assert!(page.lines().iter().all(|line| line != CREATE));
    page.assert_rest().await;
}

#[tokio::test(start_paused = true)]
async fn a_timeout_ends_the_wait_for_the_listener() {
    let page = page();
    let (mut limits, _) = listening(&page, Ok(()));
    limits.timeout_ms = Some(40);
    let all = input(json!({ "input_file_ids": ["a", "b"] }), &[]);
    let client = page.client();
    let create = client.create(capability("merge_pdf"), all, "k".into(), limits);
    assert_eq!(failure(create.await), ("timeout", Some("not_sent")));
    assert_eq!(page.sent().len(), 0);
}

#[tokio::test(start_paused = true)]
async fn the_steps_of_a_pipeline_have_one_state() {
    let page = page();
    page.on(PUT, [text(200).after(5_000)]);
    page.on(
        "POST pipelines",
        [data(
            json!({ "pipeline": { "id": "p/1", "state": "RUNNING" } }),
        )],
    );
    let (limits, seen) = listening(&page, Ok(()));
    let step = |name: &str, all: Json| StepInput {
        name: name.into(),
        capability: capability("merge_pdf"),
        input: input(
            json!({ "input_file_ids": all }),
            &[file("a.pdf", "application/pdf")],
        ),
    };
    let steps = [
        step("moved", json!([output(), { "step": "sent" }])),
        step("sent", json!(["#0", "b"])),
    ];
    let client = page.client();
    let start = client.start_pipeline(None, steps.into(), "k".into(), limits);
    start.await.ok().unwrap();
    assert_eq!(names(&seen), ["uploading", "sending"]);
}
