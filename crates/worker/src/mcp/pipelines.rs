use std::time::Duration;

use mediagate_access::refusal::Refusal;
use mediagate_core::{Issue, IssueReason, Severity, find};
use mediagate_platform::now_ms;
use serde_json::{Map, Value, json};
use worker::Delay;

use super::arguments::wait_seconds;
use super::urls::Input;
use crate::operations::{self, RequestContext};

/// The interval between two reads of a pipeline whose end a call waits for.
const READ_MS: f64 = 1_000.0;

/// Replaces the tool's list of steps with the object of steps that a request has.
pub(super) fn name_steps(request: &mut Value) -> Result<(), Refusal> {
    if let Some(steps) = request.get_mut("steps") {
        *steps = by_name(steps.take()).map_err(|issue| Refusal::issues(&[issue]))?;
    }
    Ok(())
}

pub(super) fn inputs(request: &mut Value) -> impl Iterator<Item = Input<'_>> {
    let steps = request.get_mut("steps").and_then(Value::as_object_mut);
    // The request refuses a step without a capability or an input.
    steps.into_iter().flatten().filter_map(|(name, step)| {
        let capability = step["capability"].as_str().and_then(find)?;
        Some(Input {
            capability,
            fields: step.get_mut("input")?,
            path: format!("steps.{name}.input."),
        })
    })
}

/// Turns the tool's list of steps into the object of a request, which has the steps by their names.
/// Texts such as `step:still` in the places of ids become references. Refuses a value that is not a
/// list, and a step without a name or with the name of another step; the request checks the rest.
fn by_name(steps: Value) -> Result<Value, Issue> {
    let Value::Array(steps) = steps else {
        let message = "is no list; give a list of steps, each with name, capability and input";
        return Err(issue("steps".to_owned(), IssueReason::WrongType, message));
    };
    let mut named = Map::new();
    for (index, mut step) in steps.into_iter().enumerate() {
        let name = step
            .as_object_mut()
            .and_then(|members| members.remove("name"));
        let path = format!("steps[{index}].name");
        let Some(Value::String(name)) = name else {
            let message = "is missing; give a string";
            return Err(issue(path, IssueReason::Missing, message));
        };
        refer(&mut step);
        if named.insert(name, step).is_some() {
            let message = "is the name of another step; give each step a name of its own";
            return Err(issue(path, IssueReason::Malformed, message));
        }
    }
    Ok(Value::Object(named))
}

fn issue(path: String, reason: IssueReason, message: &str) -> Issue {
    Issue {
        path,
        reason,
        message: message.to_owned(),
        severity: Severity::Error,
    }
}

fn refer(step: &mut Value) {
    // The request refuses a step without a capability.
    let Some(capability) = step["capability"].as_str().and_then(find) else {
        return;
    };
    for field in capability.fields().filter(|field| field.kind.takes_id()) {
        let value = step
            .get_mut("input")
            .and_then(|input| input.get_mut(field.name));
        let values = match value {
            Some(Value::Array(items)) => items.as_mut_slice(),
            Some(value) => std::slice::from_mut(value),
            None => continue,
        };
        for value in values {
            if let Some(reference) = value.as_str().and_then(reference) {
                *value = reference;
            }
        }
    }
}

/// Reads `step:NAME` or `step:NAME:POSITION`. No id has a colon.
fn reference(text: &str) -> Option<Value> {
    let reference = text.strip_prefix("step:")?;
    let Some((step, position)) = reference.split_once(':') else {
        return Some(json!({"step": reference}));
    };
    // The request refuses a text that is not a position.
    let output = position
        .parse::<u32>()
        .map_or_else(|_| json!(position), Value::from);
    Some(json!({"step": step, "output": output}))
}

/// Runs `get_pipeline`. Returns once the pipeline has ended, the wait is over or the token has
/// expired. Refuses a negative wait.
pub(super) async fn get(context: &RequestContext<'_>, arguments: &Value) -> Result<Value, Refusal> {
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

pub(super) fn id(arguments: &Value) -> &str {
    arguments["pipeline_id"].as_str().unwrap_or_default()
}

fn is_running(data: &Value) -> bool {
    data["pipeline"]["state"] == "RUNNING"
}

/// Returns what a model may do next. `None` if the pipeline succeeded.
pub(super) fn next_step(prefix: &str, data: &Value) -> Option<String> {
    if is_running(data) {
        return Some(format!(
            "The pipeline is still running. Call {prefix}get_pipeline with its id as pipeline_id, \
             and with wait_seconds, until its state is SUCCEEDED, FAILED or CANCELLED; don't start \
             it again."
        ));
    }
    let pipeline = &data["pipeline"];
    let mut texts = Vec::new();
    if pipeline["resumable"] == true {
        texts.push(format!(
            "Not every step succeeded: error of a step says why. {prefix}resume_pipeline, with its \
             id as pipeline_id, begins these steps again with the input that they had, and repeats \
             none that succeeded; if that input is wrong, start a new pipeline instead. Both may \
             cost credits again: ask the user first."
        ));
    }
    let mut steps = pipeline["steps"].as_array().into_iter().flatten();
    if steps.any(|step| step["state"] == "UNKNOWN") {
        texts.push(
            "A step in the state UNKNOWN may have created a task and cost credits. It is never \
             sent again, so the steps that use it can't be resumed: ask the user before you create \
             them again."
                .to_owned(),
        );
    }
    (!texts.is_empty()).then(|| texts.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_of_steps_becomes_the_object_of_the_request() {
        let step = |name: &str, capability: &str, input: Value| -> Value {
            json!({"name": name, "capability": capability, "input": input})
        };
        let steps = json!([
            step("still", "text_to_image", json!({"prompt": "step:no"})),
            step(
                "clip",
                "image_to_video",
                json!({"file_id": "step:still", "prompt": "p"})
            ),
            step(
                "logo",
                "video_logo_removal",
                json!({"logo_file_id": ["step:still:1", "an-id", 5]})
            ),
            step("odd", "image_to_video", json!({"file_id": "step:still:x"})),
            step("unknown", "nothing", json!({"file_id": "step:still"})),
        ]);
        let named = by_name(steps).expect("a list");
        let input = |name: &str| &named[name]["input"];
        assert_eq!(named["still"]["capability"], "text_to_image");
        assert!(named["still"].get("name").is_none());
        assert_eq!(input("still")["prompt"], "step:no", "no place of an id");
        assert_eq!(input("clip")["file_id"], json!({"step": "still"}));
        assert_eq!(
            input("logo")["logo_file_id"],
            json!([{"step": "still", "output": 1}, "an-id", 5])
        );
        assert_eq!(
            input("odd")["file_id"],
            json!({"step": "still", "output": "x"})
        );
        assert_eq!(input("unknown")["file_id"], "step:still");
    }

    #[test]
    fn a_step_has_a_name_of_its_own() {
        let path = |steps: Value| by_name(steps).expect_err("an issue").path;
        assert_eq!(path(json!({"still": {}})), "steps");
        assert_eq!(path(json!([{"name": "a"}, {}])), "steps[1].name");
        assert_eq!(path(json!(["a"])), "steps[0].name");
        assert_eq!(path(json!([{"name": 5}])), "steps[0].name");
        assert_eq!(path(json!([{"name": "a"}, {"name": "a"}])), "steps[1].name");
    }

    #[test]
    fn the_next_step_depends_on_how_the_pipeline_did() {
        let next = |state: &str, resumable: bool, steps: &[&str]| {
            let steps: Vec<_> = steps.iter().map(|state| json!({"state": state})).collect();
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
