//! The upload of the sample file, in each way that the response to the request may mean.

use std::collections::BTreeMap;

use serde_json::Value;

use super::explain::described;
use super::report::{Parts, Report};
use super::session::{Session, Stop, authority, is_loopback};
use super::step::{Body, Request, SAMPLE, SAMPLE_TYPE};
use super::upload_request::{self, Issued};
use super::upload_response;
use mediagate_core::{CAPABILITIES, PREFIX};
use mediagate_dialect::{Dialect, Upload};

/// The largest number of uploads that are tried.
const MAX_UPLOADS: usize = 16;

/// Requests an upload URL and uploads the sample file. Returns the file's id if both succeed.
///
/// # Errors
/// If the service refuses the key or does not respond.
pub(super) async fn find(session: &Session, report: &mut Report) -> Result<Option<String>, Stop> {
    let Some(Issued {
        parts: request,
        first,
        second,
    }) = upload_request::find(session, report).await?
    else {
        return Ok(None);
    };
    let readings = upload_response::readings(&first, &second);
    if readings.is_empty() {
        report.unknown(
            "upload.file_id",
            "the response has an upload URL, and no id that differs from one file to the next",
        );
        report.add(request);
        return Ok(None);
    }
    // A refused upload may have used up its URL, so each attempt requests a new one.
    let mut issued = Some(first.clone());
    let mut last = None;
    for reading in ways(session, &first, &readings)
        .into_iter()
        .take(MAX_UPLOADS)
    {
        let response = match issued.take() {
            Some(response) => response,
            None => upload_request::again(session, &request)
                .await?
                .unwrap_or_default(),
        };
        let reading = reading.on(&session.known.dialect);
        let dialect = reading.dialect();
        let Some(upload) = dialect
            .upload
            .read(&response)
            .filter(|upload| is_storage(session, &upload.url))
        else {
            continue;
        };
        // A storage that refuses an upload may close the connection early, so a missing response
        // does not end the search.
        let sent = session.send_once(sending(session, &dialect, &upload)).await;
        if sent
            .as_ref()
            .is_ok_and(|response| (200..300).contains(&response.status))
        {
            report.add(request);
            report.add(needed(reading, &response, &upload));
            add_route(session, report, &upload, dialect.upload.send.api_key).await;
            return Ok(Some(upload.file_id));
        }
        last = Some(sent);
    }
    let why = match last {
        Some(Ok(response)) => described(&response),
        Some(Err(why)) => why,
        None => "no upload URL".to_string(),
    };
    let why = format!(
        "no upload of the sample file was accepted ({why}); the parts of the response are below \
         {}, and your account's documentation says what the storage needs",
        upload_response::container(&readings[0])
    );
    report.unknown("upload.send", &why);
    report.add(request);
    Ok(None)
}

/// Returns the readings in the order of the attempts. A reading whose URL is on the upstream's own
/// origin comes also with the key.
fn ways(session: &Session, response: &Value, readings: &[Parts]) -> Vec<Parts> {
    let own = readings.iter().filter(|reading| {
        reading
            .dialect()
            .upload
            .read(response)
            .is_some_and(|upload| session.is_own(&upload.url))
    });
    let with_key = own.map(|reading| {
        let mut parts = reading.clone();
        parts.push("upload.send.api_key", true);
        parts
    });
    let (first, rest) = readings.split_at(readings.len().min(1));
    let mut keyed: Vec<_> = with_key.collect();
    let others = keyed.split_off(keyed.len().min(1));
    // The most likely reading without and with the key, then the others.
    first
        .iter()
        .cloned()
        .chain(keyed)
        .chain(rest.iter().cloned())
        .chain(others)
        .collect()
}

/// Returns the request of an upload, as the gateway would send it.
fn sending(session: &Session, dialect: &Dialect, upload: &Upload) -> Request {
    let mut headers: BTreeMap<String, String> = upload.headers.clone();
    let body = if upload.fields.is_empty() {
        headers
            .entry("content-type".to_string())
            .or_insert_with(|| SAMPLE_TYPE.to_string());
        Body::Bytes(SAMPLE)
    } else {
        // The shell sets the type of the form, with its boundary.
        headers.remove("content-type");
        Body::Form(upload.fields.clone(), SAMPLE)
    };
    let has_key = dialect.upload.send.api_key && session.is_own(&upload.url);
    Request {
        purpose: "upload the sample file",
        method: upload.method(),
        url: upload.url.clone(),
        has_key,
        headers,
        body,
    }
}

/// Returns the parts of the dialect that the response needs.
fn needed(reading: Parts, response: &Value, upload: &Upload) -> Parts {
    let send = reading.dialect().upload.send;
    reading.needed(|dialect| {
        dialect
            .upload
            .read(response)
            .is_some_and(|read| read == *upload)
            && dialect.upload.send == send
    })
}

/// Adds the settings for the storage's host and for the sender of uploads.
async fn add_route(session: &Session, report: &mut Report, upload: &Upload, has_key: bool) {
    if !session.is_own(&upload.url) {
        let host = authority(&upload.url).to_ascii_lowercase();
        report.set("UPLOAD_HOSTS", host.strip_suffix(":443").unwrap_or(&host));
        report.note(
            "Upload URLs are on another host. If their host has a part that changes from one file \
             to the next, write it as a star in UPLOAD_HOSTS, but only if every such host is \
             yours.",
        );
    }
    if has_key {
        report.set("UPLOAD_MODE", "relay");
        return;
    }
    if !allows_pages(session, upload).await {
        report.set("UPLOAD_MODE", "relay");
        report.note(
            "The storage does not allow uploads from a page of another origin (CORS), so the \
             gateway relays them. If it allows your own pages, set UPLOAD_MODE to direct.",
        );
    }
}

/// Returns true if the probe may upload to a URL: it has https, or is on this machine like the base
/// URL; it has no user; and its path is not a create's.
fn is_storage(session: &Session, url: &str) -> bool {
    let host = authority(url);
    let is_host = !host.is_empty()
        && host
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b".-:[]".contains(&byte));
    let is_private = url.starts_with("https://") || session.is_local() && is_loopback(url);
    let is_endpoint = session.is_own(url)
        && CAPABILITIES
            .iter()
            .any(|capability| url.contains(&[PREFIX, capability.path].concat()));
    is_host && is_private && !is_endpoint
}

/// The origin of a page that no storage lists.
const PAGE: &str = "https://page.example";

/// Returns true if a page of any origin may upload. Sends the preflight request of a browser.
async fn allows_pages(session: &Session, upload: &Upload) -> bool {
    let names = upload
        .headers
        .keys()
        .map(String::as_str)
        .chain(["content-type"])
        .collect::<Vec<_>>()
        .join(",");
    let headers = [
        ("origin", PAGE),
        ("access-control-request-method", upload.method()),
        ("access-control-request-headers", &names),
    ];
    let request = Request {
        purpose: "upload from a page: see whether the storage allows it",
        method: "OPTIONS",
        url: upload.url.clone(),
        has_key: false,
        headers: headers
            .map(|(name, value)| (name.to_string(), value.to_string()))
            .into(),
        body: Body::Empty,
    };
    let response = session.attempt(request).await;
    (200..300).contains(&response.status)
        && response
            .allow_origin
            .is_some_and(|origin| origin == "*" || origin == PAGE)
}
