//! The requests of a check. A script sends them.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::show::shown_request;

/// A request of a check.
#[derive(Debug)]
pub struct Request {
    /// The purpose, for a person.
    pub(super) purpose: &'static str,
    pub(super) method: &'static str,
    pub(super) url: String,
    /// True if the request carries the key.
    pub(super) has_key: bool,
    pub(super) headers: BTreeMap<String, String>,
    pub(super) body: Body,
}

/// The body of a request.
#[derive(Debug)]
pub(super) enum Body {
    Empty,
    Json(Value),
    /// The file.
    File {
        size: usize,
    },
    /// A form with these fields, and the file after them.
    Form(BTreeMap<String, String>, usize),
}

impl Request {
    /// Returns the request as JSON for the script: `{"purpose", "method", "url", "has_key",
    /// "headers", "body", "shown"}`. The body is `null`, `{"json"}`, `{"file": true}` or `{"file":
    /// true, "form"}`.
    pub fn to_json(&self) -> Value {
        let body = match &self.body {
            Body::Empty => Value::Null,
            Body::Json(value) => json!({ "json": value }),
            Body::File { .. } => json!({ "file": true }),
            Body::Form(fields, _) => json!({ "file": true, "form": fields }),
        };
        json!({
            "purpose": self.purpose,
            "method": self.method,
            "url": self.url,
            "has_key": self.has_key,
            "headers": self.headers,
            "body": body,
            "shown": shown_request(self),
        })
    }
}
