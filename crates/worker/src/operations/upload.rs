//! Uploading a file: the address to send it to, and where that address answers no page, the relay.

use std::time::Duration;

use mediagate_core::{Code, Expects, PREFIX, Value as _, validate_upload};
use serde_json::{Value, json};
use url::Url;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{AbortController, Headers, ReadableStream, Request, RequestInit, RequestRedirect};

use super::{Call, body};
use crate::http::within;
use crate::platform::now_ms;
use crate::refusal::Refusal;
use crate::reply::Reply;
use crate::settings::{UploadMode, parse::is_safe};
use crate::upstream::{Decoded, send};

/// How long a relay ticket is good for, in milliseconds.
const TICKET_LIFE_MS: f64 = 3_600_000.0;
const TICKET: &str = "ticket";
/// Longest upload URL, in bytes: a ticket holds it sealed, in a path.
const LONGEST_URL: usize = 4096;
/// The slowest upload that a relay waits for, in bytes a millisecond.
const SLOWEST: u64 = 32;

/// `POST /api/app/v1/upload_urls` with `{file_name, content_type, size}`: answers `{upload_url, file_id}`.
pub(crate) async fn upload_url(call: &Call<'_>) -> Result<Reply, Refusal> {
    // Who may not upload is not listened to.
    permit(call)?;
    request_upload(call, &body::json(call).await?).await.map(Reply::ok)
}

fn permit(call: &Call<'_>) -> Result<(), Refusal> {
    match call.caller.scope.allows_upload() {
        true => Ok(()),
        false => Err(Refusal::forbidden("scope", "the session token's scope does not allow upload")),
    }
}

/// Asks the service for an address that a file can be sent to: `{upload_url, file_id}`.
pub(crate) async fn request_upload(call: &Call<'_>, request: &Value) -> Result<Value, Refusal> {
    permit(call)?;
    let issues = validate_upload(&request);
    if !issues.is_empty() {
        return Err(Refusal::issues(&issues));
    }
    let size = request.get("size").and_then(Value::as_f64).unwrap_or_default() as u64;
    let limit = call.service.gateway.settings.max_upload_bytes;
    if size > limit {
        return Err(Refusal::invalid("file_too_large", format!("the file is larger than the {limit} bytes allowed")));
    }
    let request = json!({"file_name": request["file_name"], "content_type": request["content_type"], "size": size});
    let reply = call.service.ask("POST", &[PREFIX, "upload_urls"].concat(), Some(&request.to_string())).await?;
    match reply.decode(Expects::Data) {
        Decoded::Success { data, .. } => answer(call, &data, &request),
        refused => Err(call.service.refuse(refused, reply.retry_after).0),
    }
}

/// What the page needs and nothing else: whatever else the service says of the upload is its own affair.
fn answer(call: &Call<'_>, data: &Value, request: &Value) -> Result<Value, Refusal> {
    let url = data.get("upload_url").and_then(Value::as_str).unwrap_or_default();
    let Some(file_id) = (&data["file_id"]).identifier().filter(|_| (1..=LONGEST_URL).contains(&url.len())) else {
        return Err(Refusal::unreadable("no_upload_url"));
    };
    if !is_allowed(url, &call.service.gateway.settings.upload_hosts) {
        let message = "the media service named an upload host that UPLOAD_HOSTS does not list";
        return Err(Refusal::new(502, Code::SERVER_ERROR, "upload_host_not_allowed", message));
    }
    let mut data = json!({"upload_url": url, "file_id": file_id});
    if call.service.gateway.settings.upload_mode == UploadMode::Relay {
        let ticket = json!([url, request["size"], request["content_type"], now_ms() + TICKET_LIFE_MS]).to_string();
        let ticket = call.service.gateway.sealer.seal(&call.caller.subject, TICKET, &ticket);
        data["upload_url"] = json!([&call.incoming.origin, PREFIX, "uploads/", &ticket].concat());
    }
    call.service.seal(&mut data, None);
    Ok(data)
}

/// Whether an upload URL may be handed out: https (http on this machine), no credentials, and a listed host, with the
/// listed port where one is listed.
fn is_allowed(url: &str, hosts: &[String]) -> bool {
    let Ok(url) = Url::parse(url) else { return false };
    let host = url.host_str().unwrap_or_default();
    let with_port = url.port_or_known_default().map(|it| format!("{host}:{it}")).unwrap_or_default();
    let listed = hosts.iter().any(|it| *it == host || *it == with_port);
    is_safe(&url) && url.username().is_empty() && url.password().is_none() && listed
}

