//! The content of responses.

use mediagate_schema as schema;
use serde_json::{Value, json};

/// The content of a response: its media type, the schema of its body, and an example.
pub(super) struct Content {
    pub(super) media_type: &'static str,
    pub(super) schema: Value,
    pub(super) example: Value,
}

impl Content {
    /// JSON that is not an envelope.
    pub(super) fn json(schema: Value, example: Value) -> Self {
        Content {
            media_type: "application/json",
            schema,
            example,
        }
    }

    /// An envelope. The schema and the example are those of its `data`.
    pub(super) fn envelope(data: Value, example: &Value) -> Self {
        Content::json(schema::envelope(data), envelope(example))
    }

    /// The bytes of a file.
    pub(super) fn bytes() -> Self {
        Content {
            media_type: "application/octet-stream",
            schema: json!({"type": "string", "format": "binary"}),
            example: json!(""),
        }
    }

    /// Server-sent events. The schema is that of one event, because OpenAPI 3.1 can't describe a
    /// stream.
    pub(super) fn events(event: Value, example: Value) -> Self {
        Content {
            media_type: "text/event-stream",
            schema: event,
            example,
        }
    }
}

/// Returns an example of a successful response with some data.
pub(super) fn envelope(data: &Value) -> Value {
    json!({"code": 0, "message": "ok", "data": data})
}
