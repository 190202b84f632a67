//! The capabilities: each creates a task.

use mediagate_core::{Capability, Group};
use mediagate_schema::openapi::{self, Operation, codes};
use mediagate_schema::{self as schema, Ids, SEALED_EXAMPLE};
use serde_json::{Value, json};

use super::tasks::status_id;
use crate::openapi::builder::Builder;
use crate::openapi::content::Content;
use crate::openapi::operation::{header, with_responses};
use mediagate_core::Part::{Always, Body, Create, Scope, TaskRecord, Token, Upstream};

/// `POST` to a capability, which creates a task.
pub(super) fn create(builder: &mut Builder, capability: &Capability) -> Operation {
    let mut operation = openapi::create(&mut builder.document, capability, Ids::Sealed);
    let name = capability.name();
    let group = capability.group().name();
    operation.description += &format!("\n\nScope of the session token: `{name}` or `{group}:*`.");
    let key = json!({"type": "string", "pattern": "^[!-~]+$", "minLength": 1, "maxLength": 255});
    let about =
        "Identifies this create: with the same key, the gateway sends it at most once in 24 hours.";
    let key = header("Idempotency-Key", false, key, about);
    operation.parameters = vec![
        builder
            .document
            .component("parameters", "IdempotencyKey", key),
    ];
    let mut data = schema::created(capability);
    // A reference to the shared schema keeps the document short.
    data["properties"]["task"] = builder.task.clone();
    let task = json!({"id": SEALED_EXAMPLE, "state": "QUEUED", "progress": 0, "outputs": []});
    let content = Content::envelope(data, &json!({ "task": task }));
    let headers = ["RateLimit-Policy", "RateLimit", "Idempotent-Replayed"];
    let mut success = builder.response("The created task.", Some(content), &headers);
    success["links"] = links(capability.group());
    let steps = [Always, Token, Scope, Body, Upstream, TaskRecord, Create];
    with_responses(builder, operation, success, &steps, &codes(capability))
}

/// Returns the links to the operations for the created task.
fn links(group: Group) -> Value {
    let link = |id: &str, description: &str| {
        let parameters = json!({"id": "$response.body#/data/task/id"});
        json!({"operationId": id, "parameters": parameters, "description": description})
    };
    json!({
        "read": link(status_id(group), "Reads the task."),
        "events": link("watchTask", "Streams the task's updates."),
    })
}
