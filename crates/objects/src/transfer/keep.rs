use std::time::Duration;

use mediagate_access::refusal::Refusal;
use mediagate_core::Reason;
use mediagate_ids::ResultRef;
use mediagate_messages::transfer::Keep;
use mediagate_messages::{KeptResult, LedgerClient, ResultReservation, ResultState, output_url};
use mediagate_platform::http::{request_init, send_within};
use mediagate_platform::{Counter, date, now_ms, timestamp_ms};
use mediagate_settings::ResultsSettings;
use mediagate_upstream_client::media_type::{extension, is_unstated, safe_type};
use mediagate_upstream_client::{StorageError, StorageUpload, Upstream};
use serde_json::Value;
use web_sys::Request;
use worker::Env;

use super::run::open_output;
use super::source::Source;
use crate::file_name;

/// The longest name of a file, without its number and extension.
const MAX_NAME_CHARS: usize = 60;
/// The longest stored media type that is not safe to serve.
const MAX_TYPE_CHARS: usize = 100;
const DELETION_TIMEOUT: Duration = Duration::from_secs(30);

pub(super) enum KeepError {
    /// A later attempt may succeed.
    Temporary(Problem),
    /// No attempt can succeed.
    Final(Problem),
    /// The task was forgotten, or results are no longer kept.
    Unwanted,
}

pub(super) struct Problem {
    /// A stable word.
    pub(super) reason: String,
    /// The HTTP status of the bucket, if it refused the result.
    pub(super) status: Option<u16>,
}

impl From<Reason> for Problem {
    fn from(reason: Reason) -> Self {
        Problem::new(reason.name())
    }
}

impl Problem {
    /// Returns true if the bucket refuses such requests, so that waiting does not help.
    pub(super) fn is_refusal(&self) -> bool {
        matches!(self.status, Some(400..500)) && !matches!(self.status, Some(408 | 429))
    }

    fn new(reason: &str) -> Self {
        Problem {
            reason: reason.to_owned(),
            status: None,
        }
    }
}

/// Moves a result into the bucket, and returns its properties there. `is_first` is false for a
/// repeated attempt.
pub(super) async fn keep(
    env: &Env,
    request: &Keep,
    is_first: bool,
) -> Result<KeptResult, KeepError> {
    let upstream = Upstream::shared(env).map_err(|_| temporary(Reason::Misconfigured))?;
    let settings = &upstream.settings;
    let bucket = settings.results.as_ref().ok_or(KeepError::Unwanted)?;
    let ledgers = LedgerClient::new(env, settings);
    let result = &request.result;
    let results = ledgers.results(&result.owner, &result.task).await;
    let results = results.map_err(of_refusal)?;
    if let Some(ResultState::Kept(kept)) = results.state(result.position) {
        // An earlier attempt kept it, and only the ledger's response was lost.
        return Ok(kept.clone());
    }
    let is_wanted = results.are_wanted(bucket.lasts_ms(), timestamp_ms());
    let entry = results.source.as_ref().filter(|_| is_wanted);
    let entry = entry.ok_or(KeepError::Unwanted)?;
    let url = if is_first {
        request.url.clone()
    } else {
        // The URL in the request may have expired.
        let task = results.task(&result.task);
        output_url(env, settings, &result.owner, &task, result.position)
            .await
            .map_err(of_refusal)?
    };
    let source = open_output(env, &upstream, &url, None)
        .await
        .map_err(of_refusal)?;
    let title = request.label.as_deref().unwrap_or(&entry.title);
    let stored = store(&upstream, bucket, &ledgers, result, &source, title).await;
    let kept = stored.inspect_err(|_| source.discard())?;
    match ledgers.keep_result(result, kept.clone()).await {
        Some(true) => Ok(kept),
        Some(false) => Err(KeepError::Unwanted),
        None => Err(temporary(Reason::LedgerFailed)),
    }
}

