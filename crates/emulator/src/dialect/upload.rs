use serde::Deserialize;
use serde_json::Value;
use uuid::Uuid;

use super::template::Template;
use crate::{
    http::{Problem, Refusal},
    storage::UploadTerms,
};

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct UploadDialect {
    request: UploadRequest,
    pub(crate) send: Transfer,
    /// True if the request with the bytes must have the API key. Without the key, the response has
    /// code 13.
    pub(crate) requires_key: bool,
    /// The response with the upload URL: `upload_url`, `file_id`, `expires_in` (in seconds),
    /// `expires_at` (a date as in RFC 3339), the `method`, `headers` and `fields` of the request
    /// with the bytes, and `download_url`, which is not served.
    pub(crate) response: Template,
}

/// The names of the members of a request for an upload URL. Other members are ignored.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct UploadRequest {
    file_name: String,
    /// The media type, such as `image/png`.
    content_type: String,
    /// In bytes.
    size: String,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Transfer {
    /// PUT, with any headers.
    Put,
    /// PUT with the headers that the response names: a signature and the content type. Without
    /// these headers, the response is HTTP 403.
    SignedPut,
    /// POST of `multipart/form-data`. The fields that the response names are before the file.
    /// Without these fields, the response is HTTP 403.
    Form,
}

impl UploadDialect {
    /// Checks the body of a request for an upload URL. Refuses with 12 if the name or the media
    /// type is no text, if the size is no whole number from 1, or if it exceeds `max_bytes`.
    pub(crate) fn terms(&self, body: &Value, max_bytes: u64) -> Result<UploadTerms, Refusal> {
        let UploadRequest {
            file_name,
            content_type,
            size: size_name,
        } = &self.request;
        let size = match body.get(size_name).and_then(Value::as_f64) {
            Some(bytes) if bytes > max_bytes as f64 => {
                let message = format!("larger than {max_bytes} bytes");
                Err(Problem::new(size_name, "too_large", message))
            }
            Some(bytes) if bytes >= 1.0 && bytes.fract() == 0.0 => Ok(bytes as u64),
            _ => Err(invalid(size_name, "not a whole number of bytes, from 1")),
        };
        match (text(body, file_name), text(body, content_type), size) {
            (Ok(_), Ok(content_type), Ok(size)) => Ok(self.send.terms(content_type, size)),
            (file_name, content_type, size) => {
                let problems = [file_name.err(), content_type.err(), size.err()];
                Err(Refusal::invalid(problems.into_iter().flatten().collect()))
            }
        }
    }
}

fn invalid(name: &str, message: &str) -> Problem {
    Problem::new(name, "invalid_value", message)
}

fn text<'a>(body: &'a Value, name: &str) -> Result<&'a str, Problem> {
    match body.get(name).and_then(Value::as_str) {
        Some(text) if !text.trim().is_empty() => Ok(text),
        _ => Err(invalid(name, "not a text")),
    }
}

impl Transfer {
    pub(crate) fn method(self) -> &'static str {
        match self {
            Transfer::Put | Transfer::SignedPut => "PUT",
            Transfer::Form => "POST",
        }
    }

    fn terms(self, content_type: &str, size: u64) -> UploadTerms {
        let secret = || Uuid::new_v4().simple().to_string();
        let mut terms = UploadTerms {
            size,
            ..UploadTerms::default()
        };
        match self {
            Transfer::Put => {}
            Transfer::SignedPut => {
                let headers = &mut terms.headers;
                headers.insert("content-type".into(), content_type.into());
                headers.insert("x-storage-signature".into(), secret());
            }
            Transfer::Form => {
                let names = ["policy", "signature"];
                terms.fields = names.map(|name| (name.into(), secret())).into();
            }
        }
        terms
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::dialect::Dialect;

    #[test]
    fn names_media_types_and_sizes_are_checked() {
        let Dialect { upload, .. } = "default".parse().unwrap();
        let body = json!({"file_name": "a", "content_type": "image/png", "size": 4, "more": 1});
        assert_eq!(upload.terms(&body, 4).unwrap().size, 4);
        for (name, value) in [
            ("file_name", json!(" ")),
            ("content_type", json!(7)),
            ("size", json!("4")),
            ("size", json!(0)),
            ("size", json!(1.5)),
            ("size", json!(5)),
        ] {
            let mut body = body.clone();
            body[name] = value.clone();
            let error = upload.terms(&body, 4).unwrap_err();
            assert!(format!("{error:?}").contains(name), "{name}: {value}");
        }
    }
}
