//! Where an output is, for moving it into the storage.

use mediagate_core::Reason;
use worker::Env;

use super::{LedgerClient, TaskName, TaskOutputs, read_outputs};
use crate::identity::Subject;
use crate::refusal::Refusal;
use crate::settings::Settings;

/// Reads the URL of an output. The task's watcher reads the task once for all of its outputs.
///
/// # Errors
/// Those of [`TaskOutputs::url`]; 404 if the task is unknown; the refusal that the upstream's response means.
pub(crate) async fn output_url(
    env: &Env,
    settings: &Settings,
    subject: &Subject,
    task: &TaskName,
    position: u32,
) -> Result<String, Refusal> {
    let outputs = match task {
        TaskName::Upstream(task) => read_outputs(env, settings, subject, task).await?,
        TaskName::Entry(entry) => {
            let result = LedgerClient::new(env, settings)
                .result(subject, *entry)
                .await?;
            TaskOutputs::of(&result.ok_or_else(|| Refusal::from(Reason::UnknownTask))?["task"])
        }
    };
    outputs.url(position)
}
