//! Calls: retries, limits, diagnosis and errors.

use mediagate_client::{Block, Hint, Kind};
use serde_json::{Value as Json, json};

use crate::script::*;
use crate::world::pause;

const MODELS: &str = "GET models";

#[tokio::test(start_paused = true)]
async fn a_read_is_retried_with_growing_delays() {
    let page = Page::new();
    let unavailable = body(503, json!({ "code": 99 })).retry_after(9.0);
    page.on(MODELS, [lost(), text(502), text(503), unavailable, shed()]);
    let error = page.client().models(limits()).await.err().unwrap();
    assert_eq!((error.kind.name(), error.status), ("rate_limit", Some(429)));
    let waits = page.intervals(MODELS);
    assert_eq!(waits.len(), 4);
    assert!((375..=625).contains(&waits[0]), "{waits:?}");
    assert!((750..=1_250).contains(&waits[1]), "{waits:?}");
    assert!((1_500..=2_500).contains(&waits[2]), "{waits:?}");
    assert_eq!(waits[3], 9_000);
    page.assert_rest().await;
}

#[tokio::test(start_paused = true)]
async fn a_retry_after_is_waited_for_up_to_a_minute() {
    for (seconds, requests) in [(0.5, 2), (20.0, 2), (60.0, 2), (61.0, 1)] {
        let page = Page::new();
        page.on(MODELS, [shed().retry_after(seconds), data(json!({}))]);
        let result = page.client().models(limits()).await;
        assert_eq!(page.sent().len(), requests, "{seconds}");
        if let Some(error) = result.err() {
            assert_eq!(error.kind, Kind::Refused("rate_limit"));
            assert_eq!(error.retry_after, Some(61.0));
        }
        page.assert_rest().await;
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_not_retryable_is_sent_once() {
    for (status, code, kind) in [
        (400, 12, "invalid_input"),
        (402, 1401, "insufficient_credits"),
        (403, 13, "forbidden"),
        (404, 12, "invalid_input"),
        (422, 1410, "invalid_model"),
    ] {
        let page = Page::new();
        page.on(MODELS, [refusal(status, code, json!({}))]);
        let error = page.client().models(limits()).await.err().unwrap();
        assert_eq!((error.kind.name(), error.status), (kind, Some(status)));
        assert_eq!((error.app_code, page.sent().len()), (Some(code), 1));
    }
}

#[tokio::test(start_paused = true)]
async fn a_caller_sets_the_number_of_retries_and_is_notified_of_each() {
    for (max_retries, requests) in [(0, 1), (1, 2), (6, 7)] {
        let page = Page::new();
        page.always(MODELS, text(503));
        let (limits, notices) = noticed(max_retries);
        let error = page.client().models(limits).await.err().unwrap();
        assert_eq!(
            (error.kind, error.status),
            (Kind::Unreadable, Some(503)),
            "{max_retries}"
        );
        assert_eq!(page.sent().len(), requests);
        let notices = notices.lock().unwrap();
        let attempts: Vec<u32> = notices.iter().map(|notice| notice.0).collect();
        assert_eq!(attempts, (1..=max_retries).collect::<Vec<_>>());
        assert!(
            notices
                .iter()
                .all(|notice| notice.1 >= 375 && notice.2 == "unreadable")
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_retry_waits_for_the_connection_but_not_for_ever() {
    let page = Page::new();
    page.always(MODELS, lost());
    page.set_offline(true);
    let client = page.client();
    let call = page.start(async move { client.models(retries(1)).await });
    pause(5_000).await;
    assert_eq!(page.sent().len(), 1);
    page.set_offline(false);
    let error = call.await.unwrap().err().unwrap();
    assert_eq!(error.kind, Kind::Network);
    assert_eq!(page.intervals(MODELS), [5_000]);
    page.set_offline(true);
    page.client().models(retries(1)).await.err().unwrap();
    let wait = page.intervals(MODELS)[2];
    assert!((30_000..=31_000).contains(&wait), "{wait}");
    page.assert_rest().await;
}

#[tokio::test(start_paused = true)]
async fn an_attempt_fails_after_40_seconds_without_a_response() {
    let page = Page::new();
    page.on(MODELS, [never(), data(json!({ "models": [] }))]);
    page.client().models(limits()).await.ok().unwrap();
    let wait = page.intervals(MODELS)[0];
    assert!((40_000..=42_000).contains(&wait), "{wait}");
    page.assert_rest().await;
}

#[tokio::test(start_paused = true)]
async fn limits_end_a_request_and_a_wait_at_once() {
    for answer in [never(), text(503)] {
        let page = Page::new();
        page.always(MODELS, answer);
        let error = page.client().models(timeout(200)).await.err().unwrap();
        assert_eq!((error.kind, error.is_retryable), (Kind::Timeout, true));
        assert_eq!((error.status, page.elapsed()), (None, 200));
        page.assert_rest().await;
        let (limits, abort) = abortable();
        let client = page.client();
        let call = page.start(async move { client.models(limits).await });
        pause(100).await;
        abort.abort();
        let error = call.await.unwrap().err().unwrap();
        assert_eq!((error.kind, error.is_retryable), (Kind::Aborted, false));
        assert_eq!(error.cause, Some("enough"));
        page.assert_rest().await;
        assert_eq!(page.sent().len(), 2);
    }
}

#[tokio::test(start_paused = true)]
async fn an_error_has_the_members_of_its_response() {
    let page = Page::new();
    let refused = refusal(
        429,
        16,
        json!({ "reason": "budget", "limit": "creates", "request_id": "r-1", "outcome": "not_sent" }),
    );
    page.on(MODELS, [refused.retry_after(7.0)]);
    let error = page.client().models(limits()).await.err().unwrap();
    assert_eq!(error.kind, Kind::Refused("budget_exceeded"));
    assert_eq!((&*error.message, error.is_retryable), ("refused", false));
    assert_eq!(error.request_id.as_deref(), Some("r-1"));
    assert_eq!((error.app_code, error.retry_after), (Some(16), Some(7.0)));
    let json = |value: &Option<_>| value.as_ref().map(Json::from);
    assert_eq!(json(&error.reason), Some(json!("budget")));
    assert_eq!(json(&error.details), Some(json!({ "limit": "creates" })));
    assert_eq!(page.sent().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_page_that_is_kept_from_its_gateway_learns_by_what() {
    for (block, hint) in [
        (Block::Cors, Hint::AllowOrigin),
        (Block::Policy, Hint::AllowConnection),
    ] {
        let page = Page::new();
        page.always(MODELS, lost());
        *page.block.lock().unwrap() = Some(block);
        let client = page.client();
        let error = client.models(limits()).await.err().unwrap();
        assert_eq!(error.kind, Kind::Network);
        assert_eq!(error.hints, [hint]);
        assert!(
            error.message.contains("browser blocked"),
            "{}",
            error.message
        );
        // After a response of the gateway, the browser can't be the reason.
        page.on(MODELS, [data(json!({}))]);
        client.models(limits()).await.ok().unwrap();
        let error = client.models(limits()).await.err().unwrap();
        assert_eq!(error.hints, [Hint::CheckConnection]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_public_page_with_a_local_gateway_learns_of_the_permission() {
    let page = Page::new();
    page.always(MODELS, lost());
    *page.block.lock().unwrap() = Some(Block::LocalNetwork);
    let error = page.client().models(limits()).await.err().unwrap();
    assert_eq!(error.kind, Kind::Network);
    // The gateway may also be down, so the browser may not be the reason.
    assert_eq!(
        error.hints,
        [Hint::CheckConnection, Hint::AllowLocalNetwork]
    );
}
