//! Response objects by HTTP status.

use mediagate_core::{Code, schema};
use serde_json::{Map, Value, json};

use crate::http::status_of;

/// Builds response objects.
pub(super) struct Responses {
    /// A reference to the schema of an error response.
    pub(super) refusal: Value,
}

impl Responses {
    /// A success with this `data`, and error responses: code 12 with each of the HTTP statuses `invalid`, and each of
    /// `codes` with the status that fits it.
    pub(super) fn enveloped(&self, data: Value, invalid: &[u16], codes: &[Code]) -> Map<String, Value> {
        let mut all = success(&json_content(&schema::envelope(data)));
        let mut refusals: Vec<(u16, Code)> = invalid.iter().map(|it| (*it, Code::INVALID_INPUT)).collect();
        refusals.extend(codes.iter().filter(|it| **it != Code::OK).map(|it| (status_of(*it).as_u16(), *it)));
        for (status, code) in refusals {
            let status = status.to_string();
            let name = format!("`{}`", code.name());
            match all.get_mut(&status) {
                None => {
                    let mut response = json!({"description": name, "content": json_content(&self.refusal)});
                    if code == Code::RATE_LIMIT {
                        response["headers"] =
                            json!({"Retry-After": {"schema": {"type": "integer"}, "description": "Seconds to wait."}});
                    }
                    all.insert(status, response);
                }
                Some(response) => {
                    let description = response["description"].as_str().unwrap_or_default();
                    if !description.contains(&name) {
                        response["description"] = json!(format!("{description}, {name}"));
                    }
                }
            }
        }
        all
    }

    /// A result: the file, a range of it, or an error response.
    pub(super) fn file(&self) -> Map<String, Value> {
        let bytes = json!({"*/*": {"schema": {"type": "string", "format": "binary"}}});
        let mut all = self.enveloped(json!({}), &[404], &[Code::SERVER_ERROR]);
        all.extend(
            [("200", "The file."), ("206", "The requested range of the file.")]
                .map(|(status, text)| (status.to_owned(), json!({"description": text, "content": bytes}))),
        );
        all
    }
}

/// The responses of a route that needs no key and always succeeds. Only the HTTP server below it can reject a request.
pub(super) fn always(content: &Value) -> Map<String, Value> {
    let mut all = success(content);
    all.insert("431".into(), json!({"description": "The headers are larger than the server reads."}));
    all
}

/// A media type object for JSON.
pub(super) fn json_content(schema: &Value) -> Value {
    json!({"application/json": {"schema": schema}})
}

fn success(content: &Value) -> Map<String, Value> {
    Map::from_iter([("200".to_owned(), json!({"description": "Success.", "content": content}))])
}
