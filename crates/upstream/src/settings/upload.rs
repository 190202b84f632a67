//! The upload exchange (§4.1): the request for an upload URL, its response, and the upload.

use core::fmt;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::confirm::ConfirmDialect;
use super::error::DialectError;
use super::members::Members;
use super::pointers::Pointers;
use crate::json::{identifier, words};
use mediagate_core::RESERVED_HEADERS;

/// Names with their values: headers, or the fields of a form.
type Texts = BTreeMap<String, String>;

/// The request for an upload URL, the places in its response (from the outermost object), and the
/// upload.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct UploadDialect {
    /// The members of the request's body. The placeholders are `{file_name}`, `{content_type}`,
    /// `{size}` (in bytes), `{title}`, `{extension}` (without a dot) and `{media}` (`image`,
    /// `video`, `audio` or `file`).
    pub request: Members,
    /// The upload URL.
    pub url: Pointers,
    /// The file id.
    pub file_id: Pointers,
    /// The method: `PUT` or `POST`. The default is `POST` if there are fields, and `PUT` if not.
    pub method: Pointers,
    /// Headers that the upload must have: an object, or a list of `{name, value}`.
    pub headers: Pointers,
    /// Fields of a form, which come before the file: an object, or a list of `{name, value}`.
    pub fields: Pointers,
    /// The expiry of the upload URL: a date, seconds or milliseconds since 1970, or seconds from
    /// now.
    pub expires_at: Pointers,
    /// The settings of the upload.
    pub send: Sending,
    /// The request that confirms an upload, if the upstream has one.
    pub confirm: Option<ConfirmDialect>,
}

/// Settings of the upload that the response does not have. `Debug` hides the values of headers,
/// which may be secrets.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Sending {
    /// Headers of every upload, in addition to the media type.
    pub headers: Texts,
    /// True if uploads carry the API key. This is for a storage on the upstream's own origin, and
    /// only through the gateway's relay.
    pub api_key: bool,
    /// True if the storage takes a file of unknown length (`Transfer-Encoding: chunked`), at an
    /// upload URL that was requested without a size.
    pub without_length: bool,
}

impl fmt::Debug for Sending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let headers: Vec<_> = self.headers.keys().collect();
        let Sending {
            api_key,
            without_length,
            ..
        } = self;
        f.debug_struct("Sending")
            .field("headers", &headers)
            .field("api_key", api_key)
            .field("without_length", without_length)
            .finish()
    }
}

/// The objects that are likely to contain an upload's parts.
const CONTAINERS: [&str; 11] = [
    "/data",
    "/data/upload",
    "/data/file",
    "/data/upload_url",
    "/data/0",
    "/data/uploads/0",
    "/data/files/0",
    "/data/upload_urls/0",
    "/data/result",
    "/upload",
    "/file",
];

impl Default for UploadDialect {
    fn default() -> Self {
        let within = |names: &[&str]| Pointers::within(&CONTAINERS, names);
        let request = [
            ("file_name", "{file_name}"),
            ("content_type", "{content_type}"),
            ("size", "{size}"),
            ("title", "{title}"),
        ];
        UploadDialect {
            request: Members::of(&request),
            url: within(&[
                "upload_url",
                "presigned_url",
                "signed_url",
                "put_url",
                "url",
            ]),
            file_id: within(&["file_id", "file_uuid", "id", "file_key"]),
            method: within(&["method", "http_method", "upload_method"]),
            headers: within(&["headers", "upload_headers", "required_headers"]),
            fields: within(&["fields", "form_fields", "form_data"]),
            expires_at: within(&["expires_at", "expires_in", "expires", "expiration"]),
            send: Sending::default(),
            confirm: None,
        }
    }
}

/// An upload that a response describes.
#[derive(Clone, Debug, PartialEq)]
pub struct UploadTarget {
    /// The URL that takes the bytes.
    pub url: String,
    /// The upstream's id of the file.
    pub file_id: String,
    /// `PUT` or `POST`, if the response has a method.
    pub method: Option<&'static str>,
    /// The headers that the upload must have, in lower case, without the reserved ones.
    pub headers: Texts,
    /// The fields of a form, which come before the file. If there are any, the upload is a form.
    pub fields: Texts,
    /// The expiry of the URL, unchanged.
    pub expires_at: Option<Value>,
}