async fn store(
    upstream: &Upstream,
    bucket: &ResultsSettings,
    ledgers: &LedgerClient<'_>,
    result: &ResultRef,
    source: &Source,
    title: &str,
) -> Result<KeptResult, KeepError> {
    let settings = &upstream.settings;
    // S3's protocol requires the size of an object that is stored with one request.
    let size = source
        .size
        .ok_or_else(|| KeepError::Final(Reason::OutputWithoutLength.into()))?;
    let now = timestamp_ms();
    let expires_at = now + bucket.lasts_ms();
    match ledgers
        .reserve_result(result, size, expires_at, bucket)
        .await
    {
        Some(ResultReservation::Reserved) => {}
        Some(ResultReservation::Unwanted) => return Err(KeepError::Unwanted),
        Some(ResultReservation::Full) => {
            return Err(KeepError::Final(Problem::new("results_full")));
        }
        None => return Err(temporary(Reason::LedgerFailed)),
    }
    let content_type = safe_type(&source.content_type);
    let has_unsafe_type = is_unstated(&content_type) && !is_unstated(&source.content_type);
    // Its first characters are enough to see that no field accepts it.
    let unsafe_type =
        has_unsafe_type.then(|| source.content_type.chars().take(MAX_TYPE_CHARS).collect());
    let url = bucket.result_upload_url(&result.object_key(&settings.tenant), &date(now as f64));
    StorageUpload::put(&url, &content_type, size)
        .send(upstream, &source.body, &Counter::new())
        .await
        .map_err(|error| match error {
            StorageError::Unreachable | StorageError::Stalled | StorageError::Deadline => {
                temporary(Reason::TransferInterrupted)
            }
            StorageError::Refused { status } => KeepError::Temporary(Problem {
                status: Some(status),
                ..Reason::StorageRefused.into()
            }),
            StorageError::Internal | StorageError::WrongSize => temporary(Reason::TransferFailed),
        })?;
    Ok(KeptResult {
        size,
        file_name: file_name(title, result.position, &content_type),
        content_type,
        unsafe_type,
        expires_at,
    })
}

/// Deletes an object from the bucket. Returns true if the bucket has no such object any more.
pub(super) async fn delete(env: &Env, key: &str) -> bool {
    let Ok(upstream) = Upstream::shared(env) else {
        return false;
    };
    let Some(bucket) = &upstream.settings.results else {
        // Without the settings, only the bucket's own rules can delete it.
        return true;
    };
    let url = bucket.deletion_url(key, &date(now_ms()));
    let init = request_init("DELETE", &[]);
    let Ok(request) = init.and_then(|init| Request::new_with_str_and_init(url.as_str(), &init))
    else {
        return false;
    };
    let response = send_within(DELETION_TIMEOUT, &request, None)
        .await
        .flatten();
    response.is_some_and(|response| response.ok() || response.status() == 404)
}

fn temporary(reason: Reason) -> KeepError {
    KeepError::Temporary(reason.into())
}

fn of_refusal(refusal: Refusal) -> KeepError {
    let reason = refusal.data.get("reason").and_then(Value::as_str);
    let problem = Problem::new(reason.unwrap_or_default());
    if refusal.status == 404 {
        // The upstream no longer has the task, or its file.
        return KeepError::Final(problem);
    }
    let final_reasons = [
        Reason::OutputHostNotAllowed,
        Reason::FileTooLarge,
        Reason::OutputWithoutLength,
        Reason::OutputWithoutUrl,
    ];
    if final_reasons.iter().any(|known| refusal.is(*known)) {
        KeepError::Final(problem)
    } else {
        KeepError::Temporary(problem)
    }
}

/// Returns a file's name: the words of a title, the position of an output that is not the first,
/// and the extension of a media type.
fn file_name(title: &str, position: u32, content_type: &str) -> String {
    let words = file_name::from_words(title, MAX_NAME_CHARS);
    let name = if words.is_empty() { "result" } else { &words };
    let extension = extension(content_type);
    match position {
        0 => format!("{name}.{extension}"),
        _ => format!("{name}-{}.{extension}", position + 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_named_by_its_title_and_its_type() {
        for (title, position, content_type, expected) in [
            (
                "A lighthouse at dusk",
                0,
                "image/png",
                "A-lighthouse-at-dusk.png",
            ),
            ("Été à Zürich!", 1, "video/mp4", "Été-à-Zürich-2.mp4"),
            (" … ", 0, "application/octet-stream", "result.bin"),
        ] {
            assert_eq!(file_name(title, position, content_type), expected);
        }
    }
}
