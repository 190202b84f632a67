//! Sessions, calls and creates, over real connections.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::gateway::{Fault, Gateway, eventually};
use mediagate::request::{ImageToVideo, TextToImage};
use mediagate::{Client, Error, ErrorKind, File, Outcome, SessionStore};
use serde_json::json;

const CREATE: &str = "POST /api/app/v1/generate/image/text_to_image";

#[tokio::test]
async fn a_create_whose_response_is_lost_is_sent_again_with_its_key() {
    let gateway = Gateway::start().await;
    let client = gateway.client().await;
    gateway.fail(CREATE, Fault::Lost);
    let retries = Arc::new(Mutex::new(Vec::new()));
    let noticed = retries.clone();
    let create = client.text_to_image(TextToImage::new("a lighthouse").seed(7));
    let task = create
        .on_retry(move |retry| {
            noticed
                .lock()
                .unwrap()
                .push((retry.attempt, retry.error.code().to_owned()))
        })
        .await;
    assert_eq!(task.unwrap().id(), "task/1");
    let sent = gateway.seen(CREATE);
    assert_eq!(sent.len(), 2);
    assert_eq!(
        sent[0].header("idempotency-key"),
        sent[1].header("idempotency-key")
    );
    assert_eq!(
        sent[0].json(),
        json!({ "prompt": "a lighthouse", "seed": 7 })
    );
    assert_eq!(sent[0].header("authorization"), "Bearer token-1");
    assert_eq!(gateway.tasks(), 1);
    assert_eq!(*retries.lock().unwrap(), [(1, "network".to_owned())]);
}

#[tokio::test]
async fn a_create_that_stays_lost_may_have_cost_credits() {
    let gateway = Gateway::start().await;
    let client = gateway.client().await;
    gateway.fail(CREATE, Fault::Lost);
    let create = client
        .text_to_image(TextToImage::new("a lighthouse"))
        .idempotency_key("key-1")
        .max_retries(0);
    let error = create.await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Network, "{error:?}");
    assert_eq!(error.outcome(), Some(Outcome::Unknown));
    assert_eq!(error.report().idempotency_key.as_deref(), Some("key-1"));
    assert!(std::error::Error::source(&error).is_some());
    let hint = error.report().hint.clone().unwrap();
    assert!(
        hint.contains("idempotency_key") && !hint.contains("page"),
        "{hint}"
    );
    let shown = format!("{error} {error:?}");
    assert!(
        !shown.contains("lighthouse") && !shown.contains("token-1"),
        "{shown}"
    );
}

#[tokio::test]
async fn a_gateway_that_is_not_there_was_sent_nothing() {
    let client = Client::connect("http://127.0.0.1:9")
        .token("t")
        .await
        .unwrap();
    let error = client
        .text_to_image(TextToImage::new("a"))
        .max_retries(0)
        .await
        .unwrap_err();
    assert_eq!(
        (error.code(), error.outcome()),
        ("network", Some(Outcome::NotSent)),
        "{error:?}"
    );
    assert_eq!(
        error.report().hint.as_deref(),
        Some("check that the gateway runs at the url, and the connection; the cause says more")
    );
}

#[tokio::test]
async fn models_and_offers_are_what_the_gateway_sends() {
    let gateway = Gateway::start().await;
    let client = gateway.client().await;
    let models = client.models().await.unwrap();
    // Exact, although no float has this value.
    assert_eq!(
        models["models"][0]["large"],
        json!(12345678901234567890_u64)
    );
    let offers = client.capabilities().await.unwrap();
    let offer = &offers["capabilities"][0];
    assert_eq!(offer["capability"], "text_to_video");
    assert_eq!(offer["models"][0]["values"]["seed"], json!([1]));
}

