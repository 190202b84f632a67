//! Promises: each settles once, within its limits, and nothing is left of it.

use crate::simulated::error::{aborted, timed_out};
use crate::simulated::platform::SimPlatform;
use crate::simulated::script::{Page, signal, silence, timeout, with_signal};
use crate::simulated::value::{SimValue, hold};
use mediagate_client::{Engine, Id, Source};
use serde_json::json;

/// Starts one kind of promise, of this client and this task.
type Start = fn(&mut Engine<SimPlatform>, Id, (Id, Id, Id));

/// Each kind of promise, and the number of requests that it starts at once.
const KINDS: [(&str, Start, usize); 15] = [
    (
        "connect",
        |engine, promise, _| {
            let base = hold(SimValue::text("https://gateway.test"));
            engine.connect(promise, base, Source::Anonymous, None, None);
        },
        1,
    ),
    (
        "models",
        |engine, promise, (client, ..)| engine.models(promise, client),
        1,
    ),
    (
        "tasks",
        |engine, promise, (client, ..)| engine.tasks(promise, client, hold(SimValue::text(""))),
        1,
    ),
    (
        "forget",
        |engine, promise, (client, ..)| {
            engine.forget(promise, client, hold(SimValue::text("k")), false)
        },
        1,
    ),
    (
        "create",
        |engine, promise, (client, ..)| {
            let key = SimValue::text("once");
            engine.create(promise, client, hold(name()), hold(input()), hold(key));
        },
        1,
    ),
    (
        "create with files",
        |engine, promise, (client, ..)| {
            let files = ["1", "2", "1"].map(|it| SimValue::file(it, "", 1.0));
            let input = SimValue::object(&[("input_file_ids", SimValue::list(&files))]);
            let (name, key) = (SimValue::text("merge_pdf"), SimValue::text("once"));
            engine.create(promise, client, hold(name), hold(input), hold(key));
        },
        3,
    ),
    (
        "create with results",
        |engine, promise, (client, ..)| {
            let task = json!({ "id": "l", "capability": "split_pdf" });
            let output = json!({ "task_id": "l", "output": 0, "url": "https://out.test/a.pdf" });
            let input = SimValue::from(json!({ "input_file_ids": [task, output, task] }));
            let (name, key) = (SimValue::text("merge_pdf"), SimValue::text("once"));
            engine.create(promise, client, hold(name), hold(input), hold(key));
        },
        2,
    ),
    (
        "estimate",
        |engine, promise, (client, ..)| {
            engine.estimate(promise, client, hold(name()), hold(input()))
        },
        1,
    ),
    (
        "upload",
        |engine, promise, (client, ..)| {
            engine.upload(promise, client, hold(SimValue::file("a", "", 1.0)), None);
        },
        1,
    ),
    (
        "done",
        |engine, promise, (_, task, _)| engine.done(promise, task),
        1,
    ),
    (
        "next",
        |engine, promise, (_, task, subscription)| {
            engine.subscribe(task, subscription);
            engine.next(promise, task, subscription);
        },
        1,
    ),
    (
        "refresh",
        |engine, promise, (_, task, _)| engine.refresh(promise, task),
        1,
    ),
    (
        "pipeline",
        |engine, promise, (client, ..)| {
            let steps =
                json!([{ "name": "a", "capability": "text_to_image", "input": { "prompt": "p" } }]);
            engine.pipeline(
                promise,
                client,
                None,
                hold(steps.into()),
                hold(SimValue::text("once")),
            );
        },
        1,
    ),
    (
        "pipeline with files and results",
        |engine, promise, (client, ..)| {
            let output = json!({ "task_id": "l", "output": 0, "url": "https://out.test/a.pdf" });
            let files = [
                SimValue::file("1", "", 1.0),
                output.into(),
                SimValue::from(json!({ "step": "b" })),
            ];
            let input = SimValue::object(&[("input_file_ids", SimValue::list(&files))]);
            let step = SimValue::from(json!({ "name": "a", "capability": "merge_pdf" }))
                .with("input", input);
            let (steps, key) = (SimValue::list(&[step]), SimValue::text("once"));
            engine.pipeline(promise, client, Some(hold(name())), hold(steps), hold(key));
        },
        2,
    ),
    (
        "resume",
        |engine, promise, (client, ..)| {
            let id = hold(SimValue::text("p"));
            let pipeline = engine.restore_pipeline(client, id).unwrap_or_default();
            engine.change_pipeline(promise, pipeline, true);
        },
        1,
    ),
];

