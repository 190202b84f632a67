//! Creates: their requests, what they cost, and estimates.

use mediagate_client::{Hint, Kind};
use serde_json::{Value as Json, json};

use crate::script::*;
use crate::world::{Error, Tab, pause};

const CREATE: &str = "POST generate/image/text_to_image";

async fn create(page: &Page) -> Result<mediagate_client::TaskHandle<Tab>, Error> {
    page.client()
        .create(
            capability("text_to_image"),
            input(json!({ "prompt": "p" }), &[]),
            "key-1".into(),
            limits(),
        )
        .await
}

#[tokio::test(start_paused = true)]
async fn a_create_is_repeated_with_its_key() {
    let page = Page::new();
    page.on(CREATE, [lost(), text(502), shed(), state("QUEUED")]);
    let task = create(&page).await.ok().unwrap();
    assert_eq!(state_of(&task), "QUEUED");
    let sent = page.sent();
    assert_eq!(sent.len(), 4);
    for sent in &sent {
        assert_eq!(sent.header("idempotency-key"), "key-1");
        assert_eq!(
            (&sent.body, sent.capability),
            (&json!({ "prompt": "p" }), Some("text_to_image"))
        );
    }
    page.assert_rest().await;
}

#[tokio::test(start_paused = true)]
async fn refused_content_has_the_sentence_of_the_provider_and_a_hint() {
    for (message, shown) in [
        (
            "invalid input: no faces; none at all",
            "no faces; none at all",
        ),
        ("no faces", "no faces"),
    ] {
        let page = Page::new();
        let data = json!({ "reason": "content_refused", "outcome": "rejected" });
        let refused = json!({ "code": 12, "message": message, "data": data });
        page.on(CREATE, [body(422, refused)]);
        let error = create(&page).await.err().unwrap();
        assert_eq!(
            (error.kind.name(), &*error.message),
            ("invalid_input", shown)
        );
        assert_eq!(
            error.reason.as_ref().map(Json::from),
            Some("content_refused".into())
        );
        assert_eq!(
            (&*error.hints, &error.remedy),
            (&[Hint::ChangeContent][..], &None)
        );
        assert_eq!(page.sent().len(), 1);
    }
}

/// Returns the refusal of a gateway whose connection to the ledger failed.
fn ledger() -> Answer {
    refusal(503, 99, json!({ "outcome": "unknown", "cause": "ledger" }))
}

fn named(status: u16, code: i32, outcome: &str) -> Answer {
    refusal(status, code, json!({ "outcome": outcome }))
}

