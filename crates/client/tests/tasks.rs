//! Tasks: polled, subscribed to, saved and restored.

use crate::simulated::followed::{
    EVENTS, POLL, event, event_text, no_stream, page_of, polled, shed, states,
};
use crate::simulated::script::Part::{Chunk, Never, Pass};
use crate::simulated::script::{Page, Reply, reply, stream, timeout};
use crate::simulated::sim::member;
use crate::simulated::value::SimValue;
use serde_json::json;

const NONE: SimValue = SimValue::Undefined;

#[test]
fn of_events_with_one_state_a_slow_subscriber_gets_the_last() {
    let progress = |it: f64| {
        let record = json!({ "code": 0, "data": { "task": { "id": "k", "state": "RUNNING", "progress": it } } });
        format!("event: task\ndata: {record}\n\n")
    };
    let chunk = [
        progress(0.1),
        progress(0.5),
        progress(0.9),
        event_text("9", "SUCCEEDED"),
    ]
    .concat();
    let (mut page, task) = page_of(&[stream(&[Chunk(chunk)])]);
    let slow = page.subscribe(task);
    let done = page.done(task, &NONE);
    page.sim.run();
    assert_eq!(page.state(done), "SUCCEEDED");
    let first = page.next(task, slow);
    assert_eq!(page.sim.value(first).json()["progress"], json!(0.9));
    assert_eq!(states(&mut page, task, slow), ["SUCCEEDED"]);
}

#[test]
fn a_subscription_begins_with_the_present_snapshot_where_there_is_a_record() {
    let (mut page, task) = page_of(&[stream(&[
        event(1, "RUNNING"),
        Pass(1_000.0),
        event(2, "SUCCEEDED"),
    ])]);
    let early = page.subscribe(task);
    let next = page.next(task, early);
    page.sim.run_for(10.0);
    assert_eq!(page.state(next), "RUNNING");
    let late = page.subscribe(task);
    let next = page.next(task, late);
    assert_eq!(page.state(next), "RUNNING");
    assert_eq!(states(&mut page, task, late), ["SUCCEEDED"]);
    assert_eq!(states(&mut page, task, early), ["SUCCEEDED"]);
    assert_eq!(page.lines(), [EVENTS]);
}

#[test]
fn a_released_subscription_ends_at_once() {
    let (mut page, task) = page_of(&[stream(&[event(1, "RUNNING"), Never])]);
    let (one, other) = (page.subscribe(task), page.subscribe(task));
    for subscription in [one, other] {
        page.next(task, subscription);
    }
    page.sim.run_for(10.0);
    let (first, second) = (page.next(task, one), page.next(task, other));
    page.sim.release(one);
    assert!(page.sim.value(first).is_undefined() && page.is_pending(second));
    assert_eq!(page.aborted(), 0, "the other still follows");
    page.sim.release(other);
    assert!(page.sim.value(second).is_undefined());
    assert_eq!(page.aborted(), 1);
    page.sim.assert_rest();
    let late = page.next(task, one);
    assert!(page.sim.value(late).is_undefined());
}

#[test]
fn a_poll_that_finds_the_end_notifies_all_and_closes_the_stream() {
    let (mut page, task) = page_of(&[stream(&[event(1, "RUNNING"), Never]), polled("SUCCEEDED")]);
    let waits = page.done(task, &NONE);
    let subscription = page.subscribe(task);
    let first = page.next(task, subscription);
    page.sim.run_for(10.0);
    assert_eq!(page.state(first), "RUNNING");
    let refreshed = page.refresh(task, &NONE);
    page.sim.run_for(10.0);
    assert_eq!([page.state(refreshed), page.state(waits)], ["SUCCEEDED"; 2]);
    assert_eq!(
        (page.lines(), page.aborted()),
        (vec![EVENTS.into(), POLL.into()], 1)
    );
    page.sim.assert_rest();
    assert_eq!(states(&mut page, task, subscription), ["SUCCEEDED"]);
}

