//! A task's stream of events, and the polls that replace it where it breaks.

use crate::simulated::followed::{
    EVENTS, POLL, done, event, event_text, no_stream, page_of, polled, shed, states,
};
use crate::simulated::script::Part::{Chunk, Never, Pass};
use crate::simulated::script::{
    Page, data, lost, signal, silence, stream, text, timeout, with_signal,
};
use crate::simulated::value::SimValue;
use serde_json::json;

const NONE: SimValue = SimValue::Undefined;

#[test]
fn text_is_read_in_chunks_of_any_size() {
    let whole = event_text("1", "SUCCEEDED").replace("\"state\"", "\"title\":\"é\",\"state\"");
    let parts: Vec<_> = whole.chars().map(|it| Chunk(it.to_string())).collect();
    let (page, state) = done(&[stream(&parts)]);
    assert_eq!(
        (state.as_str(), page.lines()),
        ("SUCCEEDED", vec![EVENTS.to_owned()])
    );
}

#[test]
fn one_request_brings_all_updates_of_a_task() {
    let parts = [
        Chunk("retry: 1000\n\n".into()),
        event(1, "PENDING"),
        Chunk(":\n\n".into()),
        event(2, "RUNNING"),
        event(3, "SUCCEEDED"),
    ];
    let (mut page, task) = page_of(&[stream(&parts)]);
    let subscription = page.subscribe(task);
    assert_eq!(
        states(&mut page, task, subscription),
        ["PENDING", "RUNNING", "SUCCEEDED"]
    );
    assert_eq!(page.lines(), [EVENTS]);
    assert!(
        page.delays().iter().all(|it| *it >= 10_000),
        "there was no wait between polls: {:?}",
        page.delays()
    );
    page.sim.release(subscription);
    page.sim.assert_rest();
}

#[test]
fn a_request_of_a_stream_says_what_it_is() {
    let (page, _) = done(&[stream(&[event(1, "SUCCEEDED")])]);
    let sent = &page.requests()[0];
    assert!(sent.events && sent.token == "t" && sent.capability == "split_video");
    let (page, _) = done(&[no_stream(), polled("SUCCEEDED")]);
    let sent = &page.requests()[1];
    assert!(!sent.events && sent.token == "t" && sent.capability == "split_video");
}

#[test]
fn several_events_in_one_chunk_are_several_updates_where_their_states_differ() {
    let chunk = |states: &[&str]| {
        let events = states
            .iter()
            .zip(1..)
            .map(|(state, id): (_, u32)| event_text(&id.to_string(), state));
        Chunk(events.collect())
    };
    let all: [(&[&str], &[&str]); 3] = [
        (
            &["QUEUED", "PENDING", "RUNNING", "SUCCEEDED"],
            &["QUEUED", "PENDING", "RUNNING", "SUCCEEDED"],
        ),
        (
            &["QUEUED", "RUNNING", "QUEUED", "FAILED"],
            &["QUEUED", "RUNNING", "QUEUED", "FAILED"],
        ),
        // What comes after the last state is older.
        (
            &["RUNNING", "SUCCEEDED", "RUNNING", "FAILED"],
            &["RUNNING", "SUCCEEDED"],
        ),
    ];
    for (sent, expected) in all {
        let (mut page, task) = page_of(&[stream(&[chunk(sent)])]);
        let (one, other) = (page.subscribe(task), page.subscribe(task));
        let first = states(&mut page, task, one);
        assert_eq!(first[..expected.len()], *expected);
        assert_eq!(states(&mut page, task, other), first);
        assert_eq!(page.lines(), [EVENTS]);
    }
}

#[test]
fn all_who_follow_a_task_share_a_stream() {
    let whole = event_text("2", "SUCCEEDED");
    let (start, rest) = whole.split_at(40);
    let parts = [event(1, "RUNNING"), Chunk(start.into()), Chunk(rest.into())];
    let mut page = Page::new([stream(&parts)]);
    let client = page.client(SimValue::text("t"));
    let all: Vec<_> = (0..20)
        .map(|_| {
            let task = page.task(client, "k");
            page.done(task, &NONE)
        })
        .collect();
    page.sim.run();
    assert!(all.into_iter().all(|it| page.state(it) == "SUCCEEDED"));
    assert_eq!(page.lines(), [EVENTS]);
    page.sim.assert_rest();
}

#[test]
fn the_last_one_that_leaves_closes_the_stream() {
    let (mut page, task) = page_of(&[stream(&[event(1, "RUNNING"), Never])]);
    let (short, long) = (
        page.done(task, &timeout(100)),
        page.done(task, &timeout(20_000)),
    );
    page.sim.run_for(100.0);
    assert_eq!(
        (page.code(short).0, page.aborted()),
        ("timeout", 0),
        "one still waits"
    );
    page.sim.run_for(19_900.0);
    assert_eq!(
        (page.code(long).0, page.aborted(), page.lines()),
        ("timeout", 1, vec![EVENTS.to_owned()])
    );
    page.sim.assert_rest();
}

