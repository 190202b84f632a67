//! Tasks and outputs in the place of ids: waited for, moved by the gateway, and what happens when none can be used.

use crate::simulated::followed::{EVENTS, event, no_stream, polled};
use crate::simulated::results::*;
use crate::simulated::script::Part::{Chunk, Pass};
use crate::simulated::script::{data, issues, lost, reply, stream, text};
use crate::simulated::sim::{member, string};
use crate::simulated::value::SimValue;
use serde_json::{Value as Json, json};

const NONE: SimValue = SimValue::Undefined;

#[test]
fn an_output_is_moved_and_its_file_id_is_sent() {
    let (page, promise) = merge(&[output(2)], [moved("f"), created()]);
    page.sim.handle(promise);
    assert_eq!(page.lines(), [FILES, MERGE]);
    let [files, create] = &page.requests()[..] else {
        panic!("two requests")
    };
    assert_eq!(files.body, json!({ "task_id": "k", "output": 2 }));
    assert_eq!(
        (files.token.as_str(), files.header("idempotency-key")),
        ("t", "")
    );
    assert_eq!(create.body, json!({ "input_file_ids": ["f"] }));
}

#[test]
fn a_task_that_has_succeeded_is_not_polled() {
    let (mut page, client) = page_of([ended(&success())]);
    let task = page.sim.restore(client, &task()).expect("a saved task");
    page.done(task, &NONE);
    page.sim.run();
    let saved = page.sim.saved(task).expect("a task");
    let snapshot = page.sim.snapshot(task).expect("a task");
    for reference in [saved, snapshot] {
        page.then([moved("f"), created()]);
        page.create(client, "merge_pdf", documents(&[reference]));
        page.sim.run();
    }
    assert_eq!(page.lines(), [EVENTS, FILES, MERGE, FILES, MERGE]);
    assert_eq!(
        bodies(&page, FILES)[1],
        json!({ "task_id": "k", "output": 0 })
    );
    page.sim.assert_rest();
}

#[test]
fn a_task_that_runs_is_waited_for() {
    const POLL: &str = "GET https://gateway.test/api/app/v1/process/tasks/k";
    let last = format!("id: 2\nevent: task\ndata: {}\n\n", success());
    let streamed = [
        stream(&[event(1, "RUNNING"), Pass(20_000.0), Chunk(last)]),
        moved("f"),
        created(),
    ];
    let (page, promise) = merge(&[task()], streamed);
    page.sim.handle(promise);
    assert_eq!(page.lines(), [EVENTS, FILES, MERGE]);
    let polls = [
        no_stream(),
        polled("RUNNING"),
        polled("RUNNING"),
        reply(200, success()),
        moved("f"),
        created(),
    ];
    let (page, promise) = merge(&[task()], polls);
    page.sim.handle(promise);
    assert_eq!(page.lines(), [EVENTS, POLL, POLL, POLL, FILES, MERGE]);
}

#[test]
fn a_task_that_did_not_succeed_rejects_the_create() {
    for (state, code) in [("FAILED", "task_failed"), ("EXPIRED", "task_expired")] {
        let (page, promise) = merge(&[task()], [stream(&[event(1, "RUNNING"), event(2, state)])]);
        assert_eq!(
            (not_sent(&page, promise).0, page.lines()),
            (code, vec![EVENTS.to_owned()])
        );
        assert_eq!(
            member(&page.sim.error(promise), "task").string("state"),
            state
        );
    }
}

#[test]
fn a_task_that_is_unknown_or_cannot_be_polled_rejects_the_create() {
    let unknown = || refused(404, 12, "unknown_task");
    let (page, promise) = merge(&[task()], [unknown(), unknown()]);
    assert_eq!(
        not_sent(&page, promise),
        ("invalid_input", "unknown_task".into())
    );
    let (page, promise) = merge(&[task()], (0..6).map(|_| lost()));
    assert_eq!(not_sent(&page, promise).0, "network");
}

