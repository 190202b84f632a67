//! Issues upload URLs (§4.1).

use std::collections::BTreeMap;

use axum::{
    body::Bytes,
    extract::{
        Path, State,
        rejection::{BytesRejection, PathRejection},
    },
    http::HeaderMap,
    response::Response,
};

use super::body::json_body;
use crate::{
    app::SharedApp,
    dialect::{IssuedUpload, Transfer},
    http::Refusal,
    storage::UploadTerms,
};

/// `POST upload_urls` with `{file_name, content_type, size}`: issues an upload URL, and responds
/// with `data: {upload_url, file_id, expires_in}`. `size` is in bytes, `expires_in` in seconds.
///
/// # Errors
/// 12 for an invalid body or a file that would be too large, and HTTP 507 for a record that cannot
/// be written.
pub(super) async fn request(
    State(app): State<SharedApp>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Result<Response, Refusal> {
    let body = json_body(&headers, body)?;
    let dialect = &app.config.dialect;
    let announced = dialect.upload.request.announced(&body)?;
    if announced
        .size
        .is_some_and(|size| size > app.config.max_upload_bytes)
    {
        return Err(dialect
            .upload
            .request
            .too_large(app.config.max_upload_bytes));
    }
    let lifetime = app.account().scene.upload_url_seconds.0;
    let send = dialect.upload.send;
    let headers = send.headers(announced.content_type.as_deref());
    let fields = send.fields();
    // A plain PUT may have any headers, whatever the response names.
    let signed = if send == Transfer::SignedPut {
        headers.clone()
    } else {
        BTreeMap::new()
    };
    let terms = UploadTerms {
        size: announced.size,
        headers: signed,
        fields: fields.clone(),
    };
    let issued = app.files.issue_upload(terms, lifetime);
    let (token, file_id) = issued.map_err(|_| Refusal::insufficient_storage())?;
    Ok(dialect.upload_response(IssuedUpload {
        base_url: &app.base_url,
        url: format!("{}/uploads/{token}", app.base_url),
        file_id,
        lifetime,
        method: send.method(),
        headers,
        fields,
    }))
}

/// `POST` to the path that confirms a file, with any body.
///
/// # Errors
/// HTTP 404 with code 12 for a file that has not been uploaded, and 507 for a record that cannot be
/// written.
pub(super) async fn confirm(
    State(app): State<SharedApp>,
    file_id: Result<Path<String>, PathRejection>,
) -> Result<Response, Refusal> {
    let Path(file_id) = file_id.map_err(|_| Refusal::not_found())?;
    match app.files.confirm(&file_id) {
        Ok(true) => Ok(app.config.dialect.empty_response()),
        Ok(false) => Err(Refusal::not_found()),
        Err(_) => Err(Refusal::insufficient_storage()),
    }
}
