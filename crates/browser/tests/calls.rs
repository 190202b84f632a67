//! What the client asks of a gateway, how often, and what it makes of the answers.

#![cfg(target_arch = "wasm32")]
#![expect(clippy::unwrap_used, reason = "a test may")]

mod scripted;

use std::rc::Rc;

use js_sys::Array;
use mediagate_browser::engine::client::Ask;
use mediagate_browser::engine::limits::Held;
use mediagate_browser::engine::task::Until;
use mediagate_browser::value::Js;
use mediagate_core::Value;
use scripted::{Page, WithoutXhr, client, create, eval, thrown};
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::JsFuture;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

const CREATE: &str = "POST https://gateway.test/api/app/v1/generate/image/text_to_image";
/// What a gateway without streams answers.
const NO_STREAM: &str = "[404, { code: 12, message: 'no such path' }]";
const INPUT: &str = "({ prompt: 'a lighthouse' })";

fn text(value: &Js, name: &str) -> String {
    value.string(name).unwrap_or_default()
}

fn header(request: &Js, name: &str) -> String {
    text(&Js(request.member("headers")), name)
}

#[wasm_bindgen_test]
async fn a_create_is_repeated_by_its_key_where_that_may_help_and_says_what_is_known_of_it() {
    const SHED: &str = "[429, { code: 16, message: 'x', data: { outcome: 'not_sent' } }]";
    const REJECTED: &str = "[402, { code: 1401, message: 'x', data: { outcome: 'rejected' } }]";
    const DONE: &str = "[200, { code: 0, data: { task: { id: 'k' } } }]";
    let ends = [
        ("null, null, null, null", "network", "unknown"),
        ("null, [503, '<html>'], null, [502, '']", "unreadable", "unknown"),
        ("[200, { code: 99, message: 'x' }]", "server_error", "unknown"),
        ("[504, { code: 1405, message: 'x', data: { outcome: 'unknown' } }]", "provider_timeout", "unknown"),
        ("[200, { code: 1401, message: 'x' }]", "insufficient_credits", "rejected"),
        (&["null", REJECTED].join(","), "insufficient_credits", "rejected"),
        // Refused by whoever knows nothing of the attempt before.
        ("null, [200, { code: 1401, message: 'x' }]", "insufficient_credits", "unknown"),
        ("null, [401, { code: 13, message: 'x' }]", "unauthenticated", "unknown"),
        ("[401, { code: 13, message: 'x' }]", "unauthenticated", "rejected"),
        (
            "[502, { code: 99, data: { outcome: 'unknown', cause: 'ledger' }, message: 'x' }], [402, { code: 1401, data: { outcome: 'rejected' }, message: 'x' }]",
            "insufficient_credits",
            "rejected",
        ),
        (&[SHED; 4].join(","), "rate_limit", "not_sent"),
        // Shed on its way, while an earlier attempt may have been taken.
        (&["null", SHED, SHED, SHED].join(","), "rate_limit", "unknown"),
    ];
    for (answers, code, outcome) in ends {
        let page = Page::answering(&format!("[{answers}]"));
        let error = thrown(create(&*client("'t'").await, "text_to_image", INPUT).await.unwrap_err());
        assert_eq!((text(&error, "code"), text(&error, "outcome")), (code.into(), outcome.into()), "{answers}");
        assert_eq!(text(&error, "idempotencyKey"), "once");
        assert_eq!(text(&error, "message").contains("may have cost"), outcome == "unknown", "{answers}");
        assert_eq!(page.left(), 0, "{answers}");
        assert!(page.requests().iter().all(|it| header(it, "idempotency-key") == "once"));
    }
    let page = Page::answering(&format!("[null, {SHED}, {DONE}]"));
    let made = create(&*client("'t'").await, "text_to_image", INPUT).await;
    assert_eq!((text(&Js(made.unwrap()), "id"), page.lines()), ("k".into(), vec![CREATE.into(); 3]));
}

#[wasm_bindgen_test]
async fn a_wrong_input_is_sent_to_nobody() {
    let page = Page::answering("[]");
    let error = thrown(create(&*client("'t'").await, "text_to_image", "({ promt: 1 })").await.unwrap_err());
    assert_eq!((text(&error, "code"), text(&error, "outcome")), ("invalid_input".into(), "not_sent".into()));
    assert!(text(&error, "message").contains("prompt"), "{error:?}");
    assert!(page.lines().is_empty());
}

