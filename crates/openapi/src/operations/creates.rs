//! The capabilities: each creates a task.

use crate::capability;
use crate::parts::Operation;
use mediagate_core::{Capability, Group};
use mediagate_schema::{self as schema, SEALED_EXAMPLE};
use serde_json::{Value, json};

use super::tasks::status_id;
use crate::builder::Builder;
use crate::content::Content;
use crate::operation::idempotency_key;

/// `POST` to a capability, which creates a task.
pub(super) fn create(builder: &mut Builder, capability: &Capability) -> Operation {
    let mut operation = capability::create(&mut builder.document, capability);
    let name = capability.name();
    let group = capability.group().name();
    operation.description += &format!("\n\nScope of the session token: `{name}` or `{group}:*`.");
    let about =
        "Identifies this create: with the same key, the gateway sends it at most once in 24 hours.";
    let key = idempotency_key(about);
    let key = builder
        .document
        .component("parameters", "IdempotencyKey", key);
    operation.parameters = vec![key];
    let mut data = schema::created(capability);
    // A reference to the shared schema keeps the document short.
    data["properties"]["task"] = builder.task.clone();
    let task = json!({"id": SEALED_EXAMPLE, "state": "QUEUED", "progress": 0, "outputs": []});
    let content = Content::envelope(data, &json!({ "task": task }));
    let headers = ["RateLimit-Policy", "RateLimit", "Idempotent-Replayed"];
    let mut success = builder.response("The created task.", content, &headers);
    success["links"] = links(capability.group());
    operation.responses.insert("200".into(), success);
    operation
}

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