#[test]
fn a_create_sets_the_number_of_retries_of_its_waits_and_its_transfers() {
    for (replies, source) in [
        (vec![no_stream(), lost()], task()),
        (vec![lost()], output(0)),
    ] {
        let (mut page, client) = page_of(replies);
        let options = SimValue::from(json!({ "maxRetries": 0 }));
        let promise = page.create_with(client, "merge_pdf", documents(&[source]), &options);
        page.sim.run();
        assert_eq!((not_sent(&page, promise).0, page.left()), ("network", 0));
    }
}

#[test]
fn four_outputs_are_moved_at_a_time() {
    let replies = (0..9)
        .map(|it| moved(&format!("f-{it}")).after(500.0))
        .chain([created()]);
    let (mut page, client) = page_of(replies);
    let outputs: Vec<_> = (0..9).map(output).collect();
    let promise = page.create(client, "merge_pdf", documents(&outputs));
    // Each takes half a second, and the next ones begin at most a tenth later.
    let counts = [400.0, 500.0].map(|it| {
        page.sim.run_for(it);
        page.requests().len()
    });
    assert_eq!(counts, [4, 8]);
    page.sim.run();
    page.sim.handle(promise);
    assert_eq!((bodies(&page, FILES).len(), page.left()), (9, 0));
    page.sim.assert_rest();
}

#[test]
fn results_and_files_are_replaced_by_their_ids_in_their_places() {
    let granted = data(json!({ "file_id": "u", "upload_url": "https://storage.test/u" }));
    // The upload URL, an output, the stream of the task, and another output; then the task's own, and the storage.
    let replies = [
        granted.after(9.0),
        moved("f-0"),
        ended(&success()),
        moved("f-1"),
        moved("f-k").after(20.0),
        text(200),
    ];
    let (mut page, client) = page_of(replies);
    page.then([created()]);
    let items = [
        output(0),
        pdf("a"),
        SimValue::text("known"),
        task(),
        output(1),
    ];
    let promise = page.create(client, "merge_pdf", documents(&items));
    page.sim.run();
    page.sim.handle(promise);
    assert_eq!(
        bodies(&page, MERGE),
        [json!({ "input_file_ids": ["f-0", "u", "known", "f-k", "f-1"] })]
    );
    assert_eq!(
        (bodies(&page, FILES).len(), bodies(&page, UPLOAD).len()),
        (3, 1)
    );
    page.sim.assert_rest();
}

#[test]
fn references_in_several_fields_get_their_own_ids() {
    let (mut page, client) = page_of([moved("video"), moved("logo"), created()]);
    let video = SimValue::from(
        json!({ "task_id": "v", "output": 0, "url": "https://out.test/v", "kind": "video" }),
    );
    let logo = SimValue::from(json!({ "task_id": "l", "output": 1, "url": "https://out.test/l" }));
    let input = SimValue::object(&[("logo_file_id", logo), ("input_video_file_id", video)]);
    page.create(client, "video_logo_removal", input);
    page.sim.run();
    assert_eq!(
        bodies(&page, FILES),
        [
            json!({ "task_id": "v", "output": 0 }),
            json!({ "task_id": "l", "output": 1 })
        ]
    );
    let body = json!({ "logo_file_id": ["logo"], "input_video_file_id": "video" });
    assert_eq!(page.requests().last().map(|it| &it.body), Some(&body));
    page.sim.assert_rest();
}

#[test]
fn the_first_output_that_fits_is_used() {
    let url = "https://out.test/a";
    let other = json!([
        { "asset_id": "a" },
        { "url": "", "kind": "pdf" },
        { "url": url, "kind": "image" },
        { "url": url, "kind": "video" },
        { "url": url },
        { "url": url, "kind": "pdf" },
    ]);
    let (page, _) = merge(
        &[task()],
        [ended(&success_with(other)), moved("f"), created()],
    );
    assert_eq!(
        bodies(&page, FILES),
        [json!({ "task_id": "k", "output": 4 })]
    );
}

