//! Kept results, their states in records, and the addresses of results and outputs.

use std::ops::Range;
use std::time::Duration;

use mediagate_access::refusal::Refusal;
use mediagate_core::{Reason, SUCCEEDED};
use mediagate_ids::{MediumRef, ResultRef, ServedFile, StoredUpload, TaskName, records_of};
use mediagate_messages::ledger::StoredMedium;
use mediagate_messages::transfer::keep_outputs;
use mediagate_messages::{
    KeptResult, LedgerClient, ResultState, StreamClient, TaskResults, output_url, write_results,
};
use mediagate_platform::{date, timestamp_ms};
use mediagate_settings::{Settings, escaped};
use mediagate_upstream_client::Upstream;
use mediagate_upstream_client::media_type::{essence, is_media, safe_type};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;
use url::Url;
use web_sys::Response;
use worker::Env;

use super::RequestContext;
use crate::byte_range::{Wanted, wanted};
use crate::incoming::Incoming;
use crate::reply::Reply;

/// The longest lifetime of the bucket's URL of a result. A page that resumes a paused video uses
/// that URL again, without a request to the gateway.
const URL_LASTS: Duration = Duration::from_secs(60 * 60);
/// The `Cache-Control` of a redirect to the media service, whose URLs may expire at any time.
const UPSTREAM_CACHE: &str = "private, no-store";

pub(super) struct ReadResults {
    results: TaskResults,
    /// The outputs that are neither kept nor about to be kept: their positions, and the media
    /// service's URLs.
    unwanted: Vec<(usize, String)>,
}

/// Returns the results of a task, and requests that its other outputs are kept. Returns `None`
/// unless the task succeeded. `record` is the task's, with the upstream's URLs.
pub(super) async fn results_of(
    context: &RequestContext<'_>,
    task: &TaskName,
    record: &Value,
) -> Option<ReadResults> {
    let settings = context.settings();
    let bucket = settings.results.as_ref()?;
    if record["state"] != SUCCEEDED {
        return None;
    }
    let subject = &context.caller.subject;
    // If the ledger does not respond, the record still has the addresses.
    let results = context.ledgers().results(subject, task).await.ok()?;
    let mut unwanted = Vec::new();
    if results.are_wanted(bucket.lasts_ms(), timestamp_ms()) {
        let known = &results.states;
        // If there is no room for it, the next read requests it again.
        let _ = keep_outputs(context.env, settings, subject, task, None, record, known).await;
    } else {
        let outputs = record["outputs"].as_array().into_iter().flatten();
        for (position, output) in outputs.enumerate() {
            let is_known = results.state(position as u32).is_some();
            if let Some(url) = output["url"].as_str().filter(|_| !is_known) {
                unwanted.push((position, url.to_owned()));
            }
        }
    }
    Some(ReadResults { results, unwanted })
}

pub(super) fn write_all(data: &mut Value, task: &TaskName, read: Option<&ReadResults>) {
    let Some(ReadResults { results, unwanted }) = read else {
        return; // the task has not succeeded, or no results are kept
    };
    for record in records_of(data, task) {
        write_results(record, &results.states);
        for (position, url) in unwanted {
            let output = record
                .get_mut("outputs")
                .and_then(|outputs| outputs.get_mut(*position))
                .and_then(Value::as_object_mut);
            if let Some(output) = output {
                output.insert("url".to_owned(), url.as_str().into());
                output.remove("kept");
            }
        }
    }
}

/// `If-Range` allows a part only of the file that the client has begun to read, and the gateway has
/// no names of versions to compare.
fn range_of(incoming: &Incoming) -> Option<String> {
    let is_conditional = incoming.header("if-range").is_some();
    incoming.header("range").filter(|_| !is_conditional)
}

