//! Requests an upload URL.

use std::collections::BTreeMap;

use mediagate_core::{PREFIX, Reason, is_valid, validate_upload};
use mediagate_dialect::Upload;
use serde_json::{Value, json};
use url::Url;

use super::RequestContext;
use super::body::read_json;
use super::relay::Ticket;
use crate::identity::Item;
use crate::platform::now_ms;
use crate::refusal::Refusal;
use crate::reply::Reply;
use crate::settings::UploadMode;
use crate::upstream::StorageUpload;

/// `POST /api/app/v1/upload_urls` with `{file_name, content_type, size, title}`: returns `{upload_url, method, headers,
/// fields, file_id, expires_at}`, whatever the upstream's dialect, of which all but the first and `file_id` may be absent.
pub(crate) async fn upload_url(context: &RequestContext<'_>) -> Result<Reply, Refusal> {
    // Authorise before reading the body.
    context.caller.authorize_upload()?;
    request_upload(context, &read_json(context).await?)
        .await
        .map(Reply::ok)
}

/// Requests an upload URL from the upstream, as [`upload_url`] returns it, the id sealed.
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
            format!("the file is larger than the {limit} bytes allowed"),
        ));
    }
    context.take(Item::Upload, size).await?;
    let mut input = json!({"file_name": request["file_name"], "content_type": request["content_type"], "size": size});
    if let Some(title) = request.get("title").filter(|it| it.is_string()) {
        input["title"] = title.clone();
    }
    let (url, upload) = context.client().upload_url(&input).await?;
    response_data(context, &url, &upload, &input)
}

/// What the page needs. Other members of the upstream's response are not forwarded.
fn response_data(
    context: &RequestContext<'_>,
    url: &Url,
    upload: &Upload,
    input: &Value,
) -> Result<Value, Refusal> {
    let mut data =
        json!({"upload_url": url.as_str(), "file_id": context.seal("file", &upload.file_id)});
    let expires_at = upload
        .expires_at
        .as_ref()
        .and_then(|it| expiry(it, now_ms()));
    if let Some(it) = &expires_at {
        data["expires_at"] = json!(it);
    }
    match context.settings().upload_mode {
        UploadMode::Relay => {
            let ticket = Ticket::new(StorageUpload::new(url, upload, input))
                .seal(context)
                .ok_or_else(too_long)?;
            let path = ["uploads/", &ticket].concat();
            data["upload_url"] = json!([&context.public_url, PREFIX, &path].concat());
            data["upload_path"] = json!(path);
        }
        UploadMode::Direct => {
            let is_named = upload.method.is_some() || !upload.fields.is_empty();
            let method = is_named.then(|| json!(upload.method()));
            let texts = |it: &BTreeMap<String, String>| (!it.is_empty()).then(|| json!(it));
            let more = [
                ("method", method),
                ("headers", texts(&upload.headers)),
                ("fields", texts(&upload.fields)),
            ];
            more.into_iter()
                .filter_map(|(name, it)| Some((name, it?)))
                .for_each(|(name, it)| data[name] = it);
        }
    }
    Ok(data)
}

fn too_long() -> Refusal {
    let message = "what the media service wants of this upload is too long to be relayed; its operator can set UPLOAD_MODE \
        to direct";
    Refusal::new(Reason::UploadTooLong, message)
}

/// When an upload URL expires, as a date and time (RFC 3339): a date, seconds or milliseconds since 1970, or seconds from
/// `now`, in milliseconds since 1970. `None` for anything else.
fn expiry(value: &Value, now: f64) -> Option<String> {
    let number = value
        .as_f64()
        .or_else(|| value.as_str()?.trim().parse().ok());
    let ms = match number {
        Some(it) if it < 0.0 => return None,
        Some(it) if it < 1e9 => now + it * 1000.0,
        Some(it) if it < 1e11 => it * 1000.0,
        Some(it) => it,
        None => js_sys::Date::parse(value.as_str()?),
    };
    // The year 9999: what has more digits is no date.
    (ms < 253_402_300_800_000.0).then(|| js_sys::Date::new(&ms.into()).to_iso_string().into())
}
