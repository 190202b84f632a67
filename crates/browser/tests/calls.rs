//! The requests of the client, their retries, and what it does with the responses.

#![cfg(target_arch = "wasm32")]
#![expect(clippy::unwrap_used, reason = "a test may")]

mod scripted;

use std::rc::Rc;

use js_sys::Array;
use mediagate_browser::engine::client::Operation;
use mediagate_browser::engine::limits::Cancellable;
use mediagate_browser::engine::task::Until;
use mediagate_browser::value::Js;
use mediagate_core::Value;
use scripted::{Page, WithoutXhr, client, create, eval, thrown};
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::JsFuture;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

const CREATE: &str = "POST https://gateway.test/api/app/v1/generate/image/text_to_image";
/// The response of a gateway without streams.
const NO_STREAM: &str = "[404, { code: 12, message: 'no such path' }]";
const INPUT: &str = "({ prompt: 'a lighthouse' })";

fn text(value: &Js, name: &str) -> String {
    value.string(name).unwrap_or_default()
}

fn header(request: &Js, name: &str) -> String {
    text(&Js(request.member("headers")), name)
}

#[wasm_bindgen_test]
async fn a_create_is_retried_with_its_key_and_its_error_has_the_outcome() {
    const SHED: &str = "[429, { code: 16, message: 'x', data: { outcome: 'not_sent' } }]";
    const BUDGET: &str = "[429, { code: 16, message: 'x', data: { reason: 'budget', outcome: 'not_sent' } }, \
        { 'retry-after': '1' }]";
    const REJECTED: &str = "[402, { code: 1401, message: 'x', data: { outcome: 'rejected' } }]";
    const DONE: &str = "[200, { code: 0, data: { task: { id: 'k' } } }]";
    let ends = [
        ("null, null, null, null", "network", "unknown"),
        ("null, [503, '<html>'], null, [502, '']", "unreadable", "unknown"),
        ("[200, { code: 99, message: 'x' }]", "server_error", "unknown"),
        ("[504, { code: 1405, message: 'x', data: { outcome: 'unknown' } }]", "provider_timeout", "unknown"),
        ("[200, { code: 1401, message: 'x' }]", "insufficient_credits", "rejected"),
        (&["null", REJECTED].join(","), "insufficient_credits", "rejected"),
        // Rejected before the ledger, which alone has a record of the lost attempt.
        ("null, [200, { code: 1401, message: 'x' }]", "insufficient_credits", "unknown"),
        ("null, [401, { code: 13, message: 'x' }]", "unauthenticated", "unknown"),
        ("[401, { code: 13, message: 'x' }]", "unauthenticated", "rejected"),
        (
            "[502, { code: 99, data: { outcome: 'unknown', cause: 'ledger' }, message: 'x' }], [402, { code: 1401, data: { outcome: 'rejected' }, message: 'x' }]",
            "insufficient_credits",
            "rejected",
        ),
        ("[403, { code: 13, message: 'x', data: { reason: 'scope', outcome: 'not_sent' } }]", "forbidden", "not_sent"),
        (BUDGET, "budget_exceeded", "not_sent"),
        (&[SHED; 4].join(","), "rate_limit", "not_sent"),
        // Shed by the gateway, while the upstream may have accepted the lost attempt.
        (&["null", SHED, SHED, SHED].join(","), "rate_limit", "unknown"),
    ];
    for (responses, code, outcome) in ends {
        let page = Page::with_responses(&format!("[{responses}]"));
        let error = thrown(create(&*client("'t'").await, "text_to_image", INPUT).await.unwrap_err());
        assert_eq!((text(&error, "code"), text(&error, "outcome")), (code.into(), outcome.into()), "{responses}");
        assert_eq!(text(&error, "idempotencyKey"), "once");
        assert_eq!(text(&error, "message").contains("may have cost"), outcome == "unknown", "{responses}");
        assert_eq!(page.left(), 0, "{responses}");
        assert!(page.requests().iter().all(|it| header(it, "idempotency-key") == "once"));
    }
    let page = Page::with_responses(&format!("[null, {SHED}, {DONE}]"));
    let created = create(&*client("'t'").await, "text_to_image", INPUT).await;
    assert_eq!((text(&Js(created.unwrap()), "id"), page.lines()), ("k".into(), vec![CREATE.into(); 3]));
}

#[wasm_bindgen_test]
async fn an_invalid_input_is_not_sent() {
    let page = Page::with_responses("[]");
    let error = thrown(create(&*client("'t'").await, "text_to_image", "({ promt: 1 })").await.unwrap_err());
    assert_eq!((text(&error, "code"), text(&error, "outcome")), ("invalid_input".into(), "not_sent".into()));
    assert!(text(&error, "message").contains("prompt"), "{error:?}");
    assert!(page.lines().is_empty());
}