/// `GET /api/app/v1/results/{result}`, without a token: the address authorises the request.
/// Redirects to the bucket, or to the media service while the result is not kept yet. The parameter
/// `inline` shows a medium in the page instead of downloading it. 404 if there is no such result,
/// or if it has expired.
pub(crate) async fn result(
    env: &Env,
    upstream: &Upstream,
    sealed: &str,
    incoming: &Incoming,
) -> Result<Reply, Refusal> {
    let settings = &upstream.settings;
    let unknown = || Refusal::from(Reason::UnknownOutput);
    let bucket = settings.results.as_ref().ok_or_else(unknown)?;
    let result = ResultRef::unseal(&upstream.sealer, sealed).ok_or_else(unknown)?;
    let ResultRef {
        owner,
        task,
        position,
    } = &result;
    let results = LedgerClient::new(env, settings)
        .results(owner, task)
        .await?;
    let state = results.state(*position);
    let now = timestamp_ms();
    let Some(ResultState::Kept(kept)) = state else {
        // A task that was forgotten has no results, and neither has one whose results have expired.
        let is_lost = matches!(state, Some(ResultState::Lost { .. }));
        if !is_lost && !results.are_wanted(bucket.lasts_ms(), now) {
            return Err(unknown());
        }
        let task = results.task(task);
        let url = output_url(env, settings, owner, &task, *position).await?;
        if let Some(served) = ServedFile::of_url(&upstream.sealer, &url) {
            return read_served(env, upstream, &served, incoming, UPSTREAM_CACHE).await;
        }
        // The media service chooses the URL, and a redirect may lead only to the web.
        return match escaped(&url).and_then(|url| Url::parse(&url).ok()) {
            Some(url) if matches!(url.scheme(), "https" | "http") => {
                Ok(Reply::redirect(&url, UPSTREAM_CACHE))
            }
            _ => Err(unknown()),
        };
    };
    // A signed URL lasts for at least a second.
    let left = Duration::from_millis((kept.expires_at - now).max(1000).unsigned_abs());
    let lasts = URL_LASTS.min(left);
    // The URL stays valid for longer than a browser caches the redirect to it.
    let cache = format!("private, max-age={}", lasts.as_secs() / 2);
    let is_inline = incoming.parameter("inline").is_some();
    let headers = [
        kept.content_type.as_str(),
        &disposition(kept, is_inline),
        "private, max-age=3600, immutable",
    ];
    let key = result.object_key(&settings.tenant);
    let url = bucket.download_url(&incoming.method, &key, headers, lasts, &date(now as f64));
    Ok(Reply::redirect(&url, &cache))
}

/// The `Cache-Control` of an output. Its bytes never change, and its URL is a secret.
const OUTPUT_CACHE: &str = "private, max-age=86400, immutable";

/// `GET /api/app/v1/outputs/{output}`, without a token: the URL authorises the request. 404 if
/// there is no such output; 416 for a range that begins at or after its end; also the errors of
/// [`LedgerClient::find_medium`].
pub(crate) async fn output(
    env: &Env,
    upstream: &Upstream,
    sealed: &str,
    incoming: &Incoming,
) -> Result<Reply, Refusal> {
    let served = ServedFile::unseal(&upstream.sealer, sealed).ok_or(Reason::UnknownOutput)?;
    read_served(env, upstream, &served, incoming, OUTPUT_CACHE).await
}

async fn read_served(
    env: &Env,
    upstream: &Upstream,
    served: &ServedFile,
    incoming: &Incoming,
    cache_control: &str,
) -> Result<Reply, Refusal> {
    match served {
        ServedFile::Medium(medium) => {
            read_medium(env, &upstream.settings, medium, incoming, cache_control).await
        }
        ServedFile::OfModule(file) => {
            let range = range_of(incoming);
            let response = upstream
                .open_file(&incoming.method, file, range.as_deref())
                .await?;
            pass_file(&response, &incoming.method, cache_control)
        }
        ServedFile::Upload(upload) => read_upload(upstream, upload, incoming).await,
    }
}

/// Streams an upload to the provider that loads it. Holds no bytes.
async fn read_upload(
    upstream: &Upstream,
    upload: &StoredUpload,
    incoming: &Incoming,
) -> Result<Reply, Refusal> {
    let (bytes, content_range) = part_of(incoming, upload.size)?;
    let response = upstream.open_upload(upload, &bytes).await?;
    let media_type = type_of(&response);
    if incoming.method == "HEAD" {
        let _ = response.body().map(|body| body.cancel());
        let size = Some(upload.size);
        return Ok(Reply::head_of_file(media_type, size, UPSTREAM_CACHE));
    }
    let body = response.body().ok_or(Reason::OutputUnavailable)?;
    Ok(Reply::file(media_type, body, content_range, UPSTREAM_CACHE))
}