#[wasm_bindgen_test]
async fn a_read_is_repeated_ever_later_and_then_given_up() {
    let page =
        Page::answering("[null, [502, '<html>'], [503, { code: 99, message: '' }, { 'retry-after': '9' }], null]");
    let client = client("'t'").await;
    let models = client.ask(Ask::Models, &JsValue::UNDEFINED, &Js(JsValue::UNDEFINED)).await;
    assert_eq!(text(&thrown(models.unwrap_err()), "code"), "network");
    assert_eq!(page.requests().len(), 4);
    let delays = page.delays();
    assert!(delays.len() == 3 && delays[0] <= delays[1] && delays[2] >= 9_000.0, "{delays:?}");
}

#[wasm_bindgen_test]
async fn a_refused_token_is_renewed_once() {
    let page = Page::answering("[[401, { code: 12, message: '' }], [200, { code: 0, data: { task: { id: 'k' } } }]]");
    let made = create(&*client("(() => { let n = 0; return () => `t${++n}`; })()").await, "text_to_image", INPUT).await;
    assert_eq!(text(&Js(made.unwrap()), "id"), "k");
    let sent = page.requests();
    assert_eq!([&sent[0], &sent[1]].map(|it| header(it, "authorization")), ["Bearer t1", "Bearer t2"]);
    assert_eq!(header(&sent[0], "idempotency-key"), header(&sent[1], "idempotency-key"));

    let page = Page::answering("[[401, { code: 12, message: '' }], [401, { code: 12, message: '' }]]");
    let error = create(&*client("() => Promise.resolve('t')").await, "text_to_image", INPUT).await.unwrap_err();
    assert_eq!(thrown(error).member("status"), 401.0);
    assert_eq!(page.requests().len(), 2);
}

#[wasm_bindgen_test]
async fn one_token_is_asked_for_all_who_wait() {
    let _page = Page::answering("Array.from({ length: 5 }, () => [200, { code: 0, data: [] }])");
    let client = client("(() => { globalThis.asked = 0; return async () => `t${++globalThis.asked}`; })()").await;
    let models = || {
        let client = client.clone();
        wasm_bindgen_futures::future_to_promise(async move {
            Ok(client.ask(Ask::Models, &JsValue::UNDEFINED, &Js(JsValue::UNDEFINED)).await?)
        })
    };
    let all: Array = (0..5).map(|_| models()).collect();
    JsFuture::from(js_sys::Promise::all(&all)).await.unwrap();
    assert_eq!(eval("globalThis.asked"), 1.0);
}

#[wasm_bindgen_test]
async fn the_callers_limits_end_the_request_itself() {
    let signal =
        "(() => { const it = new AbortController(); queueMicrotask(() => it.abort('enough')); return it.signal })()";
    for (options, code) in [(format!("({{ signal: {signal} }})"), "aborted"), ("({ timeout: 30 })".into(), "timeout")] {
        let page = Page::answering("['silence']");
        let client = client("'t'").await;
        let work = async move { client.ask(Ask::Models, &JsValue::UNDEFINED, &Js(JsValue::UNDEFINED)).await };
        let error = thrown(Held::new(&Js(eval(&options)), Box::pin(work)).unwrap().await.unwrap_err());
        assert_eq!(text(&error, "code"), code);
        assert_eq!(page.number("ended"), 1.0, "{code}");
    }
}