#[test]
fn a_subscription_keeps_the_stream_open_between_two_updates() {
    let (mut page, task) = page_of(&[stream(&[
        event(1, "RUNNING"),
        Pass(20_000.0),
        event(2, "SUCCEEDED"),
    ])]);
    let subscription = page.subscribe(task);
    let next = page.next(task, subscription);
    page.sim.run_for(10.0);
    assert_eq!(page.state(next), "RUNNING");
    // One that was aborted leaves the chunk that is being read to the next.
    let abort = signal();
    page.next_with(task, subscription, &with_signal(&abort));
    page.sim.abort(&abort, None);
    assert_eq!(page.aborted(), 0);
    page.sim.run_for(10.0);
    assert_eq!(states(&mut page, task, subscription), ["SUCCEEDED"]);
    assert_eq!(page.lines(), [EVENTS]);
}

#[test]
fn omit_a_stream_the_task_is_polled() {
    for none in [no_stream(), text(200), data(json!({})), text(405)] {
        let (page, end) = done(&[none.clone(), polled("RUNNING"), polled("SUCCEEDED")]);
        assert_eq!(
            (end.as_str(), page.lines()),
            ("SUCCEEDED", vec![EVENTS.into(), POLL.into(), POLL.into()]),
            "{none:?}"
        );
    }
}

#[test]
fn a_stream_that_failed_to_open_is_opened_later() {
    for none in [lost(), text(503), shed()] {
        let (page, end) = done(&[
            none.clone(),
            polled("RUNNING"),
            stream(&[event(7, "SUCCEEDED")]),
        ]);
        assert_eq!(
            (end.as_str(), page.lines()),
            ("SUCCEEDED", vec![EVENTS.into(), POLL.into(), EVENTS.into()]),
            "{none:?}"
        );
    }
}

#[test]
fn after_a_broken_stream_the_task_is_polled_and_a_new_stream_resumes() {
    let part = |text: &str| vec![event(4, "RUNNING"), Chunk(text.into())];
    let broken = [
        vec![event(4, "RUNNING"), Never],
        part("id: 5\nevent: task\nda"),
        part("id: 5\nevent: task\ndata: <html>\n\n"),
        part("id: 5\nevent: error\ndata: {}\n\n"),
        part("id: 5\ndata: {}\n\n"),
    ];
    for parts in broken {
        let (page, end) = done(&[
            stream(&parts),
            polled("RUNNING"),
            stream(&[event(5, "SUCCEEDED")]),
        ]);
        assert_eq!(
            (end.as_str(), page.lines()),
            ("SUCCEEDED", vec![EVENTS.into(), POLL.into(), EVENTS.into()]),
            "{parts:?}"
        );
        let requests = page.requests();
        let last: Vec<_> = requests
            .iter()
            .map(|it| it.header("last-event-id"))
            .collect();
        assert_eq!(last, ["", "", "4"]);
    }
}

#[test]
fn a_silent_stream_is_dead_after_two_heartbeats() {
    let beats = [
        event(1, "RUNNING"),
        Pass(29_000.0),
        Chunk(":\n\n".into()),
        Pass(29_000.0),
        event(2, "SUCCEEDED"),
    ];
    let (page, end) = done(&[stream(&beats)]);
    assert_eq!(
        (end.as_str(), page.lines()),
        ("SUCCEEDED", vec![EVENTS.to_owned()])
    );
    let (page, _) = done(&[stream(&[event(1, "RUNNING"), Never]), polled("SUCCEEDED")]);
    let sent: Vec<_> = page.requests().iter().map(|it| it.at).collect();
    assert_eq!((sent[1] - sent[0], page.aborted()), (30_000.0, 1));
}

#[test]
fn a_long_stream_that_ends_is_reopened_and_after_one_without_a_record_the_task_is_polled() {
    let (page, end) = done(&[
        stream(&[event(4, "RUNNING"), Pass(9_000.0)]),
        stream(&[event(5, "SUCCEEDED")]),
    ]);
    assert_eq!(
        (end.as_str(), page.lines()),
        ("SUCCEEDED", vec![EVENTS.into(), EVENTS.into()])
    );
    let (page, end) = done(&[
        stream(&[Chunk(":\n\n".into()), Pass(9_000.0)]),
        polled("SUCCEEDED"),
    ]);
    assert_eq!(
        (end.as_str(), page.lines()),
        ("SUCCEEDED", vec![EVENTS.into(), POLL.into()])
    );
    let (page, end) = done(&[
        stream(&[event(4, "RUNNING"), Pass(4_000.0)]),
        polled("SUCCEEDED"),
    ]);
    assert_eq!(
        (end.as_str(), page.lines()),
        ("SUCCEEDED", vec![EVENTS.into(), POLL.into()])
    );
}

