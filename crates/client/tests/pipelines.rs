//! Pipelines: started once for a key, followed as a task is, resumed and cancelled.

use crate::simulated::error::{member, string};
use crate::simulated::followed::{no_stream, states};
use crate::simulated::results::{FILES, UPLOAD, bodies, moved, page_of, pdf};
use crate::simulated::script::Part::{Chunk, Never, Pass};
use crate::simulated::script::{
    Page, Part, Reply, data, issues, lost, reply, signal, stream, text, with_signal,
};
use crate::simulated::value::{SimValue, hold};
use mediagate_client::Id;
use serde_json::{Value as Json, json};

const NONE: SimValue = SimValue::Undefined;
const START: &str = "POST https://gateway.test/api/app/v1/pipelines";
const READ: &str = "GET https://gateway.test/api/app/v1/pipelines/p%2F1";
const EVENTS: &str = "GET https://gateway.test/api/app/v1/pipelines/p%2F1/events";
const RESUME: &str = "POST https://gateway.test/api/app/v1/pipelines/p%2F1/resume";
const CANCEL: &str = "POST https://gateway.test/api/app/v1/pipelines/p%2F1/cancel";

fn record(state: &str) -> Json {
    json!({ "pipeline": { "id": "p/1", "state": state, "steps": [] } })
}

fn read(state: &str) -> Reply {
    data(record(state))
}

fn event(id: u32, state: &str) -> Part {
    let body = json!({ "code": 0, "data": record(state) });
    Chunk(format!("id: {id}\nevent: pipeline\ndata: {body}\n\n"))
}

fn step(name: &str, capability: &str, input: SimValue) -> SimValue {
    let members = [
        ("name", SimValue::text(name)),
        ("capability", SimValue::text(capability)),
        ("input", input),
    ];
    SimValue::object(&members)
}

/// A picture, and a video of it.
fn steps() -> Vec<SimValue> {
    vec![
        step(
            "still",
            "text_to_image",
            json!({ "prompt": "a lighthouse" }).into(),
        ),
        step(
            "clip",
            "image_to_video",
            json!({ "file_id": { "step": "still" }, "prompt": "slow" }).into(),
        ),
    ]
}

fn start(page: &mut Page, client: Id, steps: &[SimValue], options: &SimValue) -> Id {
    let (steps, title, key) = (
        SimValue::list(steps),
        SimValue::text("Lighthouse"),
        SimValue::text("once"),
    );
    page.sim.promise(options, |it, promise| {
        it.pipeline(promise, client, Some(hold(title)), hold(steps), hold(key));
    })
}

fn change(page: &mut Page, pipeline: Id, is_resume: bool) -> Id {
    page.sim.promise(&NONE, |it, promise| {
        it.change_pipeline(promise, pipeline, is_resume)
    })
}

/// A page that has the pipeline `p/1`, with these responses.
fn page_with(replies: impl IntoIterator<Item = Reply>) -> (Page, Id) {
    let (mut page, client) = page_of(replies);
    let id = SimValue::text("p/1");
    let pipeline = page
        .sim
        .call(|it| it.restore_pipeline(client, hold(id)).ok())
        .expect("a client");
    (page, pipeline)
}

#[test]
fn the_steps_are_sent_under_their_names() {
    let (mut page, client) = page_of([read("RUNNING")]);
    let promise = start(&mut page, client, &steps(), &NONE);
    page.sim.run();
    let pipeline = page.sim.handle(promise);
    let expected = json!({
        "title": "Lighthouse",
        "steps": {
            "still": { "capability": "text_to_image", "input": { "prompt": "a lighthouse" } },
            "clip": { "capability": "image_to_video", "input": { "file_id": { "step": "still" }, "prompt": "slow" } },
        },
    });
    assert_eq!(page.requests()[0].body, expected);
    assert_eq!(
        (page.lines(), page.requests()[0].header("idempotency-key")),
        (vec![START.into()], "once")
    );
    assert_eq!(
        page.sim
            .snapshot(pipeline)
            .expect("a pipeline")
            .string("state"),
        "RUNNING"
    );
    assert_eq!(
        page.sim.saved(pipeline).expect("a pipeline").json(),
        json!({ "id": "p/1" })
    );
    page.sim.assert_rest();
}

