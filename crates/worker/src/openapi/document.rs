//! `GET /openapi.json`: the gateway, described. Every route of the table has its operation here, and the capabilities'
//! are made from the catalogue.

use std::sync::LazyLock;

use mediagate_core::openapi::Document;
use serde_json::{Value, json};

use super::operations;
use super::parts::Parts;
use crate::crypto::hash;
use crate::routes;

/// The document as it is served.
pub(crate) struct Served {
    /// The JSON text.
    pub(crate) text: String,
    /// Names this text, and no other.
    pub(crate) etag: String,
}

/// The same for every gateway of this version, so it is made once.
pub(crate) static SERVED: LazyLock<Served> = LazyLock::new(|| {
    let text = document().to_string();
    let etag = format!("\"{}\"", &hash(&[&text])[..32]);
    Served { text, etag }
});

const TAGS: [(&str, &str); 8] = [
    ("Session", "Tokens for pages that have no backend of their own."),
    ("Uploads", "Files, before a request can name them."),
    ("Generate", "New media from prompts and references: each call makes a task."),
    ("Process", "Existing media, changed: each call makes a task."),
    ("Tasks", "What becomes of a task: asked for once, or told as it changes."),
    ("Models and credits", "What the service offers, and what it would cost."),
    ("Agents", "The same capabilities as tools, for AI agents."),
    ("Gateway", "The gateway itself."),
];

const DESCRIPTION: &str = "\
AI video, avatars, images, audio and PDF, without the media service's API key: the gateway holds it, checks every request, \
and forwards what it lets in.

1. Get a session token: your app's backend signs one, or `POST /session` gives one to a page where that is switched on. \
Send it as `Authorization: Bearer`.
2. Upload the files that a request names: ask for an upload URL, `PUT` the bytes to it, keep the `file_id`.
3. Call a capability. The answer's `data.task` is a task, not a result.
4. Read the task until its `state` is `SUCCEEDED`, `FAILED` or `EXPIRED`, or listen to its events; then load its `outputs`.

**Answers** are an envelope `{code, message, data}`. Code 0 is success. Every refusal has a code of the service's list, a \
fitting HTTP status, and in `data.reason` a stable word.

**Ids** of tasks, files and assets are opaque and belong to the caller who was given them: nobody else can use one.

**Creating once:** send an `Idempotency-Key` with every create. A repetition with the same key is given the first answer, \
and nothing is made, or charged, twice.

**Agents** find the same capabilities as tools of the Model Context Protocol at `/mcp`, whose `tools/list` describes them.

**Pages** of other origins than the operator lists are refused. An `OPTIONS` request is answered with what CORS needs.";

/// The whole document.
pub fn document() -> Value {
    let info = json!({
        "title": "Mediagate",
        "summary": "A media service for web pages, its API key kept out of them.",
        "version": env!("CARGO_PKG_VERSION"),
        "description": DESCRIPTION,
        "license": {"name": "MIT or Apache-2.0", "identifier": env!("CARGO_PKG_LICENSE")},
    });
    let mut parts = Parts::new(Document::new(info, &TAGS));
    for (method, path, route) in routes::all() {
        let operation = operations::describe(&mut parts, route);
        parts.document.add(method, &path, operation);
    }
    let token = json!({
        "type": "http", "scheme": "bearer", "bearerFormat": "JWT",
        "description": "A session token: a JWT with `sub`, `iat`, `exp` (an hour later at most), `aud` and `scope`, \
            space-separated words such as `image_to_video`, `generate:*`, `process:*`, `upload`.",
    });
    parts.document.component("securitySchemes", "sessionToken", token);
    parts.document.finish(json!([{"url": "/", "description": "This gateway"}]), json!([{"sessionToken": []}]))
}
