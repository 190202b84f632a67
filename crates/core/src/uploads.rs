//! The request for an upload URL. The document does not show its body (§4.1); this one is assumed.

use alloc::vec::Vec;

use crate::field::{Field, Kind};
use crate::validate::{Check, Issue, IssueReason, Path};
use crate::value::Value;

/// The headers of an upload, in lower case, that the response with the upload URL must not set: they
/// carry credentials, or describe the connection.
pub const RESERVED_HEADERS: [&str; 12] = [
    "authorization",
    "cookie",
    "host",
    "content-length",
    "connection",
    "transfer-encoding",
    "te",
    "trailer",
    "upgrade",
    "keep-alive",
    "proxy-authorization",
    "expect",
];

/// The fields of the request; `size` is in bytes. "Every request body accepts `title`" (§4).
pub static UPLOAD_FIELDS: [Field; 4] = [
    Field::new("file_name", Kind::FilledText)
        .required()
        .doc("The file's name, with its extension.")
        .example("\"photo.png\""),
    Field::new("content_type", Kind::FilledText)
        .required()
        .doc("Its media type.")
        .example("\"image/png\""),
    Field::new("size", Kind::Size)
        .required()
        .doc("Its size in bytes, a whole number from 1.")
        .example("1024"),
    Field::new("title", Kind::Text)
        .doc("A title for the file, if the media service takes one.")
        .example("\"Photo\""),
];

/// The longest media type, in bytes.
pub const MAX_TYPE_BYTES: usize = 255;

/// Validates the body of a request for an upload URL. A body without issues is valid.
pub fn validate_upload<V: Value>(body: V) -> Vec<Issue> {
    let mut check = Check::<true>::default();
    check.object(
        [&UPLOAD_FIELDS, &[], &[]],
        &body,
        &Path::Body,
        "a JSON object",
    );
    let is_malformed = body
        .get("content_type")
        .and_then(|media_type| media_type.text())
        .is_some_and(|text| !is_header_value(&text));
    if is_malformed {
        check.error(
            &Path::Member(&Path::Body, "content_type"),
            IssueReason::Malformed,
            "is no media type; give one such as image/png",
            "",
        );
    }
    check.issues
}

/// Returns true if a string can be a header value. An upload sends its media type as one.
fn is_header_value(text: &str) -> bool {
    text.len() <= MAX_TYPE_BYTES
        && text
            .bytes()
            .all(|byte| byte == b' ' || byte.is_ascii_graphic())
}
