use mediagate_core::{RESERVED_HEADERS, Type, Value as _};

use super::{Content, OutgoingFile};
use crate::file::File;
use crate::value::Value;

const BINARY: &str = "application/octet-stream";

/// Returns the media type; `application/octet-stream` if the file has none that can be the value of
/// a header.
pub(super) fn media_type(file: &File) -> &str {
    let media_type = file.media_type();
    let is_printable = media_type.bytes().all(|byte| matches!(byte, b' '..=b'~'));
    if is_printable && !media_type.is_empty() {
        media_type
    } else {
        BINARY
    }
}

/// Returns the name. A file without a name gets one from its media type, such as `file.png`.
pub(super) fn name(file: &File) -> String {
    if !file.name().trim().is_empty() {
        return file.name().to_owned();
    }
    let subtype = media_type(file)
        .split_once('/')
        .map_or("bin", |(_, subtype)| subtype);
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

/// Returns the method and the body of an upload, and adds its headers. By default this is a `PUT`
/// with the media type of the file. The response of the upload URL (`target`) may name another
/// method, headers and the fields of a form.
pub(super) fn sending(
    upload: OutgoingFile,
    target: &Value,
    headers: &mut Vec<(String, String)>,
) -> (&'static str, Content) {
    let fields = fields(target);
    let method = target.get("method");
    let is_post = method.map_or(fields.is_some(), |method| method.is("POST"));
    let more = target.get("headers").map(|headers| texts(&headers));
    let mut more: Vec<_> = more
        .unwrap_or_default()
        .into_iter()
        .map(|(name, value)| (name.to_ascii_lowercase(), value))
        .filter(|(name, _)| !RESERVED_HEADERS.contains(&name.as_str()))
        .collect();
    let media_type = media_type(&upload.file).to_owned();
    let content = match fields {
        Some(fields) => {
            // The HTTP client sets the type of the form, with its boundary.
            more.retain(|(name, _)| name != "content-type");
            Content::Form {
                fields: texts(&fields),
                name: name(&upload.file),
                media_type,
                upload,
            }
        }
        None => {
            if !more.iter().any(|(name, _)| name == "content-type") {
                more.push(("content-type".into(), media_type));
            }
            Content::File(upload)
        }
    };
    headers.append(&mut more);
    (if is_post { "POST" } else { "PUT" }, content)
}

/// Returns the fields of the form that contains the file; `None` if the file is the whole body.
pub(super) fn fields(target: &Value) -> Option<Value> {
    target
        .get("fields")
        .filter(|fields| fields.kind() == Type::Object)
}

/// Returns the members that are strings, numbers or booleans, as strings.
fn texts(object: &Value) -> Vec<(String, String)> {
    let text = |name: &str| match object.get(name)? {
        Value::Text(text) => Some(text.to_string()),
        Value::Number(number) => Some(number.to_string()),
        Value::Boolean(boolean) => Some(boolean.to_string()),
        _ => None,
    };
    object
        .keys()
        .filter_map(|name| Some((name.to_string(), text(&name)?)))
        .collect()
}
