//! Pipelines, and the history.

use mediagate_client::{RetryPolicy, StepInput, TaskHandle};
use serde_json::{Value as Json, json};

use crate::script::*;
use crate::world::{Error, Tab, pause};

const START: &str = "POST pipelines";
const READ: &str = "GET pipelines/p%2F1";
const EVENTS: &str = "GET pipelines/p%2F1/events";
const RESUME: &str = "POST pipelines/p%2F1/resume";

fn record(state: &str) -> Json {
    json!({ "pipeline": { "id": "p/1", "state": state } })
}

fn pipeline(state: &str) -> Answer {
    data(record(state))
}

async fn start(page: &Page, steps: Json) -> Result<TaskHandle<Tab>, Error> {
    let files = [file("logo.png", "image/png")];
    let steps = steps
        .as_object()
        .unwrap()
        .iter()
        .map(|(name, step)| StepInput {
            name: name.clone(),
            capability: capability(step["capability"].as_str().unwrap()),
            input: input(step["input"].clone(), &files),
        });
    let client = page.client();
    let start = client.start_pipeline(Some("Film".into()), steps.collect(), "k".into(), limits());
    start.await
}

fn steps() -> Json {
    json!({
        "clip": {
            "capability": "video_logo_removal",
            "input": { "input_video_file_id": { "step": "film", "output": 1 }, "logo_file_id": { "step": "logo" } },
        },
        "logo": { "capability": "background_removal", "input": { "file_id": "#0" } },
    })
}

#[tokio::test(start_paused = true)]
async fn the_steps_are_sent_under_their_names_with_ids_in_place_of_files() {
    let page = Page::new();
    page.on(
        "POST upload_urls",
        [data(
            json!({ "upload_url": "https://s.test/1", "file_id": "f-1" }),
        )],
    );
    page.on("PUT https://s.test/1", [text(200)]);
    page.on(START, [lost(), pipeline("RUNNING")]);
    let started = start(&page, steps()).await.ok().unwrap();
    assert_eq!(
        (
            state_of(&started).as_str(),
            started.snapshot().id.as_deref()
        ),
        ("RUNNING", Some("p/1"))
    );
    let sent = page.sent().pop().unwrap();
    let mut expected = steps();
    expected["clip"]["input"]["logo_file_id"] = json!([{ "step": "logo" }]);
    expected["logo"]["input"]["file_id"] = json!("f-1");
    assert_eq!(sent.body, json!({ "title": "Film", "steps": expected }));
    assert_eq!(
        (sent.header("idempotency-key"), page.sent().len()),
        ("k", 4)
    );
}

#[tokio::test(start_paused = true)]
async fn what_is_wrong_with_a_step_has_its_place() {
    let page = Page::new();
    let steps = json!({
        "a": { "capability": "background_removal", "input": null },
        "b": { "capability": "text_to_image", "input": { "prompt": "" } },
    });
    let error = start(&page, steps).await.err().unwrap();
    let issues = Json::from(error.issues.as_ref().unwrap());
    let paths: Vec<_> = issues
        .as_array()
        .unwrap()
        .iter()
        .map(|issue| &issue["path"])
        .collect();
    assert_eq!(paths, ["steps.a.input", "steps.b.input.prompt"]);
    assert_eq!(error.outcome.unwrap().name(), "not_sent");
    assert!(page.sent().is_empty());
    for odd in [
        json!({}),
        json!({ "pipeline": 7 }),
        json!({ "pipeline": { "id": " " } }),
    ] {
        page.on(START, [data(odd)]);
        let one = json!({ "a": { "capability": "text_to_image", "input": { "prompt": "p" } } });
        assert_eq!(
            failure(start(&page, one).await),
            ("unreadable", Some("unknown"))
        );
    }
}

#[tokio::test(start_paused = true)]
async fn it_is_followed_as_a_task_is() {
    let page = Page::new();
    let event = |id: u32, state: &str| record_event(id, &record(state));
    page.on(
        EVENTS,
        [
            stream([event(1, "RUNNING"), Part::Pause(6_000)]),
            stream([event(2, "SUCCEEDED")]),
        ],
    );
    let film = page.client().pipeline("p/1".into());
    film.done(limits()).await.ok().unwrap();
    assert_eq!(page.lines(), [EVENTS, EVENTS]);
    assert_eq!(page.sent()[1].header("last-event-id"), "1");
    let page = Page::new();
    page.on(EVENTS, [text(404)]);
    page.on(READ, [pipeline("RUNNING"), pipeline("SUCCEEDED")]);
    page.client()
        .pipeline("p/1".into())
        .done(limits())
        .await
        .ok()
        .unwrap();
    page.assert_rest().await;
}

#[tokio::test(start_paused = true)]
async fn the_error_of_its_end_names_the_step_that_failed() {
    for (record, kind, message, step) in [
        (
            json!({ "state": "FAILED", "steps": [{ "name": "a", "state": "SUCCEEDED" }, { "name": "clip", "state": "FAILED", "error": { "message": "too dark" } }] }),
            "pipeline_failed",
            "the pipeline failed at clip: too dark",
            Some("clip"),
        ),
        (
            json!({ "state": "FAILED", "steps": [{ "name": "clip", "state": "UNKNOWN" }] }),
            "pipeline_failed",
            "the pipeline failed at clip",
            Some("clip"),
        ),
        (
            json!({ "state": "FAILED", "steps": [7, { "state": "FAILED" }] }),
            "pipeline_failed",
            "the pipeline failed",
            None,
        ),
        (
            json!({ "state": "CANCELLED" }),
            "pipeline_cancelled",
            "the pipeline was cancelled",
            None,
        ),
    ] {
        let page = Page::new();
        let mut record = record;
        record["id"] = json!("p/1");
        page.on(EVENTS, [text(404)])
            .on(READ, [data(json!({ "pipeline": record }))]);
        let error = page
            .client()
            .pipeline("p/1".into())
            .done(limits())
            .await
            .err()
            .unwrap();
        assert_eq!((error.kind.name(), &*error.message), (kind, message));
        assert_eq!(error.step.as_deref(), step);
        assert!(error.snapshot.is_some());
    }
}

