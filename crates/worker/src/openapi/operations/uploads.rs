//! Uploads: the request for an upload URL, and the upload through the gateway.

use mediagate_schema::openapi::{Operation, RequestBody};
use mediagate_schema::{self as schema, SEALED_EXAMPLE};
use serde_json::json;

use crate::openapi::builder::Builder;
use crate::openapi::content::Content;
use crate::openapi::operation::{all_codes, operation, sealed_parameter, with_responses};
use mediagate_core::Part::{
    self, Always, Data, Enabled, Ledger, Output, Relay, Scope, Shared, TaskId, TaskRecord, Token,
    Transfer, UploadUrl, Upstream,
};

const TAG: &str = "Uploads";

/// `POST /api/app/v1/upload_urls`.
pub(super) fn upload_url(builder: &mut Builder) -> Operation {
    let about = "Returns an upload URL for a file, and the file's id. Send the bytes to \
        `upload_url` with `PUT`, with the same `Content-Type`, and without `Authorization` unless \
        the URL is the gateway's own; if the response has `method`, `headers` or `fields`, they \
        describe the request instead. Then use `file_id` in requests.\n\nScope of the session \
        token: `upload`.";
    let mut operation = operation(TAG, "requestUpload", "Request an upload URL", about);
    let request = builder
        .document
        .component("schemas", "UploadInput", schema::upload());
    operation.body = Some(RequestBody::json(
        request,
        vec![("picture", schema::upload_example())],
    ));
    let url = "https://storage.example.com/3f0c1d2e";
    let content = Content::envelope(
        schema::upload_response(),
        &json!({"upload_url": url, "file_id": SEALED_EXAMPLE}),
    );
    let success = builder.response("The URL and the id.", Some(content), &[]);
    let steps = [
        Always,
        Token,
        Scope,
        Part::Body,
        Shared,
        Upstream,
        Data,
        UploadUrl,
    ];
    with_responses(builder, operation, success, &steps, &all_codes())
}

/// `PUT /api/app/v1/uploads/{ticket}`.
pub(super) fn relay(builder: &mut Builder) -> Operation {
    let about = "Relays the bytes of a file to the storage. `upload_url` points here if the \
        gateway is configured for storage without CORS. The ticket is part of that URL: it is \
        valid for an hour, and only for the caller who received it.";
    let mut operation = operation(TAG, "uploadFile", "Upload through the gateway", about);
    operation.parameters = vec![sealed_parameter(
        "ticket",
        "The last segment of `upload_url`.",
    )];
    let bytes = json!({"type": "string", "format": "binary"});
    operation.body = Some(RequestBody {
        media_type: "application/octet-stream",
        schema: bytes,
        examples: Vec::new(),
    });
    let content = Content::envelope(json!({"type": "object"}), &json!({}));
    let success = builder.response("The file is uploaded.", Some(content), &[]);
    with_responses(builder, operation, success, &[Always, Token, Relay], &[])
}

/// `GET /api/app/v1/outputs/{output}`.
pub(super) fn output(builder: &mut Builder) -> Operation {
    let about = "Returns the bytes of an output that the media service sent as text. The `url` of \
        such an output points here. It needs no token: who has the URL can read the output, for as \
        long as the history or the media service has it.";
    let mut operation = operation(TAG, "readOutput", "Read an output", about);
    operation.security = Some(json!([]));
    operation.parameters = vec![sealed_parameter(
        "output",
        "The last segment of the output's `url`.",
    )];
    let success = builder.response(
        "The output. The media type of a picture, a video, a sound or a PDF document is its own.",
        Some(Content::bytes()),
        &["Cache-Control"],
    );
    with_responses(builder, operation, success, &[Always, Output], &[])
}

/// `GET /api/app/v1/results/{result}`.
pub(super) fn result(builder: &mut Builder) -> Operation {
    let about = "Redirects to a result that the gateway keeps: to its bucket, by a URL that is \
        valid for an hour at most. While the result is being moved, or can't be kept, it leads to \
        the media service. The `url` of an output points here if the gateway is configured to keep \
        results. The path is a secret: whoever has it may read the result.";
    let mut operation = operation(TAG, "readResult", "Read a result", about);
    operation.security = Some(json!([]));
    let inline = json!({
        "name": "inline", "in": "query", "required": false, "schema": {"type": "string"},
        "description": "Shows a picture, a video, a sound or a PDF document in place. Without it, \
            a browser downloads what is opened by itself; elements of a page show it either way.",
    });
    operation.parameters = vec![
        sealed_parameter("result", "The last segment of the output's `url`."),
        inline,
    ];
    let medium = builder.response(
        "The bytes of a result that the media service sent as text, while it is not kept.",
        Some(Content::bytes()),
        &["Cache-Control"],
    );
    let redirect = builder.response("The URL of the result.", None, &["Cache-Control"]);
    let steps = [Always, Output, TaskRecord, Upstream, Ledger];
    let mut operation = with_responses(builder, operation, medium, &steps, &[]);
    operation.responses.insert("302".into(), redirect);
    operation
}

/// `POST /api/app/v1/files`.
pub(super) fn file(builder: &mut Builder) -> Operation {
    let about = "Moves an output of a task, or the file at an https URL, into the storage, so that \
        it is the file of another request, without a byte through the caller. The response comes \
        when the file is there, or after some seconds with the progress until then: repeat the \
        request, which continues the same transfer. The same output or URL has the same `file_id` \
        for as long as that is taken to be good.\n\nScope of the session token: `upload`.";
    let mut operation = operation(
        TAG,
        "moveFile",
        "Use an output, or the file at a URL, as a file",
        about,
    );
    operation.body = Some(RequestBody::json(
        schema::file_request(),
        vec![
            ("output", json!({"task_id": SEALED_EXAMPLE, "output": 0})),
            (
                "url",
                json!({"url": "https://cdn.example.com/photo.png", "kind": "image"}),
            ),
        ],
    ));
    let content = Content::envelope(
        schema::file_response(),
        &json!({"file_id": SEALED_EXAMPLE, "size": 1_048_576}),
    );
    let success = builder.response("The file, or its progress.", Some(content), &[]);
    let steps = [
        Always,
        Token,
        Scope,
        Part::Body,
        Enabled,
        TaskId,
        Shared,
        Upstream,
        TaskRecord,
        Data,
        UploadUrl,
        Transfer,
    ];
    with_responses(builder, operation, success, &steps, &all_codes())
}
