use std::time::Duration;

use mediagate_access::identity::Subject;
use mediagate_access::refusal::Refusal;
use mediagate_core::Reason;
use mediagate_ids::{ResultRef, TaskName};
use mediagate_platform::{date, now_ms};
use mediagate_settings::Settings;
use worker::Env;

use crate::watcher::read_outputs;
use crate::{LedgerClient, ResultState, TaskOutputs};

/// The lifetime of the bucket's URL of an output. A transfer begins at once.
const URL_LASTS: Duration = Duration::from_secs(15 * 60);

/// Reads the URL of an output: in the bucket if the output is kept, else in the task's record. The
/// task's watcher reads the task once for all of its outputs. 404 if the task is unknown; also the
/// errors of [`TaskOutputs::url`], and the upstream's error as a refusal.
pub async fn output_url(
    env: &Env,
    settings: &Settings,
    subject: &Subject,
    task: &TaskName,
    position: u32,
) -> Result<String, Refusal> {
    // The upstream's URL may have expired, so prefer the copy in the bucket.
    if let Some(url) = kept_url(env, settings, subject, task, position).await {
        return Ok(url);
    }
    let outputs = match task {
        TaskName::Upstream(task) => read_outputs(env, settings, subject, task).await?,
        TaskName::Entry(entry) => {
            let result = LedgerClient::new(env, settings)
                .result(subject, *entry)
                .await?;
            TaskOutputs::of(&result.ok_or(Reason::UnknownTask)?["task"])
        }
    };
    outputs.url(position)
}

async fn kept_url(
    env: &Env,
    settings: &Settings,
    subject: &Subject,
    task: &TaskName,
    position: u32,
) -> Option<String> {
    let bucket = settings.results.as_ref()?;
    let ledgers = LedgerClient::new(env, settings);
    let results = ledgers.results(subject, task).await.ok()?;
    let Some(ResultState::Kept(kept)) = results.state(position) else {
        return None;
    };
    let key = ResultRef::new(subject, task, position).object_key(&settings.tenant);
    let content_type = kept.unsafe_type.as_ref().unwrap_or(&kept.content_type);
    let headers = [content_type, "attachment", "no-store"];
    let url = bucket.download_url("GET", &key, headers, URL_LASTS, &date(now_ms()));
    Some(url.into())
}
