//! Requests an upload URL.

use mediagate_core::{Code, PREFIX, Value as _, validate_upload};
use serde_json::{Value, json};
use url::Url;

use super::Call;
use super::body::read_json;
use super::relay::Ticket;
use crate::identity::Item;
use crate::refusal::Refusal;
use crate::reply::Reply;
use crate::settings::{UploadMode, url::is_safe};

/// Longest upload URL, in bytes: a relay ticket holds it sealed, in a path.
const MAX_URL_LEN: usize = 4096;

/// `POST /api/app/v1/upload_urls` with `{file_name, content_type, size}`: returns `{upload_url, file_id}`.
pub(crate) async fn upload_url(call: &Call<'_>) -> Result<Reply, Refusal> {
    // Authorise before reading the body.
    call.caller.authorize_upload()?;
    request_upload(call, &read_json(call).await?).await.map(Reply::ok)
}

/// Requests an upload URL from the upstream: `{upload_url, file_id}`, the id sealed.
pub(crate) async fn request_upload(call: &Call<'_>, request: &Value) -> Result<Value, Refusal> {
    call.caller.authorize_upload()?;
    let issues = validate_upload(&request);
    if !issues.is_empty() {
        return Err(Refusal::issues(&issues));
    }
    let size = request.get("size").and_then(Value::as_f64).unwrap_or_default() as u64;
    let limit = call.settings().max_upload_bytes;
    if size > limit {
        return Err(Refusal::invalid("file_too_large", format!("the file is larger than the {limit} bytes allowed")));
    }
    call.take(Item::Upload, size).await?;
    let request = json!({"file_name": request["file_name"], "content_type": request["content_type"], "size": size});
    let path = [PREFIX, "upload_urls"].concat();
    let data = call.client().fetch_data("POST", &path, Some(&request.to_string())).await?;
    response_data(call, &data, &request)
}

/// What the page needs. Other members of the upstream's response are not forwarded.
fn response_data(call: &Call<'_>, data: &Value, request: &Value) -> Result<Value, Refusal> {
    let url = data.get("upload_url").and_then(Value::as_str).unwrap_or_default();
    let Some(file_id) = (&data["file_id"]).identifier().filter(|_| (1..=MAX_URL_LEN).contains(&url.len())) else {
        return Err(Refusal::unreadable("no_upload_url"));
    };
    let Some(url) = allowed(url, &call.settings().upload_hosts) else {
        let message = "the media service named an upload URL whose host UPLOAD_HOSTS does not list, or that has a \
            character which no URL needs";
        return Err(Refusal::new(502, Code::SERVER_ERROR, "upload_host_not_allowed", message));
    };
    let mut data = json!({"upload_url": url.as_str(), "file_id": file_id});
    if call.settings().upload_mode == UploadMode::Relay {
        let ticket = Ticket::new(url.as_str(), request).seal(call);
        data["upload_url"] = json!([&call.incoming.base_url, PREFIX, "uploads/", &ticket].concat());
    }
    call.client().seal(&mut data, None);
    Ok(data)
}

/// An upload URL that may be returned: https (http to this machine), no credentials, and a listed host, with the listed
/// port where one is listed. It is returned as it was parsed here, since other parsers see another host in some texts.
fn allowed(text: &str, hosts: &[String]) -> Option<Url> {
    let url = Url::parse(text).ok().filter(|_| text.bytes().all(is_url_character))?;
    let host = url.host_str().unwrap_or_default();
    let with_port = url.port_or_known_default().map(|it| format!("{host}:{it}")).unwrap_or_default();
    let is_listed = hosts.iter().any(|it| *it == host || *it == with_port);
    let is_allowed = is_safe(&url) && url.username().is_empty() && url.password().is_none() && is_listed;
    is_allowed.then_some(url)
}

/// Whether a character may be in a URL (RFC 3986), and neither ends a quoted string nor expands in one.
fn is_url_character(it: u8) -> bool {
    it.is_ascii_alphanumeric() || b"-._~:/?#[]@!&()*+,;=%".contains(&it)
}

#[cfg(test)]
mod tests {
    use super::*;

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
