//! Connecting, and the tokens of sessions.

use crate::simulated::script::Part::{Chunk, Never};
use crate::simulated::script::{
    Page, Reply, data, lost, options, reply, signal, stream, text, with_signal,
};
use crate::simulated::sim::string;
use crate::simulated::value::SimValue;
use mediagate_client::Id;
use serde_json::json;

const NONE: SimValue = SimValue::Undefined;
const SESSION: &str = "POST https://gateway.test/session";
const MODELS: &str = "GET https://gateway.test/api/app/v1/models";
const STORED: &str = "mediagate:https://gateway.test";

fn expired() -> Reply {
    reply(401, json!({ "code": 13, "message": "" }))
}

fn models() -> Reply {
    data(json!([]))
}

fn session(token: &str, seconds: u32) -> Reply {
    data(json!({ "session": { "token": token, "expires_in": seconds } }))
}

fn tokens(page: &Page) -> Vec<String> {
    page.requests().into_iter().map(|it| it.token).collect()
}

fn store(page: &Page, token: &str, renew_at: f64) {
    let stored = json!({ "token": token, "renewAt": renew_at });
    page.sim
        .world
        .stored
        .borrow_mut()
        .insert(STORED.into(), stored.into());
}

/// An anonymous client, once it is connected.
fn anonymous(page: &mut Page) -> Id {
    page.client(NONE)
}

#[test]
fn a_rejected_token_is_renewed_once() {
    let created = data(json!({ "task": { "id": "k" } }));
    let mut page = Page::new([reply(401, json!({ "code": 12, "message": "" })), created]);
    let client = page.client(SimValue::function("t"));
    let input = || SimValue::from(json!({ "prompt": "p" }));
    let create = page.create(client, "text_to_image", input());
    page.sim.run();
    page.sim.handle(create);
    assert_eq!(tokens(&page), ["t1", "t2"]);
    let keys: Vec<_> = page
        .requests()
        .iter()
        .map(|it| it.header("idempotency-key").to_owned())
        .collect();
    assert_eq!(
        (keys[0].as_str(), page.delays()),
        (keys[1].as_str(), vec![])
    );

    page.then([expired(), expired()]);
    let create = page.create(client, "text_to_image", input());
    page.sim.run();
    assert_eq!(
        (page.code(create), page.requests().len()),
        (("unauthenticated", 401), 4)
    );
    assert_eq!(string(&page.sim.error(create), "outcome"), "rejected");
}

#[test]
fn a_rejected_fixed_token_is_not_replaced() {
    let mut page = Page::new([expired(), expired()]);
    let client = page.client(SimValue::text("t"));
    for _ in 0..2 {
        let models = page.models(client, &NONE);
        page.sim.run();
        assert_eq!(page.code(models).1, 401);
    }
    assert_eq!(
        (tokens(&page), page.lines()),
        (vec!["t".into(); 2], vec![MODELS.into(); 2])
    );
}

#[test]
fn concurrent_calls_share_one_fetch_of_a_token() {
    let mut page = Page::new((0..5).map(|_| models()));
    page.returns("token", 20.0, Ok("t1"));
    let client = page.client(SimValue::function("token"));
    for _ in 0..5 {
        page.models(client, &NONE);
    }
    page.sim.run();
    assert_eq!((page.calls(), tokens(&page)), (1, vec!["t1".to_owned(); 5]));
    // Those whose requests were rejected share one, too; a rejection that comes late starts none.
    page.then([
        expired(),
        expired().after(5.0),
        expired().after(500.0),
        models(),
        models(),
        models(),
    ]);
    page.returns("token", 20.0, Ok("t2"));
    for _ in 0..3 {
        page.models(client, &NONE);
    }
    page.sim.run();
    assert_eq!((page.calls(), page.left()), (2, 0));
    assert_eq!(tokens(&page)[8..], ["t2"; 3]);
}

