//! A task's stream of events, and the polls that replace it where it breaks.

#![cfg(target_arch = "wasm32")]
#![expect(clippy::unwrap_used, reason = "a test may")]

mod scripted;

use std::rc::Rc;

use js_sys::{Array, Promise};
use mediagate_browser::engine::limits::Cancellable;
use mediagate_browser::engine::task::{StreamLease, Task, Until};
use mediagate_browser::value::Js;
use scripted::{Page, client, eval, thrown};
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::{JsFuture, future_to_promise};
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

const EVENTS: &str = "GET https://gateway.test/api/app/v1/tasks/k/events";
const POLL: &str = "GET https://gateway.test/api/app/v1/process/tasks/k";

/// An event with the task in a state.
fn event(id: u32, state: &str) -> String {
    format!("'id: {id}\\nevent: task\\ndata: {}\\n\\n'", record(state).replace('\'', "\""))
}

fn record(state: &str) -> String {
    format!("{{'code':0,'data':{{'task':{{'id':'k','state':'{state}'}}}}}}")
}

fn stream(parts: &[&str]) -> String {
    format!("[200, [{}]]", parts.join(","))
}

fn polled(state: &str) -> String {
    format!("[200, {}]", record(state))
}

async fn saved(client: &mediagate_browser::engine::client::Client) -> Rc<Task> {
    client.task(&Js(eval("({ id: 'k', capability: 'split_video' })"))).unwrap()
}

fn state(snapshot: JsValue) -> String {
    Js(snapshot).string("state").unwrap_or_default()
}

async fn done(responses: &[String]) -> (Page, String) {
    let page = Page::with_responses(&format!("[{}]", responses.join(",")));
    let task = saved(&*client("'t'").await).await;
    let done = task.watch(Until::End).await;
    assert!(done.is_ok(), "{responses:?}: {:?}", page.lines());
    (page, state(done.unwrap()))
}

#[wasm_bindgen_test]
async fn bytes_are_decoded_in_chunks_of_any_size_and_with_any_content() {
    let end = event(1, "SUCCEEDED").replace("\"state\"", "\"title\":\"é\",\"state\"");
    let cut = format!("...[...new TextEncoder().encode({end})].map((it) => Uint8Array.of(it))");
    let (_, state) = done(&[stream(&[&cut])]).await;
    assert_eq!(state, "SUCCEEDED", "byte by byte");
    // With its second byte changed, the letter is not valid UTF-8.
    let broken = cut.replace("of(it)", "of(it === 0xa9 ? 0x78 : it)");
    for (bytes, title) in [(cut, "é"), (broken, "\u{fffd}x")] {
        let page = Page::with_responses(&format!("[{}]", stream(&["Uint8Array.of(0xff, 10, 10)", &bytes])));
        let task = saved(&*client("'t'").await).await;
        let last = Js(task.watch(Until::End).await.unwrap());
        assert_eq!(Js(last.member("raw")).string("title").as_deref(), Some(title), "{:?}", page.lines());
    }
}

#[wasm_bindgen_test]
async fn one_request_brings_all_updates_of_a_task() {
    let page = Page::with_responses(&format!(
        "[{}]",
        stream(&[
            "'retry: 1000\\n\\n'",
            &event(1, "PENDING"),
            "':\\n\\n'",
            &event(2, "RUNNING"),
            &event(3, "SUCCEEDED")
        ])
    ));
    let task = saved(&*client("'t'").await).await;
    let _lease = StreamLease::new(&task);
    let (mut last, mut states) = (JsValue::UNDEFINED, Vec::new());
    loop {
        last = Rc::clone(&task).watch(Until::Change(last)).await.unwrap();
        if last.is_undefined() {
            break;
        }
        states.push(state(last.clone()));
    }
    assert_eq!(states, ["PENDING", "RUNNING", "SUCCEEDED"]);
    assert_eq!(page.lines(), [EVENTS]);
    assert!(page.delays().iter().all(|it| *it >= 10_000.0), "there was no wait between polls: {:?}", page.delays());
}

