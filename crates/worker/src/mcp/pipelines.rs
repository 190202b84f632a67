//! Calls of the tools that run pipelines.

use std::time::Duration;

use serde_json::{Map, Value};
use worker::Delay;

use super::arguments::{check, take_key, wait_seconds};
use super::tool_schemas::{PIPELINE_FIELDS, PIPELINE_ID};
use crate::operations::{self, RequestContext};
use crate::platform::now_ms;
use crate::refusal::Refusal;

/// How often a pipeline is read whose end is waited for, in milliseconds.
const READ_MS: f64 = 1_000.0;

/// `run_pipeline`: the pipeline as it starts.
pub(super) async fn run(
    context: &RequestContext<'_>,
    mut arguments: Map<String, Value>,
) -> Result<Value, Refusal> {
    let key = take_key(&mut arguments)?;
    operations::run_pipeline(context, key, &Value::Object(arguments)).await
}

/// `get_pipeline`: the pipeline once it has ended, or the wait is over, or the token has expired.
pub(super) async fn get(context: &RequestContext<'_>, arguments: &Value) -> Result<Value, Refusal> {
    check(&PIPELINE_FIELDS, arguments)?;
    let wait_ms = f64::from(wait_seconds(context, arguments)?) * 1000.0;
    let until = (now_ms() + wait_ms).min(context.caller.until * 1000.0);
    loop {
        let data = operations::read_pipeline(context, id(arguments)).await?;
        let left = until - now_ms();
        if !is_running(&data) || left <= 0.0 {
            return Ok(data);
        }
        Delay::from(Duration::from_millis(left.min(READ_MS) as u64)).await;
    }
}

/// `resume_pipeline`: the pipeline as it goes on.
pub(super) async fn resume(
    context: &RequestContext<'_>,
    arguments: &Value,
) -> Result<Value, Refusal> {
    check(&PIPELINE_ID, arguments)?;
    operations::request_resume(context, id(arguments)).await
}

/// `cancel_pipeline`: the pipeline as it stops.
pub(super) async fn cancel(
    context: &RequestContext<'_>,
    arguments: &Value,
) -> Result<Value, Refusal> {
    check(&PIPELINE_ID, arguments)?;
    operations::request_cancel(context, id(arguments)).await
}

fn id(arguments: &Value) -> &str {
    arguments["pipeline_id"].as_str().unwrap_or_default()
}

fn is_running(data: &Value) -> bool {
    data["pipeline"]["state"] == "RUNNING"
}

/// What to do next with a pipeline, for a model; `None` where it succeeded.
pub(super) fn next_step(prefix: &str, data: &Value) -> Option<String> {
    if is_running(data) {
        return Some(format!(
            "The pipeline is still running. RequestContext {prefix}get_pipeline with its id as pipeline_id, and with wait_seconds, until \
             its state is SUCCEEDED, FAILED or CANCELLED; don't start it again."
        ));
    }
    let pipeline = &data["pipeline"];
    let is_unknown = pipeline["steps"]
        .as_array()
        .into_iter()
        .flatten()
        .any(|it| it["state"] == "UNKNOWN");
    let resume = (pipeline["resumable"] == true).then(|| {
        format!(
            "Not every step succeeded: error of a step says why. {prefix}resume_pipeline, with its id as pipeline_id, begins \
             these steps anew with the input that they had, and repeats none that succeeded; if that input is wrong, start \
             a new pipeline instead. Both may cost credits again: ask the user first."
        )
    });
    let unknown = is_unknown.then(|| {
        "Whether a step in the state UNKNOWN created a task is unknown. It may have cost credits, and is never sent again, so \
         what depends on it can't be resumed: ask the user before you create it anew."
            .to_owned()
    });
    let texts: Vec<String> = [resume, unknown].into_iter().flatten().collect();
    (!texts.is_empty()).then(|| texts.join(" "))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_next_step_depends_on_how_the_pipeline_did() {
        let next = |state: &str, resumable: bool, steps: &[&str]| {
            let steps: Vec<_> = steps.iter().map(|it| json!({"state": it})).collect();
            let pipeline = json!({"state": state, "resumable": resumable, "steps": steps});
            next_step("p_", &json!({ "pipeline": pipeline })).unwrap_or_default()
        };
        assert!(next("RUNNING", false, &["UNKNOWN", "RUNNING"]).contains("p_get_pipeline"));
        assert_eq!(next("SUCCEEDED", false, &["SUCCEEDED"]), "");
        for (state, resumable, steps, has_resume, has_unknown) in [
            ("FAILED", true, ["FAILED", "SKIPPED"], true, false),
            ("CANCELLED", true, ["SUCCEEDED", "CANCELLED"], true, false),
            ("FAILED", false, ["UNKNOWN", "SKIPPED"], false, true),
            ("FAILED", true, ["UNKNOWN", "FAILED"], true, true),
        ] {
            let text = next(state, resumable, &steps);
            assert_eq!(
                (text.contains("p_resume_pipeline"), text.contains("UNKNOWN")),
                (has_resume, has_unknown)
            );
        }
    }
}
