//! The request for an upload URL (§4.1).

use json_patch::jsonptr::{Pointer, PointerBuf};
use mediagate_core::Code;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::place::{at, dotted, overlap};
use crate::http::{Problem, Refusal};

/// The places of the parts of a request for an upload URL, and the form of its refusal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct UploadRequestDialect {
    /// The place of the file's name, a string without a slash.
    pub file_name: PointerBuf,
    /// The place of the media type, such as `image/png`, or `None` if the request needs none.
    pub content_type: Option<PointerBuf>,
    /// The place of the size in bytes, or `None` if the request needs none.
    pub size: Option<PointerBuf>,
    /// True if unknown members are refused. Every request may have a `title` (§4).
    pub strict: bool,
    /// The form in which a refusal names the problems.
    pub problems: ProblemsForm,
}

/// The form in which a refusal of a request for an upload URL names the problems.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProblemsForm {
    /// In `data.errors: [{path, reason, message}]`.
    #[default]
    Listed,
    /// In the envelope's message: ``invalid input: `size` is required``.
    Message,
    /// Not at all.
    Silent,
}

impl Default for UploadRequestDialect {
    fn default() -> Self {
        UploadRequestDialect {
            file_name: at("/file_name"),
            content_type: Some(at("/content_type")),
            size: Some(at("/size")),
            strict: false,
            problems: ProblemsForm::Listed,
        }
    }
}

/// The file that a valid request announces.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Announced {
    /// The media type, if the dialect requires one.
    pub(crate) content_type: Option<String>,
    /// The size in bytes, if the dialect requires one.
    pub(crate) size: Option<u64>,
}

/// Returns the problem of a value, which completes "is …", or `None` if the value is right.
type Check = fn(&Value) -> Option<&'static str>;

fn any_text(value: &Value) -> Option<&'static str> {
    text(value).is_empty().then_some("not a text")
}

fn file_name(value: &Value) -> Option<&'static str> {
    match text(value) {
        "" => Some("not a text"),
        text => text.contains('/').then_some("not a name without a slash"),
    }
}

fn content_type(value: &Value) -> Option<&'static str> {
    match text(value) {
        "" => Some("not a text"),
        text => (!is_media_type(text)).then_some("not a media type such as image/png"),
    }
}

fn size(value: &Value) -> Option<&'static str> {
    let is_right = value
        .as_f64()
        .is_some_and(|bytes| bytes >= 1.0 && bytes.fract() == 0.0);
    (!is_right).then_some("not a whole number of bytes, from 1")
}

impl UploadRequestDialect {
    /// Checks the body of a request, and returns the file that it announces.
    ///
    /// # Errors
    /// 12 if the name or the media type is no text, if the size is no whole number from 1, or if a
    /// strict dialect has no use for a member. In every dialect but the default also if the name
    /// has a slash, or if the media type is not of the form `type/subtype`.
    pub(crate) fn announced(&self, body: &Value) -> Result<Announced, Refusal> {
        let [name, kind, bytes] = self.places();
        // The default accepts any text. In other dialects the names of the parts may tell nothing,
        // so a caller that swaps two of them must be refused for their values.
        let is_default = *self == Self::default();
        let name_check: Check = if is_default { any_text } else { file_name };
        let kind_check: Check = if is_default { any_text } else { content_type };
        let checks: [(Option<&Pointer>, Check); 3] =
            [(name, name_check), (kind, kind_check), (bytes, size)];
        let mut problems: Vec<_> = checks
            .into_iter()
            .filter_map(|(place, check)| self.problem(place?, check, body))
            .collect();
        if self.strict {
            problems.extend(self.unknown(Pointer::root(), body));
        }
        if !problems.is_empty() {
            return Err(self.refusal(problems));
        }
        let value = |place: &Option<PointerBuf>| body.pointer(place.as_ref()?.as_str());
        Ok(Announced {
            content_type: value(&self.content_type).map(|value| text(value).to_owned()),
            size: value(&self.size)
                .and_then(Value::as_f64)
                .map(|bytes| bytes as u64),
        })
    }

