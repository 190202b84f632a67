//! Requests, their retries, and what becomes of their responses.

use crate::simulated::requests::Sent;
use crate::simulated::script::{
    Page, Reply, data, lost, reply, signal, silence, text, timeout, unconnected, with_signal,
};
use crate::simulated::sim::{member, string};
use crate::simulated::value::SimValue;
use mediagate_client::{Block, Id};
use serde_json::{Value as Json, json};

const CREATE: &str = "POST https://gateway.test/api/app/v1/generate/image/text_to_image";
const NONE: SimValue = SimValue::Undefined;

fn input() -> SimValue {
    SimValue::from(json!({ "prompt": "a lighthouse" }))
}

fn token() -> SimValue {
    SimValue::text("t")
}

fn refused(status: u16, code: i32, data: Json) -> Reply {
    reply(
        status,
        json!({ "code": code, "message": "x", "data": data }),
    )
}

fn shed() -> Reply {
    refused(429, 16, json!({ "outcome": "not_sent" }))
}

fn created() -> Reply {
    data(json!({ "task": { "id": "k" } }))
}

/// Creates a task with the key `once`, in a page with these responses.
fn create(replies: &[Reply]) -> (Page, Id) {
    let mut page = Page::new(replies.to_vec());
    let client = page.client(token());
    let promise = page.create(client, "text_to_image", input());
    page.sim.run();
    (page, promise)
}

#[test]
fn a_create_is_retried_with_its_key_and_its_error_has_the_outcome() {
    let ledger = || refused(502, 99, json!({ "outcome": "unknown", "cause": "ledger" }));
    let rejected = || refused(402, 1401, json!({ "outcome": "rejected" }));
    let ends: [(&[Reply], &str, &str); 22] = [
        (
            &[lost(), lost(), lost(), lost(), lost()],
            "network",
            "unknown",
        ),
        (
            &[lost(), text(503), lost(), lost(), text(502)],
            "unreadable",
            "unknown",
        ),
        (
            &[reply(200, json!({ "code": 99, "message": "x" }))],
            "server_error",
            "unknown",
        ),
        (
            &[refused(504, 1405, json!({ "outcome": "unknown" }))],
            "provider_timeout",
            "unknown",
        ),
        (
            &[reply(200, json!({ "code": 1401, "message": "x" }))],
            "insufficient_credits",
            "rejected",
        ),
        (&[lost(), rejected()], "insufficient_credits", "rejected"),
        // Rejected before the ledger, which alone has a record of the lost attempt.
        (
            &[lost(), reply(200, json!({ "code": 1401, "message": "x" }))],
            "insufficient_credits",
            "unknown",
        ),
        (
            &[lost(), reply(401, json!({ "code": 13, "message": "x" }))],
            "unauthenticated",
            "unknown",
        ),
        (
            &[reply(401, json!({ "code": 13, "message": "x" }))],
            "unauthenticated",
            "rejected",
        ),
        (&[ledger(), rejected()], "insufficient_credits", "rejected"),
        // The ledger may have the create: what sheds a repetition has no record of it.
        (
            &[ledger(), shed(), shed(), shed(), shed()],
            "rate_limit",
            "unknown",
        ),
        (
            &[ledger(), ledger(), ledger(), ledger(), ledger()],
            "server_error",
            "unknown",
        ),
        (
            &[refused(
                403,
                13,
                json!({ "reason": "scope", "outcome": "not_sent" }),
            )],
            "forbidden",
            "not_sent",
        ),
        (
            &[refused(
                429,
                16,
                json!({ "reason": "budget", "outcome": "not_sent" }),
            )
            .retry_after(1.0)],
            "budget_exceeded",
            "not_sent",
        ),
        (
            &[shed(), shed(), shed(), shed(), shed()],
            "rate_limit",
            "not_sent",
        ),
        // Shed by the gateway, while the upstream may have accepted the lost attempt.
        (
            &[lost(), shed(), shed(), shed(), shed()],
            "rate_limit",
            "unknown",
        ),
        (
            &[text(502), text(502), text(502), text(502), text(502)],
            "unreadable",
            "unknown",
        ),
        // Another server's, or a proxy's, which has passed nothing on.
        (&[text(404)], "unreadable", "not_sent"),
        (&[text(413)], "unreadable", "not_sent"),
        (&[lost(), text(404)], "unreadable", "unknown"),
        (&[text(200)], "unreadable", "unknown"),
        (&[shed().retry_after(61.0)], "rate_limit", "not_sent"),
    ];
    for (replies, code, outcome) in ends {
        let (page, promise) = create(replies);
        let error = page.sim.error(promise);
        assert_eq!(
            (error.code, string(&error, "outcome").as_str()),
            (code, outcome),
            "{replies:?}"
        );
        assert_eq!(string(&error, "idempotencyKey"), "once");
        assert_eq!(
            error.message.contains("may have cost"),
            outcome == "unknown",
            "{replies:?}"
        );
        assert_eq!(page.left(), 0, "{replies:?}");
        assert!(
            page.requests()
                .iter()
                .all(|it| it.header("idempotency-key") == "once")
        );
        page.sim.assert_rest();
    }
    let (page, promise) = create(&[lost(), shed(), created()]);
    let task = page.sim.handle(promise);
    let mut sim = page.sim;
    assert_eq!(
        sim.snapshot(task).map(|it| it.string("id")).as_deref(),
        Some("k")
    );
    let lines: Vec<_> = sim.world.requests.borrow().iter().map(Sent::line).collect();
    assert_eq!(lines, [CREATE; 3]);
}

