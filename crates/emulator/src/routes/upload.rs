//! Uploading files (§4.1).

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

use super::json_body;
use crate::{
    app::Shared,
    files::{Claim, Content, Files, Stored},
    refusal::{Refusal, ok},
};

/// `POST upload_urls` with `{file_name, content_type, size}`: where to send the bytes, and the id they will have.
pub(super) async fn request(
    State(app): State<Shared>,
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
    let lasts = app.account().scene.upload_url_seconds.0;
    let (token, file_id) = app.files.expect(size, lasts).map_err(full)?;
    let upload_url = format!("{}/uploads/{token}", app.base_url);
    let expires_in = lasts.as_secs();
    Ok(ok(json!({ "upload_url": upload_url, "file_id": file_id, "expires_in": expires_in })))
}

/// `PUT {upload_url}` with the raw bytes, exactly as many as were announced. The URL is the permission: no key.
pub(super) async fn receive(
    State(app): State<Shared>,
    token: Result<Path<String>, PathRejection>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Refusal> {
    let Path(token) = token.map_err(|_| Refusal::not_found())?;
    let (part, path, size) = match app.files.claim(&token) {
        Claim::Send { part, path, size } => (part, path, size),
        Claim::Unknown => return Err(Refusal::not_found()),
        Claim::Expired => return Err(refused("expired", "the upload URL is expired").with_status(StatusCode::GONE)),
        Claim::Used => return Err(refused("used", "the upload URL was used").with_status(StatusCode::CONFLICT)),
    };
    let mut claimed = Claimed { files: &app.files, token: &token, part: &part, stored: None };
    let announced = headers.get(CONTENT_LENGTH).and_then(|it| it.to_str().ok()?.parse().ok());
    if announced.is_some_and(|it: u64| it != size) {
        return Err(wrong_size(size));
    }
    write(&part, body.into_data_stream(), size).await?;
    tokio::fs::rename(&part, &path).await.map_err(full)?;
    let content = Content::read(&path);
    claimed.stored = Some(Stored { path, content });
    Ok(ok(Value::Null))
}

/// Gives an upload URL free again when its request ends without a file, also when its caller went away.
struct Claimed<'a> {
    files: &'a Files,
    token: &'a str,
    part: &'a FilePath,
    stored: Option<Stored>,
}

impl Drop for Claimed<'_> {
    fn drop(&mut self) {
        if self.stored.is_none() {
            // There is none where nothing came.
            let _ = std::fs::remove_file(self.part);
        }
        self.files.settle(self.token, self.stored.take());
    }
}

async fn write(path: &FilePath, mut pieces: BodyDataStream, size: u64) -> Result<(), Refusal> {
    let mut file = File::create(path).await.map_err(full)?;
    let mut received = 0;
    while let Some(piece) = pieces.next().await {
        let piece = piece.map_err(|_| refused("cut_off", "the body was cut off"))?;
        received += piece.len() as u64;
        if received > size {
            return Err(wrong_size(size));
        }
        file.write_all(&piece).await.map_err(full)?;
    }
    file.flush().await.map_err(full)?;
    if received == size { Ok(()) } else { Err(wrong_size(size)) }
}

/// There is no room.
pub(super) fn full(_: std::io::Error) -> Refusal {
    Refusal::new(Code::SERVER_ERROR).with_status(StatusCode::INSUFFICIENT_STORAGE)
}

fn wrong_size(size: u64) -> Refusal {
    refused("wrong_size", format!("not the {size} bytes that were announced"))
}

fn refused(reason: &'static str, message: impl Into<String>) -> Refusal {
    Refusal::field(Code::INVALID_INPUT, "", reason, message)
}
