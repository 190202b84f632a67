//! Checks a pipeline, and prepares the bodies of its creates, before anything is sent.

use mediagate_access::refusal::Refusal;
use mediagate_core::Reason;
use mediagate_pipeline::{Plan, Step, StepReference};
use mediagate_platform::random_name;
use serde_json::{Value, json};

use super::RequestContext;
use super::prepare::{Prepared, prepare};

/// Reads a request, and checks that the token's scope allows its steps. Sends no requests. Also
/// returns the token of the plan's placeholders. The error has all issues of the plan, or else the
/// first step that is not allowed.
pub(super) fn read_plan(
    context: &RequestContext<'_>,
    request: &Value,
) -> Result<(Plan, String), Refusal> {
    // The token is random, so that no text of an input is taken for a placeholder.
    let random = random_name();
    if random.is_empty() {
        return Err(Refusal::from(Reason::PipelineFailed));
    }
    let token = format!("output {random} ");
    let plan = Plan::read(request, context.settings().pipelines.steps, &token)
        .map_err(|issues| Refusal::issues(&issues))?;
    let steps: Vec<&Step> = plan.steps.iter().collect();
    authorize(context, &steps)?;
    Ok((plan, token))
}

/// Checks that the scope allows the steps. 403 for a step that it does not allow, or if outputs are
/// used without the scope `upload`; 422 if the gateway moves no outputs.
pub(super) fn authorize(context: &RequestContext<'_>, steps: &[&Step]) -> Result<(), Refusal> {
    for step in steps {
        context
            .caller
            .authorize(step.capability)
            .map_err(|refusal| refusal.with("step", step.name.as_str()))?;
    }
    check_transfers(context, steps)
}

/// Prepares the body of a step's create. Checks fields, ids and model as a create does.
/// Placeholders stay in the places of outputs. The error has the issues of the input, or is the
/// refusal of its model.
pub(super) async fn prepare_step(
    context: &RequestContext<'_>,
    step: &Step,
) -> Result<Value, Refusal> {
    let prepared = prepare(context, step.capability, &sealed(context, step)).await;
    let Prepared { body, excluded } = prepared.map_err(|refusal| at_step(refusal, &step.name))?;
    match excluded {
        Some(refusal) => Err(at_step(refusal, &step.name)),
        None => Ok(body),
    }
}

/// Checks, if a step uses a file of another, that the gateway moves outputs and that the caller may
/// upload.
fn check_transfers(context: &RequestContext<'_>, steps: &[&Step]) -> Result<(), Refusal> {
    if !steps.iter().any(|step| step.takes_files()) {
        return Ok(());
    }
    context.caller.authorize_upload()?;
    if !context.settings().moves_outputs() {
        let message = "this gateway moves no outputs, so no step can use a file of another; its \
            operator can list the hosts of outputs in OUTPUT_HOSTS";
        return Err(Refusal::new(Reason::OutputsNotMoved, message));
    }
    Ok(())
}

/// Returns the input with sealed placeholders. They are unsealed like any other id when a create is
/// prepared.
fn sealed(context: &RequestContext<'_>, step: &Step) -> Value {
    let seal = |reference: &StepReference| {
        let kind = if reference.field.kind.media().is_some() {
            "file"
        } else {
            "asset"
        };
        context.seal(kind, &reference.placeholder)
    };
    step.with_ids(&step.references.iter().map(seal).enumerate().collect())
}

/// Turns a refusal of a create into one of the pipeline. The paths of the issues begin with the
/// step.
fn at_step(mut refusal: Refusal, name: &str) -> Refusal {
    for issue in refusal
        .data
        .get_mut("errors")
        .and_then(Value::as_array_mut)
        .into_iter()
        .flatten()
    {
        let path = issue["path"].as_str().unwrap_or_default();
        let dot = if path.is_empty() { "" } else { "." };
        issue["path"] = json!(format!("steps.{name}.input{dot}{path}"));
    }
    refusal.at(&format!("step {name}")).with("step", name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use mediagate_core::{find, is_valid};

    #[test]
    fn a_steps_refusal_has_the_paths_of_the_pipeline() {
        let capability = find("image_to_video").expect("a capability");
        let issues = mediagate_core::validate(capability, &json!({}));
        assert!(!is_valid(&issues));
        let refusal = at_step(Refusal::issues(&issues), "clip");
        assert_eq!(refusal.data["step"], "clip");
        assert!(
            refusal
                .message
                .starts_with("invalid input: step clip: file_id "),
            "{}",
            refusal.message
        );
        let paths = refusal.data["errors"].as_array().expect("a list");
        assert!(paths.iter().all(|issue| {
            let path = issue["path"].as_str();
            path.is_some_and(|path| path.starts_with("steps.clip.input."))
        }));
    }
}