#[test]
fn a_create_that_was_aborted_says_what_is_known_of_it() {
    // Milliseconds until the abort, and the outcome: while the token is fetched, while it is sent, and between attempts.
    for (responses, milliseconds, outcome) in [
        (vec![], 5.0, "not_sent"),
        (vec![silence()], 50.0, "unknown"),
        (vec![lost()], 50.0, "unknown"),
    ] {
        let mut page = Page::new(responses);
        page.returns("token", 10.0, Ok("t1"));
        let client = page.client(SimValue::function("token"));
        let abort = signal();
        let promise = page.create_with(client, "text_to_image", input(), &with_signal(&abort));
        page.sim.run_for(milliseconds);
        page.sim.abort(&abort, Some(SimValue::text("enough")));
        let error = page.sim.error(promise);
        assert_eq!(
            (error.code, string(&error, "outcome").as_str()),
            ("aborted", outcome),
            "{milliseconds}"
        );
        assert_eq!(string(&error, "cause"), "enough");
        assert_eq!(
            string(&error, "idempotencyKey").len(),
            if outcome == "unknown" { 32 } else { 0 }
        );
        page.sim.assert_rest();
    }
}

#[test]
fn every_error_of_a_create_has_an_outcome() {
    let mut page = Page::new([]);
    let client = page.client(token());
    let promise = page.create(99_999, "text_to_image", input());
    assert_eq!(
        (
            page.sim.error(promise).code,
            string(&page.sim.error(promise), "outcome").as_str()
        ),
        ("crashed", "not_sent")
    );
    let promise = page.create(client, "no_such_capability", input());
    assert_eq!(string(&page.sim.error(promise), "outcome"), "not_sent");
    page.sim.assert_rest();
}

#[test]
fn an_invalid_input_is_not_sent() {
    let mut page = Page::new([]);
    let client = page.client(token());
    let promise = page.create(
        client,
        "text_to_image",
        SimValue::from(json!({ "promt": 1 })),
    );
    let error = page.sim.error(promise);
    assert_eq!(
        (error.code, string(&error, "outcome").as_str()),
        ("invalid_input", "not_sent")
    );
    assert!(error.message.contains("prompt"), "{}", error.message);
    assert_eq!(member(&error, "appCode"), SimValue::Number(12.0));
    assert!(page.lines().is_empty());
}