#[test]
fn a_create_that_finds_the_end_of_a_known_task_notifies_all() {
    let mut page = Page::new([stream(&[event(1, "RUNNING"), Never]), polled("SUCCEEDED")]);
    let client = page.client(SimValue::text("t"));
    let task = page.task(client, "k");
    let waits = page.done(task, &NONE);
    page.sim.run_for(10.0);
    let input = json!({ "input_file_id": "f", "segments": [{ "start_time": "00:00:00", "end_time": "00:00:05" }] });
    let create = page.create(client, "split_video", input.into());
    page.sim.run_for(10.0);
    assert_eq!(
        (
            page.sim.handle(create),
            page.state(waits).as_str(),
            page.aborted()
        ),
        (task, "SUCCEEDED", 1)
    );
    page.sim.assert_rest();
}

#[test]
fn a_poll_that_is_older_than_the_stream_changes_nothing_but_an_end_counts() {
    for (late, end) in [("PENDING", "RUNNING"), ("SUCCEEDED", "SUCCEEDED")] {
        let events = [event(1, "PENDING"), Pass(50.0), event(2, "RUNNING"), Never];
        let (mut page, task) = page_of(&[stream(&events), polled(late).after(100.0)]);
        let waits = page.done(task, &timeout(1_000));
        page.sim.run_for(10.0);
        let refreshed = page.refresh(task, &NONE);
        page.sim.run_for(200.0);
        assert_eq!(page.state(refreshed), end);
        assert_eq!(page.is_pending(waits), end == "RUNNING");
    }
}

#[test]
fn a_last_state_stays() {
    let (mut page, task) = page_of(&[
        no_stream(),
        polled("SUCCEEDED"),
        polled("RUNNING"),
        polled("FAILED"),
    ]);
    let done = page.done(task, &NONE);
    page.sim.run();
    assert_eq!(page.state(done), "SUCCEEDED");
    let refreshed = page.refresh(task, &NONE);
    page.sim.run();
    assert_eq!(page.state(refreshed), "SUCCEEDED");
    let again = page.done(task, &NONE);
    assert_eq!(page.state(again), "SUCCEEDED");
}

#[test]
fn a_task_is_polled_with_its_id_encoded_and_keeps_it() {
    let replies = ["PROCESSING", "A_NEW_STATE", "SUCCEEDED"].map(polled);
    let mut page = Page::new([no_stream()].into_iter().chain(replies));
    let client = page.client(SimValue::text("t"));
    let task = page.task(client, "k/1");
    let done = page.done(task, &NONE);
    page.sim.run();
    assert_eq!(
        (page.state(done), page.sim.value(done).string("id")),
        ("SUCCEEDED".into(), "k/1".into())
    );
    let lines = page.lines();
    assert!(
        lines[0].ends_with("/api/app/v1/tasks/k%2F1/events"),
        "{lines:?}"
    );
    assert!(
        lines[1..]
            .iter()
            .all(|it| it.ends_with("/api/app/v1/process/tasks/k%2F1")),
        "{lines:?}"
    );
    let polls: Vec<_> = page
        .delays()
        .into_iter()
        .filter(|it| *it < 10_000)
        .collect();
    assert_eq!(polls.len(), 2, "{polls:?}");
    assert!(
        polls[0] >= 750 && polls[0] <= 1_250 && polls[1] >= 843 && polls[1] <= 1_407,
        "{polls:?}"
    );
}

#[test]
fn a_hidden_page_polls_less_often_until_it_is_visible() {
    let replies = [
        no_stream(),
        polled("RUNNING"),
        polled("RUNNING"),
        polled("SUCCEEDED"),
    ];
    let (mut page, task) = page_of(&replies);
    page.sim.set_hidden(true);
    let done = page.done(task, &NONE);
    page.sim.run_for(2_900.0);
    assert_eq!(page.requests().len(), 2);
    page.sim.run_for(2_200.0);
    assert_eq!(page.requests().len(), 3, "four times the interval");
    page.sim.set_hidden(false);
    page.sim.run_for(1.0);
    assert_eq!(
        (page.state(done), page.requests().len()),
        ("SUCCEEDED".into(), 4)
    );
}

/// A running task of which the gateway expects an end, and the next poll, after some seconds.
fn expected(seconds: f64) -> Reply {
    let eta = json!({ "seconds": seconds, "low": 1, "high": 99 });
    let task = json!({ "id": "k", "state": "RUNNING", "eta": eta, "poll_after": seconds });
    reply(200, json!({ "code": 0, "data": { "task": task } }))
}

