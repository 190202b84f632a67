//! What a create waits for: limits end it at any stage, others share it, and one that fails ends the rest.

use std::slice::from_ref;

use crate::simulated::followed::{EVENTS, event, no_stream, polled};
use crate::simulated::requests::Sent;
use crate::simulated::results::*;
use crate::simulated::script::Part::{Chunk, Never, Pass};
use crate::simulated::script::{
    Page, Reply, data, lost, signal, silence, stream, timeout, with_signal,
};
use crate::simulated::sim::member;
use crate::simulated::value::SimValue;
use serde_json::{Value as Json, json};

const NONE: SimValue = SimValue::Undefined;

/// The stages of a create with a reference: what is in it, the responses until the stage is reached, and the milliseconds
/// after which it is.
fn stages() -> Vec<(SimValue, Vec<Reply>, f64)> {
    let running = || stream(&[event(1, "RUNNING"), Never]);
    vec![
        // The token is fetched, for the stream and for the transfer.
        (task(), vec![], 5.0),
        (output(0), vec![], 5.0),
        // The stream is opened, and read.
        (task(), vec![silence()], 50.0),
        (task(), vec![running()], 50.0),
        // The task is polled, and its next poll waited for.
        (task(), vec![no_stream(), silence()], 50.0),
        (task(), vec![no_stream(), polled("RUNNING")], 50.0),
        // The output is requested, the request is to be repeated, and the transfer goes on.
        (task(), vec![ended(&success()), silence()], 50.0),
        (output(0), vec![silence()], 50.0),
        (output(0), vec![lost()], 50.0),
        (output(0), vec![moving(1)], 50.0),
        (output(0), vec![moving(1), silence()], 1_050.0),
    ]
}

#[test]
fn an_abort_or_a_timeout_leaves_nothing_at_any_stage() {
    for (index, (reference, replies, milliseconds)) in stages().into_iter().enumerate() {
        for is_aborted in [true, false] {
            let mut page = Page::new(replies.clone());
            page.returns("token", 10.0, Ok("t1"));
            let client = page.client(SimValue::function("token"));
            let abort = signal();
            let options = if is_aborted {
                with_signal(&abort)
            } else {
                timeout(milliseconds as u32)
            };
            let promise = page.create_with(
                client,
                "merge_pdf",
                documents(from_ref(&reference)),
                &options,
            );
            page.sim.run_for(milliseconds);
            assert_eq!(page.left(), 0, "stage {index}");
            page.sim.abort(&abort, None);
            let expected = if is_aborted { "aborted" } else { "timeout" };
            assert_eq!(not_sent(&page, promise).0, expected, "stage {index}");
            page.sim.assert_rest();
            page.sim.run();
        }
    }
}

#[test]
fn creates_that_wait_for_one_task_share_its_stream() {
    let last = format!("id: 2\nevent: task\ndata: {}\n\n", success());
    let (mut page, client) = page_of([stream(&[event(1, "RUNNING"), Pass(5_000.0), Chunk(last)])]);
    page.then([
        moved("f"),
        moved("f"),
        moved("f"),
        created(),
        created(),
        created(),
    ]);
    let abort = signal();
    let aborted = page.create_with(
        client,
        "merge_pdf",
        documents(&[task()]),
        &with_signal(&abort),
    );
    let creates = [(); 3].map(|()| page.create(client, "merge_pdf", documents(&[task()])));
    let watched = page.sim.restore(client, &task()).expect("a saved task");
    let done = page.done(watched, &NONE);
    page.sim.run_for(100.0);
    page.sim.abort(&abort, None);
    assert_eq!((page.code(aborted).0, page.aborted()), ("aborted", 0));
    page.sim.run();
    for create in creates {
        page.sim.handle(create);
    }
    assert_eq!((page.state(done).as_str(), page.left()), ("SUCCEEDED", 0));
    assert_eq!(page.lines().iter().filter(|it| *it == EVENTS).count(), 1);
    page.sim.assert_rest();
}