#[test]
fn a_create_without_a_key_gets_a_random_one() {
    let (mut page, _) = create(&[created()]);
    page.then([lost(), created(), created()]);
    let client = page.client(token());
    for _ in 0..2 {
        page.create_with(client, "text_to_image", input(), &NONE);
        page.sim.run();
    }
    let keys: Vec<_> = page.requests()[1..]
        .iter()
        .map(|it| it.header("idempotency-key").to_owned())
        .collect();
    assert!(
        keys[0].len() == 32 && keys[0].bytes().all(|it| it.is_ascii_hexdigit()),
        "{keys:?}"
    );
    assert!(keys[0] == keys[1] && keys[0] != keys[2], "{keys:?}");
}

#[test]
fn a_result_in_place_of_a_task_is_done_and_cannot_be_polled() {
    let (mut page, promise) = create(&[data(json!({ "result": { "outputs": [1] } }))]);
    let task = page.sim.handle(promise);
    let (done, refreshed) = (page.done(task, &NONE), page.refresh(task, &NONE));
    for promise in [done, refreshed] {
        let value = page.sim.value(promise);
        assert_eq!(
            (page.state(promise).as_str(), value.string("id").as_str()),
            ("SUCCEEDED", "")
        );
        assert_eq!(value.json()["outputs"], json!([1]));
    }
    let saved = page.sim.saved(task).map(|it| it.json());
    let expected = json!({ "id": "", "capability": "text_to_image", "result": { "outputs": [1] } });
    assert_eq!(saved.as_ref(), Some(&expected));
    let client = page.client(token());
    let restored = page
        .sim
        .restore(client, &SimValue::from(expected))
        .expect("a saved task");
    assert_ne!(restored, task);
    assert_eq!(
        page.sim
            .snapshot(restored)
            .map(|it| it.string("state"))
            .as_deref(),
        Some("SUCCEEDED")
    );
    assert_eq!(page.lines(), [CREATE]);
}

#[test]
fn a_read_is_retried_with_growing_delays_and_then_fails() {
    let unavailable = refused(503, 99, json!({})).retry_after(9.0);
    let mut page = Page::new([lost(), text(502), unavailable, lost(), lost()]);
    let client = page.client(token());
    let models = page.models(client, &NONE);
    page.sim.run();
    assert_eq!(
        (page.code(models), page.requests().len()),
        (("network", 0), 5)
    );
    let delays = page.delays();
    assert!(delays[0] <= delays[1] && delays[2] >= 9_000, "{delays:?}");
    for (delay, longest) in delays.iter().zip([625, 1_250, 9_000]) {
        assert!(*delay <= longest, "{delays:?}");
    }
    page.sim.assert_rest();
}

#[test]
fn a_retry_after_is_waited_for_and_a_long_one_ends_the_attempts() {
    for (seconds, requests) in [(0.5, 2), (20.0, 2), (60.0, 2), (61.0, 1)] {
        let mut page = Page::new([
            refused(429, 16, json!({})).retry_after(seconds),
            data(json!([])),
        ]);
        let client = page.client(token());
        let models = page.models(client, &NONE);
        page.sim.run();
        let sent: Vec<_> = page.requests().iter().map(|it| it.at).collect();
        assert_eq!(sent.len(), requests, "{seconds}");
        if requests == 2 {
            assert!(sent[1] - sent[0] >= seconds * 1000.0, "{sent:?}");
            assert_eq!(page.sim.value(models).json(), json!([]));
        } else {
            let error = page.sim.error(models);
            assert_eq!(error.code, "rate_limit");
            assert_eq!(member(&error, "retryAfter"), SimValue::Number(61.0));
        }
    }
}

#[test]
fn what_is_not_retryable_is_sent_once() {
    for (status, code) in [(400, 12), (402, 1401), (404, 12), (422, 1410), (403, 13)] {
        let mut page = Page::new([refused(status, code, json!({}))]);
        let client = page.client(token());
        let models = page.models(client, &NONE);
        page.sim.run();
        assert_eq!((page.code(models).1, page.left()), (status, 0));
        assert!(page.delays().is_empty());
    }
}

