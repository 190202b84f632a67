//! The little of HTTP that the gateway needs, straight over the platform's own objects: each crossing costs time.

use std::net::Ipv6Addr;
use std::pin::pin;
use std::time::Duration;

use futures_util::future::{Either, select};
use js_sys::{JSON, Promise, Reflect, Uint8Array};
use serde_json::{Map, Value};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Headers, ReadableStream, ReadableStreamDefaultReader, Request, Response};

/// How long those who vouch for a caller may take.
const DEADLINE: Duration = Duration::from_secs(5);

/// What those who vouch for a caller answer, where they do so in time.
pub(crate) async fn deadline<T>(future: impl Future<Output = T>) -> Option<T> {
    within(DEADLINE, future).await
}

/// What a future gives, where it does so in time.
pub(crate) async fn within<T>(limit: Duration, future: impl Future<Output = T>) -> Option<T> {
    match select(pin!(future), pin!(worker::Delay::from(limit))).await {
        Either::Left((it, _)) => Some(it),
        Either::Right(_) => None,
    }
}

/// A request as it came.
pub(crate) struct Incoming {
    pub(crate) raw: Request,
    pub(crate) method: String,
    pub(crate) origin: String,
    pub(crate) path: String,
}

impl Incoming {
    /// Splits the address; the query is dropped, since no operation takes one.
    pub(crate) fn new(raw: Request) -> Self {
        let url = raw.url();
        let authority = url.find("://").map_or(0, |it| it + 3);
        let end = url[authority..].find(['/', '?', '#']).map_or(url.len(), |it| authority + it);
        let path = url[end..].split(['?', '#']).next().filter(|it| !it.is_empty()).unwrap_or("/");
        Incoming { method: raw.method(), origin: url[..end].to_owned(), path: path.to_owned(), raw }
    }

    /// A header, where it is there.
    pub(crate) fn header(&self, name: &str) -> Option<String> {
        self.raw.headers().get(name).ok().flatten()
    }

    /// The bearer token, where there is one.
    pub(crate) fn bearer(&self) -> Option<String> {
        let header = self.header("authorization")?;
        let (scheme, token) = header.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then(|| token.trim().to_owned())
    }

    /// The caller's address, as Cloudflare saw it; empty where nobody did. Of IPv6 the network, since whoever has one
    /// address there has the 2^64 of its network.
    pub(crate) fn address(&self) -> String {
        let address = self.header("cf-connecting-ip").unwrap_or_default();
        match address.parse::<Ipv6Addr>() {
            Ok(it) => {
                let [a, b, c, d, ..] = it.segments();
                Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0).to_string()
            }
            Err(_) => address,
        }
    }

    /// Reads what is left of the body, within bounds: refused unread, it would break the connection for the request that
    /// comes next on it.
    pub(crate) async fn drain(&self, limit: usize) {
        if !self.raw.body_used() {
            let _ = deadline(read_all(self.raw.body(), limit)).await;
        }
    }
}

/// Why a body could not be read.
pub(crate) enum BodyError {
    /// It is larger than the limit.
    TooLarge,
    /// It broke off.
    Broken,
}

/// Headers for a request or an answer of our own, whose values the platform takes: made at once, since to set each in an
/// object of the platform's costs a crossing and a copy more.
///
/// # Errors
/// None that is known: what is written as JSON here can be read there.
pub(crate) fn headers<'a>(members: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<JsValue, JsValue> {
    let members = members.into_iter().map(|(name, value)| (name.to_owned(), Value::from(value)));
    JSON::parse(&Value::Object(members.collect::<Map<_, _>>()).to_string())
}

/// A request's body of at most `limit` bytes.
pub(crate) async fn read_request(request: &Request, limit: usize) -> Result<Vec<u8>, BodyError> {
    match is_short(&request.headers(), limit) {
        true => read_whole(request.array_buffer()).await,
        false => read_all(request.body(), limit).await,
    }
}

/// An answer's body of at most `limit` bytes.
pub(crate) async fn read_response(response: &Response, limit: usize) -> Result<Vec<u8>, BodyError> {
    match is_short(&response.headers(), limit) {
        true => read_whole(response.array_buffer()).await,
        false => read_all(response.body(), limit).await,
    }
}

/// Whether the sender states a length within the limit, and no packing or chunks that would make it another one.
fn is_short(headers: &Headers, limit: usize) -> bool {
    let header = |name| headers.get(name).ok().flatten();
    let length = header("content-length").and_then(|it| it.parse::<usize>().ok());
    let is_plain = || ["content-encoding", "transfer-encoding"].into_iter().all(|it| header(it).is_none());
    length.is_some_and(|it| it <= limit) && is_plain()
}

/// Reads a body at once, which takes fewer turns of the platform's loop than in pieces.
async fn read_whole(reading: Result<Promise, JsValue>) -> Result<Vec<u8>, BodyError> {
    let reading = reading.map_err(|_| BodyError::Broken)?;
    let whole = JsFuture::from(reading).await.map_err(|_| BodyError::Broken)?;
    Ok(Uint8Array::new(&whole).to_vec())
}

/// Reads a body of at most `limit` bytes, counting what really comes.
pub(crate) async fn read_all(body: Option<ReadableStream>, limit: usize) -> Result<Vec<u8>, BodyError> {
    let Some(body) = body else { return Ok(Vec::new()) };
    let reader: ReadableStreamDefaultReader = body.get_reader().unchecked_into();
    let mut bytes = Vec::new();
    loop {
        let step = JsFuture::from(reader.read()).await.map_err(|_| BodyError::Broken)?;
        if member(&step, "done").is_truthy() {
            return Ok(bytes);
        }
        let chunk = member(&step, "value").dyn_into::<Uint8Array>().map_err(|_| BodyError::Broken)?;
        if bytes.len() + chunk.length() as usize > limit {
            // What is left is never read: the other side learns of it when the stream closes.
            let _ = reader.cancel();
            return Err(BodyError::TooLarge);
        }
        let start = bytes.len();
        bytes.resize(start + chunk.length() as usize, 0);
        if let Some(free) = bytes.get_mut(start..) {
            chunk.copy_to(free);
        }
    }
}

fn member(object: &JsValue, name: &str) -> JsValue {
    Reflect::get(object, &JsValue::from_str(name)).unwrap_or(JsValue::UNDEFINED)
}
