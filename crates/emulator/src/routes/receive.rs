//! Receives the bytes of files at upload URLs (§4.1).

use std::{collections::BTreeMap, path::Path as FilePath, pin::pin};

use axum::{
    body::Bytes,
    extract::{
        FromRequest, Multipart, Path, Request, State, multipart::Field, rejection::PathRejection,
    },
    http::{HeaderMap, StatusCode, header::CONTENT_LENGTH},
    response::Response,
};
use futures_util::{Stream, StreamExt};
use mediagate_core::Code;
use tokio::{fs::File, io::AsyncWriteExt};

use super::guard::has_key;
use crate::{
    app::SharedApp,
    dialect::Transfer,
    http::Refusal,
    storage::{Content, Files, StoredFile, UploadClaim, UploadTerms},
};

/// The size of the largest form field before the file, in bytes.
const MAX_FIELD_BYTES: usize = 64 << 10;

/// `PUT {upload_url}` with exactly the announced number of bytes, or the request that the dialect
/// has instead. The token in the URL authorises the request, so by default it needs no key.
///
/// # Errors
/// HTTP 404 for an unknown URL, 410 for an expired URL, 409 for a used URL, and 400 for another
/// number of bytes. If the dialect requires them: 401 without the key, and 403 without the headers
/// or fields that the response named.
pub(super) async fn receive(
    State(app): State<SharedApp>,
    token: Result<Path<String>, PathRejection>,
    request: Request,
) -> Result<Response, Refusal> {
    let Path(token) = token.map_err(|_| Refusal::not_found())?;
    let upload = &app.config.dialect.upload;
    if upload.requires_key && !has_key(&app, request.headers()) {
        return Err(Refusal::new(Code::UNAUTHENTICATED));
    }
    let (part, path, terms) = match app.files.claim_upload(&token) {
        UploadClaim::Send { part, path, terms } => (part, path, terms),
        UploadClaim::Unknown => return Err(Refusal::not_found()),
        UploadClaim::Expired => {
            return Err(
                refuse("expired", "the upload URL is expired").with_status(StatusCode::GONE)
            );
        }
        UploadClaim::Used => {
            return Err(refuse("used", "the upload URL was used").with_status(StatusCode::CONFLICT));
        }
    };
    let mut claim = ClaimGuard {
        files: &app.files,
        token: &token,
        part: &part,
        stored: None,
    };
    let sink = Sink {
        path: &part,
        size: terms.size,
    };
    match upload.send {
        Transfer::Put | Transfer::SignedPut => put(request, &terms, &sink).await?,
        Transfer::Form => form(request, &terms, &sink).await?,
    }
    // A file gets its name once it is complete. A restart can then tell it from a partial one.
    tokio::fs::rename(&part, &path)
        .await
        .map_err(storage_full)?;
    let content = Content::read(&path);
    claim.stored = Some(StoredFile {
        path,
        content,
        is_confirmed: false,
    });
    Ok(app.config.dialect.empty_response())
}

/// A claim to an upload URL. Dropping it releases the URL if the request stored no file, also if
/// the caller aborted the request.
struct ClaimGuard<'a> {
    files: &'a Files,
    token: &'a str,
    part: &'a FilePath,
    stored: Option<StoredFile>,
}

impl Drop for ClaimGuard<'_> {
    fn drop(&mut self) {
        if self.stored.is_none() {
            // There is no file if no bytes arrived.
            let _ = std::fs::remove_file(self.part);
        }
        self.files.finish_upload(self.token, self.stored.take());
    }
}

