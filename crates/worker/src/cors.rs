//! What browsers need to hear before a page of another origin may read an answer.

use wasm_bindgen::JsValue;
use web_sys::{Headers, Response, ResponseInit};

use crate::reply::Reply;

/// Headers of an answer that a page may read.
const EXPOSED: &str =
    "x-request-id, server-timing, retry-after, ratelimit, ratelimit-policy, idempotent-replayed, www-authenticate";
/// Headers of a request that a page may send.
const ALLOWED: &str = "authorization, content-type, idempotency-key, last-event-id, x-mediagate, \
    x-turnstile-response, mcp-protocol-version, mcp-method, mcp-name, mcp-session-id";

/// Lets an allowed origin read the answer.
pub(crate) fn allow(reply: &mut Reply, origin: Option<&str>) {
    reply.header("vary", "origin");
    if let Some(origin) = origin {
        reply.header("access-control-allow-origin", origin);
        reply.header("access-control-expose-headers", EXPOSED);
        // Lets the page read its own timings, and the client whether its requests share a connection.
        reply.header("timing-allow-origin", origin);
    }
}

/// Answers the question that a browser asks before it sends; the origin, where there is one, is an allowed one.
pub(crate) fn preflight(origin: Option<&str>) -> Result<Response, JsValue> {
    let headers = Headers::new()?;
    headers.set("vary", "origin")?;
    if let Some(origin) = origin {
        headers.set("access-control-allow-origin", origin)?;
        headers.set("access-control-allow-methods", "GET, POST, PUT")?;
        headers.set("access-control-allow-headers", ALLOWED)?;
        headers.set("access-control-max-age", "7200")?;
    }
    let init = ResponseInit::new();
    init.set_status(204);
    init.set_headers(&headers);
    // A status without a body is written without one: an empty string would be refused by the platform.
    Response::new_with_opt_str_and_init(None, &init)
}
