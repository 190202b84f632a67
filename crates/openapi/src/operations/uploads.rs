//! Uploads: the request for an upload URL, and the upload through the gateway.

use crate::parts::{Operation, RequestBody};
use mediagate_schema::{self as schema, SEALED_EXAMPLE};
use serde_json::{Value, json};

use crate::builder::Builder;
use crate::content::Content;
use crate::operation::{header, operation, query, sealed_parameter};

const TAG: &str = "Uploads";

/// `POST /api/app/v1/upload_urls`.
pub(super) fn upload_url(builder: &mut Builder) -> Operation {
    let about = "Returns an upload URL for a file, and the file's id. Send the bytes to \
        `upload_url` with `PUT`, with the same `Content-Type`, and without `Authorization` unless \
        the URL is the gateway's own; if the response has `method`, `headers` or `fields`, they \
        describe the request instead. Then use `file_id` in requests.\n\nScope of the session \
        token: `upload`.";
    let url = "https://storage.example.com/3f0c1d2e";
    let example = json!({"upload_url": url, "file_id": SEALED_EXAMPLE});
    let content = Content::envelope(schema::upload_response(), &example);
    let success = builder.response("The URL and the id.", content, &[]);
    let document = &mut builder.document;
    let request = document.component("schemas", "UploadInput", schema::upload());
    let examples = vec![("picture", schema::upload_example())];
    Operation {
        body: Some(RequestBody::json(request, examples)),
        ..operation(
            TAG,
            "requestUpload",
            "Request an upload URL",
            about,
            success,
        )
    }
}

/// `PUT /api/app/v1/uploads/{ticket}`.
pub(super) fn relay(builder: &Builder) -> Operation {
    let about = "Relays the bytes of a file to the storage. `upload_url` points here if the \
        gateway is configured for storage without CORS. The ticket is part of that URL: it is \
        valid for an hour, and only for the caller who received it.";
    let content = Content::envelope(json!({"type": "object"}), &json!({}));
    let success = builder.response("The file is uploaded.", content, &[]);
    let ticket = sealed_parameter("ticket", "The last segment of `upload_url`.");
    let body = RequestBody {
        media_type: "application/octet-stream",
        schema: json!({"type": "string", "format": "binary"}),
        examples: Vec::new(),
    };
    Operation {
        parameters: vec![ticket],
        body: Some(body),
        ..operation(
            TAG,
            "uploadFile",
            "Upload through the gateway",
            about,
            success,
        )
    }
}

/// `GET /api/app/v1/outputs/{output}`.
pub(super) fn output(builder: &Builder) -> Operation {
    let about = "Returns the bytes of an output that the media service sent as text. The `url` of \
        such an output points here. It needs no token: who has the URL can read the output, for as \
        long as the history or the media service has it.";
    let success = builder.response(
        "The output. The media type of a picture, a video, a sound or a PDF document is its own.",
        Content::bytes(),
        &["Cache-Control", "Accept-Ranges"],
    );
    let output = sealed_parameter("output", "The last segment of the output's `url`.");
    let mut operation = operation(TAG, "readOutput", "Read an output", about, success);
    operation.parameters = vec![output, range()];
    operation.responses.insert("206".into(), part(builder));
    operation
}

fn range() -> Value {
    let schema = json!({"type": "string"});
    let description = "A part of the bytes, such as `bytes=0-1023`. Several parts, and other units \
        than bytes, are ignored.";
    header("Range", false, schema, description)
}

/// Returns the response to a request for a part of an output.
fn part(builder: &Builder) -> Value {
    let headers = ["Cache-Control", "Accept-Ranges", "Content-Range"];
    builder.response(
        "The requested part of the output.",
        Content::bytes(),
        &headers,
    )
}

/// `GET /api/app/v1/results/{result}`.
pub(super) fn result(builder: &Builder) -> Operation {
    let about = "Redirects to a result that the gateway keeps: to its bucket, by a URL that is \
        valid for an hour at most. While the result is being moved, or is not kept, it leads to \
        the media service. The `url` of an output points here if the gateway is configured to keep \
        results. The path is a secret: whoever has it may read the result.";
    let result = sealed_parameter("result", "The last segment of the output's `url`.");
    let inline = "Shows a picture, a video, a sound or a PDF document in place. Without it, a \
        browser downloads what is opened by itself; elements of a page show it either way.";
    let inline = query("inline", json!({"type": "string"}), &inline.into());
    let medium = builder.response(
        "The bytes of a result that the media service sent as text, while it is not kept.",
        Content::bytes(),
        &["Cache-Control", "Accept-Ranges"],
    );
    let redirect = builder.empty_response("The URL of the result.", &["Cache-Control"]);
    let mut operation = operation(TAG, "readResult", "Read a result", about, medium);
    operation.parameters = vec![result, inline, range()];
    operation.responses.insert("206".into(), part(builder));
    operation.responses.insert("302".into(), redirect);
    operation
}

/// `POST /api/app/v1/files`.
pub(super) fn file(builder: &Builder) -> Operation {
    let about = "Moves an output of a task, or the file at an https URL, into the storage, so that \
        it is the file of another request, without a byte through the caller. The response comes \
        when the file is there, or after some seconds with the progress until then: repeat the \
        request, which continues the same transfer. The same output or URL has the same `file_id` \
        for as long as that is taken to be good.\n\nScope of the session token: `upload`.";
    let output = json!({"task_id": SEALED_EXAMPLE, "output": 0});
    let url = json!({"url": "https://cdn.example.com/photo.png", "kind": "image"});
    let examples = vec![("output", output), ("url", url)];
    let example = json!({"file_id": SEALED_EXAMPLE, "size": 1_048_576});
    let content = Content::envelope(schema::file_response(), &example);
    let success = builder.response("The file, or its progress.", content, &[]);
    let summary = "Use an output, or the file at a URL, as a file";
    Operation {
        body: Some(RequestBody::json(schema::file_request(), examples)),
        ..operation(TAG, "moveFile", summary, about, success)
    }
}
