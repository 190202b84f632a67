//! What operations refer to: schemas, headers, and the answers that several give.

use std::collections::HashMap;

use mediagate_core::Code;
use mediagate_core::openapi::Document;
use mediagate_core::schema;
use serde_json::{Map, Value, json};

use super::refusals::{self, Part, Refused, refused};

/// The document that is being written, with references to what is in it already.
pub(super) struct Parts {
    pub(super) document: Document,
    /// A task record.
    pub(super) task: Value,
    refusal: Value,
    headers: Map<String, Value>,
    /// Names of answers by their text: the same answer is written once.
    answers: HashMap<String, String>,
}

/// Headers of answers: name, schema, what it says.
const HEADERS: [(&str, &str, &str); 9] = [
    ("x-request-id", "string", "Names the request; the gateway's log knows it by this."),
    ("Server-Timing", "string", "Milliseconds spent waiting for the service (`upstream`), and in all (`total`)."),
    ("Retry-After", "integer", "Seconds to wait."),
    ("RateLimit-Policy", "string", "The budgets that apply, such as `\"creates\";q=20;w=86400`: 20 in 24 hours."),
    ("RateLimit", "string", "What is left of them, such as `\"creates\";r=7;t=3600`: 7, and one more in an hour."),
    ("Idempotent-Replayed", "string", "`true` where this answer was given before, to the same key."),
    ("WWW-Authenticate", "string", "How to get in, and where tokens are issued."),
    ("ETag", "string", "Names this text."),
    ("Cache-Control", "string", "How long it may be kept."),
];

impl Parts {
    pub(super) fn new(mut document: Document) -> Self {
        let issue = document.component("schemas", "Issue", schema::issue());
        let refusal = document.component("schemas", "Refusal", refusals::schema(&issue));
        let task = document.component("schemas", "Task", schema::task());
        let header = |(name, kind, description): &(&str, &str, &str)| {
            let header = json!({"schema": {"type": kind}, "description": description});
            ((*name).to_owned(), document.component("headers", name, header))
        };
        let headers = HEADERS.iter().map(header).collect();
        Parts { document, task, refusal, headers, answers: HashMap::new() }
    }

    /// A success: its media type, the schema of its body and an example; `headers` beside those of every answer.
    pub(super) fn success(&self, description: &str, content: Option<(&str, Value, Value)>, headers: &[&str]) -> Value {
        let mut response = json!({"description": description, "headers": self.headers(headers)});
        if let Some((media_type, schema, example)) = content {
            response["content"] = json!({media_type: {"schema": schema, "example": example}});
        }
        response
    }

    /// The refusals of an operation, by HTTP status. What another operation is refused with in the same words is shared.
    pub(super) fn refusals(&mut self, operation: &str, parts: &[Part], codes: &[Code]) -> Map<String, Value> {
        let all = refused(parts, codes).into_iter();
        all.map(|(status, it)| (status.to_string(), self.refusal(operation, status, &it, parts))).collect()
    }

    fn refusal(&mut self, operation: &str, status: u16, refused: &Refused, parts: &[Part]) -> Value {
        let mut headers = Vec::new();
        if matches!(status, 429 | 503) {
            headers.push("Retry-After");
        }
        if parts.contains(&Part::Create) {
            headers.extend(["RateLimit-Policy", "RateLimit", "Idempotent-Replayed"]);
        }
        let response = json!({
            "description": refused.description(),
            "headers": self.headers(&headers),
            "content": {"application/json": {"schema": refused.schema(&self.refusal), "example": refused.example()}},
        });
        let (phrase, count) = (phrase(status), self.answers.len());
        let name = self.answers.entry(response.to_string()).or_insert_with(|| format!("{phrase}.{operation}")).clone();
        if self.answers.len() > count {
            self.document.component("responses", &name, response);
        }
        json!({"$ref": format!("#/components/responses/{name}")})
    }

    fn headers(&self, names: &[&str]) -> Value {
        let every = ["x-request-id", "Server-Timing"].iter().chain(names);
        every.filter_map(|it| Some(((*it).to_owned(), self.headers.get(*it)?.clone()))).collect::<Map<_, _>>().into()
    }
}

/// An HTTP status in words, as a part of a name.
fn phrase(status: u16) -> &'static str {
    match status {
        400 => "BadRequest",
        401 => "Unauthenticated",
        402 => "PaymentRequired",
        403 => "Forbidden",
        404 => "NotFound",
        408 => "SlowBody",
        409 => "Conflict",
        410 => "Gone",
        413 => "BodyTooLarge",
        422 => "Unprocessable",
        429 => "TooManyRequests",
        500 => "GatewayFailed",
        502 => "BadGateway",
        503 => "Unavailable",
        504 => "Deadline",
        _ => "Refused",
    }
}