#[test]
fn a_task_without_an_output_that_fits_is_an_issue_of_its_place() {
    let url = "https://out.test/a";
    let unfit = [
        json!([]),
        json!([{ "url": url, "kind": "image" }]),
        json!([{ "asset_id": "a" }]),
        Json::Null,
    ];
    for outputs in unfit {
        let (page, promise) = merge(
            &[SimValue::text("f"), task()],
            [ended(&success_with(outputs.clone()))],
        );
        assert_eq!(not_sent(&page, promise).0, "invalid_input", "{outputs}");
        let found = issues(&page.sim.error(promise));
        assert_eq!(
            found,
            [("input_file_ids[1]".to_owned(), "wrong_type".to_owned())],
            "{outputs}"
        );
    }
    let (mut page, client) =
        page_of([ended(&success_with(json!([{ "url": url, "kind": "pdf" }])))]);
    let promise = page.create(
        client,
        "background_removal",
        SimValue::object(&[("file_id", task())]),
    );
    page.sim.run();
    let error = page.sim.error(promise);
    assert_eq!(
        (
            issues(&error)[0].0.as_str(),
            string(&error, "outcome").as_str()
        ),
        ("file_id", "not_sent")
    );
    assert!(error.message.contains("image/*"), "{}", error.message);
}

#[test]
fn what_is_no_reference_is_an_issue_and_nothing_is_sent() {
    let odd = [
        json!({}),
        json!({ "id": "k" }),
        json!({ "id": "k", "capability": "no_such" }),
        json!({ "id": "", "capability": "split_pdf" }),
        json!({ "id": 7, "capability": "split_pdf" }),
        json!({ "task_id": "k", "url": "https://out.test/a" }),
        json!({ "task_id": "k", "output": "0", "url": "https://out.test/a" }),
        json!({ "task_id": "k", "output": 0, "asset_id": "a" }),
        json!({ "task_id": "k", "output": 0, "url": "https://out.test/a", "kind": "image" }),
    ];
    for it in odd {
        let (page, promise) = merge(&[output(0), it.clone().into()], []);
        assert_eq!(not_sent(&page, promise).0, "invalid_input", "{it}");
        let found = issues(&page.sim.error(promise));
        assert_eq!(
            found,
            [("input_file_ids[1]".to_owned(), "wrong_type".to_owned())],
            "{it}"
        );
        assert!(page.lines().is_empty(), "{it}");
    }
}

#[test]
fn the_id_of_an_asset_is_used_as_it_is() {
    let assets = success_with(
        json!([{ "url": "https://out.test/a.mp4", "kind": "video" }, { "asset_id": "avatar" }]),
    );
    let (mut page, client) = page_of([ended(&assets), created()]);
    let voice = SimValue::from(json!({ "task_id": "v", "output": 3, "asset_id": "voice" }));
    let input = SimValue::from(json!({ "text": "hello" }))
        .with("avatar_asset_id", task())
        .with("voice_asset_id", voice);
    let promise = page.create(client, "text_driven", input);
    page.sim.run();
    page.sim.handle(promise);
    let body = json!({ "text": "hello", "avatar_asset_id": "avatar", "voice_asset_id": "voice" });
    assert_eq!(
        (
            page.requests().len(),
            page.requests().last().map(|it| &it.body)
        ),
        (2, Some(&body))
    );
    // Where no other source is waited for, the create is sent at once.
    page.then([created()]);
    let output = |id: &str| SimValue::from(json!({ "task_id": "k", "output": 0, "asset_id": id }));
    let input = SimValue::from(json!({ "text": "hello" }));
    page.create(
        client,
        "text_driven",
        input
            .with("avatar_asset_id", output("a"))
            .with("voice_asset_id", output("b")),
    );
    let body = json!({ "text": "hello", "avatar_asset_id": "a", "voice_asset_id": "b" });
    assert_eq!(page.requests().last().map(|it| &it.body), Some(&body));
    page.sim.run();
    page.sim.assert_rest();
}

