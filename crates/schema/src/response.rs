use serde_json::{Value, json};

use super::ids::{SEALED_EXAMPLE, sealed_id};
use mediagate_core::{Capability, IssueReason, Reason};

/// The envelope of a success.
pub fn envelope(data: Value) -> Value {
    json!({
        "type": "object",
        "properties": {
            "code": {
                "type": "integer",
                "format": "int32",
                "const": 0,
                "description": "The application code: 0 is success.",
            },
            "message": {
                "type": "string",
                "description": "A short text that goes with the code.",
                "examples": ["ok"],
            },
            "data": data,
        },
        "required": ["code", "message", "data"],
    })
}

/// Upstream's record with normalised `id`, `state`, `progress` and `outputs`.
pub fn task() -> Value {
    json!({
        "type": "object",
        "description": "The media service's record of a task, with these members normalised. Its \
            other members are passed on unchanged, with the ids in them sealed.",
        "properties": {
            "id": described(
                sealed_id(),
                "The task's id, sealed for the caller. The same task always has the same id.",
            ),
            "state": {
                "type": "string",
                "description": "`SUCCEEDED`, `FAILED` and `EXPIRED` are final, and always written \
                    like this; with any other, which is passed on as the media service sends it, \
                    or with none, the task is still running.",
                "examples": ["QUEUED", "RUNNING", "SUCCEEDED", "FAILED", "EXPIRED"],
            },
            "progress": {
                "type": "number", "minimum": 0, "maximum": 1,
                "description": "The progress; absent if the media service does not send it.",
            },
            "eta": eta(),
            "poll_after": number(
                "The seconds after which to read the task again, for a client that polls; absent \
                    if nothing is known, and in events.",
            ),
            "changed_at": date(
                "When the gateway first read the present record; in events and webhooks only.",
            ),
            "unanswered_since": date(
                "Since when the media service has not answered; in events, after several polls \
                    that failed.",
            ),
            "unfinished": typed(
                "boolean",
                "True if the task has not ended in the time that the gateway follows tasks. It \
                    may still run.",
            ),
            "outputs": list(output(), "What the task produced; empty until then."),
            "error": task_error(),
            "warnings": warnings(),
            "provider": typed(
                "string",
                "The provider of the model, if the operator shows it.",
            ),
            "raw": {
                "description": "The record's own values under the names above, if they differ.",
            },
        },
        "required": ["id", "outputs"],
        "additionalProperties": true,
        "examples": [{
            "id": SEALED_EXAMPLE, "state": "SUCCEEDED", "progress": 1,
            "outputs": [{"url": "https://media.example.com/result.mp4", "kind": "video"}],
        }],
    })
}

pub(super) fn eta() -> Value {
    json!({
        "type": "object",
        "description": "The seconds that the task is likely to run on, an estimate from tasks \
            that have ended; absent if nothing is known, and for a task that has ended.",
        "properties": {
            "seconds": number("It is as likely to take longer as shorter."),
            "low": number("Of ten such tasks, nine take longer."),
            "high": number("Of ten such tasks, nine have ended by then."),
        },
        "required": ["seconds", "low", "high"],
        "examples": [{"seconds": 42.5, "low": 30.1, "high": 65.8}],
    })
}

/// Returns the schema of `data` in the response to a request for an upload URL.
pub fn upload_response() -> Value {
    let texts = |description: &str| {
        json!({
            "type": "object",
            "additionalProperties": {"type": "string"},
            "description": description,
        })
    };
    json!({
        "type": "object",
        "properties": {
            "upload_url": {
                "type": "string",
                "format": "uri",
                "description": "Accepts the bytes, for a limited time.",
            },
            "upload_path": typed(
                "string",
                "The path of `upload_url` after `/api/app/v1/`, if the gateway relays the upload: \
                    for callers that know a prefix of its paths.",
            ),
            "method": {
                "type": "string", "enum": ["PUT", "POST"],
                "description": "The method of the upload; absent for a `PUT` of the bytes.",
            },
            "headers": texts(
                "Headers that the upload must have, in addition to its `Content-Type` or instead of \
                    it.",
            ),
            "fields": texts(
                "The fields of a form (`multipart/form-data`), if the upload is one: the file is \
                    its last field, `file`.",
            ),
            "file_id": described(
                sealed_id(),
                "Identifies the file in requests, once it is uploaded.",
            ),
            "expires_at": {
                "type": "string",
                "format": "date-time",
                "description": "When the URL stops working, if that is known.",
            },
        },
        "required": ["upload_url", "file_id"],
    })
}

/// Returns the schema of a request that moves an output of a task into the storage.
pub fn output_request() -> Value {
    json!({
        "type": "object",
        "properties": {
            "task_id": described(sealed_id(), "The id of a task."),
            "output": {
                "type": ["integer", "null"], "minimum": 0, "maximum": 99,
                "description": "The position of the output in the task's `outputs`, from 0. By \
                    default 0.",
            },
        },
        "required": ["task_id"],
        "additionalProperties": false,
    })
}

