use std::collections::BTreeMap;

use mediagate_access::byte_size::byte_size;
use mediagate_access::identity::Item;
use mediagate_access::refusal::Refusal;
use mediagate_core::{PREFIX, Reason, is_valid, validate_upload};
use mediagate_platform::now_ms;
use mediagate_upstream::UploadTarget;
use mediagate_upstream_client::StorageUpload;
use serde_json::{Value, json};
use url::Url;

use super::RequestContext;
use super::relay::Ticket;

/// `POST /api/app/v1/upload_urls` with `{file_name, content_type, size, title}` (§4.1):
/// `{upload_url, method, headers, fields, file_id, expires_at}` for every dialect of the upstream.
/// Only `upload_url` and `file_id` are always present.
pub(crate) async fn upload_url(context: &RequestContext<'_>) -> Result<Value, Refusal> {
    // Authorise before reading the body, so that a caller without the scope can't make the gateway
    // parse it.
    context.caller.authorize_upload()?;
    request_upload(context, &context.read_json().await?).await
}

/// Requests an upload URL: the data of [`upload_url`], with a sealed id. 403 without the scope; 400
/// for invalid fields and for a file that is too large; 429 if anonymous callers have used up their
/// share; also the upstream's refusals.
pub(crate) async fn request_upload(
    context: &RequestContext<'_>,
    request: &Value,
) -> Result<Value, Refusal> {
    context.caller.authorize_upload()?;
    let issues = validate_upload(request);
    if !is_valid(&issues) {
        return Err(Refusal::issues(&issues));
    }
    let size = request
        .get("size")
        .and_then(Value::as_f64)
        .unwrap_or_default() as u64;
    let limit = context.settings().max_upload_bytes;
    if size > limit {
        return Err(Refusal::new(
            Reason::FileTooLarge,
            format!("the file is larger than the {} allowed", byte_size(limit)),
        ));
    }
    // Count before the upload URL is requested, so that parallel requests can't exceed the share.
    if context.settings().relays_uploads() {
        // Each use of the ticket counts as an upload.
        context.check_taking(Item::Upload, size).await?;
        context.take(Item::UploadTicket, 0).await?;
    } else {
        context.take(Item::Upload, size).await?;
    }
    let mut input = json!({
        "file_name": request["file_name"],
        "content_type": request["content_type"],
        "size": size,
    });
    if let Some(title) = request.get("title").filter(|title| title.is_string()) {
        input["title"] = title.clone();
    }
    let (url, upload) = context.client().upload_url(&input).await?;
    response_data(context, &url, &upload, &input)
}

/// Returns the data that the page needs. Other members of the upstream's response are not
/// forwarded.
fn response_data(
    context: &RequestContext<'_>,
    url: &Url,
    upload: &UploadTarget,
    input: &Value,
) -> Result<Value, Refusal> {
    let mut data =
        json!({"upload_url": url.as_str(), "file_id": context.seal("file", &upload.file_id)});
    let expires_at = upload.expires_at.as_ref();
    if let Some(expires_at) = expires_at.and_then(|value| expiry(value, now_ms())) {
        data["expires_at"] = json!(expires_at);
    }
    if context.settings().relays_uploads() {
        let ticket = Ticket::new(StorageUpload::new(url, upload, input))
            .seal(context)
            .ok_or_else(too_long)?;
        let path = ["uploads/", &ticket].concat();
        data["upload_url"] = json!([&context.public_url, PREFIX, &path].concat());
        data["upload_path"] = json!(path);
        return Ok(data);
    }
    let is_named = upload.method.is_some() || !upload.fields.is_empty();
    let method = is_named.then(|| json!(upload.method()));
    let texts = |texts: &BTreeMap<String, String>| (!texts.is_empty()).then(|| json!(texts));
    let more = [
        ("method", method),
        ("headers", texts(&upload.headers)),
        ("fields", texts(&upload.fields)),
    ];
    for (name, value) in more {
        if let Some(value) = value {
            data[name] = value;
        }
    }
    Ok(data)
}

fn too_long() -> Refusal {
    let message = "the media service's description of this upload is too long to be relayed; its \
        operator can set UPLOAD_MODE to direct";
    Refusal::new(Reason::UploadTooLong, message)
}

/// Returns the expiry of an upload URL as a date and time (RFC 3339). `value` is a date, seconds or
/// milliseconds since 1970, or seconds from `now`, which is in milliseconds since 1970. `None` for
/// anything else.
fn expiry(value: &Value, now: f64) -> Option<String> {
    let number = value
        .as_f64()
        .or_else(|| value.as_str()?.trim().parse().ok());
    // The document does not describe the value. No URL lasts for 30 years, so a number below 1e9 is
    // a duration. 1e11 is the year 5138 in seconds, and 1973 in milliseconds.
    let ms = match number {
        Some(number) if number < 0.0 => return None,
        Some(number) if number < 1e9 => now + number * 1000.0,
        Some(number) if number < 1e11 => number * 1000.0,
        Some(number) => number,
        None => js_sys::Date::parse(value.as_str()?),
    };
    // A time after the year 9999 has no date in this form.
    (ms < 253_402_300_800_000.0).then(|| js_sys::Date::new(&ms.into()).to_iso_string().into())
}