fn name() -> SimValue {
    SimValue::text("text_to_image")
}

fn input() -> SimValue {
    SimValue::from(json!({ "prompt": "p" }))
}

/// A page without responses, with a promise of this kind.
fn started(start: Start, options: &SimValue) -> (Page, Id, Id) {
    let mut page = Page::new((0..3).map(|_| silence()));
    let client = page.client(SimValue::text("t"));
    let task = page.task(client, "k");
    let subscription = page.sim.world.new_id();
    let ids = (client, task, subscription);
    let promise = page
        .sim
        .promise(options, |it, promise| start(it, promise, ids));
    (page, promise, subscription)
}

#[test]
fn an_abort_ends_all_that_a_promise_started_at_once() {
    for (name, start, requests) in KINDS {
        let abort = signal();
        let (mut page, promise, subscription) = started(start, &with_signal(&abort));
        page.sim.run_for(10.0);
        assert_eq!(page.requests().len(), requests, "{name}");
        page.sim.abort(&abort, Some(SimValue::text("enough")));
        assert_eq!(page.code(promise), ("aborted", 0), "{name}");
        // A subscription keeps its task followed.
        page.sim.release(subscription);
        assert_eq!(page.aborted(), requests, "{name}");
        page.sim.assert_rest();
        // A second abort, and a timeout, come too late.
        page.sim.limited(promise, aborted(None));
        page.sim.limited(promise, timed_out());
        assert_eq!(page.code(promise), ("aborted", 0), "{name}");
    }
}

#[test]
fn a_timeout_ends_all_that_a_promise_started() {
    for (name, start, requests) in KINDS {
        let (mut page, promise, subscription) = started(start, &timeout(500));
        page.sim.run_for(499.0);
        assert!(page.is_pending(promise), "{name}");
        page.sim.run_for(1.0);
        let error = page.sim.error(promise);
        page.sim.release(subscription);
        assert_eq!(
            (error.code, error.retryable, page.aborted()),
            ("timeout", true, requests),
            "{name}"
        );
        page.sim.assert_rest();
    }
}

#[test]
fn a_signal_that_is_aborted_already_starts_nothing() {
    for (name, start, _) in KINDS {
        let abort = signal();
        if let SimValue::Signal(state) = &abort {
            state.is_aborted.set(true);
            state.reason.replace(Some(SimValue::text("before")));
        }
        let (mut page, promise, subscription) = started(start, &with_signal(&abort));
        let error = page.sim.error(promise);
        assert_eq!(
            (
                error.code,
                crate::simulated::sim::string(&error, "cause").as_str()
            ),
            ("aborted", "before"),
            "{name}"
        );
        assert!(page.lines().is_empty(), "{name}");
        page.sim.release(subscription);
        page.sim.assert_rest();
    }
}

#[test]
fn an_engine_that_was_started_anew_has_no_record_of_clients_and_tasks() {
    for (name, start, _) in KINDS.iter().filter(|it| it.0 != "connect") {
        let mut page = Page::new([]);
        let promise = page.sim.promise(&SimValue::Undefined, |it, promise| {
            start(it, promise, (91, 92, 93))
        });
        assert_eq!(page.code(promise).0, "crashed", "{name}");
        page.sim.assert_rest();
    }
    let mut page = Page::new([]);
    let saved = SimValue::from(json!({ "id": "k", "capability": "split_video" }));
    assert_eq!(
        page.sim.restore(91, &saved).map_err(|it| it.code),
        Err("crashed")
    );
    assert!(page.sim.saved(92).is_none() && page.sim.snapshot(92).is_none());
    page.sim.release(91);
    page.sim.subscribe(92, 93);
}

#[test]
fn reports_of_what_was_aborted_do_no_harm() {
    let mut page = Page::new([silence(), silence()]);
    let client = page.client(SimValue::text("t"));
    let abort = signal();
    page.models(client, &with_signal(&abort));
    page.upload(client, &SimValue::file("a", "", 1.0), &with_signal(&abort));
    page.sim.abort(&abort, None);
    for id in 0..20 {
        page.sim.fired(id);
        page.sim.failed(id, SimValue::Undefined, false);
        page.sim
            .responded(id, crate::simulated::requests::plain_response(200));
        page.sim.received(
            id,
            Some(SimValue::from(json!([{ "id": "", "name": "", "data": 7 }]))),
        );
        page.sim.received(id, None);
    }
    page.sim.assert_rest();
}
