//! One request and its answer, by `fetch`; by XMLHttpRequest where a file's progress is to be seen.

use gloo_net::http::Headers;
use js_sys::{Array, Date, Promise};
use mediagate_core::Value;
use mediagate_core::text::concat;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::AbortController;

use super::error::{Error, code};
use super::host;
use crate::value::Js;

/// A request. Header values must be visible ASCII: see [`is_header`].
#[derive(Clone)]
pub struct Request {
    /// `GET`, `POST` or `PUT`.
    pub method: &'static str,
    /// Where to.
    pub url: String,
    /// `content-type`, empty for none.
    pub content_type: String,
    /// More headers, each where its value is not empty.
    pub headers: [(&'static str, String); 2],
    /// Its body, `undefined` for none.
    pub body: JsValue,
    /// Who is told the progress of the body; `null` where the body is no file.
    pub progress: JsValue,
    /// What is asked in the place of `fetch`: `(url, init, capability) => Response | Promise<Response>`.
    pub network: JsValue,
    /// The capability that it is about; empty for none.
    pub capability: &'static str,
    /// Whether a stream of events is asked for.
    pub events: bool,
}

/// An answer, whatever it was.
#[derive(Default)]
pub struct Reply {
    /// The HTTP status.
    pub status: u16,
    /// The body, where it was JSON.
    pub body: Option<Js>,
    /// The headers, where they can be seen.
    pub headers: Js,
    /// Where a stream of events was asked for and came: `{reader, controller}`. It is open until the one is cancelled or
    /// the other aborted.
    pub events: Option<JsValue>,
}

impl Reply {
    /// A header's value. The headers may be whatever a caller's `fetch` made of them.
    fn header(&self, name: &str) -> Option<String> {
        host::call(&self.headers.0, "get", &Array::of1(&host::text(name))).ok()?.as_string()
    }

    /// An error with what the headers say of it.
    pub fn tell(&self, error: Error) -> Error {
        let header = |name: &str| self.header(name).map(|it| host::text(&it));
        let error = error.with("requestId", header("x-request-id"));
        error.with("retryAfter", header("retry-after").and_then(|it| seconds(&it)))
    }
}

/// `Retry-After` as seconds from now: a number, or a date.
fn seconds(value: &JsValue) -> Option<f64> {
    let number = host::parse(value).ok().and_then(|it| it.as_f64());
    let date = || (Date::new(value).get_time() - Date::now()) / 1000.0;
    Some(number.unwrap_or_else(date)).filter(|it| *it >= 0.0)
}

/// An exchange under way, which ends when this is dropped; `undefined` once there is nothing left to end, since an abort
/// costs an exception even then. Both an AbortController and an XMLHttpRequest have the method for it.
pub struct Underway(pub JsValue);

impl Drop for Underway {
    fn drop(&mut self) {
        if self.0.is_undefined() {
            return;
        }
        let _ = host::call(&self.0, "abort", &Array::new());
    }
}

/// Sends a request and reads its answer to the end, but for a stream of events, which is given open.
///
/// The signal is always our own and aborted without a reason: gloo-net does not survive a caller's strange one. For the
/// same reason the fetch is called here: what is no `Response` is an error, and must not become a panic.
///
/// # Errors
/// `network`, however the browser words it: what `fetch` rejects with is nothing else. `upload_failed` for a file.
pub async fn send(request: &Request, token: &str) -> Result<Reply, Error> {
    exchange(request, token).await.map_err(|cause| {
        let (code, message) = if request.progress.is_null() { UNREACHED } else { NOT_STORED };
        Error::new(code, message).retryable().with("cause", cause)
    })
}

const UNREACHED: (&str, &str) = (
    code::NETWORK,
    "no answer from the gateway; check the connection, the url, and that ALLOWED_ORIGINS lists this page's origin",
);
const NOT_STORED: (&str, &str) = (
    code::UPLOAD_FAILED,
    "the upload did not reach the storage; check the connection, and that the storage allows this page's origin (CORS)",
);

async fn exchange(request: &Request, token: &str) -> Result<Reply, JsValue> {
    let bearer = if token.is_empty() { String::new() } else { concat(&["Bearer ", token]) };
    let headers = [
        ("content-type", request.content_type.as_str()),
        ("authorization", &bearer),
        (request.headers[0].0, &request.headers[0].1),
        (request.headers[1].0, &request.headers[1].1),
    ];
    // What no header can be would end in a panic of gloo-net's.
    let is_value = |it: &str| !it.is_empty() && it.bytes().all(|it| matches!(it, b' '..=b'~'));
    let headers = headers.into_iter().filter(|it| is_value(it.1));
    let xhr = if request.progress.is_null() || request.network.is_function() { None } else { new_xhr() };
    let by_xhr = xhr.is_some();
    let (mut underway, answer) = match xhr {
        Some(xhr) => begin_xhr(xhr, request, headers)?,
        None => begin_fetch(request, headers)?,
    };
    let answer = JsFuture::from(answer).await?;
    if by_xhr {
        let xhr = Js(underway.0.clone());
        let body = host::parse(&xhr.member("responseText")).ok().map(Js);
        return match xhr.member("status").as_f64() {
            Some(status) if status > 0.0 => Ok(Reply { status: status as u16, body, ..Reply::default() }),
            _ => Err(JsValue::UNDEFINED),
        };
    }
    // Only what a caller gave in the place of `fetch` gives anything else.
    if !answer.is_instance_of::<web_sys::Response>() {
        return Ok(Reply::default());
    }
    let answer = Js(answer);
    let status = answer.member("status").as_f64().unwrap_or_default() as u16;
    let mut reply = Reply { status, headers: Js(answer.member("headers")), ..Reply::default() };
    if request.events
        && let Some(reader) = events_of(&reply, &answer)
    {
        let events = host::object(&[]);
        host::set(&events, "reader", &reader);
        host::set(&events, "controller", &std::mem::take(&mut underway.0));
        reply.events = Some(events);
    } else {
        let text = host::call(&answer.0, "text", &Array::new())?;
        reply.body = host::parse(&JsFuture::from(Promise::resolve(&text)).await?).ok().map(Js);
        underway.0 = JsValue::UNDEFINED;
    }
    Ok(reply)
}

/// The reader of a stream of events; `None` for any other answer, and on platforms whose bodies can't be read in parts.
fn events_of(reply: &Reply, answer: &Js) -> Option<JsValue> {
    let is_stream = reply.status == 200 && reply.header("content-type")?.starts_with("text/event-stream");
    is_stream.then(|| host::call(&answer.member("body"), "getReader", &Array::new()).ok())?
}

fn begin_fetch<'a>(
    request: &Request,
    headers: impl Iterator<Item = (&'a str, &'a str)>,
) -> Result<(Underway, Promise), JsValue> {
    let controller = AbortController::new()?;
    let given = Headers::new();
    headers.for_each(|(name, value)| given.set(name, value));
    let init = host::object(&[("method", request.method)]);
    host::set(&init, "headers", &given.into_raw());
    host::set(&init, "body", &request.body);
    host::set(&init, "signal", &controller.signal());
    let url = host::text(&request.url);
    let answer = if request.network.is_function() {
        let arguments = Array::of3(&url, &init, &host::text(request.capability));
        Promise::resolve(&host::apply(&request.network, &JsValue::UNDEFINED, &arguments)?)
    } else {
        host::fetch(&url, &init)?
    };
    Ok((Underway(controller.into()), answer))
}

/// An XMLHttpRequest, where the platform has it.
fn new_xhr() -> Option<JsValue> {
    let class = Js(js_sys::global().into()).member("XMLHttpRequest");
    host::construct(&class, &Array::new()).ok()
}

/// The promise settles at the end, however it ended: the request itself says more.
fn begin_xhr<'a>(
    xhr: JsValue,
    request: &Request,
    headers: impl Iterator<Item = (&'a str, &'a str)>,
) -> Result<(Underway, Promise), JsValue> {
    let (ended, end) = host::deferred();
    // With a listener, the browser asks the storage for permission first (CORS preflight): only where somebody listens.
    if request.progress.is_function() {
        host::set(&Js(xhr.clone()).member("upload"), "onprogress", &request.progress);
    }
    host::set(&xhr, "onloadend", &end);
    let text = host::text;
    host::call(&xhr, "open", &Array::of2(&text(request.method), &text(&request.url)))?;
    for (name, value) in headers {
        host::call(&xhr, "setRequestHeader", &Array::of2(&text(name), &text(value)))?;
    }
    host::call(&xhr, "send", &Array::of1(&request.body))?;
    Ok((Underway(xhr), ended))
}

/// Whether a text can be sent as a header's value: not empty, visible ASCII.
pub fn is_header(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|it| it.is_ascii_graphic())
}

/// A value as a request body.
///
/// # Errors
/// `invalid_argument` for what has no JSON, such as a cycle.
pub fn json(value: &JsValue) -> Result<JsValue, Error> {
    host::stringify(value).map_err(|cause| Error::argument("the input is not JSON").with("cause", cause))
}

/// An absolute http(s) URL without query, fragment and user, resolved against the page, and without the slash at its
/// end.
pub fn base_url(url: &Js) -> Option<String> {
    let text = url.text().map(Into::into).or_else(|| url.string("href"))?;
    let page = Js(Js(js_sys::global().into()).member("location")).string("href");
    let href = web_sys::Url::new_with_base(&text, page.as_ref().unwrap_or(&text)).ok()?.href();
    let http = href.starts_with("https://") || href.starts_with("http://");
    let plain = http && !href.bytes().any(|it| matches!(it, b'?' | b'#' | b'@'));
    plain.then(|| href.strip_suffix('/').unwrap_or(&href).into())
}
