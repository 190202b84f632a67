//! What happens before and after every endpoint.

use std::time::Instant;

use axum::{
    extract::{ConnectInfo, Request, State},
    http::{
        Method, StatusCode,
        header::{ALLOW, AUTHORIZATION},
    },
    middleware::Next,
    response::{IntoResponse, Response},
};
use mediagate_core::{Code, PREFIX};

use crate::{
    app::Shared,
    connection::Cord,
    faults::{Stage, Strike},
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
        app.account().admit()?;
    }
    Ok(next.run(request).await)
}

/// One line for each request: no query, no body, no title, no key; and of an upload URL not the secret.
pub(super) async fn log(request: Request, next: Next) -> Response {
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    let path = if path.starts_with("/uploads/") { "/uploads/…".into() } else { path };
    let started = Instant::now();
    let response = next.run(request).await;
    let code = response.extensions().get::<Enveloped>().map(|it| it.0.0);
    let ms = started.elapsed().as_millis() as u64;
    tracing::info!(%method, path, status = response.status().as_u16(), code, ms, "request");
    response
}

/// Ends the time of old tasks before a result of theirs is served.
pub(super) async fn expire(State(app): State<Shared>, request: Request, next: Next) -> Response {
    if let Some(after) = app.account().scene.task_expires_seconds {
        app.expire(after.0);
    }
    next.run(request).await
}

/// Whatever the scene's list of faults has for a request, if anything.
pub(super) async fn faults(
    State(app): State<Shared>,
    ConnectInfo(cord): ConnectInfo<Cord>,
    mut request: Request,
    next: Next,
) -> Response {
    if request.method() == Method::OPTIONS {
        return next.run(request).await; // a preflight, which no test asked for
    }
    let account = app.account();
    let path = request.uri().path();
    let path = path.strip_prefix(PREFIX).unwrap_or(path.trim_start_matches('/'));
    let Some(directive) = account.faults.next(request.method().as_str(), path) else { return next.run(request).await };
    request.extensions_mut().insert(directive.clone());
    if directive.stage == Stage::Poll {
        return next.run(request).await;
    }
    let headers = request.headers().clone();
    let strike = Strike { directive: &directive, faults: &account.faults, cord: &cord, headers: &headers };
    strike.on(next.run(request)).await
}

/// HTTP 200 for every envelope, where that is set.
pub(super) async fn status(State(app): State<Shared>, request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    if app.account().scene.status_200 && response.extensions().get::<Enveloped>().is_some() {
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
            let mut refused = Refusal::new(Code::INVALID_INPUT).with_status(status).into_response();
            refused.headers_mut().extend(response.headers().get(ALLOW).map(|it| (ALLOW, it.clone())));
            refused
        }
        _ => response,
    }
}
