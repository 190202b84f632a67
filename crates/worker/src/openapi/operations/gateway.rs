//! The gateway itself: its health, this document and the playground.

use mediagate_schema::openapi::Operation;
use serde_json::json;

use crate::openapi::builder::Builder;
use crate::openapi::content::Content;
use crate::openapi::operation::{operation, with_responses};
use mediagate_core::Part::{Always, Enabled};

const TAG: &str = "Gateway";

/// `GET /healthz`.
pub(super) fn health(builder: &mut Builder) -> Operation {
    let about = "Checks that the gateway runs and its settings are valid. It sends no request to \
        the media service.";
    let mut operation = operation(TAG, "health", "Check the health", about);
    operation.security = Some(json!([]));
    let schema = json!({
        "type": "object", "properties": {"status": {"const": "ok"}}, "required": ["status"],
    });
    let content = Content::json(schema, json!({"status": "ok"}));
    let success = builder.response("The gateway runs.", Some(content), &[]);
    with_responses(builder, operation, success, &[Always], &[])
}

/// `GET /openapi.json`.
pub(super) fn document(builder: &mut Builder) -> Operation {
    let about = "This document. It changes with the gateway's version.";
    let mut operation = operation(TAG, "openapi", "Get this document", about);
    operation.security = Some(json!([]));
    let object = || json!({"type": "object", "additionalProperties": true});
    let members = json!({"openapi": {"type": "string"}, "info": object(), "paths": object()});
    let mut schema = object();
    schema["properties"] = members;
    schema["required"] = json!(["openapi", "info", "paths"]);
    let example = json!({
        "openapi": "3.1.1", "info": {"title": "Mediagate", "version": "0.1.0"}, "paths": {},
    });
    let headers = ["ETag", "Cache-Control"];
    let content = Content::json(schema, example);
    let success = builder.response("An OpenAPI document.", Some(content), &headers);
    let mut operation = with_responses(builder, operation, success, &[Always], &[]);
    let unchanged = builder.response(
        "`If-None-Match` contains the current entity tag.",
        None,
        &headers,
    );
    operation.responses.insert("304".into(), unchanged);
    operation
}

/// `GET /`, for all files of the playground.
pub(super) fn playground(builder: &mut Builder) -> Operation {
    let about = "A page to try every capability on, if the gateway includes it. Any other path \
        that is not listed here and does not begin with `/api/` returns another file of the \
        playground.";
    let mut operation = operation(TAG, "playground", "Open the playground", about);
    operation.security = Some(json!([]));
    let content = Content {
        media_type: "text/html",
        schema: json!({"type": "string"}),
        example: json!("<!doctype html>"),
    };
    let success = builder.response("The page.", Some(content), &[]);
    with_responses(builder, operation, success, &[Always, Enabled], &[])
}