#[test]
fn a_fetch_of_a_token_ends_with_the_last_call_that_waits_for_it() {
    let mut page = Page::new([]);
    page.returns("token", 1_000.0, Ok("t1"));
    let client = page.client(SimValue::function("token"));
    let (first, second) = (signal(), signal());
    page.models(client, &with_signal(&first));
    page.models(client, &with_signal(&second));
    page.sim.abort(&first, None);
    assert_eq!(page.sim.world.running(|it| Some(it.kind)).len(), 1);
    page.sim.abort(&second, None);
    page.sim.assert_rest();
    // The next one calls the function again.
    page.then([models()]);
    page.returns("token", 1.0, Ok("t2"));
    page.models(client, &NONE);
    page.sim.run();
    assert_eq!((page.calls(), tokens(&page)), (2, vec!["t2".to_owned()]));
}

#[test]
fn a_function_that_fails_fails_the_calls_that_wait_and_is_called_again() {
    for (result, cause) in [
        (Err("no"), true),
        (Ok(""), false),
        (Ok("a b"), false),
        (Ok("é"), false),
    ] {
        let mut page = Page::new([models()]);
        page.returns("token", 5.0, result);
        let client = page.client(SimValue::function("token"));
        let (one, other) = (page.models(client, &NONE), page.models(client, &NONE));
        page.sim.run();
        for promise in [one, other] {
            let error = page.sim.error(promise);
            assert_eq!(
                (error.code, error.members.get("cause").is_some()),
                ("invalid_argument", cause)
            );
        }
        page.returns("token", 5.0, Ok("t2"));
        let again = page.models(client, &NONE);
        page.sim.run();
        assert_eq!(
            (page.sim.value(again).json(), tokens(&page)),
            (json!([]), vec!["t2".to_owned()])
        );
    }
}

#[test]
fn clients_with_the_same_session_share_a_gateway_and_a_stream() {
    let events = || stream(&[Chunk(":\n\n".into()), Never]);
    let mut page = Page::new([events(), events(), events()]);
    let function = SimValue::function("token");
    let first = page.client(SimValue::text("t"));
    assert_eq!(page.client(SimValue::text("t")), first);
    let other = page.client(SimValue::text("u"));
    let by_function = page.client(function.clone());
    assert_eq!(page.client(function), by_function);
    assert_ne!(page.client(SimValue::function("token")), by_function);
    let (one, same) = (page.task(first, "k"), page.task(first, "k"));
    let distinct = page.task(other, "k");
    assert!(one == same && one != distinct);
    for task in [one, same, distinct] {
        page.done(task, &NONE);
        page.sim.run_for(10.0);
    }
    assert_eq!(tokens(&page), ["t", "u"]);
}

#[test]
fn a_gateway_is_the_same_until_its_last_client_is_released() {
    let mut page = Page::new([]);
    let first = page.client(SimValue::text("t"));
    assert_eq!(page.client(SimValue::text("t")), first);
    page.sim.release(first);
    assert_eq!(page.client(SimValue::text("t")), first);
    for _ in 0..2 {
        page.sim.release(first);
    }
    assert_ne!(page.client(SimValue::text("t")), first);
}

#[test]
fn an_anonymous_session_is_opened_at_once_and_stored() {
    let mut page = Page::new([session("a1", 600).after(10.0), models()]);
    let (one, other) = (
        page.connecting(&options(NONE)),
        page.connecting(&options(NONE)),
    );
    assert!(page.is_pending(one) && page.is_pending(other));
    page.sim.run();
    assert_eq!(page.sim.handle(one), page.sim.handle(other));
    page.models(page.sim.handle(one), &NONE);
    page.sim.run();
    assert_eq!(
        (page.lines(), tokens(&page)),
        (
            vec![SESSION.into(), MODELS.into()],
            vec![String::new(), "a1".into()]
        )
    );
    let sent = &page.requests()[0];
    assert_eq!(
        (
            sent.header("x-mediagate"),
            sent.header("x-turnstile-response")
        ),
        ("1", "")
    );
    let stored = page.sim.world.stored.borrow()[STORED].json();
    // A minute before its end.
    let renew_at = crate::simulated::world::START + 10.0 + 540_000.0;
    assert_eq!(
        (stored["token"].as_str(), stored["renewAt"].as_f64()),
        (Some("a1"), Some(renew_at))
    );
}

