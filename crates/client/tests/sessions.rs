//! Sessions: tokens, their renewal, and anonymous sessions.

use mediagate_client::{Kind, TokenSource};
use serde_json::{Value as Json, json};

use crate::script::*;
use crate::world::{EPOCH_MS, pause};

const MODELS: &str = "GET models";
const SESSION: &str = "POST /session";
const STORED: &str = "mediagate:https://gateway.test";

fn unauthenticated() -> Answer {
    refusal(401, 13, json!({}))
}

fn session(token: &str, seconds: u32) -> Answer {
    data(json!({ "session": { "token": token, "expires_in": seconds } }))
}

fn anonymous() -> TokenSource<crate::world::Tab> {
    TokenSource::Anonymous { turnstile: None }
}

#[tokio::test(start_paused = true)]
async fn a_rejected_token_is_renewed_once() {
    let page = Page::new();
    let (provider, calls) = provider(|number| (0, Ok(format!("t{number}"))));
    let client = page.client_of(TokenSource::Provider(provider));
    page.on(MODELS, [unauthenticated(), data(json!({}))]);
    client.models(limits()).await.ok().unwrap();
    assert_eq!(page.tokens(), ["t1", "t2"]);
    assert_eq!(page.intervals(MODELS), [0]);
    page.always(MODELS, unauthenticated());
    let error = client.models(limits()).await.err().unwrap();
    assert_eq!(error.kind, Kind::Refused("unauthenticated"));
    assert_eq!(page.tokens()[2..], ["t2", "t3"]);
    assert_eq!(*calls.lock().unwrap(), 3);
}

#[tokio::test(start_paused = true)]
async fn a_rejected_fixed_token_is_not_replaced() {
    let page = Page::new();
    page.always(MODELS, unauthenticated());
    let client = page.client();
    for _ in 0..2 {
        let error = client.models(limits()).await.err().unwrap();
        assert_eq!(error.status, Some(401));
    }
    assert_eq!(page.tokens(), ["t", "t"]);
}

#[tokio::test(start_paused = true)]
async fn concurrent_calls_share_one_fetch_of_a_token() {
    let page = Page::new();
    page.always(MODELS, data(json!({})));
    let (provider, calls) = provider(|number| (500, Ok(format!("t{number}"))));
    let client = page.client_of(TokenSource::Provider(provider));
    let models = || client.models(limits());
    let all = futures_util::future::join_all((0..5).map(|_| models())).await;
    assert!(all.iter().all(Result::is_ok));
    assert_eq!((*calls.lock().unwrap(), page.tokens().len()), (1, 5));
    models().await.ok().unwrap();
    assert_eq!(*calls.lock().unwrap(), 1);
    // The second 401 is for the token before the renewal.
    page.on(
        MODELS,
        [unauthenticated().after(10), unauthenticated().after(1_500)],
    );
    let (one, other) = futures_util::future::join(models(), models()).await;
    assert!(one.is_ok() && other.is_ok());
    assert_eq!(*calls.lock().unwrap(), 2);
    assert_eq!(page.tokens()[6..], ["t1", "t1", "t2", "t2"]);
}

#[tokio::test(start_paused = true)]
async fn a_fetch_of_a_token_ends_with_the_last_call_that_waits_for_it() {
    let page = Page::new();
    let (provider, calls) = provider(|_| (10_000, Ok("t".into())));
    let client = page.client_of(TokenSource::Provider(provider));
    client.connect(limits()).await.ok().unwrap();
    assert_eq!(*calls.lock().unwrap(), 0);
    let one = client.models(timeout(100));
    let other = client.models(timeout(200));
    let (one, other) = futures_util::future::join(one, other).await;
    assert_eq!((failure(one).0, failure(other).0), ("timeout", "timeout"));
    page.assert_rest().await;
    client.models(timeout(100)).await.err().unwrap();
    assert_eq!((*calls.lock().unwrap(), page.sent().len()), (2, 0));
}