#[test]
fn a_task_that_its_caller_releases_meanwhile_is_waited_for() {
    let last = format!("id: 2\nevent: task\ndata: {}\n\n", success());
    let (mut page, client) = page_of([
        stream(&[event(1, "RUNNING"), Pass(5_000.0), Chunk(last)]),
        moved("f"),
        created(),
    ]);
    let restored = page.sim.restore(client, &task()).expect("a saved task");
    let saved = page.sim.saved(restored).expect("a task");
    let promise = page.create(client, "merge_pdf", documents(&[saved]));
    page.sim.run_for(100.0);
    page.sim.release(restored);
    assert!(page.sim.snapshot(restored).is_some());
    page.sim.run();
    page.sim.handle(promise);
    assert_eq!(page.lines(), [EVENTS, FILES, MERGE]);
    assert!(
        page.sim.snapshot(restored).is_none(),
        "the engine forgets it once no one has it"
    );
    page.sim.assert_rest();
}

#[test]
fn a_task_that_fails_rejects_all_who_wait_for_it() {
    // By its last state, and by a poll that fails.
    let gone = || refused(404, 12, "unknown_task");
    let ends = [
        (
            vec![stream(&[event(1, "RUNNING"), event(2, "FAILED")])],
            "task_failed",
        ),
        (vec![gone(), gone()], "invalid_input"),
    ];
    for (replies, code) in ends {
        let (mut page, client) = page_of(replies);
        let first = page.create(client, "merge_pdf", documents(&[task(), task(), task()]));
        let second = page.create(client, "merge_pdf", documents(&[task(), task()]));
        let watched = page.sim.restore(client, &task()).expect("a saved task");
        let done = page.done(watched, &NONE);
        page.sim.run();
        assert_eq!([first, second, done].map(|it| page.code(it).0), [code; 3]);
        page.sim.assert_rest();
    }
}

#[test]
fn a_source_that_fails_ends_the_others_of_its_create() {
    // With the number of requests that are aborted: the two others, and its own stream.
    let failures: [(&[Reply], SimValue, usize); 3] = [
        (&[refused(404, 12, "unknown_path")], output(0), 2),
        (&[stream(&[event(1, "FAILED")])], task(), 3),
        (&[data(json!({}))], pdf("b"), 2),
    ];
    for (failure, source, aborted) in failures {
        // An upload is begun before a transfer, whatever their order.
        let is_file = matches!(source, SimValue::File(_));
        let delayed = failure.iter().map(|it| it.clone().after(50.0));
        let others = || [silence(), silence()];
        let (mut page, client) = page_of([]);
        if is_file {
            page.then(delayed.chain(others()));
            page.create(client, "merge_pdf", documents(&[source, output(7), task()]));
        } else {
            page.then([silence()].into_iter().chain(delayed).chain([silence()]));
            page.create(
                client,
                "merge_pdf",
                documents(&[pdf("b"), source, output(7)]),
            );
        }
        // One of another create goes on.
        page.then([silence()]);
        let abort = signal();
        let other = page.create_with(
            client,
            "merge_pdf",
            documents(&[output(8)]),
            &with_signal(&abort),
        );
        page.sim.run_for(49.0);
        assert_eq!((page.aborted(), page.left()), (0, 0));
        page.sim.run_for(60.0);
        assert_eq!((page.aborted(), page.is_pending(other)), (aborted, true));
        page.sim.abort(&abort, None);
        page.sim.assert_rest();
        assert_eq!(page.requests().len(), 4);
    }
}

#[test]
fn an_estimate_has_the_same_sources() {
    const ESTIMATE: &str = "POST https://gateway.test/api/app/v1/credits/estimate";
    let (mut page, client) =
        page_of([ended(&success()), moved("f"), data(json!({ "credits": 3 }))]);
    let estimate = page.estimate(client, "merge_pdf", documents(&[task()]), &NONE);
    page.sim.run();
    assert_eq!(page.sim.value(estimate).json(), json!({ "credits": 3 }));
    let input = json!({ "capability": "merge_pdf", "input": { "input_file_ids": ["f"] } });
    assert_eq!(
        (page.lines(), bodies(&page, ESTIMATE)),
        (
            vec![EVENTS.into(), FILES.into(), ESTIMATE.into()],
            vec![input]
        )
    );
    page.then([refused(404, 12, "unknown_path")]);
    let estimate = page.estimate(client, "merge_pdf", documents(&[output(0)]), &NONE);
    page.sim.run();
    let error = page.sim.error(estimate);
    // What was not sent is no create.
    assert_eq!(
        (error.code, member(&error, "outcome").json()),
        ("invalid_input", Json::Null)
    );
    assert_eq!(
        page.requests().last().map(Sent::line).as_deref(),
        Some(FILES)
    );
    page.sim.assert_rest();
}
