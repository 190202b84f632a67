//! Requests an upload URL.

use std::collections::BTreeMap;

use mediagate_core::dialect::Upload;
use mediagate_core::{Code, PREFIX, is_valid, validate_upload};
use serde_json::{Value, json};
use url::Url;

use super::Call;
use super::body::read_json;
use super::relay::Ticket;
use crate::identity::Item;
use crate::platform::now_ms;
use crate::refusal::Refusal;
use crate::reply::Reply;
use crate::settings::{UploadMode, url::is_safe};

/// Longest upload URL, in bytes: a relay ticket holds it sealed, in a path.
const MAX_URL_LEN: usize = 4096;

/// `POST /api/app/v1/upload_urls` with `{file_name, content_type, size, title}`: returns `{upload_url, method, headers,
/// fields, file_id, expires_at}`, whatever the upstream's dialect, of which all but the first and `file_id` may be absent.
pub(crate) async fn upload_url(call: &Call<'_>) -> Result<Reply, Refusal> {
    // Authorise before reading the body.
    call.caller.authorize_upload()?;
    request_upload(call, &read_json(call).await?).await.map(Reply::ok)
}

/// Requests an upload URL from the upstream, as [`upload_url`] returns it, the id sealed.
pub(crate) async fn request_upload(call: &Call<'_>, request: &Value) -> Result<Value, Refusal> {
    call.caller.authorize_upload()?;
    let issues = validate_upload(request);
    if !is_valid(&issues) {
        return Err(Refusal::issues(&issues));
    }
    let size = request.get("size").and_then(Value::as_f64).unwrap_or_default() as u64;
    let limit = call.settings().max_upload_bytes;
    if size > limit {
        return Err(Refusal::invalid("file_too_large", format!("the file is larger than the {limit} bytes allowed")));
    }
    call.take(Item::Upload, size).await?;
    let mut input = json!({"file_name": request["file_name"], "content_type": request["content_type"], "size": size});
    if let Some(title) = request.get("title").filter(|it| it.is_string()) {
        input["title"] = title.clone();
    }
    let path = [PREFIX, "upload_urls"].concat();
    let dialect = &call.settings().dialect.upload;
    let response = call.client().fetch("POST", &path, Some(&dialect.body(&input).to_string())).await?;
    match dialect.read(&response) {
        Some(upload) => response_data(call, upload, &input),
        None => Err(Refusal::unreadable("no_upload_url")),
    }
}

/// What the page needs. Other members of the upstream's response are not forwarded.
fn response_data(call: &Call<'_>, upload: Upload, input: &Value) -> Result<Value, Refusal> {
    if upload.url.len() > MAX_URL_LEN {
        return Err(Refusal::unreadable("no_upload_url"));
    }
    let Some(url) = allowed(&upload.url, &call.settings().upload_hosts) else {
        let message = "the media service named an upload URL whose host UPLOAD_HOSTS does not list, or that has a \
            character which no URL needs";
        return Err(Refusal::new(502, Code::SERVER_ERROR, "upload_host_not_allowed", message));
    };
    let mut data = json!({"upload_url": url.as_str(), "file_id": call.seal("file", &upload.file_id)});
    let expires_at = upload.expires_at.as_ref().and_then(|it| expiry(it, now_ms()));
    if let Some(it) = &expires_at {
        data["expires_at"] = json!(it);
    }
    match call.settings().upload_mode {
        UploadMode::Relay => {
            let ticket = Ticket::new(&url, &upload, input).seal(call).ok_or_else(too_long)?;
            data["upload_url"] = json!([&call.incoming.base_url, PREFIX, "uploads/", &ticket].concat());
        }
        UploadMode::Direct => {
            let is_named = upload.method.is_some() || !upload.fields.is_empty();
            let method = is_named.then(|| json!(upload.method()));
            let texts = |it: &BTreeMap<String, String>| (!it.is_empty()).then(|| json!(it));
            let more = [("method", method), ("headers", texts(&upload.headers)), ("fields", texts(&upload.fields))];
            more.into_iter().filter_map(|(name, it)| Some((name, it?))).for_each(|(name, it)| data[name] = it);
        }
    }
    Ok(data)
}

fn too_long() -> Refusal {
    let message = "what the media service wants of this upload is too long to be relayed; its operator can set UPLOAD_MODE \
        to direct";
    Refusal::new(502, Code::SERVER_ERROR, "upload_too_long", message)
}