    /// Returns the refusal of a request whose file would be too large.
    pub(crate) fn too_large(&self, max_bytes: u64) -> Refusal {
        let path = self.size.as_deref().map(dotted).unwrap_or_default();
        self.refusal(vec![Problem::new(
            &path,
            "too_large",
            format!("larger than {max_bytes} bytes"),
        )])
    }

    /// Returns the places of the name, the media type and the size.
    fn places(&self) -> [Option<&Pointer>; 3] {
        [
            Some(&self.file_name),
            self.content_type.as_deref(),
            self.size.as_deref(),
        ]
    }

    /// Returns the problem of the value at a place, if there is one.
    fn problem(&self, place: &Pointer, check: Check, body: &Value) -> Option<Problem> {
        let value = body.pointer(place.as_str()).unwrap_or(&Value::Null);
        let message = check(value)?;
        let is_missing = value.is_null() && self.problems == ProblemsForm::Message;
        Some(Problem::new(
            &dotted(place),
            "invalid_value",
            if is_missing { "required" } else { message },
        ))
    }

    fn refusal(&self, problems: Vec<Problem>) -> Refusal {
        match self.problems {
            ProblemsForm::Listed => Refusal::invalid(problems),
            ProblemsForm::Silent => Refusal::new(Code::INVALID_INPUT),
            ProblemsForm::Message => {
                let sentences: Vec<_> = problems
                    .iter()
                    .map(|problem| format!("`{}` is {}", problem.path, problem.message))
                    .collect();
                Refusal::new(Code::INVALID_INPUT).with_detail(sentences.join("; "))
            }
        }
    }

    /// Returns the members at or below `at` that the dialect does not name.
    fn unknown(&self, at: &Pointer, body: &Value) -> Vec<Problem> {
        let known = self.places();
        let mut problems = Vec::new();
        for (name, value) in body.as_object().into_iter().flatten() {
            let place = at.with_trailing_token(name);
            if known.contains(&Some(&*place)) || place.as_str() == "/title" {
                continue;
            }
            if value.is_object() && known.iter().flatten().any(|known| overlap(known, &place)) {
                problems.extend(self.unknown(&place, value));
            } else {
                problems.push(Problem::new(&dotted(&place), "unknown_field", "not known"));
            }
        }
        problems
    }
}

/// Returns the text of a value, or an empty text if the value is blank or no text.
fn text(value: &Value) -> &str {
    value
        .as_str()
        .filter(|text| !text.trim().is_empty())
        .unwrap_or_default()
}

/// Returns true if a text has the form `type/subtype`, with or without parameters.
fn is_media_type(text: &str) -> bool {
    // The characters of registered names (RFC 6838, section 4.2).
    let is_name = |name: &str| {
        !name.is_empty()
            && name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"!#$&-^_.+".contains(&byte))
    };
    let essence = text.split(';').next().unwrap_or_default().trim();
    essence
        .split_once('/')
        .is_some_and(|(kind, subtype)| is_name(kind) && is_name(subtype))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn names_media_types_and_sizes_are_checked() {
        let other = UploadRequestDialect {
            strict: true,
            ..UploadRequestDialect::default()
        };
        let default = UploadRequestDialect::default();
        let named = json!({"file_name": "a/b.png", "content_type": "0", "size": 4});
        assert!(default.announced(&named).is_ok() && other.announced(&named).is_err());
        let dialect = other;
        for (name, value) in [
            ("file_name", json!("a/b.png")),
            ("file_name", json!(" ")),
            ("content_type", json!("png")),
            ("content_type", json!("image/")),
            ("content_type", json!(7)),
            ("size", json!("4")),
            ("size", json!(0)),
        ] {
            let mut body = json!({"file_name": "a", "content_type": "image/png", "size": 4});
            body[name] = value.clone();
            let error = dialect.announced(&body).unwrap_err();
            assert!(format!("{error:?}").contains(name), "{name}: {value}");
        }
    }
}
