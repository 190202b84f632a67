//! How a file is announced to the gateway, and sent to the storage.

use mediagate_core::{Type, Value as _};

use super::{Content, Upload};
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

/// How a file is sent: what its upload URL came with, in the place of a `PUT` with the file's media type.
pub(super) fn sending(
    upload: Upload,
    target: &Value,
    headers: &mut Vec<(String, String)>,
) -> (&'static str, Content) {
    let fields = fields(target);
    let method = target.get("method");
    let is_post = method.map_or(fields.is_some(), |it| it.is("POST"));
    let more = target.get("headers").map(|it| texts(&it));
    let mut more: Vec<_> = more
        .unwrap_or_default()
        .into_iter()
        .map(|(name, value)| (name.to_ascii_lowercase(), value))
        .filter(|it| !REFUSED.contains(&it.0.as_str()))
        .collect();
    let media_type = media_type(&upload.file).to_owned();
    let content = match fields {
        Some(fields) => {
            more.retain(|it| it.0 != "content-type");
            Content::Form {
                fields: texts(&fields),
                name: name(&upload.file),
                media_type,
                upload,
            }
        }
        None => {
            if !more.iter().any(|it| it.0 == "content-type") {
                more.push(("content-type".into(), media_type));
            }
            Content::File(upload)
        }
    };
    headers.append(&mut more);
    (if is_post { "POST" } else { "PUT" }, content)
}

/// The fields of the form of which a file is the last one; `None` where it is sent as it is.
pub(super) fn fields(target: &Value) -> Option<Value> {
    target.get("fields").filter(|it| it.kind() == Type::Object)
}

/// The members of an object with their strings, or what else can be written as one.
fn texts(object: &Value) -> Vec<(String, String)> {
    let text = |name: &str| match object.get(name)? {
        Value::Text(it) => Some(it.to_string()),
        Value::Number(it) => Some(it.to_string()),
        Value::Boolean(it) => Some(it.to_string()),
        _ => None,
    };
    object
        .keys()
        .filter_map(|name| Some((name.to_string(), text(&name)?)))
        .collect()
}
