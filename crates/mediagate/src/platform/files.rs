//! How a file is announced to the gateway, and sent to the storage.

use std::rc::Rc;

use crate::driver::{Content, Upload};
use crate::file::File;
use crate::value::Value;

const BINARY: &str = "application/octet-stream";
/// Headers that a storage does not set: the first three would have the rights of another origin, the others are those of
/// the connection.
const REFUSED: [&str; 6] = [
    "authorization",
    "cookie",
    "host",
    "content-length",
    "transfer-encoding",
    "connection",
];

/// The media type of a file; an unspecific one where it has none that can be a header's value.
pub(super) fn media_type(file: &File) -> &str {
    let media_type = file.media_type();
    let is_valid = !media_type.is_empty() && media_type.bytes().all(|it| matches!(it, b' '..=b'~'));
    if is_valid { media_type } else { BINARY }
}

/// The name of a file; one without a name is named after its type.
pub(super) fn name(file: &File) -> String {
    if !file.name().trim().is_empty() {
        return file.name().to_owned();
    }
    let subtype = media_type(file).split_once('/').map_or("bin", |it| it.1);
    let extension = subtype.split(['+', ';']).next().unwrap_or("bin");
    format!(
        "file.{}",
        if extension == "octet-stream" {
            "bin"
        } else {
            extension
        }
    )
}

/// What an upload URL is requested with.
pub(super) fn info(file: &File) -> Value {
    Value::object([
        ("file_name", Value::text(&name(file))),
        ("content_type", Value::text(media_type(file))),
        ("size", Value::Number(file.size().into())),
    ])
}

/// How a file is sent: what its upload URL came with, in the place of a `PUT` with the file's media type.
pub(super) fn sending(
    upload: Upload,
    target: &Value,
) -> (&'static str, Vec<(String, String)>, Content) {
    let fields = fields(target);
    let mut headers = headers(target);
    let is_form = fields.is_some();
    let media_type = media_type(&upload.file).to_owned();
    let content = match fields {
        Some(fields) => {
            headers.retain(|it| it.0 != "content-type");
            Content::Form {
                fields: texts(&fields),
                name: name(&upload.file),
                media_type,
                upload,
            }
        }
        None => {
            if !headers.iter().any(|it| it.0 == "content-type") {
                headers.push(("content-type".into(), media_type));
            }
            Content::File(upload)
        }
    };
    let is_post = target.text_of("method").map_or(is_form, |it| it == "POST");
    (if is_post { "POST" } else { "PUT" }, headers, content)
}

/// Whether a file is sent as the last field of a form.
pub(super) fn is_form(target: &Value) -> bool {
    fields(target).is_some()
}

fn fields(target: &Value) -> Option<Value> {
    target
        .member("fields")
        .filter(|it| matches!(it, Value::Object(_)))
}

fn headers(target: &Value) -> Vec<(String, String)> {
    let all = target
        .member("headers")
        .map(|it| texts(&it))
        .unwrap_or_default();
    let lower = all
        .into_iter()
        .map(|(name, value)| (name.to_ascii_lowercase(), value));
    lower
        .filter(|it| !REFUSED.contains(&it.0.as_str()))
        .collect()
}

/// The members of an object with their strings, or what else can be written as one.
pub(super) fn texts(object: &Value) -> Vec<(String, String)> {
    let text = |name: Rc<str>| {
        let value = match object.member(&name)? {
            Value::Text(it) => it.to_string(),
            Value::Number(it) => it.to_string(),
            Value::Boolean(it) => it.to_string(),
            _ => return None,
        };
        Some((name.to_string(), value))
    };
    object.names().into_iter().filter_map(text).collect()
}
