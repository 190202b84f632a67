//! The headers of cross-origin resource sharing.

use wasm_bindgen::JsValue;
use web_sys::{Headers, Response, ResponseInit};

use crate::platform::Incoming;
use crate::reply::Reply;

/// Headers of a response that a page may read.
const EXPOSED_HEADERS: &str = "x-request-id, server-timing, retry-after, ratelimit, ratelimit-policy, idempotent-replayed, www-authenticate";
/// Headers of a request that the gateway reads.
const READ_HEADERS: &str = "authorization, content-type, idempotency-key, last-event-id, x-mediagate, \
    x-turnstile-response, mcp-protocol-version, mcp-method, mcp-name, mcp-session-id";

/// Allows the origin to read the reply.
pub(crate) fn allow(reply: &mut Reply, origin: Option<&str>) {
    reply.header("vary", "origin");
    if let Some(origin) = origin {
        reply.header("access-control-allow-origin", origin);
        reply.header("access-control-expose-headers", EXPOSED_HEADERS);
        // The page may read the request's timings, from which the client learns whether requests share a connection.
        reply.header("timing-allow-origin", origin);
    }
}

/// The response to a preflight request, valid for some seconds. That of an origin that is not allowed lets its page read why
/// the request itself is then refused.
pub(crate) fn preflight(incoming: &Incoming, seconds: u32) -> Result<Response, JsValue> {
    let headers = Headers::new()?;
    headers.set("vary", "origin, access-control-request-headers")?;
    if let Some(origin) = &incoming.origin {
        headers.set("access-control-allow-origin", origin)?;
        headers.set("access-control-allow-methods", "GET, POST, PUT, DELETE")?;
        let requested = incoming
            .header("access-control-request-headers")
            .unwrap_or_default();
        headers.set("access-control-allow-headers", &allowed_headers(&requested))?;
        headers.set("access-control-max-age", &seconds.to_string())?;
    }
    let init = ResponseInit::new();
    init.set_status(204);
    init.set_headers(&headers);
    // The platform refuses an empty string as the body of a 204.
    Response::new_with_opt_str_and_init(None, &init)
}

/// Headers that a page may send: those that the gateway reads, and whatever the page wants to, such as `traceparent`, which
/// the gateway does not read.
fn allowed_headers(requested: &str) -> String {
    const MAX_LEN: usize = 1_000;
    let is_name = |it: &&str| {
        !it.is_empty()
            && it
                .bytes()
                .all(|it| it.is_ascii_alphanumeric() || b"-_.".contains(&it))
    };
    let names = requested.split(',').map(str::trim).filter(is_name);
    names.fold(READ_HEADERS.to_owned(), |list, it| {
        if list.len() + it.len() > MAX_LEN {
            list
        } else {
            list + ", " + it
        }
    })
}