#[test]
fn a_task_is_polled_when_the_gateway_expects_it_to_be_worth_it() {
    let replies = [
        no_stream(),
        expected(40.0),
        expected(0.5),
        expected(1e9),
        expected(1e-9),
        polled("SUCCEEDED"),
    ];
    let (mut page, task) = page_of(&replies);
    let done = page.done(task, &NONE);
    page.sim.run();
    assert_eq!(page.state(done), "SUCCEEDED");
    let sent: Vec<_> = page.requests().iter().map(|it| it.at).collect();
    let waits: Vec<_> = sent
        .windows(2)
        .skip(1)
        .map(|it| (it[1] - it[0]).round())
        .collect();
    assert_eq!(waits, [40_000.0, 500.0, 60_000.0, 150.0], "within bounds");
    // What it no longer expects, or what is none, is nothing to wait for.
    for later in [expected(0.0), expected(-5.0), polled("RUNNING")] {
        let (mut page, task) = page_of(&[no_stream(), expected(0.2), later, polled("SUCCEEDED")]);
        page.done(task, &NONE);
        page.sim.run();
        let sent: Vec<_> = page.requests().iter().map(|it| it.at).collect();
        assert!(sent[3] - sent[2] >= 750.0, "{sent:?}");
    }
}

#[test]
fn the_first_that_is_expected_of_a_task_is_a_change() {
    let (mut page, task) = page_of(&[
        no_stream(),
        polled("RUNNING"),
        expected(9.0),
        polled("SUCCEEDED"),
    ]);
    let subscription = page.subscribe(task);
    let (first, second) = (page.next(task, subscription), page.next(task, subscription));
    page.sim.run();
    assert_eq!(page.sim.value(first).json().get("eta"), None);
    assert_eq!(page.sim.value(second).json()["eta"]["seconds"], 9);
}

#[test]
fn what_is_expected_is_known_and_is_no_change() {
    let (mut page, task) = page_of(&[
        no_stream(),
        expected(9.0),
        expected(4.0),
        polled("SUCCEEDED"),
    ]);
    let subscription = page.subscribe(task);
    let first = page.next(task, subscription);
    page.sim.run();
    assert_eq!(page.sim.value(first).json()["eta"]["seconds"], 9);
    let refreshed = page.refresh(task, &NONE);
    let second = page.next(task, subscription);
    page.sim.run();
    assert_eq!(
        page.sim.value(refreshed).json()["eta"]["seconds"],
        4,
        "a caller sees the newest"
    );
    assert_eq!(
        page.state(second),
        "SUCCEEDED",
        "and those who follow it the next change"
    );
}

#[test]
fn a_task_that_did_not_succeed_rejects_with_its_snapshot() {
    for (state, code) in [("FAILED", "task_failed"), ("EXPIRED", "task_expired")] {
        let why =
            json!({ "code": 0, "data": { "task": { "id": "k", "state": state, "why": "dark" } } });
        let (mut page, task) = page_of(&[no_stream(), reply(200, why)]);
        let done = page.done(task, &NONE);
        page.sim.run();
        let error = page.sim.error(done);
        assert_eq!(
            (
                error.code,
                member(&error, "task").json()["raw"]["why"].as_str()
            ),
            (code, Some("dark"))
        );
        let refreshed = page.done(task, &NONE);
        assert_eq!(page.code(refreshed).0, code);
    }
}

#[test]
fn a_task_that_does_not_exist_is_an_error_of_all_who_wait() {
    let (mut page, task) = page_of(&[no_stream(), no_stream()]);
    let (done, subscription) = (page.done(task, &NONE), page.subscribe(task));
    let next = page.next(task, subscription);
    page.sim.run();
    assert_eq!([page.code(done).1, page.code(next).1], [404, 404]);
    assert_eq!(page.requests().len(), 2);
    page.sim.assert_rest();
}