#[wasm_bindgen_test]
async fn all_subscribers_of_a_task_share_a_stream() {
    let whole = event(2, "SUCCEEDED");
    let cut = whole.split_at(40);
    let halves = [format!("{}'", cut.0), format!("'{}", cut.1)];
    let page = Page::with_responses(&format!("[{}]", stream(&[&event(1, "RUNNING"), &halves[0], &halves[1]])));
    let client = client("'t'").await;
    let wait = |task: Rc<Task>| future_to_promise(async move { Ok(task.watch(Until::End).await?) });
    let all = Array::new();
    for _ in 0..20 {
        all.push(&wait(saved(&client).await));
    }
    let all = Array::from(&JsFuture::from(Promise::all(&all)).await.unwrap());
    assert!(all.iter().all(|it| state(it) == "SUCCEEDED"));
    assert_eq!((all.length(), page.lines()), (20, vec![EVENTS.to_owned()]));
}

#[wasm_bindgen_test]
async fn the_last_subscriber_that_leaves_closes_the_stream() {
    let page = Page::with_responses(&format!("[{}]", stream(&[&event(1, "RUNNING"), "null"])));
    let client = client("'t'").await;
    let waits = |timeout: u32| {
        let task = client.task(&Js(eval("({ id: 'k', capability: 'split_video' })"))).unwrap();
        let options = Js(eval(&format!("({{ timeout: {timeout} }})")));
        future_to_promise(async move { Ok(Cancellable::new(&options, Box::pin(task.watch(Until::End)))?.await?) })
    };
    let (short, long) = (waits(1), waits(20_000));
    assert_eq!(Js(JsFuture::from(short).await.unwrap_err()).string("code").unwrap(), "timeout");
    assert_eq!(page.number("ended"), 0.0, "a subscriber still waits");
    JsFuture::from(long).await.unwrap_err();
    assert_eq!((page.number("ended"), page.lines()), (1.0, vec![EVENTS.to_owned()]));
}

#[wasm_bindgen_test]
async fn without_a_stream_the_task_is_polled() {
    for none in ["[404, { code: 12, message: 'x' }]", "[200, '<html>']", "[200, { code: 0, data: {} }]", "[405, '']"] {
        let (page, end) = done(&[none.into(), polled("RUNNING"), polled("SUCCEEDED")]).await;
        assert_eq!(
            (end.as_str(), page.lines()),
            ("SUCCEEDED", vec![EVENTS.into(), POLL.into(), POLL.into()]),
            "{none}"
        );
    }
}

#[wasm_bindgen_test]
async fn a_stream_that_failed_to_open_is_opened_later() {
    for none in ["null", "[503, '<html>']", "[429, { code: 16, message: 'x' }]"] {
        let (page, end) = done(&[none.into(), polled("RUNNING"), stream(&[&event(7, "SUCCEEDED")])]).await;
        assert_eq!(
            (end.as_str(), page.lines()),
            ("SUCCEEDED", vec![EVENTS.into(), POLL.into(), EVENTS.into()]),
            "{none}"
        );
    }
}

#[wasm_bindgen_test]
async fn after_a_broken_stream_the_task_is_polled_and_a_new_stream_resumes() {
    let silent = stream(&[&event(4, "RUNNING"), "null"]);
    let cut = stream(&[&event(4, "RUNNING"), "'id: 5\\nevent: task\\nda'"]);
    let garbled = stream(&[&event(4, "RUNNING"), "'id: 5\\nevent: task\\ndata: <html>\\n\\n'"]);
    let refused = stream(&[&event(4, "RUNNING"), "'id: 5\\nevent: error\\ndata: {}\\n\\n'"]);
    for broken in [silent, cut, garbled, refused] {
        let (page, end) = done(&[broken.clone(), polled("RUNNING"), stream(&[&event(5, "SUCCEEDED")])]).await;
        assert_eq!(
            (end.as_str(), page.lines()),
            ("SUCCEEDED", vec![EVENTS.into(), POLL.into(), EVENTS.into()]),
            "{broken}"
        );
        let header = |it: &Js| Js(it.member("headers")).string("last-event-id");
        let requests = page.requests();
        assert_eq!((header(&requests[0]), header(&requests[2])), (None, Some("4".into())));
    }
}