#[test]
fn a_retry_waits_for_the_connection_but_not_for_ever() {
    // The milliseconds after which the platform is online, and the longest time until the repetition.
    for (online_after, least, most) in [
        (Some(5_000.0), 5_000.0, 5_000.0),
        (None, 30_000.0, 31_000.0),
    ] {
        let mut page = Page::new([lost(), data(json!([]))]);
        let client = page.client(token());
        let models = page.models(client, &NONE);
        page.sim.set_offline(true);
        if let Some(milliseconds) = online_after {
            page.sim.run_for(milliseconds);
            assert_eq!(page.requests().len(), 1);
            page.sim.set_offline(false);
        }
        page.sim.run();
        let sent: Vec<_> = page.requests().iter().map(|it| it.at).collect();
        let waited = sent[1] - sent[0];
        assert!(waited >= least && waited <= most, "{waited}");
        assert!(!page.is_pending(models));
    }
}

#[test]
fn an_attempt_fails_after_40_seconds_without_a_response() {
    let mut page = Page::new([silence(), silence(), data(json!([]))]);
    let client = page.client(token());
    let models = page.models(client, &NONE);
    page.sim.run();
    let sent: Vec<_> = page.requests().iter().map(|it| it.at).collect();
    assert!(
        (40_000.0..42_000.0).contains(&(sent[1] - sent[0])),
        "{sent:?}"
    );
    assert!(!page.is_pending(models) && sent.len() == 3);
}

#[test]
fn a_caller_sets_the_number_of_retries_and_is_notified_of_each() {
    for (retries, sent) in [(0, 1), (1, 2), (6, 7)] {
        let mut page = Page::new(vec![text(503); 7]);
        let client = page.client(token());
        let models = page.models(
            client,
            &SimValue::object(&[("maxRetries", SimValue::Number(f64::from(retries)))]),
        );
        page.sim.run();
        assert_eq!(
            (page.code(models), page.requests().len()),
            (("unreadable", 503), sent)
        );
        let notified = page.sim.world.notified.take();
        let attempts: Vec<_> = notified.iter().map(|it| it.1).collect();
        assert_eq!(attempts, (1..=retries).collect::<Vec<_>>());
        assert!(
            notified
                .iter()
                .all(|it| it.0 == models && it.2 >= 375 && it.3 == "unreadable"),
            "{notified:?}"
        );
    }
}

#[test]
fn of_those_who_wait_for_a_poll_the_most_patient_one_counts() {
    let mut page = Page::new([text(502), text(502), text(502), lost(), lost()]);
    let client = page.client(token());
    let task = page.task(client, "k");
    let once = SimValue::object(&[("maxRetries", SimValue::Number(0.0))]);
    let twice = SimValue::object(&[("maxRetries", SimValue::Number(2.0))]);
    let (one, other) = (page.done(task, &once), page.done(task, &twice));
    page.sim.run();
    // The first request is for the stream.
    assert_eq!(
        (page.code(one), page.code(other), page.requests().len()),
        (("network", 0), ("network", 0), 4)
    );
    let waiting: Vec<_> = page
        .sim
        .world
        .notified
        .take()
        .iter()
        .map(|it| it.0)
        .collect();
    assert_eq!(waiting, [one, other, one, other]);
}

