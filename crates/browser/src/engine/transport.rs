//! One request and its answer, by `fetch`; by XMLHttpRequest where the progress of an upload is to be seen.

use gloo_net::http::{Headers, Response};
use js_sys::{Date, Object};
use mediagate_core::Value;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::AbortController;

use super::error::{Error, code};
use super::host::{self, Xhr};
use crate::value::Js;

/// A request. Header values must be visible ASCII: see [`is_header`].
pub struct Request<'a> {
    /// `GET`, `POST` or `PUT`.
    pub method: &'a str,
    /// Where to.
    pub url: &'a str,
    /// Its headers; those with an empty value are left out.
    pub headers: [(&'a str, &'a str); 3],
    /// Its body, `undefined` for none.
    pub body: &'a JsValue,
}

/// An answer, whatever it was.
pub struct Reply {
    /// The HTTP status.
    pub status: u16,
    /// The body, where it was JSON.
    pub body: Option<Js>,
    /// The headers, where they can be seen.
    pub headers: Option<Headers>,
}

impl Reply {
    /// An error with what the headers say of it.
    pub fn tell(&self, error: Error) -> Error {
        let header = |name: &str| self.headers.as_ref()?.get(name);
        let error = error.with("requestId", header("x-request-id").map_or(JsValue::UNDEFINED, |it| host::text(&it)));
        error.with("retryAfter", header("retry-after").and_then(|it| seconds(&it)))
    }
}

/// `Retry-After` as seconds from now: a number, or a date.
fn seconds(value: &str) -> Option<f64> {
    let number = host::parse(&host::text(value)).ok().and_then(|it| it.as_f64());
    let seconds = number.unwrap_or_else(|| (Date::parse(value) - Date::now()) / 1000.0);
    (seconds >= 0.0).then_some(seconds)
}

/// Aborts its fetch when it is dropped; after the answer is read, that does nothing.
struct Fetching(AbortController);

impl Drop for Fetching {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Sends a request and reads its answer to the end.
///
/// The signal is always our own and aborted without a reason: gloo-net does not survive a caller's strange one. For the
/// same reason the fetch is called here: what is no `Response` is an error, and must not become a panic.
///
/// # Errors
/// `network`, however the browser words it: what `fetch` rejects with is nothing else.
pub async fn send(request: &Request<'_>) -> Result<Reply, Error> {
    exchange(request).await.map_err(|cause| {
        let message = "no answer from the gateway; check the connection, the url, and that ALLOWED_ORIGINS lists this page's origin";
        Error::new(code::NETWORK, message).retryable().with("cause", cause)
    })
}

async fn exchange(request: &Request<'_>) -> Result<Reply, JsValue> {
    let fetching = Fetching(AbortController::new()?);
    let headers = Headers::new();
    for (name, value) in request.headers {
        if !value.is_empty() {
            headers.set(name, value);
        }
    }
    let init: JsValue = Object::new().into();
    host::set(&init, "method", &host::text(request.method));
    host::set(&init, "headers", &headers.into_raw());
    host::set(&init, "body", request.body);
    host::set(&init, "signal", &fetching.0.signal());
    let answer: web_sys::Response = JsFuture::from(host::fetch(request.url, &init)?).await?.dyn_into()?;
    let text = JsFuture::from(answer.text()?).await?;
    let answer = Response::from(answer);
    Ok(Reply { status: answer.status(), body: host::parse(&text).ok().map(Js), headers: Some(answer.headers()) })
}

/// Aborts its upload when it is dropped; after the end, that does nothing.
struct Uploading(Xhr);

impl Drop for Uploading {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Sends a request whose body is a file, and tells a listener its progress where the platform does.
///
/// # Errors
/// `network` as for [`send`].
pub async fn upload(request: &Request<'_>, progress: &JsValue) -> Result<Reply, Error> {
    let Ok(xhr) = Xhr::new() else { return send(request).await };
    by_xhr(xhr, request, progress).await.map_err(|cause| Error::new(code::NETWORK, "").with("cause", cause))
}

async fn by_xhr(xhr: Xhr, request: &Request<'_>, progress: &JsValue) -> Result<Reply, JsValue> {
    let (ended, end) = host::deferred();
    // With a listener, the browser asks the storage for permission first (CORS preflight): only where somebody listens.
    if progress.is_function() {
        host::set(&xhr.upload(), "onprogress", progress);
    }
    host::set(&xhr, "onloadend", &end);
    xhr.open(request.method, request.url)?;
    for (name, value) in request.headers {
        if !value.is_empty() {
            xhr.header(name, value)?;
        }
    }
    xhr.send(request.body)?;
    let uploading = Uploading(xhr);
    JsFuture::from(ended).await?;
    let xhr = &uploading.0;
    let body = xhr.text().and_then(|it| host::parse(&it)).ok().map(Js);
    Ok(Reply { status: xhr.status(), body, headers: None })
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
    let page = host::get(&js_sys::global(), "location").ok().and_then(|it| Js(it).string("href"));
    let url = match page {
        Some(page) => web_sys::Url::new_with_base(&text, &page),
        None => web_sys::Url::new(&text),
    };
    let href = url.ok()?.href();
    let http = href.starts_with("https://") || href.starts_with("http://");
    let plain = http && !href.bytes().any(|it| matches!(it, b'?' | b'#' | b'@'));
    plain.then(|| href.strip_suffix('/').unwrap_or(&href).into())
}