/// When an upload URL expires, as a date and time (RFC 3339): a date, seconds or milliseconds since 1970, or seconds from
/// `now`, in milliseconds since 1970. `None` for anything else.
fn expiry(value: &Value, now: f64) -> Option<String> {
    let number = value.as_f64().or_else(|| value.as_str()?.trim().parse().ok());
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

/// An upload URL that may be returned: https (http to this machine), no credentials, and a listed host, with the listed
/// port where one is listed. It is returned as it was parsed here, since other parsers see another host in some texts.
fn allowed(text: &str, hosts: &[String]) -> Option<Url> {
    let url = Url::parse(text).ok().filter(|_| text.bytes().all(is_url_character))?;
    let host = url.host_str().unwrap_or_default();
    let with_port = url.port_or_known_default().map(|it| format!("{host}:{it}")).unwrap_or_default();
    let is_listed = hosts.iter().any(|it| *it == host || *it == with_port || is_below(it, host, &with_port));
    let is_allowed = is_safe(&url) && url.username().is_empty() && url.password().is_none() && is_listed;
    is_allowed.then_some(url)
}

/// Whether an entry such as `*.storage.example` covers a host: the star stands for exactly one label.
fn is_below(entry: &str, host: &str, with_port: &str) -> bool {
    let Some(parent) = entry.strip_prefix("*.") else { return false };
    let rest = |it: &str| it.split_once('.').is_some_and(|(label, rest)| !label.is_empty() && rest == parent);
    rest(host) || rest(with_port)
}

/// Whether a character may be in a URL (RFC 3986), and neither ends a quoted string nor expands in one.
fn is_url_character(it: u8) -> bool {
    it.is_ascii_alphanumeric() || b"-._~:/?#[]@!&()*+,;=%".contains(&it)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_one_label() {
        let hosts = ["*.storage.example".to_owned(), "*.s3.example:8443".to_owned()];
        for good in ["https://a.storage.example/x", "https://a.storage.example:9000/x", "https://b.s3.example:8443/x"] {
            assert!(allowed(good, &hosts).is_some(), "{good}");
        }
        for bad in [
            "https://storage.example/x",
            "https://a.b.storage.example/x",
            "https://.storage.example/x",
            "https://astorage.example/x",
            "https://a.storage.example.evil.com/x",
            "https://b.s3.example/x",
            "http://a.storage.example/x",
        ] {
            assert_eq!(allowed(bad, &hosts), None, "{bad}");
        }
    }

    #[test]
    fn upload_urls_go_to_listed_hosts_only() {
        let hosts = ["s3.example.com".to_owned(), "127.0.0.1:8788".to_owned()];
        for good in ["https://s3.example.com/a?b=c", "https://s3.example.com:8443/a", "http://127.0.0.1:8788/u"] {
            assert_eq!(allowed(good, &hosts).map(String::from).as_deref(), Some(good));
        }
        let signed = "https://s3.example.com/a%2Fb/~c?X-Sig=a%2B%2f+b&x=(1),*;!:@/?=[0]";
        assert_eq!(allowed(signed, &hosts).map(String::from).as_deref(), Some(signed), "a signature covers each byte");
        let normal = allowed("HTTPS://S3.Example.com:443/a/../b", &hosts).map(String::from);
        assert_eq!(normal.as_deref(), Some("https://s3.example.com/b"));
        for bad in [
            "http://s3.example.com/a",
            "https://evil.example.com/",
            "https://s3.example.com.evil.com/",
            "ftp://s3.example.com/",
            "https://s3.example.com@evil.com/",
            "https://s3.exämple.com/",
            "https://S3.exⓐmple.com/",
            "https://a:b@s3.example.com/",
            "http://127.0.0.1:9999/",
            "javascript:1",
            "",
            "/a",
            "https://s3.example.com\\@evil.com/",
            "https://s3.example.com/a\\b",
            "https://s3.example.com/\"",
            "https://s3.example.com/'",
            "https://s3.example.com/$(id)",
            "https://s3.example.com/`id`",
            "https://s3.example.com/a\nb",
            "https://s3.example.com/\u{7f}",
            "\thttps://s3.example.com/",
            "https://s3.example.com/a b",
            "https://s3.example.com/ä",
        ] {
            assert_eq!(allowed(bad, &hosts), None, "{bad}");
        }
    }
}
