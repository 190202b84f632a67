//! `GET /openapi.json`: what this server serves, described. The capabilities are made from the catalogue, as their routes
//! are.

use mediagate_core::openapi::{Body, Document, Operation, codes, create, input_name};
use mediagate_core::schema::{self, Ids};
use mediagate_core::{CAPABILITIES, Capability, Code, Group, PREFIX};
use serde_json::{Map, Value, json};

use crate::refusal::status_of;

const TAGS: [(&str, &str); 6] = [
    ("Uploads", "Files, before a request can name them."),
    ("Generate", "New media from prompts and references."),
    ("Process", "Existing media, changed."),
    ("Tasks", "What becomes of a task, and its results."),
    ("Account", "Models, and what they cost."),
    ("Emulator", "The emulator itself."),
];

const DESCRIPTION: &str = "\
The media service on your own machine, as far as its document goes. What that leaves open is assumed: the bodies of uploads \
and tasks, the paths of models and estimates, the HTTP status of a code. Values that a model does not take, and models, \
files and assets that are not there, are refused with the code that fits.";

/// The document.
pub(crate) fn document() -> Value {
    let info = json!({
        "title": "Mediagate emulator",
        "version": env!("CARGO_PKG_VERSION"),
        "description": DESCRIPTION,
        "license": {"name": "MIT or Apache-2.0", "identifier": env!("CARGO_PKG_LICENSE")},
    });
    let mut document = Document::new(info, &TAGS);
    let issue = document.component("schemas", "Issue", schema::issue());
    let writer = Writer { refusal: document.component("schemas", "Refusal", refusal(&issue)) };
    let task = document.component("schemas", "Task", task());
    for (method, path, operation) in writer.fixed(&mut document, &task) {
        document.add(method, &path, operation);
    }
    for capability in CAPABILITIES {
        let operation = writer.create(&mut document, capability, &task);
        document.add("POST", &[PREFIX, capability.path].concat(), operation);
    }
    let key =
        json!({"type": "http", "scheme": "bearer", "description": "The API key that the emulator was started with."});
    document.component("securitySchemes", "apiKey", key);
    document.finish(json!([{"url": "/", "description": "This emulator"}]), json!([{"apiKey": []}]))
}

/// What can go wrong anywhere behind the key.
const ANYWHERE: [Code; 3] = [Code::UNAUTHENTICATED, Code::RATE_LIMIT, Code::SERVER_ERROR];

struct Writer {
    refusal: Value,
}

