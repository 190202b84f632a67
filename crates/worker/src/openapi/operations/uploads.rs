//! Uploads: the request for an upload URL, and the upload through the gateway.

use mediagate_core::openapi::{Body, Operation};
use mediagate_core::schema::{self, SEALED_EXAMPLE};
use serde_json::json;

use crate::openapi::builder::Builder;
use crate::openapi::operation::{JSON, all_codes, envelope, operation, sealed_parameter, with_responses};
use crate::openapi::refusal_table::Step::{self, Always, Data, Relay, Scope, Shared, Token, UploadUrl, Upstream};

const TAG: &str = "Uploads";

/// `POST /api/app/v1/upload_urls`.
pub(super) fn upload_url(builder: &mut Builder) -> Operation {
    let about = "Returns an upload URL for a file, and the file's id. Send the bytes to `upload_url` with `PUT`, with the \
        same `Content-Type`, and without `Authorization` unless the URL is the gateway's own; if the response has `method`, \
        `headers` or `fields`, they describe the request instead. Then use `file_id` in \
        requests.\n\nScope of the session token: `upload`.";
    let mut operation = operation(TAG, "requestUpload", "Request an upload URL", about);
    let request = builder.document.component("schemas", "UploadInput", schema::upload());
    operation.body = Some(Body::json(request, vec![("picture", schema::upload_example())]));
    let data = schema::upload_response();
    let url = "https://storage.example.com/3f0c1d2e";
    let example = envelope(&json!({"upload_url": url, "file_id": SEALED_EXAMPLE}));
    let success = builder.response("The URL and the id.", Some((JSON, schema::envelope(data), example)), &[]);
    let steps = [Always, Token, Scope, Step::Body, Shared, Upstream, Data, UploadUrl];
    with_responses(builder, operation, success, &steps, &all_codes())
}

/// `PUT /api/app/v1/uploads/{ticket}`.
pub(super) fn relay(builder: &mut Builder) -> Operation {
    let about = "Relays the bytes of a file to the storage. `upload_url` points here if the gateway is configured for \
        storage without CORS. The ticket is part of that URL: it is valid for an hour, and only for the caller who \
        received it.";
    let mut operation = operation(TAG, "uploadFile", "Upload through the gateway", about);
    operation.parameters = vec![sealed_parameter("ticket", "The last segment of `upload_url`.")];
    let bytes = json!({"type": "string", "format": "binary"});
    operation.body = Some(Body { media_type: "application/octet-stream", schema: bytes, examples: Vec::new() });
    let content = (JSON, schema::envelope(json!({"type": "object"})), envelope(&json!({})));
    let success = builder.response("The file is uploaded.", Some(content), &[]);
    with_responses(builder, operation, success, &[Always, Token, Relay], &[])
}
