//! Uploads files (§4.1).

use std::path::Path as FilePath;

use axum::{
    body::{Body, BodyDataStream, Bytes},
    extract::{
        Path, State,
        rejection::{BytesRejection, PathRejection},
    },
    http::{HeaderMap, StatusCode, header::CONTENT_LENGTH},
    response::Response,
};
use futures_util::StreamExt;
use mediagate_core::{Code, validate_upload};
use serde_json::{Value, json};
use tokio::{fs::File, io::AsyncWriteExt};

use super::body::json_body;
use crate::{
    app::SharedApp,
    http::{Refusal, ok},
    storage::{Content, Files, StoredFile, UploadClaim},
};

/// `POST upload_urls` with `{file_name, content_type, size}`, the size in bytes: issues an upload URL, as
/// `data: {upload_url, file_id, expires_in}`, the last in seconds.
pub(super) async fn request(
    State(app): State<SharedApp>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Result<Response, Refusal> {
    let body = json_body(&headers, body)?;
    let issues = validate_upload(&&body);
    if !issues.is_empty() {
        return Err(Refusal::invalid(issues));
    }
    let size = body.get("size").and_then(Value::as_f64).unwrap_or_default() as u64;
    if size > app.config.max_upload_bytes {
        let message = format!("larger than {} bytes", app.config.max_upload_bytes);
        return Err(Refusal::field(Code::INVALID_INPUT, "size", "too_large", message));
    }
    let lifetime = app.account().scene.upload_url_seconds.0;
    let (token, file_id) = app.files.issue_upload(size, lifetime).map_err(storage_full)?;
    let upload_url = format!("{}/uploads/{token}", app.base_url);
    let expires_in = lifetime.as_secs();
    Ok(ok(json!({ "upload_url": upload_url, "file_id": file_id, "expires_in": expires_in })))
}

/// `PUT {upload_url}` with exactly the announced number of bytes. It needs no key: the token in the URL authorises it.
///
/// # Errors
/// HTTP 404 for an unknown URL, 410 for an expired one, 409 for a used one, 400 for another number of bytes.
pub(super) async fn receive(
    State(app): State<SharedApp>,
    token: Result<Path<String>, PathRejection>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Refusal> {
    let Path(token) = token.map_err(|_| Refusal::not_found())?;
    let (part, path, size) = match app.files.claim_upload(&token) {
        UploadClaim::Send { part, path, size } => (part, path, size),
        UploadClaim::Unknown => return Err(Refusal::not_found()),
        UploadClaim::Expired => {
            return Err(refuse("expired", "the upload URL is expired").with_status(StatusCode::GONE));
        }
        UploadClaim::Used => return Err(refuse("used", "the upload URL was used").with_status(StatusCode::CONFLICT)),
    };
    let mut claim = ClaimGuard { files: &app.files, token: &token, part: &part, stored: None };
    let announced = headers.get(CONTENT_LENGTH).and_then(|it| it.to_str().ok()?.parse().ok());
    if announced.is_some_and(|it: u64| it != size) {
        return Err(wrong_size(size));
    }
    write(&part, body.into_data_stream(), size).await?;
    tokio::fs::rename(&part, &path).await.map_err(storage_full)?;
    let content = Content::read(&path);
    claim.stored = Some(StoredFile { path, content });
    Ok(ok(Value::Null))
}

/// Releases an upload URL when its request ends without a file, also when the caller aborts it.
struct ClaimGuard<'a> {
    files: &'a Files,
    token: &'a str,
    part: &'a FilePath,
    stored: Option<StoredFile>,
}

impl Drop for ClaimGuard<'_> {
    fn drop(&mut self) {
        if self.stored.is_none() {
            // The file is missing where no bytes arrived.
            let _ = std::fs::remove_file(self.part);
        }
        self.files.finish_upload(self.token, self.stored.take());
    }
}

/// Writes the body to a file.
///
/// # Errors
/// A body of another size, an incomplete one, and a file that cannot be written.
async fn write(path: &FilePath, mut pieces: BodyDataStream, size: u64) -> Result<(), Refusal> {
    let mut file = File::create(path).await.map_err(storage_full)?;
    let mut received = 0;
    while let Some(piece) = pieces.next().await {
        let piece = piece.map_err(|_| refuse("cut_off", "the body was cut off"))?;
        received += piece.len() as u64;
        if received > size {
            return Err(wrong_size(size));
        }
        file.write_all(&piece).await.map_err(storage_full)?;
    }
    file.flush().await.map_err(storage_full)?;
    if received == size { Ok(()) } else { Err(wrong_size(size)) }
}

fn storage_full(_: std::io::Error) -> Refusal {
    Refusal::insufficient_storage()
}

fn wrong_size(size: u64) -> Refusal {
    refuse("wrong_size", format!("not the {size} bytes that were announced"))
}

fn refuse(reason: &'static str, message: impl Into<String>) -> Refusal {
    Refusal::field(Code::INVALID_INPUT, "", reason, message)
}