#[tokio::test(start_paused = true)]
async fn a_value_that_is_not_a_token_fails_the_calls_that_wait() {
    for (returned, found) in [
        ("", "an empty string"),
        ("a b", "a string with spaces"),
        ("é", "a string with spaces or characters that are not ASCII"),
        ("Bearer t", "\"Bearer \" and a token"),
    ] {
        let page = Page::new();
        let (provider, calls) = provider(move |_| (0, Ok(returned.to_owned())));
        let client = page.client_of(TokenSource::Provider(provider));
        for count in 1..=2 {
            let error = client.models(limits()).await.err().unwrap();
            assert_eq!((error.kind, error.cause), (Kind::InvalidArgument, None));
            assert!(!error.is_retryable);
            assert!(error.message.contains(found), "{}", error.message);
            assert_eq!(*calls.lock().unwrap(), count);
        }
        assert!(page.sent().is_empty());
    }
}

#[tokio::test(start_paused = true)]
async fn a_function_for_a_token_that_fails_offline_is_called_again() {
    let page = Page::new();
    page.set_offline(true);
    page.always(MODELS, data(json!({})));
    let (provider, calls) = provider(|number| {
        let token = if number < 3 {
            Err("down")
        } else {
            Ok("t".into())
        };
        (0, token)
    });
    let client = page.client_of(TokenSource::Provider(provider));
    let (quiet, few) = noticed(0);
    let (patient, notices) = noticed(4);
    let (one, other) =
        futures_util::future::join(client.models(quiet), client.models(patient)).await;
    // Both share the renewal, and so its retries.
    assert!(one.is_ok() && other.is_ok());
    assert_eq!(*calls.lock().unwrap(), 3);
    let noticed = notices.lock().unwrap().clone();
    assert_eq!(*few.lock().unwrap(), noticed);
    let attempts: Vec<_> = noticed.iter().map(|notice| (notice.0, notice.2)).collect();
    assert_eq!(attempts, [(1, "token_failed"), (2, "token_failed")]);
    page.assert_rest().await;
}

#[tokio::test(start_paused = true)]
async fn a_function_for_a_token_that_fails_is_the_error() {
    let page = Page::new();
    let (provider, calls) = provider(|_| (0, Err("no backend")));
    let client = page.client_of(TokenSource::Provider(provider));
    for (retries_allowed, count) in [(0, 1), (2, 2)] {
        let error = client.models(retries(retries_allowed)).await.err().unwrap();
        assert_eq!(error.kind, Kind::TokenFailed);
        assert_eq!(error.message, "no backend");
        assert_eq!(
            (error.is_retryable, error.cause),
            (true, Some("no backend"))
        );
        assert_eq!(*calls.lock().unwrap(), count);
    }
    let prompt = input(json!({ "prompt": "p" }), &[]);
    let create = client.create(capability("text_to_image"), prompt, "k".into(), retries(0));
    assert_eq!(failure(create.await), ("token_failed", Some("not_sent")));
    assert!(page.sent().is_empty());
    page.assert_rest().await;
}

#[tokio::test(start_paused = true)]
async fn a_wait_for_a_task_survives_a_renewal_that_fails_offline() {
    const POLL: &str = "GET process/tasks/k%2F1";
    let page = Page::new();
    page.set_offline(true);
    page.always("GET tasks/k%2F1/events", text(404));
    page.on(
        POLL,
        [state("RUNNING"), unauthenticated(), state("SUCCEEDED")],
    );
    let (provider, calls) = provider(|number| {
        let token = if number == 2 {
            Err("down")
        } else {
            Ok(format!("t{number}"))
        };
        (0, token)
    });
    let client = page.client_of(TokenSource::Provider(provider));
    let task = client.task("k/1".into(), capability("split_pdf"));
    let done = task.done(limits()).await.ok().unwrap();
    assert_eq!(text_of(&done), "SUCCEEDED");
    assert_eq!(*calls.lock().unwrap(), 3);
    page.assert_rest().await;
}