#[wasm_bindgen_test]
async fn a_long_stream_that_ends_normally_is_reopened_and_after_one_without_a_record_the_task_is_polled() {
    let with_record = stream(&[&event(4, "RUNNING"), "9_000"]);
    let (page, end) = done(&[with_record, stream(&[&event(5, "SUCCEEDED")])]).await;
    assert_eq!((end.as_str(), page.lines()), ("SUCCEEDED", vec![EVENTS.into(), EVENTS.into()]));
    drop(page);
    let heartbeats = stream(&["':\\n\\n'", "9_000"]);
    let (page, end) = done(&[heartbeats, polled("SUCCEEDED")]).await;
    assert_eq!((end.as_str(), page.lines()), ("SUCCEEDED", vec![EVENTS.into(), POLL.into()]));
}

#[wasm_bindgen_test]
async fn unexpected_chunks_do_no_harm() {
    let odd = |id: &str| format!("'id: {id}\\nevent: task\\ndata: {}\\n\\n'", record("RUNNING").replace('\'', "\""));
    for part in [
        odd("中"),
        odd("a b"),
        odd("\\r\\n\\t"),
        "-1".into(),
        "Symbol()".into(),
        "'\\uFFFF\\n\\n'".into(),
        "new Uint8Array(0)".into(),
    ] {
        let first = stream(&[&event(1, "RUNNING"), &part]);
        let (_page, end) = done(&[first, polled("RUNNING"), stream(&[&event(2, "SUCCEEDED")])]).await;
        assert_eq!(end, "SUCCEEDED", "{part}");
    }
}

#[wasm_bindgen_test]
async fn a_poll_that_finds_the_end_notifies_all_subscribers() {
    let page = Page::with_responses(&format!("[{}, {}]", stream(&[&event(1, "RUNNING"), "null"]), polled("SUCCEEDED")));
    let client = client("'t'").await;
    let task = saved(&client).await;
    let waits = {
        let task = Rc::clone(&task);
        future_to_promise(async move { Ok(task.watch(Until::End).await?) })
    };
    let first = Rc::clone(&task).watch(Until::Change(JsValue::UNDEFINED)).await.unwrap();
    assert_eq!(state(first), "RUNNING");
    assert_eq!(state(task.watch(Until::Polled).await.unwrap()), "SUCCEEDED");
    assert_eq!(state(JsFuture::from(waits).await.unwrap()), "SUCCEEDED");
    assert_eq!((page.lines(), page.number("ended")), (vec![EVENTS.into(), POLL.into()], 1.0));
}

#[wasm_bindgen_test]
async fn a_stream_without_a_first_byte_is_not_opened_again() {
    for none in [stream(&["null"]), "'silence'".into(), stream(&[])] {
        let (page, end) = done(&[none.clone(), polled("RUNNING"), polled("SUCCEEDED")]).await;
        assert_eq!(
            (end.as_str(), page.lines()),
            ("SUCCEEDED", vec![EVENTS.into(), POLL.into(), POLL.into()]),
            "{none}"
        );
    }
}

#[wasm_bindgen_test]
async fn a_task_that_does_not_exist_is_an_error() {
    let gone = "[404, { code: 12, message: 'no such task' }]";
    let page = Page::with_responses(&format!("[{gone}, {gone}]"));
    let error = saved(&*client("'t'").await).await.watch(Until::Change(JsValue::UNDEFINED)).await.unwrap_err();
    assert_eq!((thrown(error).member("status"), page.requests().len()), (404.0.into(), 2));
}

#[wasm_bindgen_test]
async fn over_http_1_at_most_three_streams_are_open() {
    let page =
        Page::with_responses(&format!("[{0}, {0}, {0}, {1}]", stream(&["':\\n\\n'", "null"]), polled("SUCCEEDED")));
    let options = Js(eval("({ url: 'http://gateway.test', token: 't' })"));
    let client = mediagate_browser::engine::client::Client::connect(&options).await.unwrap();
    let waits: Vec<_> = ["a", "b", "c", "d"]
        .into_iter()
        .map(|id| {
            let task = client.task(&Js(eval(&format!("({{ id: '{id}', capability: 'split_video' }})")))).unwrap();
            let options = Js(eval("({ timeout: 15_000 })"));
            future_to_promise(async move { Ok(Cancellable::new(&options, Box::pin(task.watch(Until::End)))?.await?) })
        })
        .collect();
    assert_eq!(state(JsFuture::from(waits[3].clone()).await.unwrap()), "SUCCEEDED");
    for wait in &waits[..3] {
        JsFuture::from(wait.clone()).await.unwrap_err();
    }
    assert_eq!(page.lines().iter().filter(|it| it.ends_with("/events")).count(), 3);
}