#[tokio::test]
async fn a_refusal_is_an_error_with_its_details() {
    let gateway = Gateway::start().await;
    let client = gateway.client().await;
    let body = json!({ "code": 16, "message": "used up", "data": {
        "reason": "budget", "limit": "tasks_per_day", "request_id": "r-1", "outcome": "not_sent" } });
    gateway.fail(CREATE, Fault::Refusal(429, Some("60"), body));
    let error = client
        .text_to_image(TextToImage::new("a"))
        .await
        .unwrap_err();
    let report = error.report();
    assert_eq!(error.kind(), ErrorKind::Limited, "{error:?}");
    assert_eq!(
        (report.code.as_str(), report.app_code, report.status),
        ("budget_exceeded", Some(16), Some(429))
    );
    assert_eq!(report.retry_after, Some(Duration::from_secs(60)));
    assert_eq!(
        (report.request_id.as_deref(), report.reason.as_deref()),
        (Some("r-1"), Some("budget"))
    );
    assert_eq!(report.details, json!({ "limit": "tasks_per_day" }));
    assert_eq!(
        (report.outcome, report.retryable),
        (Some(Outcome::NotSent), false)
    );
    assert_eq!(error.to_string(), "used up (budget_exceeded)");
    let body = json!({ "code": 13, "message": "no", "data": {} });
    gateway.fail(CREATE, Fault::Refusal(401, None, body));
    let create = client.text_to_image(TextToImage::new("a"));
    let error = create.await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unauthenticated, "{error:?}");
}

#[tokio::test]
async fn an_invalid_request_is_not_sent() {
    let gateway = Gateway::start().await;
    let client = gateway.client().await;
    let mut request = ImageToVideo::new("file_1", " ");
    request.more.insert("colour".into(), "red".into());
    let error = client.image_to_video(request).await.unwrap_err();
    let report = error.report();
    assert_eq!(error.kind(), ErrorKind::InvalidInput, "{error:?}");
    let issues: Vec<_> = report
        .issues
        .iter()
        .map(|issue| (issue.path.as_str(), issue.reason.as_str()))
        .collect();
    assert_eq!(
        issues,
        [("prompt", "empty")],
        "an unknown field is no issue"
    );
    assert_eq!(report.outcome, Some(Outcome::NotSent));
    let error = client
        .create_json("no_such_thing", json!({}))
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{error:?}");
    // The options are checked before the input, as in the package for npm.
    let create = client.create_json("no_such_thing", json!({}));
    let error = create.idempotency_key("a b").await.unwrap_err();
    assert!(error.to_string().contains("idempotency key"), "{error}");
    assert_eq!(error.report().outcome, Some(Outcome::NotSent));
    assert!(gateway.seen("").is_empty());
}

#[tokio::test]
async fn a_redirect_is_an_error_and_nothing_is_sent_to_the_other_server() {
    let gateway = Gateway::start().await;
    let other = Gateway::start().await;
    let client = Client::connect(&gateway.url).token("t").await.unwrap();
    gateway.fail("POST", Fault::Redirect(other.url.clone()));
    let create = client.create_json("text_to_image", json!({ "prompt": "secret" }));
    let error = create.max_retries(2).await.unwrap_err();
    assert_eq!(error.code(), "unreadable", "{error:?}");
    assert_eq!(error.report().status, Some(307));
    gateway.fail("PUT", Fault::Redirect(other.url.clone()));
    let error = client
        .upload(File::from_bytes("a.png", b"bytes".to_vec()))
        .max_retries(2)
        .await
        .unwrap_err();
    assert_eq!(error.report().status, Some(307), "{error:?}");
    assert!(other.seen("").is_empty());
}

#[tokio::test]
async fn a_provider_that_fails_or_panics_is_the_cause() {
    let gateway = Gateway::start().await;
    let failing = || async { Err::<String, _>(std::io::Error::other("no backend")) };
    let client = Client::connect(&gateway.url)
        .token_provider(failing)
        .await
        .unwrap();
    let error = client.models().max_retries(0).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Token, "{error:?}");
    assert!(error.is_retryable());
    assert_eq!(
        std::error::Error::source(&error).unwrap().to_string(),
        "no backend"
    );
    let panicking = || async {
        if true {
            panic!("on purpose")
        } else {
            Ok::<_, std::io::Error>(String::new())
        }
    };
    let client = Client::connect(&gateway.url)
        .token_provider(panicking)
        .await
        .unwrap();
    for _ in 0..2 {
        let error = client.models().max_retries(0).await.unwrap_err();
        assert_eq!(error.code(), "token_failed");
    }
}

#[derive(Clone, Default)]
struct Stored(Arc<Mutex<Option<String>>>);

impl SessionStore for Stored {
    fn load(&self, _name: &str) -> Option<String> {
        self.0.lock().unwrap().clone()
    }

    fn store(&self, _name: &str, session: &str) {
        *self.0.lock().unwrap() = Some(session.into());
    }
}

