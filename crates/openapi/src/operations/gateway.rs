//! The gateway itself: its health, this document and the playground.

use crate::parts::Operation;
use serde_json::json;

use crate::builder::Builder;
use crate::content::Content;
use crate::operation::operation;

const TAG: &str = "Gateway";

/// `GET /healthz`.
pub(super) fn health(builder: &Builder) -> Operation {
    let about = "Checks that the gateway runs and its settings are valid. It sends no request to \
        the media service.";
    status(builder, "health", "Check the health", about)
}

/// `GET /readyz`.
pub(super) fn ready(builder: &Builder) -> Operation {
    let about = "Checks what `/healthz` does. On a server of one's own, also checks that the \
        folder of data can be written, and that the bucket of results responds: otherwise the \
        status is 503, with the reason `storage` or `bucket`.";
    status(builder, "ready", "Check the readiness", about)
}

fn status(builder: &Builder, id: &'static str, title: &'static str, about: &str) -> Operation {
    let schema = json!({
        "type": "object", "properties": {"status": {"const": "ok"}}, "required": ["status"],
    });
    let content = Content::json(schema, json!({"status": "ok"}));
    let success = builder.response("The gateway runs.", content, &[]);
    operation(TAG, id, title, about, success)
}

/// `GET /openapi.json`.
pub(super) fn document(builder: &Builder) -> Operation {
    let about = "This document. It changes with the gateway's version.";
    let object = || json!({"type": "object", "additionalProperties": true});
    let mut schema = object();
    schema["properties"] =
        json!({"openapi": {"type": "string"}, "info": object(), "paths": object()});
    schema["required"] = json!(["openapi", "info", "paths"]);
    let example = json!({
        "openapi": "3.1.1", "info": {"title": "Mediagate", "version": "0.1.0"}, "paths": {},
    });
    let headers = ["ETag", "Cache-Control"];
    let content = Content::json(schema, example);
    let success = builder.response("An OpenAPI document.", content, &headers);
    let mut operation = operation(TAG, "openapi", "Get this document", about, success);
    let unchanged = "`If-None-Match` contains the current entity tag.";
    let unchanged = builder.empty_response(unchanged, &headers);
    operation.responses.insert("304".into(), unchanged);
    operation
}

/// `GET /`, for all files of the playground.
pub(super) fn playground(builder: &Builder) -> Operation {
    let about = "A page to try every capability on, if the gateway includes it. Any other path \
        that is not listed here and does not begin with `/api/` returns another file of the \
        playground.";
    let content = Content {
        media_type: "text/html",
        schema: json!({"type": "string"}),
        example: json!("<!doctype html>"),
    };
    let success = builder.response("The page.", content, &[]);
    operation(TAG, "playground", "Open the playground", about, success)
}
