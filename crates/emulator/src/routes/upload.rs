use axum::{
    body::Bytes,
    extract::{
        Path, State,
        rejection::{BytesRejection, PathRejection},
    },
    http::HeaderMap,
    response::Response,
};
use jiff::Timestamp;
use serde_json::json;
use uuid::Uuid;

use super::body::json_body;
use crate::{app::SharedApp, http::Refusal};

/// `POST upload_urls` (§4.1) with `{file_name, content_type, size}`: responds with `data:
/// {upload_url, file_id, expires_in}`. `size` is in bytes, `expires_in` in seconds. Refuses with 12
/// for an invalid body or a file that would be too large, and HTTP 507 for a record that cannot be
/// written.
pub(super) async fn request(
    State(app): State<SharedApp>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Result<Response, Refusal> {
    let body = json_body(&headers, body)?;
    let dialect = &app.config.dialect;
    let terms = dialect.upload.terms(&body, app.config.max_upload_bytes)?;
    let lifetime = app.account().scene.upload_url_seconds.0;
    let issued = app.files.issue_upload(terms.clone(), lifetime);
    let (token, file_id) = issued.map_err(|_| Refusal::insufficient_storage())?;
    let base_url = &app.base_url;
    let values = json!({
        "upload_url": format!("{base_url}/uploads/{token}"),
        "download_url": format!("{base_url}/files/{file_id}"),
        "file_id": file_id,
        "expires_in": lifetime.as_secs(),
        "expires_at": (Timestamp::now() + lifetime).to_string(),
        "method": dialect.upload.send.method(),
        "headers": terms.headers,
        "fields": terms.fields,
        "request_id": Uuid::new_v4().to_string(),
    });
    Ok(dialect.success(&dialect.upload.response, values))
}

/// `POST` to the path that confirms a file, with any body. Refuses with HTTP 404 and code 12 for a
/// file that has not been uploaded, and with 507 for a record that cannot be written.
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
