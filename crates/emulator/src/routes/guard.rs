//! What happens before and after every endpoint.

use axum::{
    extract::{Request, State},
    http::{Method, StatusCode, header::AUTHORIZATION},
    middleware::Next,
    response::{IntoResponse, Response},
};
use mediagate_core::Code;

use crate::{
    app::Shared,
    refusal::{Enveloped, Refusal},
};

/// Lets in who presents the API key (§5), and counts what is not a mere read.
pub(super) async fn admit(State(app): State<Shared>, request: Request, next: Next) -> Result<Response, Refusal> {
    let presented = request.headers().get(AUTHORIZATION).and_then(|it| it.to_str().ok()).unwrap_or_default();
    let (scheme, key) = presented.split_once(' ').unwrap_or_default();
    if !scheme.eq_ignore_ascii_case("bearer") || !app.config.api_key.is(key.trim()) {
        return Err(Refusal::new(Code::UNAUTHENTICATED));
    }
    if request.method() == Method::POST {
        app.account.admit()?;
    }
    Ok(next.run(request).await)
}

/// HTTP 200 for every envelope, where that is set.
pub(super) async fn status(State(app): State<Shared>, request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    if app.config.status_200 && response.extensions().get::<Enveloped>().is_some() {
        *response.status_mut() = StatusCode::OK;
    }
    response
}

/// The envelope for a file that is not there, in place of an empty 404.
pub(super) async fn missing_file(request: Request, next: Next) -> Response {
    let response = next.run(request).await;
    let bare = response.extensions().get::<Enveloped>().is_none();
    match response.status() {
        StatusCode::NOT_FOUND if bare => Refusal::not_found().into_response(),
        status @ StatusCode::METHOD_NOT_ALLOWED if bare => {
            Refusal::new(Code::INVALID_INPUT).with_status(status).into_response()
        }
        _ => response,
    }
}
