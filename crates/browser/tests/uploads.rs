//! Uploads of files to the storage, and what happens when one fails.

#![cfg(target_arch = "wasm32")]
#![expect(clippy::unwrap_used, reason = "a test may")]

mod scripted;

use js_sys::{Array, Promise};
use mediagate_browser::bindings::validate;
use mediagate_browser::engine::client::{Client, Operation};
use mediagate_browser::engine::error::Error;
use mediagate_browser::value::Js;
use mediagate_core::Value;
use scripted::{Page, WithoutXhr, call, client, create, eval, thrown};
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::{JsFuture, future_to_promise};
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

const POST: &str = "POST https://gateway.test/api/app/v1/upload_urls";
const PUT: &str = "PUT https://storage.test/";

/// A response with an upload URL of this path.
fn granted(path: &str) -> String {
    format!("[200, {{ code: 0, data: {{ file_id: 'f-{path}', upload_url: 'https://storage.test/{path}' }} }}]")
}

async fn upload(client: &Client, source: &str, options: &str) -> Result<String, Error> {
    client.upload(&Js(eval(source)), &Js(eval(options))).await.map(|it| it.as_string().unwrap())
}

#[wasm_bindgen_test]
async fn a_stale_upload_url_is_renewed_once() {
    let _fetch = WithoutXhr::new();
    for status in [401, 403, 410] {
        let page =
            Page::with_responses(&format!("[{}, [{status}, 'over'], {}, [200, '']]", granted("1"), granted("2")));
        assert_eq!(upload(&*client("'t'").await, "new Blob(['x'])", "undefined").await.unwrap(), "f-2");
        assert_eq!(page.lines(), [POST.to_owned(), [PUT, "1"].concat(), POST.to_owned(), [PUT, "2"].concat()]);
    }
    let scope = "[[403, { code: 13, message: '', data: { reason: 'scope' } }]]";
    let page = Page::with_responses(scope);
    let error = thrown(upload(&*client("'t'").await, "new Blob(['x'])", "undefined").await.unwrap_err());
    assert_eq!((error.string("code").as_deref(), page.lines().len()), (Some("forbidden"), 1));
    let page = Page::with_responses(&format!("[{}, [403, ''], {}, [403, '']]", granted("1"), granted("2")));
    let error = thrown(upload(&*client("'t'").await, "new Blob(['x'])", "undefined").await.unwrap_err());
    assert_eq!((error.string("code").as_deref(), error.member("status")), (Some("upload_failed"), 403.into()));
    assert_eq!(page.lines().len(), 4);
}

#[wasm_bindgen_test]
async fn a_failed_put_is_retried_to_the_same_url() {
    let _fetch = WithoutXhr::new();
    let page = Page::with_responses(&format!("[{}, null, [503, ''], [200, '']]", granted("1")));
    assert_eq!(upload(&*client("'t'").await, "new Blob(['x'])", "undefined").await.unwrap(), "f-1");
    assert_eq!(page.lines()[1..], [[PUT, "1"].concat(), [PUT, "1"].concat(), [PUT, "1"].concat()]);
    assert_eq!(page.delays().len(), 2);
}

#[wasm_bindgen_test]
async fn bytes_and_streams_become_files_with_the_name_and_type_of_the_options() {
    let _fetch = WithoutXhr::new();
    let sources = [
        "new TextEncoder().encode('bytes')",
        "new TextEncoder().encode('bytes').buffer",
        "new DataView(new TextEncoder().encode('bytes').buffer)",
        "new Blob(['bytes']).stream()",
    ];
    for source in sources {
        let page = Page::with_responses(&format!("[{}, [200, '']]", granted("1")));
        upload(&*client("'t'").await, source, "({ name: 'a.png', type: 'image/png' })").await.unwrap();
        let requests = page.requests();
        let body = r#"{"file_name":"a.png","content_type":"image/png","size":5}"#;
        assert_eq!(requests[0].string("body").as_deref(), Some(body), "{source}");
        let sent =
            JsFuture::from(Promise::resolve(&call(&requests[1].member("body"), "text", &Array::new()))).await.unwrap();
        assert_eq!(sent, "bytes", "{source}");
    }
}

#[wasm_bindgen_test]
async fn a_source_that_is_no_file_is_an_error_before_anything_is_sent() {
    let page = Page::with_responses("[]");
    let client = client("'t'").await;
    for source in ["'f'", "undefined", "7", "({})", "[]", "new Blob([])", "new Uint8Array(0)", "new Blob([]).stream()"]
    {
        let error = thrown(upload(&client, source, "undefined").await.unwrap_err());
        assert_eq!(error.string("code").as_deref(), Some("invalid_argument"), "{source}");
    }
    let broken = [
        "new ReadableStream({ pull() { throw new Error('no'); } })",
        "(() => { const it = new Blob(['x']).stream(); it.getReader(); return it })()",
        "new ReadableStream({ pull(it) { it.enqueue('text'); it.close(); } })",
    ];
    for source in broken {
        let error = thrown(upload(&client, source, "undefined").await.unwrap_err());
        assert_eq!(error.string("code").as_deref(), Some("upload_failed"), "{source}");
        assert!(!error.member("cause").is_undefined());
    }
    assert!(page.lines().is_empty());
}