#[tokio::test(start_paused = true)]
async fn a_lost_create_is_not_repeated_as_another_subject() {
    const CREATE: &str = "POST generate/image/text_to_image";
    let page = Page::new();
    let (provider, _) = provider(|number| (0, Ok(format!("t{number}"))));
    let client = page.client_of(TokenSource::Provider(provider));
    let prompt = || input(json!({ "prompt": "p" }), &[]);
    let create = || {
        let client = client.clone();
        let prompt = prompt();
        async move {
            let create = client.create(capability("text_to_image"), prompt, "k".into(), limits());
            failure(create.await)
        }
    };
    // The call itself gets the 401.
    page.on(CREATE, [lost(), unauthenticated()]);
    assert_eq!(create().await, ("unauthenticated", Some("unknown")));
    assert_eq!(page.tokens(), ["t1", "t1"]);
    // Another call has the token renewed while it waits.
    page.on(
        MODELS,
        [data(json!({})), unauthenticated(), data(json!({}))],
    );
    client.models(limits()).await.ok().unwrap();
    page.on(CREATE, [lost()]);
    let lost = page.start(create());
    pause(10).await;
    client.models(limits()).await.ok().unwrap();
    assert_eq!(lost.await.unwrap(), ("network", Some("unknown")));
    page.assert_rest().await;
}

#[tokio::test(start_paused = true)]
async fn an_anonymous_session_is_opened_stored_and_renewed() {
    let page = Page::new();
    page.always(MODELS, data(json!({})));
    page.on(SESSION, [session("a1", 100), session("a2", 600)]);
    let client = page.client_of(anonymous());
    client.connect(limits()).await.ok().unwrap();
    let opened = &page.sent()[0];
    assert_eq!((opened.header("x-mediagate"), &opened.token), ("1", &None));
    assert_eq!(
        (opened.header("x-turnstile-response"), &opened.body),
        ("", &Json::Null)
    );
    let stored = || serde_json::from_str::<Json>(&page.stored(STORED).unwrap()).unwrap();
    let renew_at = |after: f64| json!(EPOCH_MS as u64 + after as u64);
    assert_eq!(
        stored(),
        json!({ "token": "a1", "renewAt": renew_at(80_000.0) })
    );
    pause(79_000).await;
    client.models(limits()).await.ok().unwrap();
    pause(1_000).await;
    client.models(limits()).await.ok().unwrap();
    assert_eq!(page.lines(), [SESSION, MODELS, SESSION, MODELS]);
    assert_eq!(page.tokens(), ["", "a1", "a1", "a2"]);
    assert_eq!(
        stored(),
        json!({ "token": "a2", "renewAt": renew_at(80_000.0 + 540_000.0) })
    );
    // A second client of the page uses the session, and so does a client after the page's end. All
    // have one subject.
    let other = page.client_of(anonymous());
    other.connect(limits()).await.ok().unwrap();
    assert_eq!(page.sent().len(), 4);
    pause(600_000).await;
    page.on(SESSION, [session("a3", 600)]);
    other.models(limits()).await.ok().unwrap();
    assert_eq!(page.tokens()[4..], ["a2", "a3"]);
    // The first client takes the session that the second one has stored.
    client.models(limits()).await.ok().unwrap();
    assert_eq!(page.tokens()[6..], ["a3"]);
    page.assert_rest().await;
}

#[tokio::test(start_paused = true)]
async fn a_session_whose_subject_is_gone_is_opened_again() {
    let page = Page::new();
    page.on(
        SESSION,
        [session("a1", 600), unauthenticated(), session("a2", 600)],
    );
    page.on(MODELS, [unauthenticated(), data(json!({}))]);
    let client = page.client_of(anonymous());
    client.models(limits()).await.ok().unwrap();
    assert_eq!(page.lines(), [SESSION, MODELS, SESSION, SESSION, MODELS]);
    assert_eq!(page.tokens(), ["", "a1", "a1", "", "a2"]);
    assert!(page.stored(STORED).unwrap().contains("a2"));
}