#[wasm_bindgen_test]
async fn a_task_is_watched_to_its_end_and_never_goes_back() {
    let record = |state: &str| format!("[200, {{ code: 0, data: {{ task: {{ id: 'k', state: '{state}' }} }} }}]");
    let answers = ["PROCESSING", "A_NEW_STATE", "SUCCEEDED", "PROCESSING"].map(record).join(",");
    let page = Page::answering(&format!("[{NO_STREAM}, {answers}]"));
    let task = client("'t'").await.task(&Js(eval("({ id: 'k/1', capability: 'split_video' })"))).unwrap();
    let done = Js(Rc::clone(&task).watch(Until::End).await.unwrap());
    assert_eq!((text(&done, "state"), text(&done, "id")), ("SUCCEEDED".into(), "k/1".into()));
    let lines = page.lines();
    assert!(lines[0].ends_with("/api/app/v1/tasks/k%2F1/events"), "{lines:?}");
    assert!(lines[1..].iter().all(|it| it.ends_with("/api/app/v1/process/tasks/k%2F1")), "{lines:?}");
    let late = Js(task.watch(Until::Look).await.unwrap());
    assert_eq!(text(&late, "state"), "SUCCEEDED");
    assert_eq!(page.requests().len(), 5);
    let looks: Vec<_> = page.delays().into_iter().filter(|it| *it < 10_000.0).collect();
    assert_eq!(looks.len(), 2, "{looks:?}");
}

#[wasm_bindgen_test]
async fn a_page_that_nobody_sees_looks_rarely_and_one_without_a_connection_waits_for_it() {
    let answers = ["PROCESSING", "SUCCEEDED"]
        .map(|state| format!("[200, {{ code: 0, data: {{ task: {{ id: 'k', state: '{state}' }} }} }}]"))
        .join(",");
    let hidden =
        ("Object.defineProperty(document, 'hidden', { value: true, configurable: true })", "delete document.hidden");
    let offline =
        ("Object.defineProperty(navigator, 'onLine', { value: false, configurable: true })", "delete navigator.onLine");
    for ((begin, end), longest) in [(hidden, 4.0 * 750.0), (offline, 30_000.0)] {
        let page = Page::answering(&format!("[{NO_STREAM}, {answers}]"));
        let task = client("'t'").await.task(&Js(eval("({ id: 'k', capability: 'split_video' })"))).unwrap();
        eval(begin);
        let done = task.watch(Until::End).await;
        eval(end);
        assert_eq!(text(&Js(done.unwrap()), "state"), "SUCCEEDED");
        assert!(page.delays().into_iter().fold(0.0, f64::max) >= longest, "{:?}", page.delays());
    }
}

#[wasm_bindgen_test]
async fn a_task_that_fails_rejects_with_what_it_was() {
    let _page = Page::answering(&format!(
        "[{NO_STREAM}, [200, {{ code: 0, data: {{ task: {{ id: 'k', state: 'FAILED', why: 'dark' }} }} }}]]"
    ));
    let task = client("'t'").await.task(&Js(eval("({ id: 'k', capability: 'split_video' })"))).unwrap();
    let error = thrown(task.watch(Until::End).await.unwrap_err());
    assert_eq!(text(&error, "code"), "task_failed");
    assert_eq!(text(&Js(Js(error.member("task")).member("raw")), "why"), "dark");
}

#[wasm_bindgen_test]
async fn a_blob_goes_to_the_storage_once_and_without_the_token() {
    let granted = "[200, { code: 0, data: { file_id: 'f-1', upload_url: 'https://storage.test/put' } }]";
    let page = Page::answering(&format!("[{granted}, [200, '']]"));
    let (client, none) = (client("'t'").await, Js(JsValue::UNDEFINED));
    let blob = Js(eval("new File(['bytes'], 'a.png', { type: 'image/png' })"));
    let without = WithoutXhr::new();
    let first = client.upload(&blob, &none).await;
    let again = client.upload(&blob, &none).await;
    drop(without);
    assert_eq!((first.unwrap(), again.unwrap()), ("f-1".into(), "f-1".into()));
    assert_eq!(page.lines(), ["POST https://gateway.test/api/app/v1/upload_urls", "PUT https://storage.test/put"]);
    let requests = page.requests();
    let (asked, put) = (&requests[0], &requests[1]);
    assert_eq!(text(asked, "body"), r#"{"file_name":"a.png","content_type":"image/png","size":5}"#);
    assert_eq!((header(put, "content-type"), header(put, "authorization")), ("image/png".into(), String::new()));
    assert_eq!(put.get("body").unwrap(), blob);
    let empty = client.upload(&Js(eval("new Blob([])")), &none).await.unwrap_err();
    assert!(text(&thrown(empty), "message").contains("empty"));
}
