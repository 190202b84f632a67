//! The little of HTTP that the gateway needs, straight over the platform's own objects.

use std::net::Ipv6Addr;
use std::pin::pin;
use std::time::Duration;

use futures_util::future::{Either, select};
use js_sys::Uint8Array;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::Request;

use crate::platform::{head, read, read_in_time};

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
    /// The origin of the page that asks, where a browser says so.
    pub(crate) page: Option<String>,
    authorization: Option<String>,
    address: String,
}

impl Incoming {
    /// Splits the address; the query is dropped, since no operation takes one.
    pub(crate) fn new(raw: Request) -> Self {
        let head = head(&raw);
        let (first, headers) = head.split_once('\n').unwrap_or((&head, ""));
        let (method, url) = first.split_once(' ').unwrap_or((first, ""));
        let header = |name: &str| {
            let mut lines = headers.split('\n').filter_map(|it| it.split_once(": "));
            lines.find(|it| it.0 == name).map(|it| it.1.to_owned())
        };
        let authority = url.find("://").map_or(0, |it| it + 3);
        let end = url[authority..].find(['/', '?', '#']).map_or(url.len(), |it| authority + it);
        let path = url[end..].split(['?', '#']).next().filter(|it| !it.is_empty()).unwrap_or("/");
        Incoming {
            method: method.to_owned(),
            origin: url[..end].to_owned(),
            path: path.to_owned(),
            page: header("origin"),
            authorization: header("authorization"),
            address: header("cf-connecting-ip").unwrap_or_default(),
            raw,
        }
    }

    /// A header, where it is there.
    pub(crate) fn header(&self, name: &str) -> Option<String> {
        self.raw.headers().get(name).ok().flatten()
    }

    /// The bearer token, where there is one.
    pub(crate) fn bearer(&self) -> Option<String> {
        let (scheme, token) = self.authorization.as_deref()?.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then(|| token.trim().to_owned())
    }

    /// The caller's address, as Cloudflare saw it; empty where nobody did. Of IPv6 the network, since whoever has one
    /// address there has the 2^64 of its network.
    pub(crate) fn address(&self) -> String {
        match self.address.parse::<Ipv6Addr>() {
            Ok(it) => {
                let [a, b, c, d, ..] = it.segments();
                Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0).to_string()
            }
            Err(_) => self.address.clone(),
        }
    }

    /// Reads what is left of the body, within bounds: refused unread, it would break the connection for the request that
    /// comes next on it.
    pub(crate) async fn drain(&self, limit: usize) {
        if !self.raw.body_used() {
            let _ = deadline(read_body(&self.raw, limit)).await;
        }
    }
}

/// Why a body could not be read.
pub(crate) enum BodyError {
    /// It is larger than the limit.
    TooLarge,
    /// It broke off.
    Broken,
    /// It took too long.
    TooLate,
}

/// The body of a request or an answer, of at most `limit` bytes.
pub(crate) async fn read_body(message: &impl AsRef<JsValue>, limit: usize) -> Result<Vec<u8>, BodyError> {
    taken(read(message.as_ref(), limit).await)
}

/// The same, where it comes within so many milliseconds.
pub(crate) async fn read_body_in_time(
    message: &impl AsRef<JsValue>,
    limit: usize,
    milliseconds: u32,
) -> Result<Vec<u8>, BodyError> {
    match read_in_time(message.as_ref(), limit, milliseconds).await {
        Ok(late) if late.is_null() => Err(BodyError::TooLate),
        read => taken(read),
    }
}

fn taken(read: Result<JsValue, JsValue>) -> Result<Vec<u8>, BodyError> {
    let body = read.map_err(|_| BodyError::Broken)?;
    body.dyn_into::<Uint8Array>().map(|it| it.to_vec()).map_err(|_| BodyError::TooLarge)
}
