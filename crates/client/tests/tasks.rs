//! Tasks: polls, streams, snapshots and followers.

use mediagate_client::{Hint, TaskHandle};
use serde_json::{Value as Json, json};

use crate::script::*;
use crate::world::{Tab, pause};

const POLL: &str = "GET process/tasks/k%2F1";
const EVENTS: &str = "GET tasks/k%2F1/events";

fn restored(page: &Page) -> TaskHandle<Tab> {
    page.client().task("k/1".into(), capability("split_pdf"))
}

async fn states(task: &TaskHandle<Tab>) -> Vec<String> {
    let subscription = task.subscribe(limits().retry);
    let mut states = Vec::new();
    while let Some(snapshot) = subscription.next().await.ok().unwrap() {
        states.push(text_of(&snapshot));
    }
    states
}

#[tokio::test(start_paused = true)]
async fn a_task_without_a_stream_is_polled_with_growing_intervals() {
    for none in [text(404), text(405), text(200), data(json!({}))] {
        let page = Page::new();
        page.on(EVENTS, [none]);
        let states_sent = ["PROCESSING", "A_NEW_STATE", "QUEUED", "SUCCEEDED"];
        page.on(POLL, states_sent.map(state));
        let task = restored(&page);
        assert_eq!(states(&task).await, states_sent);
        let waits = page.intervals(POLL);
        assert!((750..=1_250).contains(&waits[0]), "{waits:?}");
        assert!((843..=1_407).contains(&waits[1]), "{waits:?}");
        assert_eq!(page.sent().len(), 5);
        let stream = &page.sent()[0];
        assert_eq!(
            (stream.is_stream, stream.capability),
            (true, Some("split_pdf"))
        );
        assert_eq!(task.snapshot().id.as_deref(), Some("k/1"));
        // A last state stays, and counts as an end.
        task.done(limits()).await.ok().unwrap();
        page.on(POLL, [state("RUNNING")]);
        task.refresh(limits()).await.ok().unwrap();
        assert_eq!(state_of(&task), "SUCCEEDED");
        page.assert_rest().await;
    }
}

fn polled(state: &str, poll_after: f64) -> Answer {
    data(json!({ "task": { "id": "k/1", "state": state, "poll_after": poll_after } }))
}

/// The record of a task that the gateway has given up.
fn unfinished() -> Json {
    json!({ "task": { "id": "k/1", "state": "RUNNING", "unfinished": true } })
}

#[tokio::test(start_paused = true)]
async fn who_waits_for_a_task_that_does_not_end_in_time_is_told() {
    for has_stream in [true, false] {
        let page = Page::new();
        let streamed = [event(1, "RUNNING"), record_event(2, &unfinished())];
        if has_stream {
            page.on(EVENTS, [stream(streamed)]);
        } else {
            page.on(EVENTS, [text(404)]);
            page.on(POLL, [data(unfinished())]);
        }
        let task = restored(&page);
        let subscription = task.subscribe(limits().retry);
        let error = task.done(limits()).await.err().unwrap();
        assert_eq!(error.kind.name(), "task_unfinished");
        assert_eq!(error.hints, [Hint::ReadTaskLater]);
        let last = error.snapshot.clone().unwrap();
        assert_eq!(
            (text_of(&last).as_str(), last.has_ended()),
            ("RUNNING", false)
        );

        // The next wait reads the task again, which may have ended since.
        page.always(EVENTS, text(404));
        page.on(POLL, [state("SUCCEEDED")]);
        task.done(limits()).await.ok().unwrap();
        let mut states = Vec::new();
        while let Some(snapshot) = subscription.next().await.ok().unwrap() {
            states.push(text_of(&snapshot));
        }
        assert_eq!(states, ["RUNNING", "SUCCEEDED"]);
    }
}

#[tokio::test(start_paused = true)]
async fn subscribers_see_since_when_a_task_cannot_be_read() {
    let page = Page::new();
    page.always(EVENTS, text(404));
    page.on(
        POLL,
        [
            state("RUNNING"),
            text(500),
            text(500),
            state("RUNNING"),
            state("SUCCEEDED"),
        ],
    );
    let task = restored(&page);
    let subscription = task.subscribe(limits().retry);
    let mut seen = Vec::new();
    while let Some(snapshot) = subscription.next().await.ok().unwrap() {
        seen.push((text_of(&snapshot), snapshot.unanswered_since_ms.is_some()));
    }
    let expected = [
        ("RUNNING", false),
        ("RUNNING", true),
        ("RUNNING", false),
        ("SUCCEEDED", false),
    ];
    assert_eq!(
        seen,
        expected.map(|(state, is_silent)| (state.into(), is_silent))
    );
    page.assert_rest().await;
}