#[tokio::test]
async fn an_anonymous_session_is_stored_and_used_again() {
    let gateway = Gateway::start().await;
    let store = Stored::default();
    for _ in 0..2 {
        let client = Client::connect(&gateway.url)
            .session_store(store.clone())
            .await
            .unwrap();
        client.models().await.unwrap();
    }
    assert_eq!(gateway.seen("POST /session").len(), 1);
    assert_eq!(gateway.seen("POST /session")[0].header("x-mediagate"), "1");
    let tokens: Vec<_> = gateway
        .seen("GET")
        .iter()
        .map(|seen| seen.header("authorization").to_owned())
        .collect();
    assert_eq!(tokens, ["Bearer anonymous-1", "Bearer anonymous-1"]);
}

#[tokio::test]
async fn a_server_that_never_responds_meets_the_timeout() {
    let gateway = Gateway::start().await;
    let client = gateway.client().await;
    gateway.fail(CREATE, Fault::Silence);
    let create = client
        .text_to_image(TextToImage::new("a"))
        .timeout(Duration::from_secs(1));
    let error = create.await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TimedOut, "{error:?}");
    assert_eq!(
        (error.is_retryable(), error.outcome()),
        (true, Some(Outcome::Unknown))
    );
    gateway.aborted(1).await;
}

#[tokio::test]
async fn dropping_a_future_aborts_its_request() {
    let gateway = Gateway::start().await;
    let client = gateway.client().await;
    gateway.fail("GET /api/app/v1/models", Fault::Silence);
    gateway
        .dropped_at("GET /api/app/v1/models", client.models())
        .await;
    gateway.aborted(1).await;
    client.models().await.unwrap();
}

#[tokio::test]
async fn a_client_ends_with_its_last_clone() {
    let gateway = Gateway::start().await;
    let captured = Arc::new(());
    let watched = Arc::downgrade(&captured);
    let provider = move || {
        let _captured = captured.clone();
        async { Ok::<_, std::io::Error>("token-1".to_owned()) }
    };
    let client = Client::connect(&gateway.url)
        .token_provider(provider)
        .await
        .unwrap();
    let task = client.text_to_image(TextToImage::new("a")).await.unwrap();
    assert_eq!(
        gateway.seen("POST")[0].header("authorization"),
        "Bearer token-1"
    );
    drop(client);
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert!(watched.upgrade().is_some(), "the task has the client");
    drop(task);
    eventually(|| watched.upgrade().is_none()).await;
}

#[tokio::test]
async fn a_callback_that_panics_fails_no_call() {
    let gateway = Gateway::start().await;
    let client = gateway.client().await;
    gateway.fail("GET /api/app/v1/models", Fault::Lost);
    client
        .models()
        .on_retry(|_| panic!("on purpose"))
        .await
        .unwrap();
    let file = mediagate::File::from_bytes("a.png", vec![1; 200_000]);
    client
        .upload(file)
        .progress(|_| panic!("on purpose"))
        .await
        .unwrap();
    client.models().await.unwrap();
}

#[test]
fn a_client_needs_no_runtime_of_its_callers() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap();
    let gateway = runtime.block_on(Gateway::start());
    let models = futures_executor(async { gateway.client().await.models().await });
    assert!(models.unwrap()["models"].is_array());
}

/// Runs a future on a thread without Tokio.
fn futures_executor<T>(future: impl Future<Output = T>) -> T {
    struct Unpark(std::thread::Thread);
    impl std::task::Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Arc::new(Unpark(std::thread::current())).into();
    let mut future = std::pin::pin!(future);
    loop {
        let context = &mut std::task::Context::from_waker(&waker);
        match future.as_mut().poll(context) {
            std::task::Poll::Ready(output) => return output,
            std::task::Poll::Pending => std::thread::park(),
        }
    }
}

#[test]
fn clients_and_tasks_go_between_threads() {
    fn is_shared<T: Send + Sync + Clone + 'static>() {}
    fn is_sent<T: Send + 'static>() {}
    is_shared::<Client>();
    is_shared::<mediagate::Task>();
    is_sent::<mediagate::Updates>();
    is_sent::<<mediagate::Call<mediagate::Create> as IntoFuture>::IntoFuture>();
    is_sent::<Error>();
}
