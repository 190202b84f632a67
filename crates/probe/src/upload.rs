//! Uploads the sample file, in every way that the response to the request may mean.

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

/// The most uploads that are tried.
const MAX_UPLOADS: usize = 16;

/// Requests an upload URL and uploads the sample file. Returns the file's id, where both worked.
///
/// # Errors
/// The key was refused, or nothing responds.
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
    // A refused upload may have used its URL, so that each has one of its own.
    let mut issued = Some(first.clone());
    let mut last = None;
    for reading in ways(session, &first, &readings)
        .into_iter()
        .take(MAX_UPLOADS)
    {
        let response = match issued.take() {
            Some(it) => it,
            None => upload_request::again(session, &request)
                .await?
                .unwrap_or_default(),
        };
        let reading = reading.on(&session.known.dialect);
        let dialect = reading.dialect();
        let Some(upload) = dialect
            .upload
            .read(&response)
            .filter(|it| is_storage(session, &it.url))
        else {
            continue;
        };
        // A storage that refuses an upload may close the connection before it has read it.
        let sent = session.send_once(sending(session, &dialect, &upload)).await;
        if sent
            .as_ref()
            .is_ok_and(|it| (200..300).contains(&it.status))
        {
            report.add(request);
            report.add(needed(reading, &response, &upload));
            add_route(session, report, &upload, dialect.upload.send.api_key).await;
            return Ok(Some(upload.file_id));
        }
        last = Some(sent);
    }
    let why = match last {
        Some(Ok(reply)) => described(&reply),
        Some(Err(why)) => why,
        None => "no upload URL".to_string(),
    };
    report.unknown(
        "upload.send",
        &[
            "no upload of the sample file was accepted (",
            &why,
            "); the parts of the response are below ",
            upload_response::container(&readings[0]),
            " at least, and what the storage needs is in your account's documentation",
        ]
        .concat(),
    );
    report.add(request);
    Ok(None)
}

/// Every reading as it is, then those whose URL is on the upstream's own origin with the key.
fn ways(session: &Session, response: &Value, readings: &[Parts]) -> Vec<Parts> {
    let own = readings.iter().filter(|it| {
        it.dialect()
            .upload
            .read(response)
            .is_some_and(|it| session.is_own(&it.url))
    });
    let with_key = own.map(|it| {
        let mut parts = it.clone();
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

/// The upload, as the gateway would send it.
fn sending(session: &Session, dialect: &Dialect, upload: &Upload) -> Request {
    let mut headers: BTreeMap<String, String> = upload.headers.clone();
    let body = if upload.fields.is_empty() {
        headers
            .entry("content-type".to_string())
            .or_insert_with(|| SAMPLE_TYPE.to_string());
        Body::Bytes(SAMPLE)
    } else {
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

/// The parts of the dialect without which the response would be read otherwise.
fn needed(reading: Parts, response: &Value, upload: &Upload) -> Parts {
    let send = reading.dialect().upload.send;
    reading.needed(|it| {
        it.upload.read(response).is_some_and(|it| it == *upload) && it.upload.send == send
    })
}

/// Adds where uploads go, and who sends them.
async fn add_route(session: &Session, report: &mut Report, upload: &Upload, has_key: bool) {
    if !session.is_own(&upload.url) {
        let host = authority(&upload.url).to_ascii_lowercase();
        report.set("UPLOAD_HOSTS", host.strip_suffix(":443").unwrap_or(&host));
        report.note(
            "Upload URLs are on another host. Where their host has a part that changes from one file to the next, write \
             it as a star in UPLOAD_HOSTS, and only where every such host is yours.",
        );
    }
    if has_key {
        report.set("UPLOAD_MODE", "relay");
        return;
    }
    if !allows_pages(session, upload).await {
        report.set("UPLOAD_MODE", "relay");
        report.note(
            "The storage does not allow uploads from a page of another origin (CORS), so that the gateway relays them. \
             Where it does allow your own pages, set UPLOAD_MODE to direct.",
        );
    }
}

/// Whether a URL may be one to upload to: https, or on this machine where the base URL is, without a user; and no path
/// that creates something.
fn is_storage(session: &Session, url: &str) -> bool {
    let host = authority(url);
    let is_host = !host.is_empty()
        && host
            .bytes()
            .all(|it| it.is_ascii_alphanumeric() || b".-:[]".contains(&it));
    let is_private = url.starts_with("https://") || session.is_local() && is_loopback(url);
    let is_endpoint = session.is_own(url)
        && CAPABILITIES
            .iter()
            .any(|it| url.contains(&[PREFIX, it.path].concat()));
    is_host && is_private && !is_endpoint
}

/// A page that no storage has been set up for.
const PAGE: &str = "https://page.example";

/// Whether a page of any origin may upload, as a browser finds out before it does.
async fn allows_pages(session: &Session, upload: &Upload) -> bool {
    let names = upload
        .headers
        .keys()
        .map(String::as_str)
        .chain(["content-type"])
        .collect::<Vec<_>>()
        .join(",");
    let headers = [
        ("origin", PAGE.to_string()),
        ("access-control-request-method", upload.method().to_string()),
        ("access-control-request-headers", names),
    ];
    let request = Request {
        purpose: "upload from a page: see whether the storage allows it",
        method: "OPTIONS",
        url: upload.url.clone(),
        has_key: false,
        headers: headers
            .into_iter()
            .map(|(name, value)| (name.to_string(), value))
            .collect(),
        body: Body::Empty,
    };
    let reply = session.attempt(request).await;
    (200..300).contains(&reply.status)
        && reply.allow_origin.is_some_and(|it| it == "*" || it == PAGE)
}