#[tokio::test(start_paused = true)]
async fn the_gateway_says_when_a_poll_is_worth_it() {
    for (seconds, wait) in [(40.0, 40_000), (0.5, 500), (1e9, 60_000), (1e-9, 150)] {
        let page = Page::new();
        page.always(EVENTS, text(404));
        page.on(POLL, [polled("RUNNING", seconds), state("SUCCEEDED")]);
        restored(&page).done(limits()).await.ok().unwrap();
        assert_eq!(page.intervals(POLL), [wait]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_hidden_page_polls_less_often_until_it_is_visible() {
    let page = Page::new();
    page.always(EVENTS, text(404));
    page.on(
        POLL,
        [state("RUNNING"), state("RUNNING"), state("SUCCEEDED")],
    );
    page.set_hidden(true);
    let task = restored(&page);
    let done = page.start(async move { task.done(limits()).await.is_ok() });
    pause(2_900).await;
    assert_eq!(page.sent().len(), 2);
    pause(2_200).await;
    assert_eq!(page.sent().len(), 3);
    page.set_hidden(false);
    pause(1).await;
    assert_eq!(page.sent().len(), 4);
    assert!(done.await.unwrap());
}

#[tokio::test(start_paused = true)]
async fn what_the_gateway_wants_is_waited_for_before_the_next_poll() {
    // The gateway refused a stream, and the client gave up a poll.
    let page = Page::new();
    page.on(EVENTS, [shed().retry_after(20.0), text(404)]);
    page.on(POLL, [state("SUCCEEDED")]);
    restored(&page).done(limits()).await.ok().unwrap();
    assert_eq!(page.sent()[1].at, 20_000);
    let page = Page::new();
    page.always(EVENTS, text(404));
    page.on(POLL, [shed().retry_after(61.0), state("SUCCEEDED")]);
    let task = restored(&page);
    assert_eq!(failure(task.done(limits()).await).0, "rate_limit");
    page.set_hidden(true);
    let done = page.start(async move { task.done(limits()).await.is_ok() });
    pause(1_000).await;
    // A page that is shown does not poll before that.
    page.set_hidden(false);
    assert!(done.await.unwrap());
    assert_eq!(page.intervals(POLL), [60_000]);
}

#[tokio::test(start_paused = true)]
async fn one_request_brings_all_updates() {
    let page = Page::new();
    let heartbeat = Part::Text(":\n\nretry: 5\n\n".into());
    let twice = [event(2, "RUNNING"), event(3, "QUEUED")].map(|part| match part {
        Part::Text(text) => text,
        _ => String::new(),
    });
    page.on(
        EVENTS,
        [stream([
            event(1, "QUEUED"),
            heartbeat,
            Part::Pause(29_000),
            Part::Text(twice.concat()),
            Part::Pause(29_000),
            event(4, "FAILED"),
            event(5, "RUNNING"),
        ])],
    );
    let task = restored(&page);
    let (one, other) = futures_util::future::join(states(&task), states(&task)).await;
    assert_eq!(one, ["QUEUED", "RUNNING", "QUEUED", "FAILED"]);
    assert_eq!((other, page.sent().len()), (one, 1));
    let error = task.done(limits()).await.err().unwrap();
    assert_eq!(
        (error.kind.name(), &*error.hints),
        ("task_failed", &[Hint::ReadTask][..])
    );
    assert_eq!(text_of(error.snapshot.as_ref().unwrap()), "FAILED");
    page.assert_rest().await;
}

#[tokio::test(start_paused = true)]
async fn a_failed_task_has_the_reason_of_its_record() {
    let sentence = "the provider does not make this";
    for (error, message, reason, hint) in [
        (
            json!({ "message": sentence, "reason": "content_refused" }),
            "the task failed: the provider does not make this",
            Some("content_refused"),
            Hint::ChangeContent,
        ),
        (
            json!({ "message": sentence, "reason": 5 }),
            "the task failed: the provider does not make this",
            None,
            Hint::ReadTask,
        ),
        (
            json!({ "message": 5 }),
            "the task failed",
            None,
            Hint::ReadTask,
        ),
        (json!("no"), "the task failed", None, Hint::ReadTask),
    ] {
        let page = Page::new();
        page.always(EVENTS, text(404));
        let record = json!({ "id": "k/1", "state": "FAILED", "error": error });
        page.on(POLL, [data(json!({ "task": record }))]);
        let error = restored(&page).done(limits()).await.err().unwrap();
        assert_eq!(
            (error.kind.name(), &*error.message),
            ("task_failed", message)
        );
        let stated = error.reason.as_ref().map(Json::from);
        assert_eq!(
            (stated, &*error.hints),
            (reason.map(Json::from), &[hint][..])
        );
        page.assert_rest().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_breaks_is_followed_by_a_poll_and_a_stream_that_resumes() {
    let garbage = || Part::Text("event: task\ndata: {\n\n".into());
    let refused = || Part::Text("event: error\ndata: {}\n\n".into());
    let cut = || Part::Text("id: 5\nevent: task\ndata: {".into());
    for (more, poll_at) in [
        (vec![Part::Silence], 30_000),
        (vec![cut()], 0),
        (vec![garbage(), Part::Silence], 0),
        (vec![refused(), Part::Silence], 0),
    ] {
        let page = Page::new();
        let first = [vec![event(4, "RUNNING")], more].concat();
        page.on(EVENTS, [stream(first), stream([event(6, "SUCCEEDED")])]);
        page.on(POLL, [state("RUNNING")]);
        restored(&page).done(limits()).await.ok().unwrap();
        let sent = page.sent();
        assert_eq!(page.lines(), [EVENTS, POLL, EVENTS]);
        assert_eq!(
            (
                sent[0].header("last-event-id"),
                sent[2].header("last-event-id")
            ),
            ("", "4")
        );
        assert_eq!(sent[1].at, poll_at);
        page.assert_rest().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_stream_without_a_record_is_followed_by_a_poll() {
    let page = Page::new();
    let heartbeat = || [Part::Text(":\n\n".into()), Part::Pause(10_000)];
    page.always(EVENTS, stream((0..100).flat_map(|_| heartbeat())));
    page.on(POLL, [state("SUCCEEDED")]);
    restored(&page).done(limits()).await.ok().unwrap();
    assert_eq!(page.lines(), [EVENTS, POLL]);
    assert!(page.elapsed() < 60_000, "{}", page.elapsed());
    page.assert_rest().await;
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_lasted_is_reopened_at_once() {
    for (lasted, lines) in [
        (6_000, vec![EVENTS, EVENTS]),
        (4_000, vec![EVENTS, POLL, EVENTS]),
    ] {
        let page = Page::new();
        page.on(POLL, [state("RUNNING")]);
        page.on(
            EVENTS,
            [
                stream([event(1, "RUNNING"), Part::Pause(lasted)]),
                stream([event(2, "SUCCEEDED")]),
            ],
        );
        restored(&page).done(limits()).await.ok().unwrap();
        assert_eq!(page.lines(), lines, "{lasted}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_cannot_be_opened_now_is_opened_later() {
    for none in [lost(), text(503), shed()] {
        let page = Page::new();
        page.on(EVENTS, [none, stream([event(1, "SUCCEEDED")])]);
        page.on(POLL, [state("RUNNING")]);
        restored(&page).done(limits()).await.ok().unwrap();
        assert_eq!(page.lines(), [EVENTS, POLL, EVENTS]);
    }
    for silent in [never(), stream([Part::Silence]), stream([])] {
        let page = Page::new();
        page.on(EVENTS, [silent]);
        page.on(POLL, [state("RUNNING"), state("SUCCEEDED")]);
        restored(&page).done(limits()).await.ok().unwrap();
        assert_eq!(page.lines(), [EVENTS, POLL, POLL]);
        assert!(page.sent()[1].at <= 10_000);
        page.assert_rest().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_client_whose_streams_stay_empty_opens_no_other() {
    for empty in [never(), stream([Part::Silence]), stream([])] {
        let page = Page::new();
        page.on(EVENTS, [empty]);
        page.on(POLL, [state("SUCCEEDED")]);
        let client = page.client();
        let task = client.task("k/1".into(), capability("split_pdf"));
        task.done(limits()).await.ok().unwrap();
        let before = page.elapsed();
        page.on("GET process/tasks/2", [state("SUCCEEDED")]);
        let other = client.task("2".into(), capability("split_pdf"));
        other.done(limits()).await.ok().unwrap();
        assert_eq!(page.lines(), [EVENTS, POLL, "GET process/tasks/2"]);
        assert_eq!(page.elapsed(), before, "the first poll is not delayed");
        page.assert_rest().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_task_without_a_stream_leaves_other_tasks_theirs() {
    let page = Page::new();
    let client = page.client();
    let follow = async |id: &str, stream: Answer| {
        page.on(&format!("GET tasks/{id}/events"), [stream]);
        page.on(&format!("GET process/tasks/{id}"), [state("SUCCEEDED")]);
        let task = client.task(id.into(), capability("split_pdf"));
        task.done(limits()).await.ok().unwrap();
    };
    follow("1", text(404)).await;
    follow("2", stream([event(1, "SUCCEEDED")])).await;
    // A stream has brought a byte before, so this one is an exception.
    follow("3", stream([Part::Silence])).await;
    follow("4", stream([event(1, "SUCCEEDED")])).await;
    assert_eq!(
        page.lines(),
        [
            "GET tasks/1/events",
            "GET process/tasks/1",
            "GET tasks/2/events",
            "GET tasks/3/events",
            "GET process/tasks/3",
            "GET tasks/4/events",
        ]
    );
    page.assert_rest().await;
}

#[tokio::test(start_paused = true)]
async fn a_stream_with_an_endless_event_is_closed_and_the_task_polled() {
    let page = Page::new();
    let mut parts = vec![Part::Text("x".repeat(1 << 20)); 17];
    parts.push(Part::Silence);
    page.always(EVENTS, stream(parts));
    page.always(POLL, state("SUCCEEDED"));
    let task = page.client().task("k/1".into(), capability("split_pdf"));
    task.done(timeout(60_000)).await.unwrap();
    page.assert_rest().await;
}

#[tokio::test(start_paused = true)]
async fn the_number_of_streams_is_limited() {
    for (is_multiplexed, max) in [(false, 3), (true, 32)] {
        let page = Page::new();
        page.is_multiplexed
            .store(is_multiplexed, std::sync::atomic::Ordering::Relaxed);
        let client = page.client();
        for number in 0..40 {
            page.always(
                &format!("GET tasks/{number}/events"),
                stream([Part::Silence]),
            );
            page.always(&format!("GET process/tasks/{number}"), state("RUNNING"));
            let task = client.task(number.to_string(), capability("split_pdf"));
            page.start(async move { task.done(timeout(5_000)).await.is_ok() });
        }
        pause(100).await;
        let streams = page.sent().iter().filter(|sent| sent.is_stream).count();
        assert_eq!(streams, max);
        pause(5_000).await;
        page.assert_rest().await;
    }
}

#[tokio::test(start_paused = true)]
async fn the_last_one_that_leaves_closes_the_stream() {
    let page = Page::new();
    page.always(EVENTS, stream([event(1, "RUNNING"), Part::Silence]));
    let client = page.client();
    let task = client.task("k/1".into(), capability("split_pdf"));
    let same = client.task("k/1".into(), capability("split_pdf"));
    assert!(task == same);
    let subscription = task.subscribe(limits().retry);
    assert_eq!(
        text_of(&subscription.next().await.ok().unwrap().unwrap()),
        "RUNNING"
    );
    // The end of a wait leaves the stream to the subscription, which follows the task also between
    // two waits.
    assert_eq!(
        failure(subscription.next_within(timeout(100)).await).0,
        "timeout"
    );
    assert_eq!(failure(same.done(timeout(100)).await).0, "timeout");
    pause(1_000).await;
    assert_eq!((page.open(), page.sent().len()), (1, 1));
    drop(subscription);
    page.assert_rest().await;
}

#[tokio::test(start_paused = true)]
async fn a_refresh_that_finds_the_end_notifies_all_and_closes_the_stream() {
    let page = Page::new();
    page.on(EVENTS, [stream([event(1, "RUNNING"), Part::Silence])]);
    page.on(POLL, [state("SUCCEEDED").after(100)]);
    let task = restored(&page);
    let following = page.start({
        let task = task.clone();
        async move { states(&task).await }
    });
    let done = page.start({
        let task = task.clone();
        async move { task.done(limits()).await.is_ok() }
    });
    pause(10).await;
    task.refresh(limits()).await.ok().unwrap();
    assert_eq!(following.await.unwrap(), ["RUNNING", "SUCCEEDED"]);
    assert!(done.await.unwrap());
    page.assert_rest().await;
}

#[tokio::test(start_paused = true)]
async fn a_poll_that_is_older_than_the_stream_changes_nothing() {
    let page = Page::new();
    page.on(
        EVENTS,
        [stream([
            event(1, "QUEUED"),
            Part::Pause(100),
            event(2, "RUNNING"),
            Part::Silence,
        ])],
    );
    page.on(POLL, [state("QUEUED").after(500)]);
    let task = restored(&page);
    let subscription = task.subscribe(limits().retry);
    subscription.next().await.ok().unwrap();
    let refreshed = task.refresh(limits()).await.ok().unwrap();
    assert_eq!(
        (text_of(&refreshed), state_of(&task)),
        ("RUNNING".into(), "RUNNING".into())
    );
    drop(subscription);
    page.assert_rest().await;
}

#[tokio::test(start_paused = true)]
async fn a_change_of_what_is_expected_alone_is_no_change() {
    let page = Page::new();
    let record = |eta: Option<u32>, after: u32| {
        let mut task = json!({ "id": "k/1", "state": "RUNNING", "poll_after": after });
        if let Some(eta) = eta {
            task["eta"] = json!({ "seconds": eta, "low": 1, "high": 9 });
        }
        data(json!({ "task": task }))
    };
    page.always(EVENTS, text(404));
    page.on(
        POLL,
        [
            record(None, 1),
            record(Some(9), 1),
            record(Some(8), 2),
            state("SUCCEEDED"),
        ],
    );
    let task = restored(&page);
    assert_eq!(states(&task).await.len(), 3, "the first eta is a change");
    assert_eq!(page.sent().len(), 5);
}

#[tokio::test(start_paused = true)]
async fn a_slow_subscriber_gets_the_last_snapshot_of_each_state() {
    let page = Page::new();
    let progress = |id: u32, progress: f64| {
        let task = json!({ "id": "k/1", "state": "RUNNING", "progress": progress });
        record_event(id, &json!({ "task": task }))
    };
    page.on(
        EVENTS,
        [stream([
            event(1, "QUEUED"),
            Part::Pause(100),
            progress(2, 0.1),
            progress(3, 0.9),
            event(4, "SUCCEEDED"),
        ])],
    );
    let task = restored(&page);
    let subscription = task.subscribe(limits().retry);
    subscription.next().await.ok().unwrap();
    pause(1_000).await;
    let next = subscription.next().await.ok().unwrap().unwrap();
    assert_eq!(
        (text_of(&next), next.progress),
        ("RUNNING".into(), Some(0.9))
    );
    let last = subscription.next().await.ok().unwrap().unwrap();
    assert_eq!(text_of(&last), "SUCCEEDED");
    assert!(subscription.next().await.ok().unwrap().is_none());
}

#[tokio::test(start_paused = true)]
async fn a_task_that_does_not_exist_fails_all_who_wait() {
    let page = Page::new();
    page.always(EVENTS, refusal(404, 12, json!({})));
    page.always(
        POLL,
        refusal(404, 12, json!({ "reason": "unknown_task" })).after(10),
    );
    let task = restored(&page);
    let subscription = task.subscribe(limits().retry);
    let both = futures_util::future::join(task.done(limits()), subscription.next());
    let (done, next) = both.await;
    assert_eq!(
        (done.err().unwrap().status, next.err().unwrap().status),
        (Some(404), Some(404))
    );
    assert_eq!(page.sent().len(), 2);
    // The next wait follows the task again.
    subscription.next().await.err().unwrap();
    assert_eq!(page.sent().len(), 3);
    page.assert_rest().await;
}

#[tokio::test(start_paused = true)]
async fn of_those_who_wait_for_a_poll_the_most_patient_one_counts() {
    let page = Page::new();
    page.always(EVENTS, text(404)).always(POLL, lost());
    let task = restored(&page);
    let ((none, few), (quiet, noticed)) = (noticed(0), noticed(2));
    let (one, other) = futures_util::future::join(task.done(none), task.done(quiet)).await;
    assert_eq!((failure(one).0, failure(other).0), ("network", "network"));
    assert_eq!(page.sent().len(), 1 + 3);
    assert_eq!(
        (few.lock().unwrap().len(), noticed.lock().unwrap().len()),
        (2, 2)
    );
    page.assert_rest().await;
}

#[tokio::test(start_paused = true)]
async fn a_create_that_finds_the_end_of_a_known_task_notifies_all() {
    const CREATE: &str = "POST process/asset/split_pdf";
    let page = Page::new();
    page.on(EVENTS, [stream([event(1, "RUNNING"), Part::Silence])]);
    page.on(CREATE, [state("SUCCEEDED")]);
    let client = page.client();
    let task = client.task("k/1".into(), capability("split_pdf"));
    let done = page.start({
        let task = task.clone();
        async move { task.done(limits()).await.is_ok() }
    });
    pause(10).await;
    let all = input(json!({ "input_file_id": "f", "page_range": "1" }), &[]);
    let create = client.create(capability("split_pdf"), all, "k".into(), limits());
    let created = create.await;
    assert!(created.is_ok_and(|created| created == task));
    assert!(done.await.unwrap());
    page.assert_rest().await;
}