#[test]
fn a_task_that_produced_no_asset_is_an_issue_of_the_field() {
    let (mut page, client) = page_of([ended(&success())]);
    let input = SimValue::from(json!({ "text": "hello", "voice_asset_id": "v" }))
        .with("avatar_asset_id", task());
    let promise = page.create(client, "text_driven", input);
    page.sim.run();
    let error = page.sim.error(promise);
    assert_eq!(
        (error.code, issues(&error)[0].0.as_str()),
        ("invalid_input", "avatar_asset_id")
    );
    page.sim.assert_rest();
}

#[test]
fn a_transfer_that_goes_on_is_requested_again_after_a_second() {
    let (page, promise) = merge(&[output(1)], [moving(0), moving(50), moved("f"), created()]);
    page.sim.handle(promise);
    assert_eq!(
        bodies(&page, FILES),
        vec![json!({ "task_id": "k", "output": 1 }); 3]
    );
    let sent: Vec<_> = page.requests().iter().map(|it| it.at).collect();
    assert_eq!(
        (sent[1] - sent[0], sent[2] - sent[1], sent[3] - sent[2]),
        (1_000.0, 1_000.0, 0.0)
    );
    assert_eq!(bodies(&page, MERGE), [json!({ "input_file_ids": ["f"] })]);
}

#[test]
fn a_response_without_a_file_id_is_unreadable() {
    for body in [
        json!({}),
        json!({ "file_id": "" }),
        json!({ "size": 9 }),
        json!([]),
        json!("f"),
    ] {
        let (page, promise) = merge(&[output(0)], [data(body.clone())]);
        assert_eq!(
            not_sent(&page, promise),
            ("unreadable", "no_file_id".into()),
            "{body}"
        );
    }
    let (page, promise) = merge(&[output(0)], [data(json!({ "file_id": 7 })), created()]);
    page.sim.handle(promise);
    assert_eq!(bodies(&page, MERGE), [json!({ "input_file_ids": ["7"] })]);
}

#[test]
fn a_refused_transfer_rejects_the_create() {
    // A gateway without `OUTPUT_HOSTS` has no such path.
    let (page, promise) = merge(&[output(0)], [refused(404, 12, "unknown_path")]);
    assert_eq!(
        not_sent(&page, promise),
        ("invalid_input", "unknown_path".into())
    );
    let (page, promise) = merge(&[output(0)], [refused(403, 13, "scope")]);
    assert_eq!(not_sent(&page, promise), ("forbidden", "scope".into()));
    let (page, promise) = merge(&[output(0)], [refused(422, 12, "output_host_not_allowed")]);
    assert_eq!(
        not_sent(&page, promise),
        ("invalid_input", "output_host_not_allowed".into())
    );
    assert_eq!(page.sim.error(promise).status, 422);
    // By its code it may pass: it is repeated like any other.
    let (page, promise) = merge(
        &[output(0)],
        (0..5).map(|_| refused(502, 99, "output_unavailable")),
    );
    assert_eq!(
        not_sent(&page, promise),
        ("server_error", "output_unavailable".into())
    );
}

#[test]
fn a_lost_request_of_a_transfer_is_repeated() {
    let replies = [lost(), text(503), moving(9), lost(), moved("f"), created()];
    let (page, promise) = merge(&[output(0)], replies);
    page.sim.handle(promise);
    assert_eq!(
        bodies(&page, FILES),
        vec![json!({ "task_id": "k", "output": 0 }); 5]
    );
    let notified = page
        .sim
        .world
        .notified
        .borrow()
        .iter()
        .map(|it| (it.0, it.1))
        .collect::<Vec<_>>();
    assert_eq!(notified, [(promise, 1), (promise, 2), (promise, 1)]);
    // As often as the create's caller allows.
    let (mut page, client) = page_of([lost()]);
    let once = SimValue::from(json!({ "maxRetries": 0 }));
    let promise = page.create_with(client, "merge_pdf", documents(&[output(0)]), &once);
    page.sim.run();
    assert_eq!(not_sent(&page, promise).0, "network");
    page.sim.assert_rest();
}