#[test]
fn files_and_results_of_all_steps_are_replaced_by_their_ids_and_steps_stay() {
    let upload = |id: &str| data(json!({ "file_id": id, "upload_url": "https://storage.test/u" }));
    let replies = [upload("one"), moved("two"), text(200), read("RUNNING")];
    let (mut page, client) = page_of(replies);
    let output =
        json!({ "task_id": "k", "output": 1, "url": "https://out.test/a", "kind": "video" });
    let logo = json!({ "logo_file_id": { "step": "still" } });
    // It is uploaded once.
    let file = pdf("1");
    let merged = [
        file.clone(),
        json!({ "step": "split", "output": 2 }).into(),
        file.clone(),
    ];
    let all = [
        step("still", "text_to_image", json!({ "prompt": "p" }).into()),
        step(
            "logo",
            "video_logo_removal",
            SimValue::from(logo).with("input_video_file_id", output.into()),
        ),
        step(
            "split",
            "split_pdf",
            SimValue::from(json!({ "page_range": "1" })).with("input_file_id", file),
        ),
        step(
            "merge",
            "merge_pdf",
            SimValue::object(&[("input_file_ids", SimValue::list(&merged))]),
        ),
    ];
    let promise = start(&mut page, client, &all, &NONE);
    page.sim.run();
    page.sim.handle(promise);
    let sent = &bodies(&page, START)[0]["steps"];
    assert_eq!(sent["logo"]["input"]["input_video_file_id"], "two");
    assert_eq!(
        sent["logo"]["input"]["logo_file_id"],
        json!([{ "step": "still" }])
    );
    assert_eq!(sent["split"]["input"]["input_file_id"], "one");
    assert_eq!(
        sent["merge"]["input"]["input_file_ids"],
        json!(["one", { "step": "split", "output": 2 }, "one"])
    );
    assert_eq!(
        (bodies(&page, UPLOAD).len(), bodies(&page, FILES).len()),
        (1, 1)
    );
    page.sim.assert_rest();
}

#[test]
fn an_input_that_is_not_valid_is_an_issue_of_its_step_and_nothing_is_sent() {
    let (mut page, client) = page_of([]);
    let all = [
        step("still", "text_to_image", json!({}).into()),
        step(
            "clip",
            "image_to_video",
            json!({ "file_id": { "url": "x" }, "prompt": "p" }).into(),
        ),
        step("none", "text_to_image", SimValue::Null),
    ];
    let promise = start(&mut page, client, &all, &NONE);
    let error = page.sim.error(promise);
    let paths: Vec<_> = issues(&error).into_iter().map(|it| it.0).collect();
    assert_eq!(
        paths,
        [
            "steps.still.input.prompt",
            "steps.clip.input.file_id",
            "steps.none.input"
        ]
    );
    assert_eq!(
        (string(&error, "outcome").as_str(), page.requests().len()),
        ("not_sent", 0)
    );
    let unknown = start(
        &mut page,
        client,
        &[step("a", "no_such", json!({}).into())],
        &NONE,
    );
    assert_eq!(page.code(unknown).0, "invalid_argument");
}

#[test]
fn a_lost_start_is_repeated_with_its_key() {
    let (mut page, client) = page_of([lost(), text(502), read("RUNNING")]);
    let promise = start(&mut page, client, &steps(), &NONE);
    page.sim.run();
    page.sim.handle(promise);
    let keys: Vec<_> = page
        .requests()
        .iter()
        .map(|it| it.header("idempotency-key").to_owned())
        .collect();
    assert_eq!(keys, ["once"; 3]);
}

#[test]
fn a_start_that_is_aborted_says_whether_it_may_have_started() {
    let (mut page, client) = page_of([read("RUNNING").after(1_000.0)]);
    let abort = signal();
    let promise = start(&mut page, client, &steps(), &with_signal(&abort));
    page.sim.run_for(9.0);
    page.sim.abort(&abort, None);
    let error = page.sim.error(promise);
    assert_eq!(
        (
            string(&error, "outcome").as_str(),
            string(&error, "idempotencyKey").as_str()
        ),
        ("unknown", "once")
    );
    page.sim.assert_rest();
}

#[test]
fn a_response_without_a_pipeline_is_unreadable() {
    for body in [
        json!({}),
        json!({ "pipeline": 7 }),
        json!({ "pipeline": { "id": " " } }),
    ] {
        let (mut page, pipeline) = page_with([data(body)]);
        let refreshed = page.refresh(pipeline, &NONE);
        page.sim.run();
        let error = page.sim.error(refreshed);
        assert_eq!(
            (error.code, string(&error, "reason").as_str()),
            ("unreadable", "no_pipeline")
        );
    }
}