/// Returns the media type of a response, if it is safe to serve.
fn type_of(response: &Response) -> String {
    let stated = header(response, "content-type");
    safe_type(&stated.map(|text| essence(&text)).unwrap_or_default())
}

fn header(response: &Response, name: &str) -> Option<String> {
    response.headers().get(name).ok().flatten()
}

/// Returns the bytes to send, and `Content-Range` for a part. 416 for a range that begins at or
/// after the end.
fn part_of(incoming: &Incoming, size: u64) -> Result<(Range<u64>, Option<String>), Refusal> {
    match wanted(range_of(incoming).as_deref(), size) {
        Wanted::Whole => Ok((0..size, None)),
        Wanted::Part(part) => {
            let content_range = format!("bytes {}-{}/{size}", part.start, part.end - 1);
            Ok((part, Some(content_range)))
        }
        Wanted::Unsatisfiable => {
            let mut refusal = Refusal::from(Reason::RangeNotSatisfiable);
            let content_range = format!("bytes */{size}");
            refusal.headers.push(("content-range", content_range));
            Err(refusal)
        }
    }
}

/// Passes on a file of a module. Holds no bytes.
fn pass_file(response: &Response, method: &str, cache_control: &str) -> Result<Reply, Refusal> {
    let media_type = type_of(response);
    if method == "HEAD" {
        let size = header(response, "content-length").and_then(|length| length.parse().ok());
        return Ok(Reply::head_of_file(media_type, size, cache_control));
    }
    let content_range = header(response, "content-range").filter(|_| response.status() == 206);
    let body = response.body().ok_or(Reason::OutputUnavailable)?;
    Ok(Reply::file(media_type, body, content_range, cache_control))
}

async fn read_medium(
    env: &Env,
    settings: &Settings,
    medium: &MediumRef,
    incoming: &Incoming,
    cache_control: &str,
) -> Result<Reply, Refusal> {
    let ledgers = LedgerClient::new(env, settings);
    let StoredMedium { media_type, size } = ledgers.find_medium(medium).await?;
    if incoming.method == "HEAD" {
        return Ok(Reply::head_of_file(media_type, Some(size), cache_control));
    }
    let (bytes, content_range) = part_of(incoming, size)?;
    let network = incoming.network();
    let body = ledgers
        .stream_medium(medium, bytes, Some(StreamClient { network }))
        .await?;
    Ok(Reply::file(media_type, body, content_range, cache_control))
}

/// The characters that are encoded in the parameter `filename*` (RFC 8187).
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'.').remove(b'-').remove(b'_');

/// Returns the `Content-Disposition` of RFC 6266. A file of another origin is downloaded by a link
/// with `download` only if it is an attachment. Pictures and videos in a page ignore that. A file
/// that is no medium is always an attachment, because it must not be shown as a page.
fn disposition(kept: &KeptResult, is_inline: bool) -> String {
    let way = if is_inline && is_media(&kept.content_type) {
        "inline"
    } else {
        "attachment"
    };
    let is_other = |letter: char| letter != '.' && !letter.is_ascii_alphanumeric();
    let ascii = kept.file_name.replace(is_other, "-");
    let encoded = utf8_percent_encode(&kept.file_name, ENCODED);
    format!("{way}; filename=\"{ascii}\"; filename*=UTF-8''{encoded}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_is_downloaded_by_its_name() {
        let kept = |content_type: &str, file_name: &str| KeptResult {
            size: 1,
            content_type: content_type.to_owned(),
            unsafe_type: None,
            file_name: file_name.to_owned(),
            expires_at: 0,
        };
        let video = kept("video/mp4", "Été.mp4");
        assert_eq!(
            disposition(&video, false),
            "attachment; filename=\"-t-.mp4\"; filename*=UTF-8''%C3%89t%C3%A9.mp4"
        );
        assert!(disposition(&video, true).starts_with("inline; "));
        let unknown = kept("application/octet-stream", "a.bin");
        assert!(disposition(&unknown, true).starts_with("attachment; "));
    }
}
