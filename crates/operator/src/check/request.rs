//! The requests of a check. A script sends them.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::show::{HIDDEN, SHOWN_HEADERS, hidden_url, printable, shown_json, without_query};

/// A request of a check, which a script sends.
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

#[derive(Debug)]
pub(super) enum Body {
    Empty,
    Json(Value),
    File {
        size: usize,
    },
    /// A form with these fields, and the size of the file after them.
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

/// Describes a request in some lines. The key is not part of a request.
fn shown_request(request: &Request) -> String {
    // The path and the query of an upload URL give access to the storage.
    let url = if request.has_key {
        without_query(&request.url)
    } else {
        hidden_url(&request.url)
    };
    let mut shown = format!("{} {}", request.method, printable(&url));
    for (name, value) in &request.headers {
        let value = if SHOWN_HEADERS.contains(&name.as_str()) {
            value
        } else {
            HIDDEN
        };
        shown.push_str(&format!("\n  {}: {}", printable(name), printable(value)));
    }
    let body = match &request.body {
        Body::Empty => return shown,
        Body::Json(value) => shown_json(value),
        Body::File { size } => format!("({size} bytes)"),
        Body::Form(fields, size) => {
            let names = fields
                .keys()
                .map(|name| printable(name))
                .collect::<Vec<_>>()
                .join(", ");
            format!("(a form with {names}, and {size} bytes)")
        }
    };
    format!("{shown}\n  {body}")
}
