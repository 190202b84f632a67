//! One description for each route.

use mediagate_core::openapi::{Body, Operation, codes, create};
use mediagate_core::schema::{self, Ids, SEALED_EXAMPLE};
use mediagate_core::{CAPABILITIES, Capability, Code, Group};
use serde_json::{Value, json};

use super::agents;
use super::operation::{JSON, operation, with_responses};
use super::parts::Parts;
use super::refusals::Part::{self, *};
use crate::routes::Route;

/// The operation of a route.
pub(super) fn describe(parts: &mut Parts, route: Route<'_>) -> Operation {
    match route {
        Route::Health => health(parts),
        Route::Document => document(parts),
        Route::Session => session(parts),
        Route::UploadUrl => upload_url(parts),
        Route::Upload(_) => relay(parts),
        Route::Create(capability) => of_capability(parts, capability),
        Route::Status(group, _) => status(parts, group),
        Route::Events(_) => events(parts),
        Route::Models => models(parts),
        Route::Estimate => estimate(parts),
        Route::Mcp => agents::mcp(parts),
        Route::ProtectedResource(path) => agents::protected_resource(parts, path),
        Route::Asset => playground(parts),
    }
}

/// Any code: what the service's document says for an operation that it lists none for.
fn any_code() -> Vec<Code> {
    Code::ALL.iter().map(|it| it.0).collect()
}

fn envelope(data: &Value) -> Value {
    json!({"code": 0, "message": "ok", "data": data})
}

fn health(parts: &mut Parts) -> Operation {
    let about = "Whether the gateway runs and its settings are right. It does not ask the service.";
    let mut operation = operation("Gateway", "health", "Health", about);
    operation.security = Some(json!([]));
    let schema = json!({"type": "object", "properties": {"status": {"const": "ok"}}, "required": ["status"]});
    let success = parts.success("It runs.", Some((JSON, schema, json!({"status": "ok"}))), &[]);
    with_responses(parts, operation, success, &[Everyone], &[])
}

fn document(parts: &mut Parts) -> Operation {
    let about = "This document. It changes with the gateway's version.";
    let mut operation = operation("Gateway", "openapi", "This document", about);
    operation.security = Some(json!([]));
    let object = || json!({"type": "object", "additionalProperties": true});
    let members = json!({"openapi": {"type": "string"}, "info": object(), "paths": object()});
    let mut schema = object();
    schema["properties"] = members;
    schema["required"] = json!(["openapi", "info", "paths"]);
    let example = json!({"openapi": "3.1.1", "info": {"title": "Mediagate", "version": "0.1.0"}, "paths": {}});
    let success = parts.success("An OpenAPI document.", Some((JSON, schema, example)), &["ETag", "Cache-Control"]);
    let mut operation = with_responses(parts, operation, success, &[Everyone], &[]);
    let unchanged =
        parts.success("The text that `If-None-Match` names is still the same.", None, &["ETag", "Cache-Control"]);
    operation.responses.insert("304".into(), unchanged);
    operation
}

fn playground(parts: &mut Parts) -> Operation {
    let about = "A page to try every capability on, where the gateway has it. Its other files are beside it, at any \
        path that is not listed here and does not begin with `/api/`.";
    let mut operation = operation("Gateway", "playground", "The playground", about);
    operation.security = Some(json!([]));
    let page = json!("<!doctype html>");
    let success = parts.success("The page.", Some(("text/html", json!({"type": "string"}), page)), &[]);
    with_responses(parts, operation, success, &[Everyone, Optional], &[])
}

fn session(parts: &mut Parts) -> Operation {
    let about = "A short-lived token for a page that has no backend of its own, where the operator has switched it on. \
        Ask again with the previous one as Bearer to stay the same caller, up to 30 days after its end: what that caller \
        made is nobody else's.";
    let mut operation = operation("Session", "openSession", "Open an anonymous session", about);
    // The previous token is welcome and not asked for.
    operation.security = Some(json!([{}, {"sessionToken": []}]));
    operation.parameters = vec![
        header("Origin", true, json!({"type": "string", "format": "uri"}), "The page's origin, as a browser sends it."),
        header("x-mediagate", true, json!({"const": "1"}), "What no form and no image can send."),
        header(
            "x-turnstile-response",
            false,
            json!({"type": "string"}),
            "Turnstile's word, where the operator asks for it.",
        ),
    ];
    let session = json!({
        "type": "object",
        "properties": {
            "token": {"type": "string", "description": "The token, for `Authorization: Bearer`."},
            "expires_in": {"type": "integer", "minimum": 1, "description": "Its life in seconds."},
        },
        "required": ["token", "expires_in"],
    });
    let data = json!({"type": "object", "properties": {"session": session}, "required": ["session"]});
    let example = envelope(&json!({"session": {"token": "eyJhbGciOiJIUzI1NiJ9.e30.c2lnbmF0dXJl", "expires_in": 900}}));
    let success = parts.success("A session.", Some((JSON, schema::envelope(data), example)), &[]);
    with_responses(parts, operation, success, &[Everyone, Session, Optional], &[])
}