impl Writer {
    /// Every route but the capabilities.
    fn fixed(&self, document: &mut Document, task: &Value) -> Vec<(&'static str, String, Operation)> {
        let open = || Some(json!([]));
        let under = |path: &str| [PREFIX, path].concat();
        let upload = document.component("schemas", "UploadInput", schema::upload());
        let branch = |it: &&Capability| {
            let input = json!({"$ref": format!("#/components/schemas/{}", input_name(it))});
            let members = json!({"capability": {"const": it.name()}, "input": input});
            json!({"type": "object", "properties": members, "required": ["capability", "input"]})
        };
        let estimate = json!({"oneOf": CAPABILITIES.iter().map(branch).collect::<Vec<_>>()});
        let estimate = document.component("schemas", "EstimateInput", estimate);
        let token = parameter("token", "The last part of the upload URL.");
        let id = parameter("id", "The task's id.");
        let bare = |members: Value| json!({"type": "object", "properties": members});
        let mut routes = vec![
            (
                "GET",
                "/healthz".into(),
                Operation {
                    security: open(),
                    responses: always(&json_content(&bare(json!({"status": {"const": "ok"}})))),
                    ..operation("Emulator", "health", "Health", "Whether the emulator runs.")
                },
            ),
            (
                "GET",
                "/openapi.json".into(),
                Operation {
                    security: open(),
                    responses: always(&json_content(&json!({"type": "object"}))),
                    ..operation("Emulator", "openapi", "This document", "An OpenAPI document.")
                },
            ),
            (
                "POST",
                under("upload_urls"),
                Operation {
                    body: Some(Body::json(upload, vec![("picture", schema::upload_example())])),
                    responses: self.answers(
                        upload_url(),
                        &[400, 413, 415, 507],
                        &[&ANYWHERE[..], &[Code::INVALID_INPUT]].concat(),
                    ),
                    ..operation(
                        "Uploads",
                        "requestUpload",
                        "Request an upload URL",
                        "Where to send a file's bytes, and its id.",
                    )
                },
            ),
            (
                "PUT",
                "/uploads/{token}".into(),
                Operation {
                    security: open(),
                    parameters: vec![token],
                    body: Some(Body {
                        media_type: "application/octet-stream",
                        schema: json!({"type": "string", "format": "binary"}),
                        examples: Vec::new(),
                    }),
                    responses: self.answers(json!({"type": "null"}), &[400, 404, 409, 410, 507], &[Code::SERVER_ERROR]),
                    ..operation(
                        "Uploads",
                        "uploadFile",
                        "Upload a file",
                        "Exactly the announced bytes, once. The URL is the permission.",
                    )
                },
            ),
            (
                "GET",
                "/files/{name}".into(),
                Operation {
                    security: open(),
                    parameters: vec![parameter("name", "The last part of an output's URL.")],
                    responses: self.file(),
                    ..operation(
                        "Tasks",
                        "readFile",
                        "Load a result",
                        "A file that a task produced; byte ranges are served too.",
                    )
                },
            ),
            (
                "GET",
                under("models"),
                Operation {
                    responses: self.answers(
                        bare(json!({"models": {"type": "array", "items": model()}})),
                        &[],
                        &ANYWHERE,
                    ),
                    ..operation(
                        "Account",
                        "listModels",
                        "List the models",
                        "Every model with the values that it takes.",
                    )
                },
            ),
            (
                "POST",
                under("credits/estimate"),
                Operation {
                    body: Some(Body::json(estimate, Vec::new())),
                    responses: self.answers(
                        credits(),
                        &[400, 413, 415],
                        &Code::ALL.iter().map(|it| it.0).collect::<Vec<_>>(),
                    ),
                    ..operation(
                        "Account",
                        "estimateCredits",
                        "Estimate credits",
                        "What a create with the same input would cost.",
                    )
                },
            ),
        ];
        for group in Group::ALL {
            let summary = format!("Read a task of `{}`", group.name());
            let data = json!({"type": "object", "properties": {"task": task}, "required": ["task"]});
            routes.push((
                "GET",
                under(&format!("{}/tasks/{{id}}", group.name())),
                Operation {
                    parameters: vec![id.clone()],
                    responses: self.answers(data, &[404], &ANYWHERE),
                    ..operation("Tasks", status_id(group), &summary, "The task as it is now.")
                },
            ));
        }
        routes
    }

    fn create(&self, document: &mut Document, capability: &Capability, task: &Value) -> Operation {
        let mut data = json!({"type": "object", "properties": {"task": task}});
        if !capability.may_answer_without_task {
            data["required"] = json!(["task"]);
        }
        let mut codes = codes(capability);
        // Whatever the document lists, these are this server's own.
        codes.extend(ANYWHERE.iter().filter(|it| !capability.codes.contains(it)));
        let mut responses = self.answers(data, &[400, 413, 415, 507], &codes);
        let parameters = json!({"id": "$response.body#/data/task/id"});
        responses["200"]["links"] =
            json!({"read": {"operationId": status_id(capability.group()), "parameters": parameters}});
        Operation { responses, ..create(document, capability, Ids::Raw) }
    }

    /// A file, a part of it, or none.
    fn file(&self) -> Map<String, Value> {
        let bytes = json!({"*/*": {"schema": {"type": "string", "format": "binary"}}});
        let mut all = self.answers(json!({}), &[404], &[Code::SERVER_ERROR]);
        all.extend(
            [("200", "The file."), ("206", "The part of it that was asked for.")]
                .map(|(status, said)| (status.to_owned(), json!({"description": said, "content": bytes}))),
        );
        all
    }

    /// A success with this data, and refusals: with these HTTP statuses as invalid, and with the statuses of these codes.
    fn answers(&self, data: Value, invalid: &[u16], codes: &[Code]) -> Map<String, Value> {
        let mut all = success(&json_content(&schema::envelope(data)));
        let mut refusals: Vec<(u16, Code)> = invalid.iter().map(|it| (*it, Code::INVALID_INPUT)).collect();
        refusals.extend(codes.iter().filter(|it| **it != Code::OK).map(|it| (status_of(*it).as_u16(), *it)));
        for (status, code) in refusals {
            let status = status.to_string();
            let said = format!("`{}`", code.name());
            match all.get_mut(&status) {
                None => {
                    let mut response = json!({"description": said, "content": json_content(&self.refusal)});
                    if code == Code::RATE_LIMIT {
                        response["headers"] =
                            json!({"Retry-After": {"schema": {"type": "integer"}, "description": "Seconds to wait."}});
                    }
                    all.insert(status, response);
                }
                Some(there) => {
                    let before = there["description"].as_str().unwrap_or_default();
                    if !before.contains(&said) {
                        there["description"] = json!(format!("{before}, {said}"));
                    }
                }
            }
        }
        all
    }
}

