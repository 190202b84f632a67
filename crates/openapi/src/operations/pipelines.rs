//! Pipelines: start, read, follow, resume, cancel, remove.

use crate::parts::{Operation, RequestBody};
use mediagate_core::CAPABILITIES;
use mediagate_schema as schema;
use serde_json::{Value, json};

use crate::builder::Builder;
use crate::content::Content;
use crate::operation::{idempotency_key, last_event_id, operation, sealed_parameter};

const TAG: &str = "Pipelines";

/// `POST /api/app/v1/pipelines`.
pub(super) fn start(builder: &Builder) -> Operation {
    let about = "Runs several capabilities, in which outputs of some are inputs of others, with \
        the page closed. The whole pipeline is checked before anything is sent: names, references, \
        each step's fields, scope and model, and the budget for all its creates. Each create \
        counts like any other.";
    let mut success = pipeline(builder, "The pipeline, as it starts.");
    let parameters = json!({"id": "$response.body#/data/pipeline/id"});
    success["links"] = json!({
        "read": {"operationId": "readPipeline", "parameters": parameters},
        "events": {"operationId": "watchPipeline", "parameters": parameters},
    });
    let key = "Identifies this pipeline: with the same key, it starts once.";
    let examples = vec![("film", schema::pipeline_example())];
    Operation {
        parameters: vec![idempotency_key(key)],
        body: Some(RequestBody::json(
            schema::pipeline_request(CAPABILITIES),
            examples,
        )),
        ..operation(TAG, "startPipeline", "Start a pipeline", about, success)
    }
}

/// `GET /api/app/v1/pipelines/{id}`.
pub(super) fn read(builder: &Builder) -> Operation {
    let about = "The present state of a pipeline, with its steps. URLs of outputs are as they were \
        when their task ended: read a step's task by its `task_id` for fresh ones.";
    let success = pipeline(builder, "The pipeline.");
    of_one("readPipeline", "Read a pipeline", about, success)
}

/// `GET /api/app/v1/pipelines/{id}/events`.
pub(super) fn events(builder: &Builder) -> Operation {
    let about = "The pipeline's changes as server-sent events, until it ends. Each event is named \
        `pipeline`, and has a number as its `id`. Its `data` is the envelope that a read of \
        the pipeline returns. The stream also ends after five minutes, and when the token expires: \
        reconnect with `Last-Event-ID`.";
    let content = Content::events(
        &["pipeline"],
        schema::pipeline_response(),
        "An envelope as JSON, with the pipeline.",
        &schema::pipeline_response_example(),
    );
    let success = builder.response("The stream of events.", content, &[]);
    let mut operation = of_one("watchPipeline", "Subscribe to a pipeline", about, success);
    operation.parameters.push(last_event_id());
    operation
}

/// `POST /api/app/v1/pipelines/{id}/resume`.
pub(super) fn resume(builder: &Builder) -> Operation {
    let about = "Begins the steps again that failed, were skipped or were cancelled, with what the \
        caller's token allows now. Steps that succeeded are not repeated. Neither is a step with \
        an unknown outcome, nor a step that depends on it.";
    let success = pipeline(builder, "The pipeline, as it continues.");
    of_one("resumePipeline", "Resume a pipeline", about, success)
}

/// `POST /api/app/v1/pipelines/{id}/cancel`.
pub(super) fn cancel(builder: &Builder) -> Operation {
    let about = "Sends nothing more. Tasks that were created continue: the media service has no \
        way to stop them. The pipeline ends once they have ended. If it has ended before, nothing \
        changes.";
    let success = pipeline(builder, "The pipeline, as it stops.");
    of_one("cancelPipeline", "Cancel a pipeline", about, success)
}

/// `DELETE /api/app/v1/pipelines/{id}`.
pub(super) fn forget(builder: &Builder) -> Operation {
    let about = "Removes a pipeline that has ended, also from the history. Its tasks stay there.";
    let content = Content::envelope(json!({"type": "object"}), &json!({}));
    let success = builder.response("There is no such pipeline, or no longer.", content, &[]);
    of_one("forgetPipeline", "Remove a pipeline", about, success)
}

fn of_one(id: &str, summary: &str, about: &str, success: Value) -> Operation {
    Operation {
        parameters: vec![sealed_parameter("id", "The pipeline's `id`.")],
        ..operation(TAG, id, summary, about, success)
    }
}

fn pipeline(builder: &Builder, description: &str) -> Value {
    let example = schema::pipeline_response_example();
    let content = Content::envelope(schema::pipeline_response(), &example);
    builder.response(description, content, &[])
}