#[test]
fn it_is_followed_by_its_stream_over_breaks_and_by_reads_where_there_is_none() {
    let replies = [
        stream(&[event(1, "RUNNING"), Pass(6_000.0)]),
        stream(&[event(2, "SUCCEEDED")]),
    ];
    let (mut page, pipeline) = page_with(replies);
    let subscription = page.subscribe(pipeline);
    assert_eq!(
        states(&mut page, pipeline, subscription),
        ["RUNNING", "SUCCEEDED"]
    );
    assert_eq!(page.lines(), [EVENTS, EVENTS]);
    assert_eq!(page.requests()[1].header("last-event-id"), "1");
    page.sim.assert_rest();
    let (mut page, pipeline) = page_with([
        no_stream(),
        read("RUNNING"),
        read("A_NEW_STATE"),
        read("SUCCEEDED"),
    ]);
    let done = page.done(pipeline, &NONE);
    page.sim.run();
    assert_eq!(
        (page.state(done).as_str(), page.lines()),
        (
            "SUCCEEDED",
            [EVENTS, READ, READ, READ].map(Into::into).into()
        )
    );
}

#[test]
fn it_is_not_read_before_the_gateway_wants() {
    let shed = reply(429, json!({ "code": 16, "message": "x" })).retry_after(20.0);
    let (mut page, pipeline) = page_with([shed, read("SUCCEEDED")]);
    let done = page.done(pipeline, &NONE);
    page.sim.run_for(19_900.0);
    assert_eq!(page.requests().len(), 1);
    page.sim.run();
    assert_eq!(page.state(done), "SUCCEEDED");
}

#[test]
fn the_error_of_its_end_names_the_step_that_failed() {
    let ended = |state: &str, steps: Json| {
        let pipeline = json!({ "id": "p/1", "state": state, "steps": steps });
        let (mut page, pipeline) = page_with([no_stream(), data(json!({ "pipeline": pipeline }))]);
        let done = page.done(pipeline, &NONE);
        page.sim.run();
        page.sim.error(done)
    };
    let steps = json!([
        { "name": "still", "state": "SUCCEEDED" },
        { "name": "clip", "state": "FAILED", "error": { "message": "too dark" } },
        { "name": "film", "state": "SKIPPED" },
    ]);
    let error = ended("FAILED", steps);
    assert_eq!(
        (error.code, error.message.as_str()),
        ("pipeline_failed", "the pipeline failed at clip: too dark")
    );
    assert_eq!(
        (
            string(&error, "step"),
            member(&error, "pipeline").string("state")
        ),
        ("clip".into(), "FAILED".into())
    );
    let error = ended(
        "FAILED",
        json!([{ "name": "clip", "state": "UNKNOWN", "error": 7 }]),
    );
    assert_eq!(
        (string(&error, "step").as_str(), error.message.as_str()),
        ("clip", "the pipeline failed at clip")
    );
    let error = ended(
        "CANCELLED",
        json!([{ "name": "clip", "state": "CANCELLED" }]),
    );
    assert_eq!(
        (error.code, string(&error, "step").as_str()),
        ("pipeline_cancelled", "")
    );
    for steps in [json!(7), json!([7, { "state": "FAILED" }])] {
        assert_eq!(ended("FAILED", steps).message, "the pipeline failed");
    }
}

#[test]
fn a_resumed_pipeline_is_followed_to_its_next_end() {
    let replies = [
        stream(&[event(1, "RUNNING"), event(2, "FAILED")]),
        read("RUNNING"),
        stream(&[event(4, "RUNNING"), event(5, "SUCCEEDED")]),
    ];
    let (mut page, pipeline) = page_with(replies);
    let failed = page.done(pipeline, &NONE);
    page.sim.run();
    assert_eq!(page.code(failed).0, "pipeline_failed");
    let resumed = change(&mut page, pipeline, true);
    page.sim.run();
    assert_eq!(page.state(resumed), "RUNNING");
    let done = page.done(pipeline, &NONE);
    page.sim.run();
    assert_eq!(
        (page.state(done).as_str(), page.lines()),
        ("SUCCEEDED", [EVENTS, RESUME, EVENTS].map(Into::into).into())
    );
    assert_eq!(page.requests()[2].header("last-event-id"), "2");
    page.sim.assert_rest();
}