const fn status_id(group: Group) -> &'static str {
    match group {
        Group::Generate => "readGenerateTask",
        Group::Process => "readProcessTask",
    }
}

fn operation(tag: &'static str, id: &str, summary: &str, description: &str) -> Operation {
    let (id, summary, description) = (id.to_owned(), summary.to_owned(), description.to_owned());
    Operation { id, tag, summary, description, ..Operation::default() }
}

fn parameter(name: &str, description: &str) -> Value {
    let schema = json!({"type": "string", "minLength": 1});
    json!({"name": name, "in": "path", "required": true, "schema": schema, "description": description})
}

fn success(content: &Value) -> Map<String, Value> {
    Map::from_iter([("200".to_owned(), json!({"description": "Success.", "content": content}))])
}

/// What needs no key and is always there; only the server beneath can refuse it.
fn always(content: &Value) -> Map<String, Value> {
    let mut all = success(content);
    all.insert("431".into(), json!({"description": "The headers are larger than the server reads."}));
    all
}

fn json_content(schema: &Value) -> Value {
    json!({"application/json": {"schema": schema}})
}

fn refusal(issue: &Value) -> Value {
    let errors = json!({"type": "array", "items": issue, "description": "Everything that is wrong with the request."});
    json!({
        "type": "object",
        "properties": {
            "code": {"type": "integer", "format": "int32", "not": {"const": 0}},
            "message": {"type": "string"},
            "data": {"type": ["object", "null"], "properties": {"errors": errors}, "additionalProperties": true},
        },
        "required": ["code", "message", "data"],
    })
}

fn upload_url() -> Value {
    json!({
        "type": "object",
        "properties": {
            "upload_url": {"type": "string", "format": "uri"},
            "file_id": {"type": "string"},
            "expires_in": {"type": "integer", "minimum": 0, "description": "Seconds."},
        },
        "required": ["upload_url", "file_id", "expires_in"],
    })
}

fn credits() -> Value {
    let members =
        json!({"credits": {"type": "integer"}, "capability": {"type": "string"}, "model_id": {"type": "string"}});
    json!({"type": "object", "properties": members, "required": ["credits"]})
}

fn model() -> Value {
    json!({
        "type": "object",
        "properties": {
            "model_id": {"type": "string"},
            "capability": {"enum": CAPABILITIES.iter().map(|it| it.name()).collect::<Vec<_>>()},
            "generation_options": {"type": "object", "additionalProperties": {"type": "array"}},
        },
        "required": ["model_id", "capability", "generation_options"],
        "additionalProperties": true,
    })
}

fn task() -> Value {
    let output = json!({
        "type": "object",
        "properties": {
            "url": {"type": "string", "format": "uri"},
            "content_type": {"type": "string"},
            "size": {"type": "integer", "minimum": 0},
            "note": {"type": "string", "description": "What the result is not."},
        },
        "required": ["url", "content_type", "size"],
    });
    json!({
        "type": "object",
        "properties": {
            "id": {"type": ["string", "integer"]},
            "status": {"type": "string", "examples": ["QUEUED", "RUNNING", "SUCCEEDED", "FAILED", "EXPIRED"]},
            "progress": {"type": "number", "minimum": 0, "maximum": 1},
            "capability": {"type": "string"},
            "model_id": {"type": "string"},
            "title": {"type": ["string", "null"]},
            "credits": {"type": "integer"},
            "created_at": {"type": "string", "format": "date-time"},
            "output_url": {"type": ["string", "null"], "format": "uri"},
            "outputs": {"type": "array", "items": output},
            "asset_id": {"type": "string"},
            "error": {"type": "object", "properties": {"message": {"type": "string"}}, "required": ["message"]},
        },
        "required": ["id", "status", "progress"],
    })
}