fn upload_url(parts: &mut Parts) -> Operation {
    let about = "Where to send a file, and the id that it will have. `PUT` the bytes to `upload_url` with the announced \
        `Content-Type` and no `Authorization`, unless the URL is the gateway's own; then name `file_id` in a request.\n\nScope of the session token: `upload`.";
    let mut operation = operation("Uploads", "requestUpload", "Request an upload URL", about);
    let request = parts.document.component("schemas", "UploadInput", schema::upload());
    operation.body = Some(Body::json(request, vec![("picture", schema::upload_example())]));
    let data = json!({
        "type": "object",
        "properties": {
            "upload_url": {"type": "string", "format": "uri", "description": "Takes the bytes, by `PUT`, for a while."},
            "file_id": described(schema::sealed_id(), "Names the file in requests, once it is uploaded."),
        },
        "required": ["upload_url", "file_id"],
    });
    let url = "https://storage.example.com/3f0c1d2e";
    let example = envelope(&json!({"upload_url": url, "file_id": SEALED_EXAMPLE}));
    let success = parts.success("The URL and the id.", Some((JSON, schema::envelope(data), example)), &[]);
    let of = [Everyone, Caller, Scope, Part::Body, Service, Data, Upload];
    with_responses(parts, operation, success, &of, &any_code())
}

fn relay(parts: &mut Parts) -> Operation {
    let about = "Takes the bytes of a file, where `upload_url` points here: for a storage that answers no page. The \
        ticket is a part of that URL, good for an hour and for its caller alone.";
    let mut operation = operation("Uploads", "uploadFile", "Upload through the gateway", about);
    operation.parameters = vec![segment("ticket", "The last part of `upload_url`.")];
    let bytes = json!({"type": "string", "format": "binary"});
    operation.body = Some(Body { media_type: "application/octet-stream", schema: bytes, examples: Vec::new() });
    let content = (JSON, schema::envelope(json!({"type": "object"})), envelope(&json!({})));
    let success = parts.success("The file is uploaded.", Some(content), &[]);
    with_responses(parts, operation, success, &[Everyone, Caller, Relay], &[])
}

fn of_capability(parts: &mut Parts, capability: &Capability) -> Operation {
    let mut operation = create(&mut parts.document, capability, Ids::Sealed);
    let (name, group) = (capability.name(), capability.group().name());
    operation.description += &format!("\n\nScope of the session token: `{name}` or `{group}:*`.");
    let key = json!({"type": "string", "pattern": "^[!-~]+$", "minLength": 1, "maxLength": 255});
    let key = header("Idempotency-Key", false, key, "Names this create: the gateway sends it once in 24 hours.");
    operation.parameters = vec![parts.document.component("parameters", "IdempotencyKey", key)];
    let mut data = schema::created(capability);
    data["properties"]["task"] = parts.task.clone();
    let task = json!({"id": SEALED_EXAMPLE, "state": "QUEUED", "progress": 0, "outputs": []});
    let content = (JSON, schema::envelope(data), envelope(&json!({"task": task})));
    let headers = ["RateLimit-Policy", "RateLimit", "Idempotent-Replayed"];
    let mut success = parts.success("The task that was made.", Some(content), &headers);
    success["links"] = links(capability.group());
    let of = [Everyone, Caller, Scope, Part::Body, Service, Record, Create];
    with_responses(parts, operation, success, &of, &codes(capability))
}

/// What can be done with the task that a create made.
fn links(group: Group) -> Value {
    let link = |id: &str, description: &str| {
        let parameters = json!({"id": "$response.body#/data/task/id"});
        json!({"operationId": id, "parameters": parameters, "description": description})
    };
    json!({
        "read": link(status_id(group), "Reads the task."),
        "events": link("watchTask", "Tells what becomes of the task."),
    })
}

const fn status_id(group: Group) -> &'static str {
    match group {
        Group::Generate => "readGenerateTask",
        Group::Process => "readProcessTask",
    }
}

fn status(parts: &mut Parts, group: Group) -> Operation {
    let summary = format!("Read a task of `{}`", group.name());
    let about = format!("The task as it is now, made by a capability of the group `{}`.", group.name());
    let mut operation = operation("Tasks", status_id(group), &summary, &about);
    operation.parameters = vec![segment("id", "The task's `id`.")];
    let data = json!({"type": "object", "properties": {"task": parts.task}, "required": ["task"]});
    let url = "https://media.example.com/result.mp4";
    let task =
        json!({"id": SEALED_EXAMPLE, "state": "SUCCEEDED", "progress": 1, "outputs": [{"url": url, "kind": "video"}]});
    let content = (JSON, schema::envelope(data), envelope(&json!({"task": task})));
    let success = parts.success("The task.", Some(content), &[]);
    with_responses(parts, operation, success, &[Everyone, Caller, Task, Service, Record], &any_code())
}

