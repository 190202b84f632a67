//! Has the outputs of a task kept.

use serde_json::Value;
use worker::Env;

use super::{KeepRequest, ResultState, keep_result};
use crate::identity::Subject;
use crate::ids::{ResultRef, TaskName};
use crate::settings::Settings;

/// Has the outputs of a task kept that succeeded, except those of which something is `known`. The
/// record is that of the task, with the upstream's URLs. `label` names the files.
pub(crate) async fn keep_outputs(
    env: &Env,
    settings: &Settings,
    owner: &Subject,
    task: &TaskName,
    label: Option<&str>,
    record: &Value,
    known: &[(u32, ResultState)],
) {
    if settings.results.is_none() || record["state"] != "SUCCEEDED" {
        return;
    }
    let outputs = record["outputs"].as_array().into_iter().flatten();
    for (position, output) in (0..).zip(outputs) {
        let is_known = known.iter().any(|(other, _)| *other == position);
        if let Some(url) = output["url"].as_str().filter(|_| !is_known) {
            let request = KeepRequest {
                result: ResultRef::new(owner, task, position),
                url: url.to_owned(),
                label: label.map(ToOwned::to_owned),
            };
            // If its transfer does not respond, the next read of the task has it kept.
            keep_result(env, &settings.tenant, request).await;
        }
    }
}
