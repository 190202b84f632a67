use std::{collections::BTreeMap, path::Path as FilePath, pin::pin};

use axum::{
    body::Bytes,
    extract::{
        FromRequest, Multipart, Path, Request, State, multipart::Field, rejection::PathRejection,
    },
    http::{StatusCode, header::CONTENT_LENGTH},
    response::Response,
};
use futures_util::{Stream, StreamExt};
use mediagate_core::Code;
use tokio::{fs::File, io::AsyncWriteExt};

use super::guard::has_key;
use crate::{
    app::SharedApp,
    dialect::Transfer,
    http::{Refusal, header_text},
    storage::{Content, Files, StoredFile, UploadClaim, UploadTerms},
};

/// The size of the largest form field before the file.
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

/// Receives the body of a PUT. Refuses with HTTP 403 for a missing or different signed header, or
/// as [`Sink::write`] does.
async fn put(request: Request, terms: &UploadTerms, sink: &Sink<'_>) -> Result<(), Refusal> {
    let headers = request.headers();
    for (name, signed) in &terms.headers {
        let value = headers.get(name).and_then(|value| value.to_str().ok());
        if value.map(str::trim) != Some(signed) {
            return Err(forbidden(format!(
                "the header {name} is not as it was signed"
            )));
        }
    }
    let length = header_text(headers, &CONTENT_LENGTH);
    if let Some(Ok(length)) = length.map(str::parse::<u64>)
        && length != terms.size
    {
        // Refused at once, before the caller sends the whole body.
        return Err(sink.wrong_size());
    }
    sink.write(request.into_body().into_data_stream()).await
}

/// Receives a form. The file is the first part with the name `file` or with a file name. Refuses
/// with HTTP 403 for a missing or different field before it, with 12 for a malformed form or one
/// without a file, or as [`Sink::write`] does.
async fn form(request: Request, terms: &UploadTerms, sink: &Sink<'_>) -> Result<(), Refusal> {
    let mut form = Multipart::from_request(request, &())
        .await
        .map_err(malformed)?;
    let mut fields = BTreeMap::new();
    while let Some(field) = form.next_field().await.map_err(malformed)? {
        let name = field.name().unwrap_or_default().to_owned();
        if name != "file" && field.file_name().is_none() {
            fields.insert(name, text(field).await?);
            continue;
        }
        for (required, signed) in &terms.fields {
            if fields.get(required) != Some(signed) {
                return Err(forbidden(format!(
                    "the field {required} is not before the file, as it was signed"
                )));
            }
        }
        return sink.write(field).await;
    }
    Err(refuse("no_file", "the form has no file"))
}

fn malformed<E>(_: E) -> Refusal {
    refuse("malformed", "the body is no multipart/form-data")
}

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

struct Sink<'a> {
    path: &'a FilePath,
    /// The announced size in bytes.
    size: u64,
}

impl Sink<'_> {
    /// Writes a body to the file. Refuses with 12 for a body of another size or an incomplete body,
    /// and with HTTP 507 for a file that cannot be written.
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