#[wasm_bindgen]
extern "C" {
    /// A stream that lets exactly so many bytes by, and so gives the request a Content-Length.
    type FixedLengthStream;
    #[wasm_bindgen(constructor, catch)]
    fn new(length: f64) -> Result<FixedLengthStream, JsValue>;
    #[wasm_bindgen(method, getter)]
    fn readable(this: &FixedLengthStream) -> ReadableStream;
    #[wasm_bindgen(method, getter)]
    fn writable(this: &FixedLengthStream) -> JsValue;

    #[wasm_bindgen(extends = js_sys::Object)]
    type Pipe;
    #[wasm_bindgen(method, js_name = pipeTo)]
    fn pipe_to(this: &Pipe, writable: &JsValue) -> js_sys::Promise;
}

/// `PUT /api/app/v1/uploads/{ticket}`: the bytes stream through, never through wasm.
pub(crate) async fn relay(call: &Call<'_>, ticket: &str) -> Result<Reply, Refusal> {
    let opened = call.service.gateway.sealer.open(&call.caller.subject, TICKET, ticket);
    let ticket = opened.and_then(|it| serde_json::from_str::<(String, u64, String, f64)>(&it).ok());
    let Some((url, size, content_type, _)) = ticket.filter(|it| now_ms() < it.3) else {
        let message = "the upload address is not valid or has expired; ask for a new one";
        return Err(Refusal::new(403, Code::INVALID_INPUT, "invalid_ticket", message));
    };
    let declared = call.incoming.header("content-length").and_then(|it| it.parse::<u64>().ok());
    if declared.is_some_and(|it| it != size) || call.incoming.raw.body().is_none() {
        return Err(Refusal::invalid("wrong_size", "the body has not the size that the upload address was asked for"));
    }
    let abort = AbortController::new().map_err(|_| Refusal::internal("relay"))?;
    let request = put(call, &url, size, &content_type, &abort).map_err(|_| Refusal::internal("relay"))?;
    let patience = u64::from(call.service.gateway.settings.upstream_timeout_ms) + size / SLOWEST;
    let Some(response) = within(Duration::from_millis(patience), send(&request)).await else {
        abort.abort();
        return Err(Refusal::deadline());
    };
    let Some(response) = response else { return Err(Refusal::unreadable("storage_unreachable")) };
    match response.status() {
        200..300 => Ok(Reply::ok(json!({}))),
        // The address that the ticket holds has expired: a new one helps.
        403 => Err(Refusal::new(
            403,
            Code::INVALID_INPUT,
            "upload_url_expired",
            "the upload address has expired; ask for a new one",
        )),
        _ => Err(Refusal::unreadable("storage_refused")),
    }
}

fn put(call: &Call<'_>, url: &str, size: u64, content_type: &str, abort: &AbortController) -> Result<Request, JsValue> {
    let headers = Headers::new()?;
    headers.set("content-type", content_type)?;
    let init = RequestInit::new();
    init.set_method("PUT");
    init.set_redirect(RequestRedirect::Manual);
    init.set_headers(&headers);
    init.set_signal(Some(&abort.signal()));
    if let Some(body) = call.incoming.raw.body() {
        let fixed = FixedLengthStream::new(size as f64)?;
        let piped = body.unchecked_into::<Pipe>().pipe_to(&fixed.writable());
        // A body of another length breaks the pipe and with it the request; that is where it is reported.
        wasm_bindgen_futures::spawn_local(async move {
            let _ = wasm_bindgen_futures::JsFuture::from(piped).await;
        });
        init.set_body(&fixed.readable());
    }
    Request::new_with_str_and_init(url, &init)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn upload_urls_go_to_listed_hosts_only() {
        let hosts = ["s3.example.com".to_owned(), "127.0.0.1:8788".to_owned()];
        for good in ["https://s3.example.com/a?b=c", "https://s3.example.com:8443/a", "http://127.0.0.1:8788/u"] {
            assert!(is_allowed(good, &hosts), "{good}");
        }
        for bad in [
            "http://s3.example.com/a",
            "https://evil.example.com/",
            "https://s3.example.com.evil.com/",
            "ftp://s3.example.com/",
            "https://s3.example.com@evil.com/",
            "https://a:b@s3.example.com/",
            "http://127.0.0.1:9999/",
            "javascript:1",
            "",
            "/a",
        ] {
            assert!(!is_allowed(bad, &hosts), "{bad}");
        }
    }
}
