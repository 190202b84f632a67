//! The operations: one for each method and path.

use mediagate_core::openapi::{Body, Document, Operation, codes, create, input_name};
use mediagate_core::schema::Ids;
use mediagate_core::{CAPABILITIES, Capability, Code, Group, PREFIX};
use serde_json::{Value, json};

use super::{
    responses::{Responses, always, json_content},
    schemas,
};

/// A method, a path, and their operation.
type Route = (&'static str, String, Operation);

/// The codes of every route that requires the key.
const COMMON_CODES: [Code; 3] = [Code::UNAUTHENTICATED, Code::RATE_LIMIT, Code::SERVER_ERROR];

/// The operations of all routes but the capabilities'. `task` refers to the schema of a task record.
pub(super) fn fixed_operations(responses: &Responses, document: &mut Document, task: &Value) -> Vec<Route> {
    let mut routes = emulator_routes();
    routes.extend(file_routes(responses, document));
    routes.extend(account_routes(responses, document));
    routes.extend(Group::ALL.into_iter().map(|group| status_route(responses, group, task)));
    routes
}

/// The operation that creates a task of a capability (§4.2, §4.3).
pub(super) fn capability_operation(
    responses: &Responses,
    document: &mut Document,
    capability: &Capability,
    task: &Value,
) -> Operation {
    let mut data = json!({"type": "object", "properties": {"task": task}});
    if !capability.may_omit_task {
        data["required"] = json!(["task"]);
    }
    let mut codes = codes(capability);
    // This server's own codes, whatever the document lists for the endpoint.
    codes.extend(COMMON_CODES.iter().filter(|it| !capability.codes.contains(it)));
    let mut responses = responses.enveloped(data, &[400, 413, 415, 507], &codes);
    let parameters = json!({"id": "$response.body#/data/task/id"});
    responses["200"]["links"] =
        json!({"read": {"operationId": status_id(capability.group()), "parameters": parameters}});
    Operation { responses, ..create(document, capability, Ids::Raw) }
}

fn emulator_routes() -> Vec<Route> {
    let health = object(json!({"status": {"const": "ok"}}));
    vec![
        (
            "GET",
            "/healthz".into(),
            Operation {
                security: no_key(),
                responses: always(&json_content(&health)),
                ..operation("Emulator", "health", "Health", "Whether the emulator runs.")
            },
        ),
        (
            "GET",
            "/openapi.json".into(),
            Operation {
                security: no_key(),
                responses: always(&json_content(&json!({"type": "object"}))),
                ..operation("Emulator", "openapi", "This document", "An OpenAPI document.")
            },
        ),
    ]
}

fn file_routes(responses: &Responses, document: &mut Document) -> Vec<Route> {
    let upload = document.component("schemas", "UploadInput", schemas::upload());
    let codes = [&COMMON_CODES[..], &[Code::INVALID_INPUT]].concat();
    let bytes = Body {
        media_type: "application/octet-stream",
        schema: json!({"type": "string", "format": "binary"}),
        examples: Vec::new(),
    };
    vec![
        (
            "POST",
            api_path("upload_urls"),
            Operation {
                body: Some(Body::json(upload, vec![("picture", schemas::upload_example())])),
                responses: responses.enveloped(schemas::upload_url(), &[400, 413, 415, 507], &codes),
                ..operation(
                    "Uploads",
                    "requestUpload",
                    "Request an upload URL",
                    "The URL to send a file's bytes to, and the file's id.",
                )
            },
        ),
        (
            "PUT",
            "/uploads/{token}".into(),
            Operation {
                security: no_key(),
                parameters: vec![parameter("token", "The last part of the upload URL.")],
                body: Some(bytes),
                responses: responses.enveloped(
                    json!({"type": "null"}),
                    &[400, 404, 409, 410, 507],
                    &[Code::SERVER_ERROR],
                ),
                ..operation(
                    "Uploads",
                    "uploadFile",
                    "Upload a file",
                    "Exactly the announced number of bytes, once. The token in the URL authorises the request.",
                )
            },
        ),
        (
            "GET",
            "/files/{name}".into(),
            Operation {
                security: no_key(),
                parameters: vec![parameter("name", "The last part of an output's URL.")],
                responses: responses.file(),
                ..operation(
                    "Tasks",
                    "readFile",
                    "Load a result",
                    "A file that a task produced. Byte ranges are supported.",
                )
            },
        ),
    ]
}

fn account_routes(responses: &Responses, document: &mut Document) -> Vec<Route> {
    let branch = |it: &&Capability| {
        let input = json!({"$ref": format!("#/components/schemas/{}", input_name(it))});
        let members = json!({"capability": {"const": it.name()}, "input": input});
        json!({"type": "object", "properties": members, "required": ["capability", "input"]})
    };
    let estimate = json!({"oneOf": CAPABILITIES.iter().map(branch).collect::<Vec<_>>()});
    let estimate = document.component("schemas", "EstimateInput", estimate);
    let models = object(json!({
        "models": {"type": "array", "items": schemas::model()},
        "assets": {"type": "array", "items": schemas::asset_entry()},
        "emulated": {"const": true},
    }));
    let all_codes: Vec<Code> = Code::ALL.iter().map(|it| it.0).collect();
    vec![
        (
            "GET",
            api_path("models"),
            Operation {
                responses: responses.enveloped(models, &[], &COMMON_CODES),
                ..operation("Account", "listModels", "List the models", "Every model with the values that it accepts.")
            },
        ),
        (
            "POST",
            api_path("credits/estimate"),
            Operation {
                body: Some(Body::json(estimate, Vec::new())),
                responses: responses.enveloped(schemas::credits(), &[400, 413, 415], &all_codes),
                ..operation(
                    "Account",
                    "estimateCredits",
                    "Estimate credits",
                    "The credits that a create with the same input would cost.",
                )
            },
        ),
    ]
}

fn status_route(responses: &Responses, group: Group, task: &Value) -> Route {
    let summary = format!("Read a task of `{}`", group.name());
    let data = json!({"type": "object", "properties": {"task": task}, "required": ["task"]});
    let operation = Operation {
        parameters: vec![parameter("id", "The task's id.")],
        responses: responses.enveloped(data, &[404], &COMMON_CODES),
        ..operation("Tasks", status_id(group), &summary, "The task as it is now.")
    };
    ("GET", api_path(&format!("{}/tasks/{{id}}", group.name())), operation)
}

const fn status_id(group: Group) -> &'static str {
    match group {
        Group::Generate => "readGenerateTask",
        Group::Process => "readProcessTask",
    }
}

/// A path of the API, with its prefix (§9).
fn api_path(path: &str) -> String {
    [PREFIX, path].concat()
}

/// The security requirement of a route without a key.
fn no_key() -> Option<Value> {
    Some(json!([]))
}

fn object(members: Value) -> Value {
    json!({"type": "object", "properties": members})
}

fn operation(tag: &'static str, id: &str, summary: &str, description: &str) -> Operation {
    let (id, summary, description) = (id.to_owned(), summary.to_owned(), description.to_owned());
    Operation { id, tag, summary, description, ..Operation::default() }
}

fn parameter(name: &str, description: &str) -> Value {
    let schema = json!({"type": "string", "minLength": 1});
    json!({"name": name, "in": "path", "required": true, "schema": schema, "description": description})
}