/// Returns the schema of a request that moves an output of a task, or the file at a URL, into the
/// storage.
pub fn file_request() -> Value {
    let url = json!({
        "type": "object",
        "properties": {
            "url": {
                "type": "string", "minLength": 1,
                "description": "The https URL of a picture, video, sound or PDF document, which \
                    is loaded without a login.",
            },
            "content_type": {
                "type": ["string", "null"],
                "description": "Its media type. It replaces the type that the server states, unless \
                    the file is a page.",
            },
            "kind": {
                "type": ["string", "null"], "enum": ["image", "video", "audio", "pdf", null],
                "description": "The medium that the file must hold, else it is refused.",
            },
        },
        "required": ["url"],
        "additionalProperties": false,
    });
    json!({"oneOf": [output_request(), url]})
}

/// Returns the schema of `data` in the response: the file, or the progress of the transfer.
pub fn file_response() -> Value {
    json!({
        "type": "object",
        "properties": {
            "file_id": described(
                sealed_id(),
                "Identifies the file in requests, once it is in the storage.",
            ),
            "size": number("The bytes of the file, once it is there."),
            "loaded": number("The bytes that were moved, before that."),
            "total": number("All bytes, as soon as their number is known."),
            "progress": number("From 0 to 1, as soon as their number is known."),
        },
    })
}

pub(super) fn task_error() -> Value {
    json!({
        "type": "object",
        "description": "Why the task failed, if the media service says so.",
        "properties": {
            "message": typed("string", "In words."),
            "code": {
                "type": ["string", "number"],
                "description": "The media service's own code or name for it.",
            },
            "reason": {
                "type": "string", "const": Reason::ContentRefused.name(),
                "description": "Present if the provider refuses the content: the same text and \
                    files are refused again.",
            },
        },
        "additionalProperties": false,
    })
}

pub(super) fn warnings() -> Value {
    let text = json!({"type": "string"});
    list(
        text,
        "What the media service has ignored or changed, in words for a person; absent if there is \
            nothing.",
    )
}

/// Returns the schema of a task's output.
pub fn output() -> Value {
    json!({
        "type": "object",
        "description": "One output of a task: a file, a reusable asset, or both.",
        "properties": {
            "url": {
                "type": "string", "format": "uri",
                "description": "The URL to load it from. With `kept`, it is the gateway's own, \
                    and stays the same.",
            },
            "kept": typed(
                "boolean",
                "True if the gateway keeps the file. While it does not, `url` leads to the media \
                    service, whose file may expire. Absent if the gateway keeps no results.",
            ),
            "not_kept": typed(
                "string",
                "Why the file is not kept: `results_full`, or the reason of a refusal, such as \
                    `file_too_large`. Absent while it is being moved.",
            ),
            "size": described(
                json!({"type": "integer", "minimum": 0}),
                "The bytes of a file that is kept.",
            ),
            "content_type": typed("string", "Its media type."),
            "file_name": typed("string", "Its name, after the task's title or prompt."),
            "expires_at": described(
                json!({"type": "string", "format": "date-time"}),
                "When it is deleted.",
            ),
            "asset_id": described(
                sealed_id(),
                "The id of a reusable asset, for fields such as `avatar_asset_id`.",
            ),
            "kind": {
                "type": "string", "enum": ["image", "video", "audio", "pdf"],
                "description": "The kind of media; absent if it is unknown.",
            },
        },
        "additionalProperties": false,
    })
}

/// Returns the schema of `data` in the response to a create: the task, and upstream's other
/// members. If the capability may omit the task, there may also be a `result`.
pub fn created(capability: &Capability) -> Value {
    if !capability.may_omit_task {
        return json!({"type": "object", "properties": {"task": task()}, "required": ["task"]});
    }
    json!({
        "type": "object",
        "description": "A task. Where the media service created none, it is one that has \
            succeeded, with an id of the gateway's own, and `result` is beside it.",
        "properties": {
            "task": task(),
            "result": {
                "type": "object",
                "description": "The media service's own response, already complete, with the \
                    outputs in it.",
                "properties": {"outputs": {"type": "array", "items": output(), "maxItems": 100}},
                "required": ["outputs"],
            },
        },
        "required": ["task"],
    })
}

/// One problem of a request.
pub fn issue() -> Value {
    json!({
        "type": "object",
        "description": "One thing that is wrong with a request.",
        "properties": {
            "path": typed(
                "string",
                "The path of the value, such as `segments[1].end_time`; empty for the request \
                    itself.",
            ),
            "reason": {
                "type": "string",
                "description": "The reason, as a stable identifier.",
                "examples": IssueReason::ALL.iter().map(|reason| reason.name()).collect::<Vec<_>>(),
            },
            "message": typed("string", "What is wrong, and what is valid."),
            "severity": {
                "enum": ["error", "warning"],
                "description": "Whether it stops the request.",
            },
        },
        "required": ["path", "reason", "message"],
        "examples": [{
            "path": "segments[0].end_time", "reason": "order", "severity": "error",
            "message": "is before start_time; give a later time",
        }],
    })
}

pub(super) fn typed(name: &str, description: &str) -> Value {
    json!({"type": name, "description": description})
}

fn number(description: &str) -> Value {
    json!({"type": "number", "minimum": 0, "description": description})
}

/// Returns the schema of a list of at most 100 items.
pub(super) fn list(items: Value, description: &str) -> Value {
    json!({"type": "array", "items": items, "maxItems": 100, "description": description})
}

/// Returns the schema of a date and time (RFC 3339).
pub(super) fn date(description: &str) -> Value {
    json!({"type": "string", "format": "date-time", "description": description})
}

pub(super) fn described(mut schema: Value, description: &str) -> Value {
    schema["description"] = json!(description);
    schema
}
