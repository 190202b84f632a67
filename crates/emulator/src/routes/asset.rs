use axum::{
    extract::{Path, State, rejection::PathRejection},
    http::header,
    response::{IntoResponse, Response},
};
use mediagate_core::Code;
use serde_json::json;

use crate::{
    app::SharedApp,
    http::Refusal,
    media::{picture, portrait},
    scene::Asset,
};

/// `GET` of the path of an asset: responds with `data.asset: {id, url}`.
pub(super) async fn read(
    State(app): State<SharedApp>,
    id: Result<Path<String>, PathRejection>,
) -> Result<Response, Refusal> {
    let Path(id) = id.map_err(|_| Refusal::not_found())?;
    if !app.files.has_output(&id) {
        return Err(Refusal::not_found());
    }
    let url = format!("{}/files/{id}", app.base_url);
    let dialect = &app.config.dialect;
    Ok(dialect.success(&dialect.asset, json!({ "id": id, "url": url })))
}

/// `GET /avatars/{id}`: responds with a picture of an avatar, as PNG.
pub(super) async fn avatar(
    State(app): State<SharedApp>,
    id: Result<Path<String>, PathRejection>,
) -> Result<Response, Refusal> {
    let Path(id) = id.map_err(|_| Refusal::not_found())?;
    let is_known = app
        .account()
        .scene
        .assets
        .get(&id)
        .is_some_and(Asset::is_avatar);
    if !is_known {
        return Err(Refusal::not_found());
    }
    let png = portrait::thumbnail(&id)
        .and_then(|picture| picture::encode_png(&picture.into()))
        .map_err(|_| Refusal::new(Code::SERVER_ERROR))?;
    Ok(([(header::CONTENT_TYPE, "image/png")], png).into_response())
}
