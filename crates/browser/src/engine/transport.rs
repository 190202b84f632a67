//! One request and its answer, by `fetch`; by XMLHttpRequest where a file's progress is to be seen.

use gloo_net::http::Headers;
use mediagate_core::text::concat;
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::JsFuture;

use super::error::{Error, code};
use super::host::{self, Exchange};
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

impl Request {
    /// A request that is no file, and about no capability.
    pub fn new(method: &'static str, url: String, body: JsValue, network: &JsValue) -> Self {
        Request {
            method,
            url,
            content_type: String::new(),
            headers: Default::default(),
            body,
            progress: JsValue::NULL,
            network: network.clone(),
            capability: "",
            events: false,
        }
    }
}

/// An answer, whatever it was.
#[derive(Default)]
pub struct Reply {
    /// The HTTP status.
    pub status: u16,
    /// The body, where it was JSON.
    pub body: Option<Js>,
    /// Where it came from, and the way to its headers, and to a stream of events; `None` for one that was given.
    pub exchange: Option<Underway>,
}

impl Reply {
    /// An error with what the headers say of it.
    pub fn tell(&self, error: Error) -> Error {
        let Some(Underway(exchange)) = &self.exchange else { return error };
        error.with("requestId", exchange.header("x-request-id")).with("retryAfter", exchange.wait())
    }
}

/// An exchange under way, which ends when this is dropped.
pub struct Underway(pub Exchange);

impl Drop for Underway {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Sends a request and reads its answer to the end, but for a stream of events, which is given open.
///
/// The signal is always our own and aborted without a reason, and the fetch is not gloo-net's: that does not survive a
/// strange reason, nor an answer that is no `Response`.
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
    let headers = Headers::new();
    let set = |name: &str, value: &str| {
        // What no header can be would end in a panic of gloo-net's.
        if !value.is_empty() && value.bytes().all(|it| matches!(it, b' '..=b'~')) {
            headers.set(name, value);
        }
    };
    set("content-type", &request.content_type);
    set("authorization", &bearer);
    request.headers.iter().for_each(|(name, value)| set(name, value));
    let Request { method, url, body, progress, network, capability, events, .. } = request;
    let underway = Underway(Exchange::new());
    let exchange = &underway.0;
    let done = exchange.send(method, url, &headers.into_raw(), body, progress, network, capability, *events);
    JsFuture::from(done).await?;
    let body = Some(Js(exchange.body())).filter(|it| !it.0.is_undefined());
    Ok(Reply { status: exchange.status(), body, exchange: Some(underway) })
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
    let href = host::href(&url.0)?;
    let http = href.starts_with("https://") || href.starts_with("http://");
    let plain = http && !href.bytes().any(|it| matches!(it, b'?' | b'#' | b'@'));
    plain.then(|| href.strip_suffix('/').unwrap_or(&href).into())
}
