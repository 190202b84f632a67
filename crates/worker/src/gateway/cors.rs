use wasm_bindgen::JsValue;
use web_sys::{Headers, Response, ResponseInit};

use crate::incoming::Incoming;
use crate::reply::Reply;

const EXPOSED_HEADERS: &str = "x-request-id, server-timing, retry-after, ratelimit, \
    ratelimit-policy, idempotent-replayed, www-authenticate, content-range, accept-ranges";
const READ_HEADERS: &str = "authorization, content-type, idempotency-key, max-credits, \
    last-event-id, range, x-mediagate, x-turnstile-response, mcp-protocol-version, mcp-method, mcp-name, \
    mcp-session-id";
const MAX_HEADERS_LEN: usize = 1_000;

pub(crate) fn allow(reply: &mut Reply, origin: Option<&str>) {
    reply.header("vary", "origin");
    if let Some(origin) = origin {
        reply.header("access-control-allow-origin", origin);
        reply.header("access-control-expose-headers", EXPOSED_HEADERS);
        // The page may read the timings of the request. The client infers from them if requests
        // share a connection.
        reply.header("timing-allow-origin", origin);
    }
}

/// Returns the response to a preflight, which a browser may cache for some seconds. It is positive
/// also for an origin that is not allowed, so that its page can read why the request itself is
/// refused.
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

/// Returns the headers that the gateway reads, and the requested ones, such as `traceparent`, which
/// it ignores.
fn allowed_headers(requested: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    let mut list = READ_HEADERS.to_owned();
    for name in requested.split(',').map(str::trim) {
        let is_name = !name.is_empty() && name.bytes().all(is_plain);
        if is_name && list.len() + name.len() <= MAX_HEADERS_LEN {
            list += ", ";
            list += name;
        }
    }
    list
}