#[wasm_bindgen_test]
async fn a_read_is_retried_with_growing_delays_and_then_fails() {
    let page =
        Page::with_responses("[null, [502, '<html>'], [503, { code: 99, message: '' }, { 'retry-after': '9' }], null]");
    let client = client("'t'").await;
    let models = client.request(Operation::Models, &JsValue::UNDEFINED, &Js(JsValue::UNDEFINED)).await;
    assert_eq!(text(&thrown(models.unwrap_err()), "code"), "network");
    assert_eq!(page.requests().len(), 4);
    let delays = page.delays();
    assert!(delays.len() == 3 && delays[0] <= delays[1] && delays[2] >= 9_000.0, "{delays:?}");
}

#[wasm_bindgen_test]
async fn a_rejected_token_is_renewed_once() {
    let page =
        Page::with_responses("[[401, { code: 12, message: '' }], [200, { code: 0, data: { task: { id: 'k' } } }]]");
    let created =
        create(&*client("(() => { let n = 0; return () => `t${++n}`; })()").await, "text_to_image", INPUT).await;
    assert_eq!(text(&Js(created.unwrap()), "id"), "k");
    let sent = page.requests();
    assert_eq!([&sent[0], &sent[1]].map(|it| header(it, "authorization")), ["Bearer t1", "Bearer t2"]);
    assert_eq!(header(&sent[0], "idempotency-key"), header(&sent[1], "idempotency-key"));

    let page = Page::with_responses("[[401, { code: 12, message: '' }], [401, { code: 12, message: '' }]]");
    let error = create(&*client("() => Promise.resolve('t')").await, "text_to_image", INPUT).await.unwrap_err();
    assert_eq!(thrown(error).member("status"), 401.0);
    assert_eq!(page.requests().len(), 2);
}

#[wasm_bindgen_test]
async fn a_rejected_token_without_a_function_is_not_replaced_by_an_anonymous_session() {
    let page = Page::with_responses("[[401, { code: 13, message: '' }], [401, { code: 13, message: '' }]]");
    let client = client("'t'").await;
    for _ in 0..2 {
        let error = client.request(Operation::Models, &JsValue::UNDEFINED, &Js(JsValue::UNDEFINED)).await.unwrap_err();
        assert_eq!(thrown(error).member("status"), 401.0);
    }
    assert_eq!(page.requests().iter().map(|it| header(it, "authorization")).collect::<Vec<_>>(), ["Bearer t"; 2]);
}

#[wasm_bindgen_test]
async fn concurrent_calls_share_one_fetch_of_a_token() {
    let _page = Page::with_responses("Array.from({ length: 5 }, () => [200, { code: 0, data: [] }])");
    let client = client("(() => { globalThis.fetched = 0; return async () => `t${++globalThis.fetched}`; })()").await;
    let models = || {
        let client = client.clone();
        wasm_bindgen_futures::future_to_promise(async move {
            Ok(client.request(Operation::Models, &JsValue::UNDEFINED, &Js(JsValue::UNDEFINED)).await?)
        })
    };
    let all: Array = (0..5).map(|_| models()).collect();
    JsFuture::from(js_sys::Promise::all(&all)).await.unwrap();
    assert_eq!(eval("globalThis.fetched"), 1.0);
}

#[wasm_bindgen_test]
async fn signal_and_timeout_abort_the_request_itself() {
    let signal =
        "(() => { const it = new AbortController(); queueMicrotask(() => it.abort('enough')); return it.signal })()";
    for (options, code) in [(format!("({{ signal: {signal} }})"), "aborted"), ("({ timeout: 30 })".into(), "timeout")] {
        let page = Page::with_responses("['silence']");
        let client = client("'t'").await;
        let work = async move { client.request(Operation::Models, &JsValue::UNDEFINED, &Js(JsValue::UNDEFINED)).await };
        let error = thrown(Cancellable::new(&Js(eval(&options)), Box::pin(work)).unwrap().await.unwrap_err());
        assert_eq!(text(&error, "code"), code);
        assert_eq!(page.number("ended"), 1.0, "{code}");
    }
}

