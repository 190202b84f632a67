//! One HTTP request and its response, by `fetch`, or by XMLHttpRequest for the progress of a file.

use gloo_net::http::Headers;
use mediagate_core::text::concat;
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::JsFuture;

use super::error::{Error, code};
use crate::host::{self, Exchange};
use crate::value::Js;

/// An HTTP request. Header values must be visible ASCII: see [`is_header_value`].
#[derive(Clone)]
pub struct Request {
    /// `GET`, `POST` or `PUT`.
    pub method: &'static str,
    /// The absolute URL.
    pub url: String,
    /// The `content-type`; empty for none.
    pub content_type: String,
    /// More headers. One with an empty value is not sent.
    pub headers: [(&'static str, String); 2],
    /// The body; `undefined` for none.
    pub body: JsValue,
    /// The function that receives the progress of the body; `undefined` for none, `null` where the body is not a file.
    pub progress: JsValue,
    /// The caller's function in the place of `fetch`, `(url, init, capability) => Response | Promise<Response>`;
    /// `undefined` for `fetch` itself.
    pub network: JsValue,
    /// The name of the capability that it is about; empty for none.
    pub capability: &'static str,
    /// Whether it requests a stream of events.
    pub events: bool,
}

impl Request {
    /// A request whose body is not a file, and which is about no capability.
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

/// An HTTP response, with whatever status.
#[derive(Default)]
pub struct HttpResponse {
    /// The HTTP status.
    pub status: u16,
    /// The body, where it is JSON.
    pub body: Option<Js>,
    /// The exchange, with its headers and its stream of events; `None` for a response that came by another transport.
    pub exchange: Option<AbortOnDrop>,
}

impl HttpResponse {
    /// An error with `requestId` and `retryAfter` from the headers.
    pub fn add_headers(&self, error: Error) -> Error {
        let Some(AbortOnDrop(exchange)) = &self.exchange else { return error };
        error.with("requestId", exchange.header("x-request-id")).with("retryAfter", exchange.retry_after())
    }
}

/// An exchange that is aborted when this is dropped.
pub struct AbortOnDrop(pub Exchange);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Sends a request with this token, empty for none, and reads the whole response; a stream of events is left open.
///
/// The abort signal is the client's own, without a reason, and `fetch` is not called through gloo-net, which panics on
/// reasons of some types and on a response that is not a `Response`.
///
/// # Errors
/// `network` where `fetch` rejects, whatever its error; `upload_failed` for a file.
pub async fn send(request: &Request, token: &str) -> Result<HttpResponse, Error> {
    exchange(request, token).await.map_err(|cause| {
        let (code, message) = if request.progress.is_null() { NO_RESPONSE } else { NOT_STORED };
        Error::new(code, message).retryable().with("cause", cause)
    })
}

const NO_RESPONSE: (&str, &str) = (
    code::NETWORK,
    "no response from the gateway; check the connection, the url, and that ALLOWED_ORIGINS lists this page's origin",
);
const NOT_STORED: (&str, &str) = (
    code::UPLOAD_FAILED,
    "the upload did not reach the storage; check the connection, and that the storage allows this page's origin (CORS)",
);

async fn exchange(request: &Request, token: &str) -> Result<HttpResponse, JsValue> {
    let bearer = if token.is_empty() { String::new() } else { concat(&["Bearer ", token]) };
    let headers = Headers::new();
    let set = |name: &str, value: &str| {
        // gloo-net panics on a value that no header can have.
        if !value.is_empty() && value.bytes().all(|it| matches!(it, b' '..=b'~')) {
            headers.set(name, value);
        }
    };
    set("content-type", &request.content_type);
    set("authorization", &bearer);
    request.headers.iter().for_each(|(name, value)| set(name, value));
    let Request { method, url, body, progress, network, capability, events, .. } = request;
    let exchange = AbortOnDrop(Exchange::new());
    let done = exchange.0.send(method, url, &headers.into_raw(), body, progress, network, capability, *events);
    JsFuture::from(done).await?;
    let body = Some(Js(exchange.0.body())).filter(|it| !it.0.is_undefined());
    Ok(HttpResponse { status: exchange.0.status(), body, exchange: Some(exchange) })
}

/// Whether a string can be a header's value: not empty, and visible ASCII.
pub fn is_header_value(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|it| it.is_ascii_graphic())
}

/// A value as a request body of JSON.
///
/// # Errors
/// `invalid_argument` for a value that JSON cannot express, such as a cycle.
pub fn to_json(value: &JsValue) -> Result<JsValue, Error> {
    host::stringify(value).map_err(|cause| Error::argument("the input is not JSON").with("cause", cause))
}

/// The base URL of a gateway, resolved against the page and without a slash at its end; `None` for any scheme but http
/// and https, and for a URL with a query, a fragment or a user.
pub fn base_url(url: &Js) -> Option<String> {
    let href = host::absolute_url(&url.0)?;
    let http = href.starts_with("https://") || href.starts_with("http://");
    let plain = http && !href.bytes().any(|it| matches!(it, b'?' | b'#' | b'@'));
    plain.then(|| href.strip_suffix('/').unwrap_or(&href).into())
}