#[wasm_bindgen_test]
async fn an_aborted_upload_cancels_its_stream() {
    let _page = Page::with_responses("[]");
    let stream = eval("globalThis.endless = new ReadableStream({ cancel() { globalThis.cancelled(); } })");
    let cancelled = eval("new Promise((resolve) => (globalThis.cancelled = resolve))");
    let client = client("'t'").await;
    let none = Js(JsValue::UNDEFINED);
    let stream = Js(stream);
    let mut upload = Box::pin(client.upload(&stream, &none));
    std::future::poll_fn(|context| {
        assert!(upload.as_mut().poll(context).is_pending());
        std::task::Poll::Ready(())
    })
    .await;
    drop(upload);
    JsFuture::from(Promise::from(cancelled)).await.unwrap();
}

#[wasm_bindgen_test]
async fn four_files_are_uploaded_at_once_and_the_others_wait() {
    let _fetch = WithoutXhr::new();
    let page = Page::with_responses("Array.from({ length: 4 }, () => 'silence')");
    let client = client("'t'").await;
    let blobs: Array = (0..7).map(|it| eval(&format!("new Blob(['{it}'])"))).collect();
    let input = eval("(blobs) => ({ prompt: 'p', image_file_ids: blobs })");
    let input = Js(call_with(&input, &blobs));
    let name = JsValue::from("omni_reference_to_video");
    let mut estimate = Box::pin(client.request(Operation::Estimate, &name, &input));
    std::future::poll_fn(|context| {
        assert!(estimate.as_mut().poll(context).is_pending());
        std::task::Poll::Ready(())
    })
    .await;
    assert_eq!(page.requests().len(), 4);
    drop(estimate);
    JsFuture::from(future_to_promise(async { Ok(JsValue::UNDEFINED) })).await.unwrap();
    assert_eq!(page.number("ended"), 4.0);
}

#[wasm_bindgen_test]
async fn the_uploads_that_wait_are_sent_later() {
    let _fetch = WithoutXhr::new();
    // The same response serves the storage, whose body is not read, and the estimate, which is the last request.
    let page = Page::with_responses(&format!("Array.from({{ length: 13 }}, () => {})", granted("1")));
    let input = "({ prompt: 'p', image_file_ids: Array.from({ length: 6 }, (_, it) => new Blob([String(it)])) })";
    let name = JsValue::from("omni_reference_to_video");
    client("'t'").await.request(Operation::Estimate, &name, &Js(eval(input))).await.unwrap();
    assert_eq!(page.lines().iter().filter(|it| it.starts_with(PUT)).count(), 6);
}

#[wasm_bindgen_test]
async fn a_file_of_another_kind_is_an_issue_of_its_field_and_not_sent() {
    let page = Page::with_responses("[]");
    let input = "({ input_file_ids: ['f', new Blob(['x'], { type: 'image/png' }), new Blob([])] })";
    let error = thrown(create(&*client("'t'").await, "merge_pdf", input).await.unwrap_err());
    let issues = Js(error.member("issues")).items();
    let found: Vec<_> = issues.iter().map(|it| ["path", "reason"].map(|name| it.string(name).unwrap())).collect();
    assert_eq!(found, [["input_file_ids[1]", "wrong_type"], ["input_file_ids[2]", "empty"]]);
    assert!(page.lines().is_empty());
}

#[wasm_bindgen_test]
fn an_unspecific_media_type_passes() {
    let takes = |name: &str, field: &str, content_type: &str| {
        let input = eval(&format!("({{ {field}: new Blob(['x'], {{ type: '{content_type}' }}) }})"));
        let issues = Js(validate(name.into(), input).unwrap().into()).items();
        !issues.iter().any(|it| it.string("path").as_deref() == Some(field))
    };
    for content_type in ["", "application/octet-stream", "image/heic"] {
        assert!(takes("background_removal", "file_id", content_type), "{content_type}");
    }
    for content_type in ["", "audio/x-m4a", "video/webm", "application/ogg"] {
        assert!(takes("adjust_audio_volume", "input_file_id", content_type), "{content_type}");
    }
    assert!(
        takes("split_video", "input_file_id", "video/mp4") && takes("split_pdf", "input_file_id", "application/pdf")
    );
    for (name, field, content_type) in [
        ("background_removal", "file_id", "video/mp4"),
        ("background_removal", "file_id", "application/pdf"),
        ("split_video", "input_file_id", "image/gif"),
        ("split_video", "input_file_id", "audio/mpeg"),
        ("adjust_audio_volume", "input_file_id", "text/plain"),
        ("split_pdf", "input_file_id", "text/html"),
    ] {
        assert!(!takes(name, field, content_type), "{name} took {content_type}");
    }
}

fn call_with(function: &JsValue, argument: &JsValue) -> JsValue {
    mediagate_browser::host::apply(function, &JsValue::UNDEFINED, &Array::of1(argument)).unwrap()
}