#[tokio::test(start_paused = true)]
async fn the_error_of_a_create_says_what_it_did() {
    let five = |answer: Answer| vec![answer; 5];
    let after_lost = |answers: Vec<Answer>| [vec![lost()], answers].concat();
    let cases: Vec<(Vec<Answer>, &str, &str)> = vec![
        (five(lost()), "network", "unknown"),
        (five(refused()), "network", "not_sent"),
        (after_lost(vec![refused(); 4]), "network", "unknown"),
        (five(text(502)), "unreadable", "unknown"),
        (
            vec![lost(), text(503), lost(), lost(), text(502)],
            "unreadable",
            "unknown",
        ),
        (vec![refusal(200, 99, json!({}))], "server_error", "unknown"),
        (
            vec![named(504, 1405, "unknown")],
            "provider_timeout",
            "unknown",
        ),
        (vec![text(200)], "unreadable", "unknown"),
        (
            vec![refusal(200, 1401, json!({}))],
            "insufficient_credits",
            "rejected",
        ),
        (
            after_lost(vec![named(402, 1401, "rejected")]),
            "insufficient_credits",
            "rejected",
        ),
        (
            vec![ledger(), named(402, 1401, "rejected")],
            "insufficient_credits",
            "rejected",
        ),
        (
            after_lost(vec![refusal(200, 1401, json!({}))]),
            "insufficient_credits",
            "unknown",
        ),
        (
            vec![refusal(401, 13, json!({}))],
            "unauthenticated",
            "rejected",
        ),
        (
            after_lost(vec![refusal(401, 13, json!({}))]),
            "unauthenticated",
            "unknown",
        ),
        (vec![named(403, 13, "not_sent")], "forbidden", "not_sent"),
        (vec![shed().retry_after(61.0)], "rate_limit", "not_sent"),
        (five(shed()), "rate_limit", "not_sent"),
        (after_lost(vec![shed(); 4]), "rate_limit", "unknown"),
        (
            [vec![ledger()], vec![shed(); 4]].concat(),
            "rate_limit",
            "unknown",
        ),
        (five(ledger()), "server_error", "unknown"),
        (vec![text(404)], "unreadable", "not_sent"),
        (vec![text(413)], "unreadable", "not_sent"),
        (after_lost(vec![text(404)]), "unreadable", "unknown"),
    ];
    for (number, (answers, kind, outcome)) in cases.into_iter().enumerate() {
        let page = Page::new();
        let requests = answers.len();
        page.on(CREATE, answers);
        let error = create(&page).await.err().unwrap();
        let found = (error.kind.name(), error.outcome.unwrap().name());
        assert_eq!(found, (kind, outcome), "case {number}");
        assert_eq!(page.sent().len(), requests, "case {number}");
        assert_eq!(error.idempotency_key.as_deref(), Some("key-1"));
        let warns = error.message.ends_with("it may have cost credits");
        assert_eq!(warns, outcome == "unknown", "case {number}");
        page.assert_rest().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_create_that_was_offline_was_not_sent() {
    let page = Page::new();
    page.always(CREATE, lost());
    page.set_offline(true);
    let error = create(&page).await.err().unwrap();
    assert_eq!(error.outcome.unwrap().name(), "not_sent");
    assert!(
        (120_000..=135_000).contains(&page.elapsed()),
        "{}",
        page.elapsed()
    );
    assert!(!error.message.contains("credits"));
}

#[tokio::test(start_paused = true)]
async fn an_aborted_create_says_what_is_known_of_it() {
    // While the token is fetched, while the create is sent, and between two attempts.
    for (token_ms, answer, outcome, key) in [
        (1_000, never(), "not_sent", None),
        (0, never(), "unknown", Some("key-1")),
        (0, lost(), "unknown", Some("key-1")),
    ] {
        let page = Page::new();
        page.always(CREATE, answer);
        let (provider, _) = provider(move |_| (token_ms, Ok("t".into())));
        let client = page.client_of(mediagate_client::TokenSource::Provider(provider));
        let (limits, abort) = abortable();
        let call = page.start(async move {
            let prompt = input(json!({ "prompt": "p" }), &[]);
            let create = client.create(capability("text_to_image"), prompt, "key-1".into(), limits);
            create.await.err()
        });
        pause(100).await;
        abort.abort();
        let error = call.await.unwrap().unwrap();
        assert_eq!((error.kind, error.cause), (Kind::Aborted, Some("enough")));
        assert_eq!(error.outcome.unwrap().name(), outcome);
        assert_eq!(error.idempotency_key.as_deref(), key);
        page.assert_rest().await;
    }
}

#[tokio::test(start_paused = true)]
async fn an_invalid_input_is_not_sent() {
    let page = Page::new();
    let invalid = input(json!({ "prompt": " ", "seed": "x" }), &[]);
    let create = page.client();
    let create = create.create(capability("text_to_image"), invalid, "k".into(), limits());
    let error = create.await.err().unwrap();
    assert_eq!(
        (error.kind.name(), error.app_code),
        ("invalid_input", Some(12))
    );
    assert_eq!(error.outcome.unwrap().name(), "not_sent");
    assert!(error.message.contains("prompt"), "{}", error.message);
    let issues = serde_json::Value::from(error.issues.as_ref().unwrap());
    let paths: Vec<_> = issues
        .as_array()
        .unwrap()
        .iter()
        .map(|issue| &issue["path"])
        .collect();
    assert_eq!(paths, ["prompt", "seed"]);
    assert!(page.sent().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_result_instead_of_a_task_has_succeeded() {
    let page = Page::new();
    let result = json!({ "outputs": [{ "url": "https://out.test/1.png" }] });
    page.on(CREATE, [data(json!({ "result": result }))]);
    let task = create(&page).await.ok().unwrap();
    let snapshot = task.snapshot();
    assert_eq!(
        (&snapshot.id, text_of(&snapshot).as_str()),
        (&None, "SUCCEEDED")
    );
    let raw = snapshot.raw.as_ref().map(serde_json::Value::from);
    assert_eq!(raw, Some(result));
    assert_eq!(
        text_of(&task.done(limits()).await.ok().unwrap()),
        "SUCCEEDED"
    );
    task.refresh(limits()).await.ok().unwrap();
    assert_eq!(page.sent().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn an_estimate_names_its_capability_and_has_no_key() {
    let page = Page::new();
    page.on("POST credits/estimate", [data(json!({ "credits": 3 }))]);
    let prompt = input(json!({ "prompt": "p" }), &[]);
    let client = page.client();
    let estimate = client.estimate(capability("text_to_image"), prompt, limits());
    let estimate = serde_json::Value::from(&estimate.await.ok().unwrap());
    assert_eq!(estimate, json!({ "credits": 3 }));
    let sent = &page.sent()[0];
    let expected = json!({ "capability": "text_to_image", "input": { "prompt": "p" } });
    assert_eq!(
        (&sent.body, sent.header("idempotency-key")),
        (&expected, "")
    );
}