#[test]
fn what_the_gateway_wants_is_waited_for_before_the_next_poll() {
    let waits = |page: &Page, from: usize| {
        let sent: Vec<_> = page.requests().iter().map(|it| it.at).collect();
        sent[from + 1] - sent[from]
    };
    // A poll that failed, and then another caller.
    let (mut page, task) = page_of(&[no_stream(), shed().retry_after(61.0), polled("SUCCEEDED")]);
    let failed = page.done(task, &NONE);
    page.sim.run();
    assert_eq!(page.code(failed).0, "rate_limit");
    let done = page.done(task, &NONE);
    page.sim.run();
    assert_eq!(page.state(done), "SUCCEEDED");
    assert!(
        waits(&page, 1) >= 60_000.0,
        "at most a minute: {}",
        waits(&page, 1)
    );
    // A hidden page that becomes visible meanwhile.
    let (mut page, task) = page_of(&[
        no_stream(),
        polled("RUNNING"),
        shed().retry_after(61.0),
        polled("SUCCEEDED"),
    ]);
    let (failed, _) = (page.done(task, &NONE), page.sim.set_hidden(true));
    page.sim.run();
    assert_eq!(page.code(failed).0, "rate_limit");
    page.done(task, &NONE);
    for _ in 0..10 {
        page.sim.run_for(100.0);
        page.sim.set_hidden(false);
    }
    page.sim.run();
    assert!(waits(&page, 2) >= 60_000.0, "{}", waits(&page, 2));
}

#[test]
fn what_the_gateway_wants_is_waited_for_also_where_a_page_is_shown_again() {
    let refused = (0..5).map(|_| shed().retry_after(2.0));
    let replies = [no_stream(), polled("RUNNING")]
        .into_iter()
        .chain(refused)
        .chain([polled("SUCCEEDED")]);
    let (mut page, task) = page_of(&replies.collect::<Vec<_>>());
    let failed = page.done(task, &NONE);
    page.sim.run();
    assert_eq!(page.code(failed).0, "rate_limit");
    // Hidden, it would wait longer than the gateway wants.
    page.sim.set_hidden(true);
    let done = page.done(task, &NONE);
    page.sim.run_for(100.0);
    page.sim.set_hidden(false);
    page.sim.run_for(1_899.0);
    assert!(page.is_pending(done));
    page.sim.run_for(1.0);
    assert_eq!(page.state(done), "SUCCEEDED");
}

#[test]
fn what_the_gateway_wants_is_waited_for_after_a_poll_that_was_aborted_meanwhile() {
    let (mut page, task) = page_of(&[no_stream(), shed().retry_after(20.0), polled("SUCCEEDED")]);
    let aborted = page.done(task, &timeout(1_000));
    page.sim.run_for(1_000.0);
    assert_eq!(page.code(aborted).0, "timeout");
    page.done(task, &NONE);
    page.sim.run();
    let sent: Vec<_> = page.requests().iter().map(|it| it.at).collect();
    assert!(
        sent[2] - sent[1] >= 20_000.0,
        "polled after {} ms",
        sent[2] - sent[1]
    );
}

#[test]
fn a_released_task_is_not_followed() {
    let (mut page, task) = page_of(&[stream(&[event(1, "RUNNING"), Never])]);
    let subscription = page.subscribe(task);
    page.next(task, subscription);
    page.sim.run_for(10.0);
    page.sim.release(subscription);
    page.sim.release(task);
    assert_eq!((page.aborted(), page.sim.snapshot(task)), (1, None));
    page.sim.assert_rest();
    let gone = page.done(task, &NONE);
    assert_eq!(page.code(gone).0, "crashed");
}

#[test]
fn a_saved_task_is_checked() {
    let mut page = Page::new([]);
    let client = page.client(SimValue::text("t"));
    let bad = [
        json!(null),
        json!({}),
        json!({ "id": "k" }),
        json!({ "id": "k", "capability": "video" }),
        json!({ "id": 7, "capability": "split_video" }),
        json!({ "id": " ", "capability": "split_video" }),
    ];
    for saved in bad {
        let error = page
            .sim
            .restore(client, &saved.clone().into())
            .expect_err("not a saved task");
        assert_eq!(error.code, "invalid_argument", "{saved}");
    }
    let task = page.task(client, "k");
    let saved = page.sim.saved(task).map(|it| it.json());
    assert_eq!(
        saved,
        Some(json!({ "id": "k", "capability": "split_video" }))
    );
    let snapshot = page.sim.snapshot(task).map(|it| it.json());
    assert_eq!(
        snapshot,
        Some(json!({ "id": "k", "capability": "split_video", "outputs": [] }))
    );
}