impl UploadTarget {
    /// Returns the method of the upload: `PUT` or `POST`.
    pub fn method(&self) -> &'static str {
        self.method.unwrap_or(if self.fields.is_empty() {
            "PUT"
        } else {
            "POST"
        })
    }
}

impl UploadDialect {
    pub(super) const PLACEHOLDERS: [&str; 6] = [
        "content_type",
        "extension",
        "file_name",
        "media",
        "size",
        "title",
    ];

    /// Returns the body of a request for an upload URL. `input` is the caller's request:
    /// `{file_name, content_type, size, title}`.
    pub fn body(&self, input: &Value) -> Value {
        let text = |name| input.get(name).and_then(Value::as_str);
        self.request.fill(|name| match name {
            "extension" => {
                let (_, extension) = text("file_name")?.rsplit_once('.').unwrap_or_default();
                Some(extension.to_lowercase().into())
            }
            "media" => {
                let kind = text("content_type")?.split('/').next();
                let kind = kind.filter(|kind| ["image", "video", "audio"].contains(kind));
                Some(kind.unwrap_or("file").into())
            }
            name => input.get(name).cloned(),
        })
    }

    /// Reads a response. Returns `None` if there is no URL or no file id.
    pub fn read(&self, body: &Value) -> Option<UploadTarget> {
        let body = &[body];
        // The response's headers come last, so that they replace the dialect's.
        let headers = self.send.headers.clone();
        let stated = self.headers.find(body, texts).unwrap_or_default();
        Some(UploadTarget {
            // The check of the hosts refuses a string that is no URL, with a better message.
            url: self
                .url
                .find(body, url)
                .or_else(|| self.url.find(body, words))?,
            file_id: self.file_id.find(body, identifier)?,
            method: self.method.find(body, method),
            headers: headers
                .into_iter()
                .chain(stated)
                .filter_map(header)
                .collect(),
            fields: self.fields.find(body, texts).unwrap_or_default(),
            expires_at: self.expires_at.find(body, time),
        })
    }

    pub(super) fn check_headers(&self) -> Result<(), DialectError> {
        for (name, value) in &self.send.headers {
            if header((name.clone(), value.clone())).is_none() {
                let problem = format!(
                    "{name:?} is no header that an upload may have, or its value is not visible \
                     ASCII"
                );
                return Err(DialectError::new("upload.send.headers", &problem));
            }
        }
        Ok(())
    }
}

fn url(value: &Value) -> Option<String> {
    words(value).filter(|text| text.contains("://"))
}

fn method(value: &Value) -> Option<&'static str> {
    let text = value.as_str()?.trim();
    let mut methods = ["PUT", "POST"].into_iter();
    methods.find(|name| name.eq_ignore_ascii_case(text))
}

fn time(value: &Value) -> Option<Value> {
    (value.is_string() || value.is_number()).then(|| value.clone())
}

/// Reads names with texts from an object, or from a list of `{name, value}` or `{key, value}`.
/// Returns `None` for anything else, and if there are no texts.
fn texts(value: &Value) -> Option<Texts> {
    let texts: Texts = match value {
        Value::Object(members) => members
            .iter()
            .filter_map(|(name, value)| Some((name.clone(), text(value)?)))
            .collect(),
        Value::Array(items) => items.iter().filter_map(named_text).collect(),
        _ => return None,
    };
    (!texts.is_empty()).then_some(texts)
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        _ => None,
    }
}

fn named_text(pair: &Value) -> Option<(String, String)> {
    let name = pair.get("name").or_else(|| pair.get("key"))?.as_str()?;
    Some((name.to_owned(), text(pair.get("value")?)?))
}

/// Returns a header with its name in lower case, or `None` if an upload must not have it.
fn header((name, value): (String, String)) -> Option<(String, String)> {
    let name = name.trim().to_ascii_lowercase();
    let is_name = !name.is_empty()
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte));
    let is_value = value
        .bytes()
        .all(|byte| byte == b' ' || byte.is_ascii_graphic());
    // No page may set a header that begins with `sec-`, and direct uploads come from pages.
    let is_free = !RESERVED_HEADERS.contains(&name.as_str()) && !name.starts_with("sec-");
    (is_name && is_value && is_free).then_some((name, value))
}