/// Receives the body of a PUT.
///
/// # Errors
/// HTTP 403 for a missing or different signed header, and the errors of [`Sink::write`].
async fn put(request: Request, terms: &UploadTerms, sink: &Sink<'_>) -> Result<(), Refusal> {
    let headers = request.headers();
    let value = |name: &str| {
        headers
            .get(name)
            .and_then(|value| value.to_str().ok())
            .map(str::trim)
    };
    if let Some((name, _)) = terms
        .headers
        .iter()
        .find(|(name, signed)| value(name) != Some(signed))
    {
        return Err(forbidden(format!(
            "the header {name} is not as it was signed"
        )));
    }
    let length = content_length(headers);
    if length.is_some_and(|length| length != terms.size) {
        // Refused at once, before the caller sends the whole body.
        return Err(sink.wrong_size());
    }
    sink.write(request.into_body().into_data_stream()).await
}

fn content_length(headers: &HeaderMap) -> Option<u64> {
    headers.get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

/// Receives a form: its fields, then the file, which is the first part with the name `file` or with
/// a file name.
///
/// # Errors
/// HTTP 403 for a missing or different field, 12 for a malformed form or a form without a file, and
/// the errors of [`Sink::write`].
async fn form(request: Request, terms: &UploadTerms, sink: &Sink<'_>) -> Result<(), Refusal> {
    let malformed = |_| refuse("malformed", "the body is no multipart/form-data");
    let mut form = Multipart::from_request(request, &())
        .await
        .map_err(|_| malformed(()))?;
    let mut fields = BTreeMap::new();
    while let Some(field) = form.next_field().await.map_err(|_| malformed(()))? {
        let name = field.name().unwrap_or_default().to_owned();
        if name != "file" && field.file_name().is_none() {
            fields.insert(name, text(field).await?);
            continue;
        }
        if let Some((missing, _)) = terms
            .fields
            .iter()
            .find(|(required, signed)| fields.get(*required) != Some(signed))
        {
            return Err(forbidden(format!(
                "the field {missing} is not before the file, as it was signed"
            )));
        }
        return sink.write(field).await;
    }
    Err(refuse("no_file", "the form has no file"))
}

/// Reads the text of a form field.
async fn text(mut field: Field<'_>) -> Result<String, Refusal> {
    let mut bytes = Vec::new();
    while let Some(piece) = field.chunk().await.map_err(|_| cut_off())? {
        bytes.extend(piece);
        if bytes.len() > MAX_FIELD_BYTES {
            return Err(refuse("too_large", "a field before the file is too large"));
        }
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The file that an upload is written to.
struct Sink<'a> {
    path: &'a FilePath,
    /// The announced size in bytes.
    size: u64,
}

impl Sink<'_> {
    /// Writes a body to the file.
    ///
    /// # Errors
    /// 12 for a body of another size or an incomplete body, and HTTP 507 for a file that cannot be
    /// written.
    async fn write<E>(&self, pieces: impl Stream<Item = Result<Bytes, E>>) -> Result<(), Refusal> {
        let mut pieces = pin!(pieces);
        let mut file = File::create(self.path).await.map_err(storage_full)?;
        let mut received = 0;
        while let Some(piece) = pieces.next().await {
            let piece = piece.map_err(|_| cut_off())?;
            received += piece.len() as u64;
            if received > self.size {
                return Err(self.wrong_size());
            }
            file.write_all(&piece).await.map_err(storage_full)?;
        }
        file.flush().await.map_err(storage_full)?;
        if received == self.size {
            Ok(())
        } else {
            Err(self.wrong_size())
        }
    }

    fn wrong_size(&self) -> Refusal {
        refuse(
            "wrong_size",
            format!("not the {} bytes that were announced", self.size),
        )
    }
}

fn storage_full(_: std::io::Error) -> Refusal {
    Refusal::insufficient_storage()
}

fn cut_off() -> Refusal {
    refuse("cut_off", "the body was cut off")
}

fn forbidden(message: String) -> Refusal {
    refuse("not_as_signed", message).with_status(StatusCode::FORBIDDEN)
}

fn refuse(reason: &'static str, message: impl Into<String>) -> Refusal {
    Refusal::invalid_field("", reason, message)
}