#[tokio::test(start_paused = true)]
async fn a_resumed_pipeline_is_followed_to_its_next_end() {
    let page = Page::new();
    page.always(EVENTS, text(404));
    page.on(
        READ,
        [
            pipeline("FAILED"),
            pipeline("RUNNING"),
            pipeline("SUCCEEDED"),
        ],
    );
    page.on(RESUME, [pipeline("RUNNING")]);
    let film = page.client().pipeline("p/1".into());
    assert_eq!(failure(film.done(limits()).await).0, "pipeline_failed");
    assert_eq!(
        text_of(&film.resume(limits()).await.ok().unwrap()),
        "RUNNING"
    );
    film.done(limits()).await.ok().unwrap();
    // The intervals of the resumed pipeline begin again.
    let waits = page.intervals(READ);
    assert!(waits[1] < 2_000, "{waits:?}");
    page.assert_rest().await;
}

#[tokio::test(start_paused = true)]
async fn a_resume_whose_response_is_lost_is_no_error_where_it_took_effect() {
    let conflict = || refusal(409, 12, json!({ "reason": "not_resumable" }));
    let page = Page::new();
    page.on(RESUME, [lost(), conflict()])
        .on(READ, [pipeline("RUNNING")]);
    let film = page.client().pipeline("p/1".into());
    assert_eq!(
        text_of(&film.resume(limits()).await.ok().unwrap()),
        "RUNNING"
    );
    page.on(RESUME, [conflict()]);
    assert_eq!(film.resume(limits()).await.err().unwrap().status, Some(409));
}

#[tokio::test(start_paused = true)]
async fn a_read_from_before_a_resume_does_not_end_it() {
    let page = Page::new();
    page.on(
        READ,
        [
            pipeline("FAILED"),
            pipeline("FAILED").after(500),
            pipeline("CANCELLED"),
            pipeline("RUNNING"),
        ],
    );
    page.on(RESUME, [pipeline("RUNNING").after(100)]);
    let film = page.client().pipeline("p/1".into());
    film.refresh(limits()).await.ok().unwrap();
    let both = futures_util::future::join(film.refresh(limits()), film.resume(limits()));
    let (refreshed, resumed) = both.await;
    assert_eq!(text_of(&resumed.ok().unwrap()), "RUNNING");
    assert_eq!(text_of(&refreshed.ok().unwrap()), "RUNNING");
    // Another page may cancel it, and resume it again.
    for state in ["CANCELLED", "RUNNING"] {
        assert_eq!(text_of(&film.refresh(limits()).await.ok().unwrap()), state);
    }
}

#[tokio::test(start_paused = true)]
async fn a_cancel_notifies_those_who_wait() {
    let page = Page::new();
    let running = record_event(1, &record("RUNNING"));
    page.on(EVENTS, [stream([running, Part::Silence])]);
    page.on("POST pipelines/p%2F1/cancel", [pipeline("CANCELLED")]);
    let film = page.client().pipeline("p/1".into());
    let done = page.start({
        let film = film.clone();
        async move { failure(film.done(limits()).await).0 }
    });
    pause(10).await;
    film.cancel(limits()).await.ok().unwrap();
    assert_eq!(done.await.unwrap(), "pipeline_cancelled");
    page.assert_rest().await;
}

#[tokio::test(start_paused = true)]
async fn the_history_is_listed_and_forgotten() {
    let page = Page::new();
    let tasks = json!({ "tasks": [{ "id": "k/1" }], "cursor": "c" });
    page.on(
        "GET tasks?limit=7&cursor=c%26d",
        [lost(), data(tasks.clone())],
    );
    page.on("DELETE tasks/a%2Fb%3Fc", [data(json!({}))]);
    page.on(
        "DELETE pipelines/p%2F1",
        [refusal(409, 12, json!({ "reason": "pipeline_running" }))],
    );
    let client = page.client();
    let listed = client
        .tasks("?limit=7&cursor=c%26d", limits())
        .await
        .ok()
        .unwrap();
    assert_eq!(Json::from(&listed), tasks);
    client.forget_task("a/b?c", limits()).await.ok().unwrap();
    let error = client.forget_pipeline("p/1", limits()).await.err().unwrap();
    assert_eq!((error.status, page.sent().len()), (Some(409), 4));
}

#[tokio::test(start_paused = true)]
async fn a_resume_counts_after_an_event_from_before_it() {
    let page = Page::new();
    page.on(
        EVENTS,
        [stream([
            Part::Pause(100),
            record_event(1, &record("FAILED")),
            Part::Silence,
        ])],
    );
    page.on(RESUME, [pipeline("RUNNING").after(1_000)]);
    page.on(READ, [pipeline("SUCCEEDED")]);
    page.always(EVENTS, text(404));
    let film = page.client().pipeline("p/1".into());
    let followed = film.clone();
    let subscription = followed.subscribe(RetryPolicy::default());
    let watching = page
        .start(async move { while subscription.next().await.is_ok_and(|next| next.is_some()) {} });
    pause(10).await;
    let resumed = film.resume(limits()).await.ok().unwrap();
    assert_eq!(resumed.state.as_deref(), Some("RUNNING"));
    let done = film.done(limits()).await.ok().unwrap();
    assert_eq!(done.state.as_deref(), Some("SUCCEEDED"));
    watching.abort();
    page.assert_rest().await;
}
