use serde_json::{Value, json};

use super::ids::{SEALED_EXAMPLE, sealed_id};
use super::response::{date, described, eta, list, output, typed, warnings};
use mediagate_core::{CANCELLED, Capability, FAILED, SUCCEEDED};

const STATES: [&str; 4] = ["RUNNING", SUCCEEDED, FAILED, CANCELLED];
const STEP_STATES: &str = "WAITING CREATING RUNNING SUCCEEDED FAILED UNKNOWN SKIPPED CANCELLED";

/// Returns the schema of a pipeline's title.
pub fn pipeline_title() -> Value {
    json!({
        "type": ["string", "null"],
        "maxLength": 200,
        "description": "A title for the caller's history.",
    })
}

/// Returns the schema of a request that starts a pipeline of these capabilities.
pub fn pipeline_request(offered: &[&Capability]) -> Value {
    let names: Vec<&str> = offered.iter().map(|capability| capability.name()).collect();
    json!({
        "type": "object",
        "properties": {
            "title": pipeline_title(),
            "steps": {
                "type": "object",
                "description": "The steps, each under its name. Steps that use no outputs of each \
                    other run side by side.",
                "minProperties": 1,
                "propertyNames": {"pattern": "^[A-Za-z0-9_-]{1,64}$"},
                "additionalProperties": {
                    "type": "object",
                    "properties": {
                        "capability": {
                            "type": "string",
                            "enum": names,
                            "description": "What the step creates.",
                        },
                        "input": {
                            "type": "object",
                            "description": "The fields of the capability, as its own request has \
                                them. Instead of a file or an asset, `{\"step\": \"…\"}` is \
                                the first output of another step that fits, and `{\"step\": \
                                \"…\", \"output\": 1}` its second output.",
                            "additionalProperties": true,
                        },
                    },
                    "required": ["capability", "input"],
                    "additionalProperties": false,
                },
            },
        },
        "required": ["steps"],
        "additionalProperties": false,
    })
}

/// Returns an example of a request that starts a pipeline.
pub fn pipeline_example() -> Value {
    json!({
        "title": "Lighthouse",
        "steps": {
            "still": {"capability": "text_to_image", "input": {"prompt": "a lighthouse at dusk"}},
            "clip": {
                "capability": "image_to_video",
                "input": {"file_id": {"step": "still"}, "prompt": "slow push in"},
            },
        },
    })
}

/// Returns the schema of `data` in a response with a pipeline.
pub fn pipeline_response() -> Value {
    json!({"type": "object", "properties": {"pipeline": pipeline()}, "required": ["pipeline"]})
}

/// Returns an example of `data` in a response with a pipeline.
pub fn pipeline_response_example() -> Value {
    let outputs = json!([{"url": "https://media.example.com/still.png", "kind": "image"}]);
    json!({"pipeline": {
        "id": SEALED_EXAMPLE,
        "title": "Lighthouse",
        "state": "RUNNING",
        "created_at": "2026-11-20T09:30:00.000Z",
        "resumable": false, "outputs": [],
        "steps": [
            {
                "name": "still",
                "capability": "text_to_image",
                "state": "SUCCEEDED",
                "uses": [],
                "task_id": SEALED_EXAMPLE,
                "outputs": outputs,
            },
            {
                "name": "clip",
                "capability": "image_to_video",
                "state": "RUNNING",
                "uses": ["still"],
                "task_id": SEALED_EXAMPLE, "progress": 0.4, "outputs": [],
            },
        ],
    }})
}

pub(super) fn pipeline_entry() -> Value {
    json!({
        "type": "object",
        "properties": {
            "id": described(sealed_id(), "The pipeline's id, sealed for the caller."),
            "title": typed("string", "Its title."),
            "state": {"type": "string", "enum": STATES, "description": "Its state."},
            "created_at": date("When it started."),
            "ended_at": date("When it ended; absent while it runs."),
        },
        "required": ["id", "state", "created_at"],
        "additionalProperties": false,
    })
}

fn pipeline() -> Value {
    json!({
        "type": "object",
        "properties": {
            "id": described(sealed_id(), "The pipeline's id, sealed for the caller."),
            "title": typed("string", "Its title."),
            "state": {
                "type": "string", "enum": STATES,
                "description": "`RUNNING` until no step can do anything more. `FAILED`: a step \
                    failed, or whether it created a task is unknown. `CANCELLED`: it was stopped, \
                    and no step failed.",
            },
            "created_at": date("When it started."),
            "ended_at": date("When it ended; absent while it runs."),
            "resumable": typed(
                "boolean",
                "True if it has ended and a resume would begin a step again.",
            ),
            "steps": list(step(), "The steps, each after those that it uses."),
            "outputs": {
                // 100 steps with 100 outputs each.
                "type": "array", "items": output(), "maxItems": 10_000,
                "description": "The outputs of the steps that no other step uses, as far as they \
                    have succeeded.",
            },
        },
        "required": ["id", "state", "created_at", "resumable", "steps", "outputs"],
        "additionalProperties": false,
    })
}

fn step() -> Value {
    json!({
        "type": "object",
        "properties": {
            "name": typed("string", "Its name in the request."),
            "capability": typed("string", "What it creates."),
            "state": {
                "type": "string", "enum": STEP_STATES.split(' ').collect::<Vec<_>>(),
                "description": "`WAITING` for other steps, or for their outputs to be moved; \
                    `CREATING` while its create is sent or waits for a limit; `RUNNING` while its \
                    task runs. `UNKNOWN`: whether its create made a task is unknown, and it is \
                    never sent again. `SKIPPED`: a step that it uses did not succeed.",
            },
            "uses": list(json!({"type": "string"}), "The steps whose outputs it uses."),
            "task_id": described(
                sealed_id(),
                "The id of its task, which can be read like any other; absent before there is one.",
            ),
            "progress": {
                "type": "number",
                "minimum": 0,
                "maximum": 1,
                "description": "The progress of its task, if that is known.",
            },
            "eta": eta(),
            "unanswered_since": date(
                "Since when the media service has not answered, after several polls of its task \
                    that failed.",
            ),
            "outputs": list(output(), "What it produced."),
            "warnings": warnings(),
            "error": {
                "type": "object",
                "description": "Why it did not succeed: the task's own error, or a refusal with \
                    `code`, `reason` and `message`.",
                "additionalProperties": true,
            },
        },
        "required": ["name", "capability", "state", "uses", "outputs"],
        "additionalProperties": false,
    })
}