#[wasm_bindgen_test]
async fn a_task_is_polled_to_its_end_and_then_keeps_its_state() {
    let record = |state: &str| format!("[200, {{ code: 0, data: {{ task: {{ id: 'k', state: '{state}' }} }} }}]");
    let responses = ["PROCESSING", "A_NEW_STATE", "SUCCEEDED", "PROCESSING"].map(record).join(",");
    let page = Page::with_responses(&format!("[{NO_STREAM}, {responses}]"));
    let task = client("'t'").await.task(&Js(eval("({ id: 'k/1', capability: 'split_video' })"))).unwrap();
    let done = Js(Rc::clone(&task).watch(Until::End).await.unwrap());
    assert_eq!((text(&done, "state"), text(&done, "id")), ("SUCCEEDED".into(), "k/1".into()));
    let lines = page.lines();
    assert!(lines[0].ends_with("/api/app/v1/tasks/k%2F1/events"), "{lines:?}");
    assert!(lines[1..].iter().all(|it| it.ends_with("/api/app/v1/process/tasks/k%2F1")), "{lines:?}");
    let late = Js(task.watch(Until::Polled).await.unwrap());
    assert_eq!(text(&late, "state"), "SUCCEEDED");
    assert_eq!(page.requests().len(), 5);
    let polls: Vec<_> = page.delays().into_iter().filter(|it| *it < 10_000.0).collect();
    assert_eq!(polls.len(), 2, "{polls:?}");
}

#[wasm_bindgen_test]
async fn a_hidden_page_polls_less_often_and_an_offline_one_waits_for_the_connection() {
    let responses = ["PROCESSING", "SUCCEEDED"]
        .map(|state| format!("[200, {{ code: 0, data: {{ task: {{ id: 'k', state: '{state}' }} }} }}]"))
        .join(",");
    let hidden =
        ("Object.defineProperty(document, 'hidden', { value: true, configurable: true })", "delete document.hidden");
    let offline =
        ("Object.defineProperty(navigator, 'onLine', { value: false, configurable: true })", "delete navigator.onLine");
    for ((begin, end), longest) in [(hidden, 4.0 * 750.0), (offline, 30_000.0)] {
        let page = Page::with_responses(&format!("[{NO_STREAM}, {responses}]"));
        let task = client("'t'").await.task(&Js(eval("({ id: 'k', capability: 'split_video' })"))).unwrap();
        eval(begin);
        let done = task.watch(Until::End).await;
        eval(end);
        assert_eq!(text(&Js(done.unwrap()), "state"), "SUCCEEDED");
        assert!(page.delays().into_iter().fold(0.0, f64::max) >= longest, "{:?}", page.delays());
    }
}

#[wasm_bindgen_test]
async fn a_failed_task_rejects_with_its_snapshot() {
    let _page = Page::with_responses(&format!(
        "[{NO_STREAM}, [200, {{ code: 0, data: {{ task: {{ id: 'k', state: 'FAILED', why: 'dark' }} }} }}]]"
    ));
    let task = client("'t'").await.task(&Js(eval("({ id: 'k', capability: 'split_video' })"))).unwrap();
    let error = thrown(task.watch(Until::End).await.unwrap_err());
    assert_eq!(text(&error, "code"), "task_failed");
    assert_eq!(text(&Js(Js(error.member("task")).member("raw")), "why"), "dark");
}

#[wasm_bindgen_test]
async fn a_blob_is_sent_to_the_storage_once_and_without_the_token() {
    let granted = "[200, { code: 0, data: { file_id: 'f-1', upload_url: 'https://storage.test/put' } }]";
    let page = Page::with_responses(&format!("[{granted}, [200, '']]"));
    let (client, none) = (client("'t'").await, Js(JsValue::UNDEFINED));
    let blob = Js(eval("new File(['bytes'], 'a.png', { type: 'image/png' })"));
    let no_xhr = WithoutXhr::new();
    let first = client.upload(&blob, &none).await;
    let again = client.upload(&blob, &none).await;
    drop(no_xhr);
    assert_eq!((first.unwrap(), again.unwrap()), ("f-1".into(), "f-1".into()));
    assert_eq!(page.lines(), ["POST https://gateway.test/api/app/v1/upload_urls", "PUT https://storage.test/put"]);
    let requests = page.requests();
    let (post, put) = (&requests[0], &requests[1]);
    assert_eq!(text(post, "body"), r#"{"file_name":"a.png","content_type":"image/png","size":5}"#);
    assert_eq!((header(put, "content-type"), header(put, "authorization")), ("image/png".into(), String::new()));
    assert_eq!(put.get("body").unwrap(), blob);
    let empty = client.upload(&Js(eval("new Blob([])")), &none).await.unwrap_err();
    assert!(text(&thrown(empty), "message").contains("empty"));
}