#[test]
fn unexpected_chunks_do_no_harm() {
    let chunks = [
        event_text("中", "RUNNING"),
        event_text("a b", "RUNNING"),
        event_text("\r\n\t", "RUNNING"),
    ];
    for chunk in chunks
        .into_iter()
        .chain([String::new(), "\u{ffff}\n\n".into(), "\0".into()])
    {
        let first = stream(&[event(1, "RUNNING"), Chunk(chunk.clone())]);
        let (_, end) = done(&[first, polled("RUNNING"), stream(&[event(2, "SUCCEEDED")])]);
        assert_eq!(end, "SUCCEEDED", "{chunk:?}");
    }
}

#[test]
fn a_stream_without_a_first_byte_is_not_opened_again() {
    for none in [stream(&[Never]), silence(), stream(&[])] {
        let (page, end) = done(&[none.clone(), polled("RUNNING"), polled("SUCCEEDED")]);
        assert_eq!(
            (end.as_str(), page.lines()),
            ("SUCCEEDED", vec![EVENTS.into(), POLL.into(), POLL.into()]),
            "{none:?}"
        );
    }
}

#[test]
fn the_time_for_the_first_byte_begins_with_the_request() {
    let mut page = Page::new([stream(&[event(1, "SUCCEEDED")])]);
    page.returns("token", 25_000.0, Ok("t1"));
    let client = page.client(SimValue::function("token"));
    let task = page.task(client, "k");
    let done = page.done(task, &NONE);
    page.sim.run();
    assert_eq!(
        (page.state(done), page.lines()),
        ("SUCCEEDED".into(), vec![EVENTS.to_owned()])
    );
}

#[test]
fn omit_a_token_there_may_be_a_stream_later() {
    let mut page = Page::new([stream(&[event(1, "SUCCEEDED")])]);
    // For the stream, and for the poll in its place.
    page.returns("token", 1.0, Err("no"));
    page.returns("token", 1.0, Err("no"));
    let client = page.client(SimValue::function("token"));
    let task = page.task(client, "k");
    let failed = page.done(task, &NONE);
    page.sim.run();
    assert_eq!(page.code(failed).0, "invalid_argument");
    let done = page.done(task, &NONE);
    page.sim.run();
    assert_eq!(
        (page.state(done), page.lines()),
        ("SUCCEEDED".into(), vec![EVENTS.to_owned()])
    );
}

#[test]
fn an_offline_page_waits_for_the_connection_but_not_for_ever() {
    for online_after in [Some(4_000.0), None] {
        // The stream, and the first poll.
        let (mut page, task) = page_of(&[lost(), lost(), polled("SUCCEEDED")]);
        let begin = page.sim.world.now();
        page.sim.set_offline(true);
        page.done(task, &NONE);
        if let Some(milliseconds) = online_after {
            page.sim.run_for(milliseconds);
            assert_eq!(page.lines().len(), 2);
            page.sim.set_offline(false);
        }
        page.sim.run();
        let waited = page.requests()[2].at - begin;
        let expected = online_after.unwrap_or(30_000.0);
        assert!(
            waited >= expected && waited < expected + 1_000.0,
            "{waited}"
        );
    }
}

#[test]
fn what_the_gateway_wants_is_waited_for_after_a_stream_that_it_refused() {
    let (page, _) = done(&[shed().retry_after(20.0), polled("SUCCEEDED")]);
    let sent: Vec<_> = page.requests().iter().map(|it| it.at).collect();
    assert!(
        sent[1] - sent[0] >= 20_000.0,
        "polled after {} ms",
        sent[1] - sent[0]
    );
}

#[test]
fn the_number_of_streams_is_limited() {
    for (is_multiplexed, max) in [(false, 3), (true, 32)] {
        let open = stream(&[Chunk(":\n\n".into()), Never]);
        let polls = (0..2).map(|_| polled("SUCCEEDED"));
        let mut page = Page::new((0..max).map(|_| open.clone()).chain(polls));
        page.sim.world.is_multiplexed.set(is_multiplexed);
        let client = page.client(SimValue::text("t"));
        let waits: Vec<_> = (0..max + 2)
            .map(|it| {
                let task = page.task(client, &format!("k{it}"));
                page.done(task, &timeout(15_000))
            })
            .collect();
        page.sim.run();
        assert!(waits[max..].iter().all(|it| page.state(*it) == "SUCCEEDED"));
        assert!(waits[..max].iter().all(|it| page.code(*it).0 == "timeout"));
        assert_eq!(
            page.lines()
                .iter()
                .filter(|it| it.ends_with("/events"))
                .count(),
            max
        );
        page.sim.assert_rest();
    }
}