fn events(parts: &mut Parts) -> Operation {
    let about = "The task's changes as server-sent events, until its last state. Each is named `task`, has a number as its \
        `id`, and as its `data` the same envelope that reading the task answers with. An event named `error` carries a \
        refusal and ends the stream. It also ends after five minutes and with the token: come again with `Last-Event-ID`.";
    let mut operation = operation("Tasks", "watchTask", "Listen to a task", about);
    let last =
        header("Last-Event-ID", false, json!({"type": "string"}), "The `id` of the last event that was received.");
    operation.parameters = vec![segment("id", "The task's `id`, of either group."), last];
    // 3.1 has no word for a stream: this is one event of it.
    let of_task = json!({"type": "object", "properties": {"task": parts.task}, "required": ["task"]});
    let event = json!({
        "type": "object",
        "description": "One event of the stream.",
        "properties": {
            "id": {"type": "string", "description": "Its number."},
            "event": {"type": "string", "enum": ["task", "error"]},
            "data": {
                "type": "string", "contentMediaType": "application/json", "contentSchema": schema::envelope(of_task),
                "description": "An envelope as text: of a `task` the one with the task, of an `error` a refusal.",
            },
        },
        "required": ["event", "data"],
    });
    let data = envelope(&json!({"task": {"id": SEALED_EXAMPLE, "state": "RUNNING", "outputs": []}})).to_string();
    let content = ("text/event-stream", event, json!({"id": "2", "event": "task", "data": data}));
    let success = parts.success("The events, as they come.", Some(content), &[]);
    with_responses(parts, operation, success, &[Everyone, Caller, Task, Watch], &[])
}

fn models(parts: &mut Parts) -> Operation {
    let about = "The service's model catalogue, where the gateway is told its path: `model_id` and `generation_options` \
        of each model. The service does not document its fields.";
    let operation = operation("Models and credits", "listModels", "List the models", about);
    let example = envelope(&json!({"models": [{"model_id": "text-to-image-default", "generation_options": {}}]}));
    let success = parts.success("The service's `data`.", Some((JSON, schema::envelope(json!({})), example)), &[]);
    with_responses(parts, operation, success, &[Everyone, Caller, Optional, Service, Data], &any_code())
}

fn estimate(parts: &mut Parts) -> Operation {
    let about = "What a create with the same input would cost, where the gateway is told the service's path. The input is \
        checked as the create's would be, and nothing is charged. The service does not document what it answers.\n\nScope of the session token: the capability's.";
    let mut operation = operation("Models and credits", "estimateCredits", "Estimate credits", about);
    // One branch for each capability, as each has its own input.
    let branch = |it: &&Capability| {
        let input = json!({"$ref": format!("#/components/schemas/{}", mediagate_core::openapi::input_name(it))});
        json!({
            "type": "object",
            "properties": {"capability": {"const": it.name()}, "input": input},
            "required": ["capability", "input"],
        })
    };
    let request = json!({"oneOf": CAPABILITIES.iter().map(branch).collect::<Vec<_>>()});
    let request = parts.document.component("schemas", "EstimateInput", request);
    let example = |it: &&Capability| json!({"capability": it.name(), "input": schema::example(it, Ids::Sealed, false)});
    operation.body =
        Some(Body::json(request, CAPABILITIES.iter().take(1).map(|it| ("picture", example(it))).collect()));
    let content = (JSON, schema::envelope(json!({})), envelope(&json!({"credits": 4})));
    let success = parts.success("The service's `data`.", Some(content), &[]);
    let of = [Everyone, Caller, Scope, Part::Body, Optional, Service, Data, Estimate];
    with_responses(parts, operation, success, &of, &any_code())
}

fn header(name: &str, required: bool, schema: Value, description: &str) -> Value {
    json!({"name": name, "in": "header", "required": required, "schema": schema, "description": description})
}

/// A sealed id, or the like, in the path.
fn segment(name: &str, description: &str) -> Value {
    let schema = schema::sealed_id();
    json!({
        "name": name, "in": "path", "required": true, "schema": schema, "description": description,
        "example": SEALED_EXAMPLE,
    })
}

fn described(mut schema: Value, description: &str) -> Value {
    schema["description"] = json!(description);
    schema
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Map;

    #[test]
    fn every_route_has_an_operation_of_its_own() {
        let document = crate::openapi::document();
        let paths = document["paths"].as_object().expect("paths");
        let operations: Vec<&Map<String, Value>> = paths.values().filter_map(Value::as_object).collect();
        let mut ids: Vec<_> =
            operations.iter().flat_map(|it| it.values()).map(|it| it["operationId"].clone()).collect();
        assert_eq!(ids.len(), crate::routes::all().count());
        ids.sort_by_key(Value::to_string);
        ids.dedup();
        assert_eq!(ids.len(), crate::routes::all().count());
    }
}