#[test]
fn a_create_that_never_left_the_page_cost_nothing() {
    // While the platform is offline, for two minutes.
    let mut page = Page::new(vec![lost(); 5]);
    let client = page.client(token());
    page.sim.set_offline(true);
    let (promise, begin) = (
        page.create(client, "text_to_image", input()),
        page.sim.world.now(),
    );
    page.sim.run();
    let error = page.sim.error(promise);
    assert_eq!(
        (error.code, string(&error, "outcome").as_str()),
        ("network", "not_sent")
    );
    assert!(
        !error.message.contains("credits") && string(&error, "hint").contains("connection"),
        "{error:?}"
    );
    let waited = page.sim.world.now() - begin;
    assert!((120_000.0..135_000.0).contains(&waited), "{waited}");

    // Where no connection was made, unless an attempt before may have left.
    for (first, outcome) in [(unconnected(), "not_sent"), (lost(), "unknown")] {
        let mut page = Page::new([vec![first], vec![unconnected(); 4]].concat());
        let client = page.client(token());
        let promise = page.create(client, "text_to_image", input());
        page.sim.run();
        assert_eq!(string(&page.sim.error(promise), "outcome"), outcome);
    }

    // Where the browser keeps it back.
    for (block, hint) in [
        (Block::Cors, "ALLOWED_ORIGINS"),
        (Block::Policy, "connect-src"),
    ] {
        let mut page = Page::new(vec![lost(); 5]);
        let client = page.client(token());
        page.sim.world.block.set(Some(block));
        let promise = page.create(client, "text_to_image", input());
        page.sim.run();
        let error = page.sim.error(promise);
        assert_eq!(
            (error.code, string(&error, "outcome").as_str()),
            ("network", "not_sent")
        );
        assert!(
            error.message.contains("browser blocked") && string(&error, "hint").contains(hint),
            "{error:?}"
        );
    }

    // Where the gateway has responded before, nothing keeps the page from it.
    let mut page = Page::new([vec![data(json!([]))], vec![lost(); 5]].concat());
    let client = page.client(token());
    page.sim.world.block.set(Some(Block::Cors));
    page.models(client, &NONE);
    page.sim.run();
    let promise = page.create(client, "text_to_image", input());
    page.sim.run();
    assert_eq!(string(&page.sim.error(promise), "outcome"), "unknown");
    page.sim.assert_rest();
}

#[test]
fn signal_and_timeout_abort_the_request_itself() {
    let mut page = Page::new([silence(), silence()]);
    let client = page.client(token());
    let abort = signal();
    let (aborted, timed_out) = (
        page.models(client, &with_signal(&abort)),
        page.models(client, &timeout(30)),
    );
    page.sim.run_for(30.0);
    assert_eq!(
        (
            page.code(timed_out),
            page.is_pending(aborted),
            page.aborted()
        ),
        (("timeout", 0), true, 1)
    );
    page.sim.abort(&abort, Some(SimValue::text("enough")));
    assert_eq!((page.code(aborted), page.aborted()), (("aborted", 0), 2));
    assert_eq!(string(&page.sim.error(aborted), "cause"), "enough");
    assert!(page.sim.error(timed_out).retryable && !page.sim.error(aborted).retryable);
    page.sim.assert_rest();
}

#[test]
fn signal_and_timeout_end_a_wait_between_attempts() {
    let mut page = Page::new([lost(), lost()]);
    let client = page.client(token());
    let models = page.models(client, &timeout(100));
    page.sim.run();
    assert_eq!(
        (page.code(models), page.requests().len()),
        (("timeout", 0), 1)
    );
    page.sim.assert_rest();
}

#[test]
fn an_error_has_the_members_of_its_response() {
    let body = json!({ "reason": "scope", "request_id": "r-1", "setting": "X", "errors": [] });
    let mut page = Page::new([refused(403, 13, body)]);
    let client = page.client(token());
    let models = page.models(client, &NONE);
    page.sim.run();
    let error = page.sim.error(models);
    assert_eq!(
        (error.code, error.status, error.message.as_str()),
        ("forbidden", 403, "x")
    );
    assert_eq!(member(&error, "details").json(), json!({ "setting": "X" }));
    assert_eq!(member(&error, "appCode").number(), Some(13.0));
    assert_eq!(
        [string(&error, "reason"), string(&error, "requestId")],
        ["scope", "r-1"]
    );
}

#[test]
fn an_estimate_names_its_capability_and_has_no_key() {
    let mut page = Page::new([data(json!({ "credits": 3 }))]);
    let client = page.client(token());
    let promise = page.estimate(client, "text_to_image", input(), &NONE);
    page.sim.run();
    assert_eq!(page.sim.value(promise).json(), json!({ "credits": 3 }));
    let sent = &page.requests()[0];
    assert_eq!(
        sent.line(),
        "POST https://gateway.test/api/app/v1/credits/estimate"
    );
    assert_eq!(
        sent.body,
        json!({ "capability": "text_to_image", "input": { "prompt": "a lighthouse" } })
    );
    assert_eq!(
        (sent.header("content-type"), sent.header("idempotency-key")),
        ("application/json", "")
    );
    assert_eq!(
        (sent.capability, sent.token.as_str()),
        ("text_to_image", "t")
    );
}
