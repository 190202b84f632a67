//! The document under construction: its components, and the responses that operations share.

use std::collections::HashMap;

use crate::parts::Document;
use mediagate_core::{Code, Part, object};
use mediagate_schema as schema;
use serde_json::{Map, Value, json};

use super::content::Content;
use super::refusal_schema;
use super::refusals::{StatusRefusals, by_status};

/// The document under construction, with references to its shared components.
pub(super) struct Builder {
    pub(super) document: Document,
    /// A reference to the schema of a task record.
    pub(super) task: Value,
    refusal: Value,
    headers: Map<String, Value>,
    /// The component names of error responses, by their JSON text. Equal responses share a
    /// component.
    response_names: HashMap<String, String>,
}

/// The headers of responses: name, type, description.
const HEADERS: [(&str, &str, &str); 11] = [
    (
        "x-request-id",
        "string",
        "Identifies the request; the gateway's log has the same value.",
    ),
    (
        "Server-Timing",
        "string",
        "Milliseconds spent waiting for the media service (`upstream`), and in total (`total`).",
    ),
    (
        "Retry-After",
        "integer",
        "Seconds to wait before the next request.",
    ),
    (
        "RateLimit-Policy",
        "string",
        "The budgets that apply, such as `\"creates\";q=20;w=86400`: 20 creates in 24 hours.",
    ),
    (
        "RateLimit",
        "string",
        "What is left of the budgets, such as `\"creates\";r=7;t=3600`: 7 creates; the oldest \
            counted create stops counting in an hour.",
    ),
    (
        "Idempotent-Replayed",
        "string",
        "`true` if this is the stored response of an earlier create with the same key.",
    ),
    (
        "WWW-Authenticate",
        "string",
        "How to authenticate, and the URL of the metadata that lists the issuers of tokens.",
    ),
    (
        "ETag",
        "string",
        "The entity tag of this version of the document.",
    ),
    (
        "Cache-Control",
        "string",
        "How long the response may be cached.",
    ),
    (
        "Accept-Ranges",
        "string",
        "`bytes`: a request may name a part.",
    ),
    (
        "Content-Range",
        "string",
        "The first and the last byte of the part, and the size of the whole.",
    ),
];

impl Builder {
    pub(super) fn new(mut document: Document) -> Self {
        let issue = document.component("schemas", "Issue", schema::issue());
        let refusal = document.component("schemas", "Refusal", refusal_schema::schema(&issue));
        let task = document.component("schemas", "Task", schema::task());
        let header = |(name, kind, description): &(&str, &str, &str)| {
            let header = json!({"schema": {"type": kind}, "description": description});
            (
                (*name).to_owned(),
                document.component("headers", name, header),
            )
        };
        let headers = object(HEADERS.iter().map(header));
        Builder {
            document,
            task,
            refusal,
            headers,
            response_names: HashMap::new(),
        }
    }

    /// Returns a response. `headers` are the names of its headers in addition to those of every
    /// response.
    pub(super) fn response(&self, description: &str, content: Content, headers: &[&str]) -> Value {
        let mut response = self.empty_response(description, headers);
        let body = json!({"schema": content.schema, "example": content.example});
        response["content"] = json!({content.media_type: body});
        response
    }

    pub(super) fn empty_response(&self, description: &str, headers: &[&str]) -> Value {
        json!({"description": description, "headers": self.headers(headers)})
    }

    pub(super) fn refusals(
        &mut self,
        operation: &str,
        parts: &[Part],
        codes: &[Code],
    ) -> Map<String, Value> {
        let refusals = by_status(parts, codes).into_iter();
        object(refusals.map(|(status, refusals)| {
            let refusal = self.refusal(operation, status, &refusals, parts);
            (status.to_string(), refusal)
        }))
    }

    /// Returns a reference to an error response. An equal response of an earlier operation is
    /// reused.
    fn refusal(
        &mut self,
        operation: &str,
        status: u16,
        refusals: &StatusRefusals,
        parts: &[Part],
    ) -> Value {
        let mut headers = Vec::new();
        if matches!(status, 429 | 503) {
            headers.push("Retry-After");
        }
        if parts.contains(&Part::Create) {
            headers.extend(["RateLimit-Policy", "RateLimit", "Idempotent-Replayed"]);
        }
        let content = Content::json(refusals.schema(&self.refusal), refusals.example());
        let response = self.response(&refusals.description(), content, &headers);
        let text = response.to_string();
        let name = self.response_names.get(&text).cloned();
        let name = name.unwrap_or_else(|| {
            // The component has the name of the first operation with this response.
            let name = format!("{}.{operation}", phrase(status));
            self.document.component("responses", &name, response);
            self.response_names.insert(text, name.clone());
            name
        });
        json!({"$ref": format!("#/components/responses/{name}")})
    }

    fn headers(&self, names: &[&str]) -> Value {
        let names = ["x-request-id", "Server-Timing"].iter().chain(names);
        let headers = names.map(|name| ((*name).to_owned(), self.headers[*name].clone()));
        Value::Object(object(headers))
    }
}

/// Returns an HTTP status in words, as the first part of a component's name.
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
        416 => "RangeNotSatisfiable",
        422 => "Unprocessable",
        429 => "TooManyRequests",
        500 => "GatewayFailed",
        502 => "BadGateway",
        503 => "Unavailable",
        504 => "Deadline",
        _ => "Refused",
    }
}