#[test]
fn the_reads_of_a_resumed_pipeline_begin_anew() {
    let running = (0..30).map(|_| read("RUNNING"));
    let replies = [no_stream()].into_iter().chain(running).chain([
        read("FAILED"),
        read("RUNNING"),
        read("RUNNING"),
    ]);
    let (mut page, pipeline) = page_with(replies.chain([read("SUCCEEDED")]));
    let failed = page.done(pipeline, &NONE);
    page.sim.run();
    assert_eq!(page.code(failed).0, "pipeline_failed");
    let before = page.delays().last().copied().unwrap_or_default();
    change(&mut page, pipeline, true);
    page.sim.run();
    let done = page.done(pipeline, &NONE);
    page.sim.run();
    let after = page.delays().last().copied().unwrap_or_default();
    assert_eq!(page.state(done), "SUCCEEDED");
    assert!(
        before > 5_000 && after < 2_000,
        "{before} ms, and {after} ms"
    );
}

#[test]
fn a_read_from_before_a_resume_does_not_end_it() {
    let replies = [
        read("FAILED"),
        read("FAILED").after(500.0),
        read("RUNNING").after(10.0),
    ];
    let (mut page, pipeline) = page_with(replies);
    let first = page.refresh(pipeline, &NONE);
    page.sim.run();
    assert_eq!(page.state(first), "FAILED");
    let late = page.refresh(pipeline, &NONE);
    let resumed = change(&mut page, pipeline, true);
    page.sim.run();
    assert_eq!(
        [page.state(resumed), page.state(late)],
        ["RUNNING", "RUNNING"]
    );
}

#[test]
fn another_page_may_resume_it() {
    let (mut page, pipeline) = page_with([read("CANCELLED"), read("RUNNING")]);
    for state in ["CANCELLED", "RUNNING"] {
        let refreshed = page.refresh(pipeline, &NONE);
        page.sim.run();
        assert_eq!(page.state(refreshed), state);
    }
}

#[test]
fn a_resume_whose_response_is_lost_is_no_error_where_it_took_effect() {
    let refused = || {
        reply(
            409,
            json!({ "code": 12, "message": "x", "data": { "reason": "not_resumable" } }),
        )
    };
    let (mut page, pipeline) = page_with([lost(), refused(), read("RUNNING")]);
    let resumed = change(&mut page, pipeline, true);
    page.sim.run();
    assert_eq!(
        (page.state(resumed).as_str(), page.lines()),
        ("RUNNING", [RESUME, RESUME, READ].map(Into::into).into())
    );
    let (mut page, pipeline) = page_with([refused()]);
    let resumed = change(&mut page, pipeline, true);
    page.sim.run();
    assert_eq!(page.code(resumed), ("invalid_input", 409));
}

#[test]
fn a_cancel_notifies_those_who_wait_and_closes_the_stream() {
    let (mut page, pipeline) =
        page_with([stream(&[event(1, "RUNNING"), Never]), read("CANCELLED")]);
    let done = page.done(pipeline, &NONE);
    page.sim.run_for(10.0);
    let cancelled = change(&mut page, pipeline, false);
    page.sim.run_for(10.0);
    assert_eq!(
        (page.state(cancelled).as_str(), page.code(done).0),
        ("CANCELLED", "pipeline_cancelled")
    );
    assert_eq!(
        (page.lines(), page.aborted()),
        (vec![EVENTS.into(), CANCEL.into()], 1)
    );
    page.sim.assert_rest();
}

#[test]
fn a_task_with_the_id_of_a_pipeline_is_another_thing() {
    let (mut page, client) = page_of([]);
    let saved = SimValue::from(json!({ "id": "p", "capability": "split_video" }));
    let task = page.sim.restore(client, &saved).expect("a task");
    let [one, other] = [(); 2].map(|()| {
        let id = SimValue::text("p");
        page.sim
            .call(|it| it.restore_pipeline(client, hold(id)).ok())
            .expect("a client")
    });
    assert!(one == other && one != task);
    assert!(
        page.sim
            .restore(client, &SimValue::from(json!({ "id": "p" })))
            .is_err()
    );
    let gone = SimValue::text("p");
    assert!(
        page.sim
            .call(|it| it.restore_pipeline(99, hold(gone)).is_err())
    );
    let unknown = change(&mut page, 99, true);
    assert_eq!(page.code(unknown).0, "crashed");
}