#[test]
fn a_failed_session_is_an_error_of_connect() {
    let refused = |status, code| reply(status, json!({ "code": code, "message": "x" }));
    let cases: [(Vec<Reply>, &str); 6] = [
        (vec![refused(404, 12)], "invalid_input"),
        (vec![refused(403, 13)], "forbidden"),
        (vec![refused(401, 13)], "unauthenticated"),
        (vec![data(json!({})); 1], "unreadable"),
        (
            vec![data(
                json!({ "session": { "token": "é", "expires_in": 9 } }),
            )],
            "invalid_argument",
        ),
        (vec![lost(), text(503), lost(), lost(), lost()], "network"),
    ];
    for (replies, code) in cases {
        let mut page = Page::new(replies);
        let promise = page.connecting(&options(NONE));
        page.sim.run();
        assert_eq!((page.code(promise).0, page.left()), (code, 0));
        page.sim.assert_rest();
        // The next client tries anew.
        page.then([session("a1", 600)]);
        page.client(NONE);
    }
}

#[test]
fn an_aborted_connect_ends_its_request_unless_another_waits() {
    let mut page = Page::new([session("a1", 600).after(100.0)]);
    let (one, other) = (signal(), signal());
    let with = |signal: &SimValue| options(NONE).with("signal", signal.clone());
    let (first, second) = (page.connecting(&with(&one)), page.connecting(&with(&other)));
    page.sim.abort(&one, None);
    assert_eq!(
        (page.code(first).0, page.aborted(), page.is_pending(second)),
        ("aborted", 0, true)
    );
    page.sim.abort(&other, None);
    assert_eq!((page.code(second).0, page.aborted()), ("aborted", 1));
    page.sim.assert_rest();
}

#[test]
fn a_session_is_renewed_with_its_subject_before_its_end() {
    let mut page = Page::new([session("a1", 100), session("a2", 100), models()]);
    let client = anonymous(&mut page);
    // A fifth of its lifetime before its end.
    page.sim.run_for(80_000.0);
    page.models(client, &NONE);
    page.sim.run();
    assert_eq!(page.lines(), [SESSION, SESSION, MODELS]);
    assert_eq!(tokens(&page), ["", "a1", "a2"]);
    page.then([models()]);
    page.sim.run_for(79_000.0);
    page.models(client, &NONE);
    page.sim.run();
    assert_eq!(tokens(&page)[3..], ["a2"]);
}

#[test]
fn a_session_of_which_the_subject_is_gone_is_opened_anew() {
    let mut page = Page::new([
        session("a1", 100),
        expired(),
        expired(),
        session("b1", 100),
        models(),
    ]);
    let client = anonymous(&mut page);
    let models = page.models(client, &NONE);
    page.sim.run();
    assert_eq!(page.sim.value(models).json(), json!([]));
    assert_eq!(page.lines(), [SESSION, MODELS, SESSION, SESSION, MODELS]);
    assert_eq!(tokens(&page), ["", "a1", "a1", "", "b1"]);
    assert_eq!(
        page.sim.world.stored.borrow()[STORED].json()["token"],
        json!("b1")
    );
}

#[test]
fn a_stored_session_is_used_and_renewed() {
    let mut page = Page::new([models()]);
    let now = page.sim.world.now();
    store(&page, "s1", now + 60_000.0);
    let client = anonymous(&mut page);
    page.models(client, &NONE);
    page.sim.run();
    assert_eq!(
        (page.lines(), tokens(&page)),
        (vec![MODELS.to_owned()], vec!["s1".to_owned()])
    );
    // Another tab renews it.
    store(&page, "s2", now + 200_000.0);
    page.sim.run_for(61_000.0);
    page.then([models()]);
    page.models(client, &NONE);
    page.sim.run();
    assert_eq!(tokens(&page)[1..], ["s2"]);
    // One that is too old keeps its subject.
    let mut page = Page::new([session("s3", 100)]);
    store(&page, "old", now - 1.0);
    anonymous(&mut page);
    assert_eq!(tokens(&page), ["old"]);
}

#[test]
fn of_two_tabs_that_open_a_session_the_first_counts() {
    let mut page = Page::new([session("mine", 100).after(50.0), models()]);
    let client = page.connecting(&options(NONE));
    page.sim.run_for(20.0);
    store(&page, "theirs", page.sim.world.now() + 90_000.0);
    page.sim.run();
    page.models(page.sim.handle(client), &NONE);
    page.sim.run();
    assert_eq!(tokens(&page), ["", "theirs"]);
    assert_eq!(
        page.sim.world.stored.borrow()[STORED].json()["token"],
        json!("theirs")
    );
}

