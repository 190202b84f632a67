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

    pub(super) fn bytes() -> Self {
        Content {
            media_type: "application/octet-stream",
            schema: json!({"type": "string", "format": "binary"}),
            example: json!(""),
        }
    }

    /// Server-sent events with these names, whose data are envelopes. The schema is that of one
    /// event, because OpenAPI 3.1 can't describe a stream.
    pub(super) fn events(names: &[&str], data: Value, about: &str, example: &Value) -> Self {
        let event = json!({
            "type": "object",
            "description": "One event of the stream.",
            "properties": {
                "id": {"type": "string", "description": "The event's number."},
                "event": {"type": "string", "enum": names},
                "data": {
                    "type": "string", "contentMediaType": "application/json",
                    "contentSchema": schema::envelope(data), "description": about,
                },
            },
            "required": ["event", "data"],
        });
        let data = envelope(example).to_string();
        Content {
            media_type: "text/event-stream",
            schema: event,
            example: json!({"id": "2", "event": names[0], "data": data}),
        }
    }
}

fn envelope(data: &Value) -> Value {
    json!({"code": 0, "message": "ok", "data": data})
}
