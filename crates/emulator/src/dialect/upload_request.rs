//! The request for an upload URL (§4.1).

use mediagate_core::Code;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::pointer::Pointer;
use crate::http::{Problem, Refusal};

/// Where the request for an upload URL has its parts, and how a wrong one is refused.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct UploadRequestDialect {
    /// The file's name, a string without a slash.
    pub file_name: Pointer,
    /// The media type, such as `image/png`; `None`: not wanted.
    pub content_type: Option<Pointer>,
    /// The size in bytes; `None`: not wanted.
    pub size: Option<Pointer>,
    /// Whether members without a use are refused; `title` has one in every request (§4).
    pub strict: bool,
    /// How a refusal names what is wrong.
    pub problems: ProblemsForm,
}

/// How a refusal names what is wrong with a request for an upload URL.
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
            file_name: Pointer::new("/file_name"),
            content_type: Some(Pointer::new("/content_type")),
            size: Some(Pointer::new("/size")),
            strict: false,
            problems: ProblemsForm::Listed,
        }
    }
}

/// What a valid request announces.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Announced {
    /// The media type, where the dialect wants one.
    pub(crate) content_type: Option<String>,
    /// The size in bytes, where the dialect wants one.
    pub(crate) size: Option<u64>,
}

/// What is wrong with a value; `None` where it is right.
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
        .is_some_and(|it| it >= 1.0 && it.fract() == 0.0);
    (!is_right).then_some("not a whole number of bytes, from 1")
}

impl UploadRequestDialect {
    /// Checks the body of a request.
    ///
    /// # Errors
    /// 12 where a name or a media type is no text, the size is no whole number from 1, or, where the dialect is strict, a
    /// member has no use; in other dialects than the default also where a name has a slash, or a media type has not the form
    /// `type/subtype`.
    pub(crate) fn announced(&self, body: &Value) -> Result<Announced, Refusal> {
        let [name, kind, bytes] = self.places();
        // The default takes any text. In other dialects the values show which is which.
        let (name_check, kind_check): (Check, Check) = if *self == Self::default() {
            (any_text, any_text)
        } else {
            (file_name, content_type)
        };
        let wanted: [(Option<&Pointer>, Check); 3] =
            [(name, name_check), (kind, kind_check), (bytes, size)];
        let mut problems: Vec<_> = wanted
            .into_iter()
            .filter_map(|(it, check)| self.problem(it?, check, body))
            .collect();
        if self.strict {
            problems.extend(self.unknown(&Pointer::new(""), body));
        }
        if !problems.is_empty() {
            return Err(self.refusal(problems));
        }
        let value = |it: &Option<Pointer>| body.pointer(it.as_ref()?.as_str());
        Ok(Announced {
            content_type: value(&self.content_type).map(|it| text(it).to_owned()),
            size: value(&self.size)
                .and_then(Value::as_f64)
                .map(|it| it as u64),
        })
    }

    /// The refusal of a request whose file would be too large.
    pub(crate) fn too_large(&self, max_bytes: u64) -> Refusal {
        let path = self.size.as_ref().map(Pointer::dotted).unwrap_or_default();
        self.refusal(vec![Problem::new(
            &path,
            "too_large",
            format!("larger than {max_bytes} bytes"),
        )])
    }

    /// The places of the name, the media type and the size.
    fn places(&self) -> [Option<&Pointer>; 3] {
        [
            Some(&self.file_name),
            self.content_type.as_ref(),
            self.size.as_ref(),
        ]
    }

    /// What is wrong with the value at a place.
    fn problem(&self, place: &Pointer, check: Check, body: &Value) -> Option<Problem> {
        let value = body.pointer(place.as_str()).unwrap_or(&Value::Null);
        let message = check(value)?;
        let is_missing = value.is_null() && self.problems == ProblemsForm::Message;
        Some(Problem::new(
            &place.dotted(),
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
                    .map(|it| format!("`{}` is {}", it.path, it.message))
                    .collect();
                Refusal::new(Code::INVALID_INPUT).with_detail(sentences.join("; "))
            }
        }
    }

    /// Members at or below `at` that no part of the dialect names.
    fn unknown(&self, at: &Pointer, body: &Value) -> Vec<Problem> {
        let known = self.places();
        let mut problems = Vec::new();
        for (name, value) in body.as_object().into_iter().flatten() {
            let place = at.join(name);
            if known.contains(&Some(&place)) || place.as_str() == "/title" {
                continue;
            }
            if value.is_object() && known.iter().flatten().any(|it| it.overlaps(&place)) {
                problems.extend(self.unknown(&place, value));
            } else {
                problems.push(Problem::new(&place.dotted(), "unknown_field", "not known"));
            }
        }
        problems
    }
}

/// The text of a value; empty where it is blank or no text.
fn text(value: &Value) -> &str {
    value
        .as_str()
        .filter(|it| !it.trim().is_empty())
        .unwrap_or_default()
}

/// Whether a text has the form `type/subtype`, with or without parameters.
fn is_media_type(text: &str) -> bool {
    let token = |it: &str| {
        !it.is_empty()
            && it
                .bytes()
                .all(|it| it.is_ascii_alphanumeric() || b"!#$&-^_.+".contains(&it))
    };
    let essence = text.split(';').next().unwrap_or_default().trim();
    essence
        .split_once('/')
        .is_some_and(|(kind, subtype)| token(kind) && token(subtype))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn refused(dialect: &UploadRequestDialect, body: Value) -> String {
        format!("{:?}", dialect.announced(&body).unwrap_err())
    }

    #[test]
    fn a_valid_request_announces_its_file() {
        let dialect = UploadRequestDialect::default();
        let body = json!({"file_name": "a b.png", "content_type": "image/svg+xml; charset=utf-8", "size": 4.0, "x": 1});
        let announced = dialect.announced(&body).unwrap();
        assert_eq!(announced.size, Some(4));
        assert_eq!(
            announced.content_type.unwrap(),
            "image/svg+xml; charset=utf-8"
        );
    }

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
            assert!(refused(&dialect, body).contains(name), "{name}: {value}");
        }
    }

    #[test]
    fn a_strict_dialect_refuses_members_without_a_use() {
        let dialect = UploadRequestDialect {
            file_name: Pointer::new("/file/name"),
            content_type: None,
            size: None,
            strict: true,
            problems: ProblemsForm::Message,
        };
        assert!(
            dialect
                .announced(&json!({"file": {"name": "a"}, "title": "t"}))
                .is_ok()
        );
        assert!(
            refused(&dialect, json!({"file": {"name": "a", "x": 1}}))
                .contains("`file.x` is not known")
        );
        let problems = refused(&dialect, json!({"file_name": "a"}));
        assert!(
            problems.contains("`file.name` is required; `file_name` is not known"),
            "{problems}"
        );
        let silent = UploadRequestDialect {
            problems: ProblemsForm::Silent,
            ..dialect
        };
        assert!(!refused(&silent, json!({})).contains("name"));
    }
}
