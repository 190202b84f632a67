//! Pipelines: start, read, follow, resume, cancel, remove.

use mediagate_schema as schema;
use mediagate_schema::openapi::{Operation, RequestBody};
use serde_json::json;

use crate::openapi::builder::Builder;
use crate::openapi::content::{Content, envelope};
use crate::openapi::operation::{all_codes, header, operation, sealed_parameter, with_responses};
use mediagate_core::Part::{
    self, Always, Enabled, ForgetPipeline, Ledger, Pipeline, PipelineId, Resume, Scope,
    StartPipeline, Token, Upstream,
};

const TAG: &str = "Pipelines";

/// `POST /api/app/v1/pipelines`.
pub(super) fn start(builder: &mut Builder) -> Operation {
    let about = "Runs several capabilities, in which outputs of some are inputs of others, with \
        the page closed. The whole pipeline is checked before anything is sent: names, references, \
        each step's fields, scope and model, and the budget for all its creates. Each create \
        counts like any other.";
    let mut operation = operation(TAG, "startPipeline", "Start a pipeline", about);
    let key = json!({"type": "string", "pattern": "^[!-~]+$", "minLength": 1, "maxLength": 255});
    let key = header(
        "Idempotency-Key",
        false,
        key,
        "Identifies this pipeline: with the same key, it starts once.",
    );
    operation.parameters = vec![key];
    operation.body = Some(RequestBody::json(
        schema::pipeline_request(),
        vec![("film", schema::pipeline_example())],
    ));
    let parts = [
        Always,
        Token,
        Enabled,
        Scope,
        Part::Body,
        StartPipeline,
        Pipeline,
        Ledger,
        Upstream,
    ];
    with_pipeline(builder, operation, "The pipeline, as it starts.", &parts)
}

/// `GET /api/app/v1/pipelines/{id}`.
pub(super) fn read(builder: &mut Builder) -> Operation {
    let about = "The present state of a pipeline, with its steps. URLs of outputs are as they were \
        when their task ended: read a step's task by its `task_id` for fresh ones.";
    let operation = of_one(TAG, "readPipeline", "Read a pipeline", about);
    with_pipeline(
        builder,
        operation,
        "The pipeline.",
        &[Always, Token, Enabled, PipelineId, Pipeline],
    )
}

/// `GET /api/app/v1/pipelines/{id}/events`.
pub(super) fn events(builder: &mut Builder) -> Operation {
    let about = "The pipeline's changes as server-sent events, until it ends. Each event is named \
        `pipeline`, and has a number as its `id`. Its `data` is the envelope that a read of \
        the pipeline returns. The stream also ends after five minutes, and when the token expires: \
        reconnect with `Last-Event-ID`.";
    let mut operation = of_one(TAG, "watchPipeline", "Subscribe to a pipeline", about);
    let last = header(
        "Last-Event-ID",
        false,
        json!({"type": "string"}),
        "The `id` of the last event received.",
    );
    operation.parameters.push(last);
    let data = envelope(&schema::pipeline_response_example()).to_string();
    let event = json!({
        "type": "object",
        "description": "One event of the stream.",
        "properties": {
            "id": {"type": "string", "description": "The event's number."},
            "event": {"type": "string", "enum": ["pipeline"]},
            "data": {
                "type": "string", "contentMediaType": "application/json",
                "contentSchema": schema::envelope(schema::pipeline_response()),
                "description": "An envelope as JSON, with the pipeline.",
            },
        },
        "required": ["event", "data"],
    });
    let example = json!({"id": "2", "event": "pipeline", "data": data});
    let content = Content::events(event, example);
    let success = builder.response("The stream of events.", Some(content), &[]);
    with_responses(
        builder,
        operation,
        success,
        &[Always, Token, Enabled, PipelineId, Pipeline],
        &[],
    )
}

/// `POST /api/app/v1/pipelines/{id}/resume`.
pub(super) fn resume(builder: &mut Builder) -> Operation {
    let about = "Begins the steps again that failed, were skipped or were cancelled, with what the \
        caller's token allows now. Steps that succeeded are not repeated. Neither is a step with \
        an unknown outcome, nor a step that depends on it.";
    let operation = of_one(TAG, "resumePipeline", "Resume a pipeline", about);
    let parts = [
        Always, Token, Enabled, PipelineId, Scope, Resume, Pipeline, Ledger,
    ];
    with_pipeline(builder, operation, "The pipeline, as it continues.", &parts)
}

/// `POST /api/app/v1/pipelines/{id}/cancel`.
pub(super) fn cancel(builder: &mut Builder) -> Operation {
    let about = "Sends nothing more. Tasks that were created continue: the media service has no \
        way to stop them. The pipeline ends once they have ended. If it has ended before, nothing \
        changes.";
    let operation = of_one(TAG, "cancelPipeline", "Cancel a pipeline", about);
    with_pipeline(
        builder,
        operation,
        "The pipeline, as it stops.",
        &[Always, Token, Enabled, PipelineId, Pipeline],
    )
}

/// `DELETE /api/app/v1/pipelines/{id}`.
pub(super) fn forget(builder: &mut Builder) -> Operation {
    let about = "Removes a pipeline that has ended, also from the history. Its tasks stay there.";
    let operation = of_one(TAG, "forgetPipeline", "Remove a pipeline", about);
    let content = Content::envelope(json!({"type": "object"}), &json!({}));
    let success = builder.response(
        "There is no such pipeline, or no longer.",
        Some(content),
        &[],
    );
    let parts = [
        Always,
        Token,
        Enabled,
        PipelineId,
        ForgetPipeline,
        Pipeline,
        Ledger,
    ];
    with_responses(builder, operation, success, &parts, &[])
}

fn of_one(tag: &'static str, id: &str, summary: &str, about: &str) -> Operation {
    let mut operation = operation(tag, id, summary, about);
    operation.parameters = vec![sealed_parameter("id", "The pipeline's `id`.")];
    operation
}

/// Adds the responses to an operation that responds with a pipeline.
fn with_pipeline(
    builder: &mut Builder,
    operation: Operation,
    about: &str,
    parts: &[Part],
) -> Operation {
    let example = schema::pipeline_response_example();
    let content = Content::envelope(schema::pipeline_response(), &example);
    let mut success = builder.response(about, Some(content), &[]);
    if operation.id == "startPipeline" {
        let parameters = json!({"id": "$response.body#/data/pipeline/id"});
        success["links"] = json!({
            "read": {"operationId": "readPipeline", "parameters": parameters},
            "events": {"operationId": "watchPipeline", "parameters": parameters},
        });
    }
    let codes = if parts.contains(&Upstream) {
        all_codes()
    } else {
        Vec::new()
    };
    with_responses(builder, operation, success, parts, &codes)
}
