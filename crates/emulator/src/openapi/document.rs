//! Assembles the document.

use mediagate_core::openapi::Document;
use mediagate_core::schema;
use mediagate_core::{CAPABILITIES, PREFIX};
use serde_json::{Value, json};

use super::{
    operations::{capability_operation, fixed_operations},
    responses::Responses,
    schemas,
};

const TAGS: [(&str, &str); 6] = [
    ("Uploads", "Upload the files that requests refer to."),
    ("Generate", "New media from prompts and references."),
    ("Process", "Operations on existing media."),
    ("Tasks", "The state of a task, and its results."),
    ("Account", "The models, and the credits that a request costs."),
    ("Emulator", "The emulator itself."),
];

const DESCRIPTION: &str = "\
The media service on your own machine, as far as its document goes. What that leaves open is assumed: the bodies of \
uploads and tasks, the paths of models and estimates, the HTTP status of a code. Values that a model does not accept, \
and models, files and assets that do not exist, are rejected with the code that fits.";

/// The OpenAPI 3.1 document of this server.
pub(crate) fn document() -> Value {
    let info = json!({
        "title": "Mediagate emulator",
        "version": env!("CARGO_PKG_VERSION"),
        "description": DESCRIPTION,
        "license": {"name": "MIT or Apache-2.0", "identifier": env!("CARGO_PKG_LICENSE")},
    });
    let mut document = Document::new(info, &TAGS);
    let issue = document.component("schemas", "Issue", schema::issue());
    let responses = Responses { refusal: document.component("schemas", "Refusal", schemas::refusal(&issue)) };
    let task = document.component("schemas", "Task", schemas::task());
    for (method, path, operation) in fixed_operations(&responses, &mut document, &task) {
        document.add(method, &path, operation);
    }
    for capability in CAPABILITIES {
        let operation = capability_operation(&responses, &mut document, capability, &task);
        document.add("POST", &[PREFIX, capability.path].concat(), operation);
    }
    let key =
        json!({"type": "http", "scheme": "bearer", "description": "The API key that the emulator was started with."});
    document.component("securitySchemes", "apiKey", key);
    let mut document = document.finish(json!([{"url": "/", "description": "This emulator"}]), json!([{"apiKey": []}]));
    document["components"]["schemas"].as_object_mut().into_iter().flatten().for_each(|it| open(it.1));
    document
}

/// Lets an object have other members: this server ignores names that it does not know.
fn open(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            if members.get("additionalProperties") == Some(&json!(false)) {
                members.remove("additionalProperties");
            }
            members.iter_mut().for_each(|it| open(it.1));
        }
        Value::Array(items) => items.iter_mut().for_each(open),
        _ => {}
    }
}