#[test]
fn a_widget_responds_to_each_session_that_is_opened() {
    let mut page = Page::new([session("a1", 100), expired(), session("b1", 100)]);
    let options = options(NONE).with("turnstile", SimValue::function("widget"));
    let client = page.connecting(&options);
    page.sim.run();
    page.sim.run_for(99_000.0);
    page.then([models()]);
    page.models(page.sim.handle(client), &NONE);
    page.sim.run();
    let responses: Vec<_> = page
        .requests()
        .iter()
        .map(|it| it.header("x-turnstile-response").to_owned())
        .collect();
    assert_eq!(responses, ["widget1", "widget2", "widget3", ""]);
    let mut page = Page::new([]);
    page.returns("widget", 1.0, Ok("no header value"));
    let failed = page.connecting(&options);
    page.sim.run();
    assert_eq!(page.code(failed).0, "invalid_argument");
    page.sim.assert_rest();
}

#[test]
fn a_stored_session_keeps_its_subject_where_a_widget_responds_first() {
    let mut page = Page::new([session("s2", 100)]);
    store(&page, "old", page.sim.world.now() - 1.0);
    page.returns("widget", 10.0, Ok("response"));
    let client = page.connecting(&options(NONE).with("turnstile", SimValue::function("widget")));
    page.sim.run();
    page.sim.handle(client);
    assert_eq!(
        (
            tokens(&page),
            page.requests()[0].header("x-turnstile-response")
        ),
        (vec!["old".into()], "response")
    );
}

#[test]
fn a_lost_create_is_not_repeated_with_a_new_token() {
    let mut page = Page::new([lost(), expired()]);
    let client = page.client(SimValue::function("t"));
    let create = page.create(
        client,
        "text_to_image",
        SimValue::from(json!({ "prompt": "p" })),
    );
    page.sim.run();
    let error = page.sim.error(create);
    assert_eq!(
        (error.code, string(&error, "outcome").as_str()),
        ("unauthenticated", "unknown")
    );
    assert_eq!((tokens(&page), page.calls()), (vec!["t1".to_owned(); 2], 1));
    // The next call gets a new token.
    page.then([expired(), models()]);
    page.models(client, &NONE);
    page.sim.run();
    assert_eq!(tokens(&page)[2..], ["t1", "t2"]);
}

#[test]
fn a_lost_create_is_not_repeated_as_another_subject() {
    // While the create waits for its next attempt, another call's token is rejected: the next token may be another
    // subject's, whose ledger has no record of the key.
    let mut page = Page::new([lost(), expired(), models()]);
    let client = page.client(SimValue::function("t"));
    let create = page.create(
        client,
        "text_to_image",
        SimValue::from(json!({ "prompt": "p" })),
    );
    page.sim.run_for(100.0);
    page.models(client, &NONE);
    page.sim.run();
    let error = page.sim.error(create);
    assert_eq!(
        (error.code, string(&error, "outcome").as_str(), page.left()),
        ("network", "unknown", 0)
    );
    assert_eq!(tokens(&page), ["t1", "t1", "t2"]);
}

#[test]
fn a_client_that_still_connects_is_not_lost_with_another_that_is_released() {
    let mut page = Page::new([session("a1", 100), session("a2", 100).after(50.0)]);
    let first = anonymous(&mut page);
    page.sim.run_for(99_000.0);
    let second = page.connecting(&options(NONE));
    page.sim.release(first);
    page.sim.run();
    page.sim.handle(second);
    assert_eq!(tokens(&page), ["", "a1"]);
    page.sim.assert_rest();
}

#[test]
fn the_function_in_the_place_of_fetch_is_passed_on() {
    let mut page = Page::new([models()]);
    let options = options(SimValue::text("t")).with("network", SimValue::function("fetch"));
    let client = page.connecting(&options);
    page.models(page.sim.handle(client), &NONE);
    page.sim.run();
    assert_eq!(page.requests()[0].network, "fetch");
}
