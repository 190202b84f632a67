use bytes::Bytes;
use gloo_net::http::{Headers, Method, RequestBuilder, Response};
use js_sys::Uint8Array;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{AbortController, ReadableStreamDefaultReader, RequestRedirect, ResponseType};

use super::failure::{failed, no_response};
use super::scope::member;
use crate::platform::{Head, NoResponse};

pub(super) enum Body {
    Incoming(Response, Abort),
    Text(String),
}

impl Body {
    pub(super) async fn all(self) -> Result<Vec<u8>, NoResponse> {
        match self {
            // Chromium can report a `no-store` request as failed if a reader reads its body, even
            // to the end.
            Body::Incoming(response, _abort) => response.binary().await.map_err(in_words),
            Body::Text(text) => Ok(text.into_bytes()),
        }
    }

    /// Returns the body as a stream; `None` if there is nothing to receive.
    pub(super) fn stream(self) -> Option<Stream> {
        let Body::Incoming(response, abort) = self else {
            return None;
        };
        let reader = ReadableStreamDefaultReader::new(&response.body()?).ok()?;
        Some(Stream {
            reader,
            _abort: abort,
        })
    }
}

pub(super) struct Incoming {
    pub(super) head: Head,
    pub(super) body: Body,
}

/// Aborts a request when it is dropped.
pub(super) struct Abort(AbortController);

impl Drop for Abort {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Abort {
    /// Makes an abort for one or more requests.
    pub(super) fn new() -> Result<Self, NoResponse> {
        AbortController::new().map(Abort).map_err(no_response)
    }

    /// Makes a request that ends when this is dropped.
    pub(super) fn request(
        &self,
        method: &str,
        url: &str,
        headers: &[(String, String)],
    ) -> RequestBuilder {
        let all = Headers::new();
        headers
            .iter()
            .for_each(|(name, value)| all.append(name, value));
        let method = method.parse().unwrap_or(Method::GET);
        RequestBuilder::new(url)
            .method(method)
            .headers(all)
            // A redirect would pass the input and the idempotency key to another server.
            .redirect(RequestRedirect::Manual)
            .abort_signal(Some(&self.0.signal()))
    }
}

/// Sends a request. Dropping the future, or the body of the response, aborts it.
pub(super) async fn send(
    method: &str,
    url: &str,
    headers: &[(String, String)],
    body: Option<JsValue>,
) -> Result<Incoming, NoResponse> {
    let abort = Abort::new()?;
    let request = abort.request(method, url, headers);
    let request = if let Some(body) = body {
        request.body(body)
    } else {
        request.build()
    };
    let response = request.map_err(in_words)?.send().await.map_err(in_words)?;
    let header = |name| response.headers().get(name);
    // A browser hides the status of a redirect.
    let status = if response.type_() == ResponseType::Opaqueredirect {
        302
    } else {
        response.status()
    };
    Ok(Incoming {
        head: Head {
            status,
            content_type: header("content-type"),
            request_id: header("x-request-id"),
            retry_after: header("retry-after"),
        },
        body: Body::Incoming(response, abort),
    })
}

pub(super) struct Stream {
    reader: ReadableStreamDefaultReader,
    _abort: Abort,
}

impl Stream {
    /// Reads the next bytes; `None` at the end.
    pub(super) async fn next(&mut self) -> Result<Option<Bytes>, NoResponse> {
        let chunk = JsFuture::from(self.reader.read())
            .await
            .map_err(no_response)?;
        // The last result of a reader has no value.
        let Some(value) = member(&chunk, "value") else {
            return Ok(None);
        };
        let bytes = value
            .dyn_into::<Uint8Array>()
            .map_err(|_| failed("the body is not of bytes"))?;
        Ok(Some(bytes.to_vec().into()))
    }
}

pub(super) fn in_words(error: gloo_net::Error) -> NoResponse {
    failed(&error.to_string())
}
