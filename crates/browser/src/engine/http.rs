//! One request and its answer.

use gloo_net::http::{Method, RequestBuilder};
use js_sys::Date;
use mediagate_core::Value;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{AbortController, Response};

use super::error::{Error, code};
use super::host;
use crate::value::Js;

/// An answer, whatever it was.
pub struct Reply {
    /// The HTTP status.
    pub status: u16,
    /// The body, where it was JSON.
    pub body: Option<Js>,
    /// `Retry-After`, in milliseconds.
    pub retry_after_ms: Option<u32>,
    /// `x-request-id`.
    pub request_id: Option<String>,
}

impl Reply {
    /// Whether the status says success.
    pub fn succeeded(&self) -> bool {
        (200..300).contains(&self.status)
    }
}

/// Aborts its fetch when it is dropped; after the answer is read, that does nothing.
struct Guard(AbortController);

impl Drop for Guard {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Sends one request and reads its answer to the end. Header values must be visible ASCII: see [`is_header`].
///
/// The signal is always our own and aborted without a reason: gloo-net does not survive a caller's strange one, and the
/// fetch is called here and not by gloo-net for the same reason.
pub async fn send(method: Method, url: &str, headers: &[(&str, &str)], body: JsValue) -> Result<Reply, Error> {
    let controller = AbortController::new().map_err(unreachable)?;
    let mut builder = RequestBuilder::new(url).method(method).abort_signal(Some(&controller.signal()));
    let guard = Guard(controller);
    for (name, value) in headers {
        builder = builder.header(name, value);
    }
    let request = builder.body(body).map_err(|_| Error::argument("the gateway's url makes no valid request"))?;
    let answer = JsFuture::from(host::fetch(&request.into()).map_err(unreachable)?).await.map_err(unreachable)?;
    let reply = read(answer).await;
    drop(guard);
    reply
}

async fn read(answer: JsValue) -> Result<Reply, Error> {
    let response: Response = answer.dyn_into().map_err(unreachable)?;
    let text = JsFuture::from(response.text().map_err(unreachable)?).await.map_err(unreachable)?;
    let header = |name: &str| response.headers().get(name).ok().flatten();
    Ok(Reply {
        status: response.status(),
        body: host::parse(&text).ok().map(Js),
        retry_after_ms: header("retry-after").and_then(|it| milliseconds(&it)),
        request_id: header("x-request-id"),
    })
}

/// What fetch rejects with is a network error however the browser words it.
fn unreachable(cause: JsValue) -> Error {
    let message =
        "no answer from the gateway; check the connection, the url, and that ALLOWED_ORIGINS lists this page's origin";
    let mut error = Error::new(code::NETWORK, message).with("cause", cause);
    error.retryable = true;
    error
}

/// `Retry-After` as milliseconds from now: seconds, or a date.
fn milliseconds(value: &str) -> Option<u32> {
    let delay = match value.trim().parse::<u32>() {
        Ok(seconds) => f64::from(seconds) * 1000.0,
        Err(_) => Date::parse(value) - Date::now(),
    };
    // A float cast saturates; a date that is none is NaN.
    (!delay.is_nan()).then_some(delay as u32)
}

/// Whether a text can be sent as a header's value: not empty, visible ASCII.
pub fn is_header(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|it| it.is_ascii_graphic())
}

/// A value as a request body.
pub fn json(value: &JsValue) -> Result<JsValue, Error> {
    host::stringify(value).map_err(|cause| Error::argument("the input is not JSON").with("cause", cause))
}

/// An absolute http(s) URL without query and fragment, resolved against the page, without the slash at its end.
pub fn base_url(url: &Js) -> Option<String> {
    let text = url.text().map(|it| it.into_owned()).or_else(|| url.string("href"))?;
    let url = match host::get(&js_sys::global(), "location").ok().and_then(|it| Js(it).string("href")) {
        Some(page) => web_sys::Url::new_with_base(&text, &page),
        None => web_sys::Url::new(&text),
    };
    let href = url.ok()?.href();
    let plain = (href.starts_with("https://") || href.starts_with("http://")) && !href.contains(['?', '#', '@']);
    plain.then(|| href.trim_end_matches('/').into())
}
