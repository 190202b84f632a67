//! Data URIs in inputs: each becomes a file before the input is validated.

use data_url::DataUrl;
use mediagate_client::HostValue;
use mediagate_core::{Capability, Type, Value as _};

use crate::file::File;
use crate::value::Value;

/// Makes files of the data URIs in the fields for files: texts, and objects with a `url`. The
/// validation of the input refuses what cannot be decoded.
pub(crate) fn with_files(capability: &Capability, mut input: Value) -> Value {
    let files = capability
        .fields()
        .filter(|field| field.kind.media().is_some());
    for field in files {
        let Some(value) = input.get(field.name) else {
            continue;
        };
        let replaced = if value.kind() == Type::List {
            Value::from_items(value.items().map(with_file).collect())
        } else {
            with_file(value)
        };
        input = input.with(field.name, replaced);
    }
    input
}

fn with_file(value: Value) -> Value {
    let uri = match &value {
        Value::Object(members) => members.get("url").and_then(|url| url.text()),
        other => other.text(),
    };
    uri.and_then(|uri| file(&uri)).map_or(value, Value::File)
}

/// Returns the file in a data URI; `None` for another text.
fn file(uri: &str) -> Option<File> {
    let uri = DataUrl::process(uri).ok()?;
    let (bytes, _) = uri.decode_to_vec().ok()?;
    let media_type = uri.mime_type().to_string();
    // A data URI has no name for its file.
    Some(File::from_bytes("", bytes).with_media_type(media_type))
}

#[cfg(test)]
mod tests {
    use mediagate_core::{find, is_valid, validate};
    use serde_json::json;

    use super::*;

    const PIXEL: &str = "data:image/png;base64,iVBORw0KGgo=";

    fn decoded(value: serde_json::Value) -> Value {
        let capability = find("omni_reference_to_video").unwrap();
        let input = json!({ "prompt": PIXEL, "image_file_ids": value });
        with_files(capability, input.into())
    }

    #[test]
    fn a_data_uri_is_a_file_in_a_field_for_files_only() {
        let input =
            decoded(json!([PIXEL, { "url": PIXEL }, "file_1", { "url": "https://a.test/1" }]));
        assert!(input.get("prompt").unwrap().is(PIXEL));
        let items: Vec<_> = input.get("image_file_ids").unwrap().items().collect();
        for item in &items[..2] {
            let Value::File(file) = item else {
                panic!("no file");
            };
            assert_eq!((file.media_type(), file.size()), ("image/png", 8));
        }
        assert!(items[2].is("file_1"));
        assert_eq!(items[3].kind(), Type::Object);
    }

    #[test]
    fn what_is_wrong_with_a_data_uri_is_an_issue() {
        let capability = find("background_removal").unwrap();
        for (uri, problem) in [
            ("data:image/png;base64", "is a malformed data URI"),
            ("data:image/png;base64,*", "is a malformed data URI"),
            ("data:image/png,", "is an empty file"),
            ("data:video/mp4,x", "is a file of another kind"),
            ("data:,x", "is a file of another kind"),
        ] {
            for value in [json!(uri), json!({ "url": uri })] {
                let input = with_files(capability, json!({ "file_id": value }).into());
                let issues = validate(capability, input);
                assert!(!is_valid(&issues), "{uri}");
                assert!(issues[0].message.starts_with(problem), "{uri}: {issues:?}");
            }
        }
        let percent = json!({ "file_id": "data:image/svg+xml,%3Csvg%3E\u{e9}" });
        assert!(is_valid(&validate(
            capability,
            with_files(capability, percent.into())
        )));
    }
}
