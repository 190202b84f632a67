//! Requests that keep the outputs of a task.

use futures_util::future::join_all;
use serde_json::Value;
use worker::Env;

use super::{KeepRequest, ResultState, keep_result};
use crate::identity::Subject;
use crate::ids::{ResultRef, TaskName};
use crate::settings::Settings;

/// The most attempts of a request to a transfer.
const ATTEMPTS: u32 = 3;

/// Requests that the outputs of a task are kept, if it succeeded. Outputs in `known` are left out.
///
/// `record` is the task's record with the upstream's URLs. `label` is the text for the names of the
/// files. Without it, the title in the history is used.
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
    let requests = (0..).zip(outputs).filter_map(|(position, output)| {
        let is_known = known.iter().any(|(other, _)| *other == position);
        let url = output["url"].as_str().filter(|_| !is_known)?;
        Some(KeepRequest {
            result: ResultRef::new(owner, task, position),
            url: url.to_owned(),
            label: label.map(ToOwned::to_owned),
        })
    });
    join_all(requests.map(|request| keep(env, &settings.tenant, request))).await;
}

/// Sends a request until its transfer accepts it. If the transfer never responds, the next read of
/// the task requests the result again.
async fn keep(env: &Env, tenant: &str, request: KeepRequest) {
    for _ in 0..ATTEMPTS {
        if keep_result(env, tenant, request.clone()).await {
            return;
        }
    }
}