#[tokio::test(start_paused = true)]
async fn a_stored_session_without_a_time_keeps_its_subject() {
    let page = Page::new();
    page.store(STORED, &json!({ "token": "a1" }).to_string());
    page.on(MODELS, [unauthenticated(), data(json!({}))]);
    page.on(SESSION, [session("a2", 600)]);
    let client = page.client_of(anonymous());
    client.models(limits()).await.ok().unwrap();
    assert_eq!(page.lines(), [MODELS, SESSION, MODELS]);
    assert_eq!(page.tokens(), ["a1", "a1", "a2"]);
}

#[tokio::test(start_paused = true)]
async fn of_two_tabs_that_open_a_session_the_first_counts() {
    let page = Page::new();
    page.on(SESSION, [session("late", 600).after(100)]);
    page.always(MODELS, data(json!({})));
    let client = page.client_of(anonymous());
    let connecting = page.start({
        let client = client.clone();
        async move { client.connect(limits()).await.is_ok() }
    });
    pause(50).await;
    let stored = json!({ "token": "first", "renewAt": EPOCH_MS + 1_000_000.0 });
    page.store(STORED, &stored.to_string());
    assert!(connecting.await.unwrap());
    client.models(limits()).await.ok().unwrap();
    assert_eq!(page.tokens(), ["", "first"]);
    assert!(page.stored(STORED).unwrap().contains("first"));
}

#[tokio::test(start_paused = true)]
async fn a_session_that_fails_is_an_error_of_connect() {
    for (answers, kind) in [
        (vec![refusal(404, 12, json!({}))], "invalid_input"),
        (vec![refusal(403, 13, json!({}))], "forbidden"),
        (vec![unauthenticated()], "unauthenticated"),
        (vec![data(json!({}))], "unreadable"),
        (vec![session("é", 60)], "invalid_argument"),
        (vec![lost(), text(503), lost(), lost(), lost()], "network"),
    ] {
        let page = Page::new();
        let requests = answers.len();
        page.on(SESSION, answers);
        let client = page.client_of(anonymous());
        assert_eq!(failure(client.connect(limits()).await).0, kind);
        assert_eq!(page.sent().len(), requests, "{kind}");
        page.assert_rest().await;
        page.on(SESSION, [session("a1", 60)]);
        client.connect(limits()).await.ok().unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn a_widget_responds_to_each_session_that_is_opened() {
    let page = Page::new();
    page.on(
        SESSION,
        [session("a1", 600), unauthenticated(), session("a2", 600)],
    );
    page.on(MODELS, [unauthenticated(), data(json!({}))]);
    let (turnstile, _) = provider(|number| (0, Ok(format!("w{number}"))));
    let client = page.client_of(TokenSource::Anonymous {
        turnstile: Some(turnstile),
    });
    client.models(limits()).await.ok().unwrap();
    let sent = page.sent();
    let responses: Vec<&str> = sent
        .iter()
        .map(|sent| sent.header("x-turnstile-response"))
        .collect();
    assert_eq!(responses, ["w1", "", "w2", "w3", ""]);
    for (returned, code) in [
        (Ok("a b"), "invalid_argument"),
        (Err("closed"), "token_failed"),
    ] {
        let (broken, _) = provider(move |_| (0, returned.map(str::to_owned)));
        let other = Page::new();
        let client = other.client_of(TokenSource::Anonymous {
            turnstile: Some(broken),
        });
        assert_eq!(failure(client.connect(limits()).await).0, code);
        assert!(other.sent().is_empty());
        other.assert_rest().await;
    }
}
