//! Assembles the OpenAPI document.

use crate::parts::Document;
use mediagate_routes as routes;
use serde_json::{Value, json};

use super::builder::Builder;
use super::operations;

const TAGS: [(&str, &str); 9] = [
    ("Session", "Session tokens for pages without a backend."),
    ("Uploads", "Upload the files that requests refer to."),
    (
        "Generate",
        "Generate new media from prompts and references. Each call creates a task.",
    ),
    (
        "Process",
        "Process existing media. Each call creates a task.",
    ),
    (
        "Tasks",
        "The state of a task, read once or as a stream of events.",
    ),
    (
        "Pipelines",
        "Several capabilities in one run, in which outputs of some are inputs of others.",
    ),
    (
        "Models and credits",
        "The models of the media service, and the estimated cost of a create.",
    ),
    ("Agents", "The same capabilities as tools for AI agents."),
    ("Gateway", "The gateway itself."),
];

const DESCRIPTION: &str = "\
AI video, avatars, images, audio and PDF, without the media service's API key: the gateway has the \
key, validates every request, and forwards the valid ones.

1. Get a session token. Your app's backend signs one, or, if anonymous sessions are enabled, \
`POST /session` returns one to a page. Send it as `Authorization: Bearer`.
2. Upload the files that a request refers to: request an upload URL, send the bytes to it with \
`PUT`, and use the `file_id`.
3. Call a capability. The response's `data.task` is a task, not a result.
4. Poll the task, or subscribe to its events, until its `state` is `SUCCEEDED`, `FAILED` or \
`EXPIRED`. Then download its `outputs`.

**Responses** are an envelope `{code, message, data}`. Code 0 is success. Every error response has \
an application code of the media service's list, a matching HTTP status, and a stable string in \
`data.reason`.

**Ids** of tasks, files and assets are opaque, and sealed for the caller who received them: \
another caller cannot use them.

**Idempotency:** send an `Idempotency-Key` with every create. A repeated create with the same key \
gets the first response, and nothing is created or charged twice.

**Agents** use the same capabilities as tools of the Model Context Protocol at `/mcp`; \
`tools/list` describes them.

**CORS:** the gateway refuses requests from origins that the operator does not list. An `OPTIONS` \
request gets a 204 with the CORS headers.";

/// Returns the document of a gateway that offers every capability.
pub fn document() -> Value {
    let info = json!({
        "title": "Mediagate",
        "summary": "A gateway that lets web pages use a media service without its API key.",
        "version": env!("CARGO_PKG_VERSION"),
        "description": DESCRIPTION,
        "license": {"name": "MIT or Apache-2.0", "identifier": env!("CARGO_PKG_LICENSE")},
    });
    let mut builder = Builder::new(Document::new(info, &TAGS));
    for (method, path, route) in routes::all() {
        let operation = operations::describe(&mut builder, route);
        builder.document.add(method, &path, operation);
    }
    let token = json!({
        "type": "http", "scheme": "bearer", "bearerFormat": "JWT",
        "description": "A session token: a JWT with the claims `sub`, `iat`, `exp` (at most an \
            hour later), `aud` and `scope`: space-separated words such as `image_to_video`, \
            `generate:*`, `process:*`, `upload`.",
    });
    builder
        .document
        .component("securitySchemes", "sessionToken", token);
    builder.document.finish(
        json!([{"url": "/", "description": "This gateway"}]),
        json!([{"sessionToken": []}]),
    )
}
