//! Reads the assets that tasks produce (§2), in dialects whose results are assets.

use axum::{
    extract::{Path, State, rejection::PathRejection},
    response::Response,
};

use crate::{app::SharedApp, http::Refusal};

/// `GET` of the path of an asset: responds with `data.asset: {id, url}`.
///
/// # Errors
/// HTTP 404 with code 12 for an asset that is the result of no task.
pub(super) async fn read(
    State(app): State<SharedApp>,
    id: Result<Path<String>, PathRejection>,
) -> Result<Response, Refusal> {
    let Path(id) = id.map_err(|_| Refusal::not_found())?;
    if !app.files.has_output(&id) {
        return Err(Refusal::not_found());
    }
    let url = format!("{}/files/{id}", app.base_url);
    Ok(app.config.dialect.asset_response(&id, url))
}
