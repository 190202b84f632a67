use std::time::Instant;

use axum::{
    extract::{ConnectInfo, Request, State},
    http::{
        HeaderMap, Method, StatusCode,
        header::{ALLOW, AUTHORIZATION},
    },
    middleware::Next,
    response::{IntoResponse, Response},
};
use mediagate_core::{Code, PREFIX};

use crate::{
    app::SharedApp,
    faults::{Injection, Stage},
    http::{EnvelopeCode, Refusal, ResetHandle, header_text},
};

/// Checks the API key, and counts a POST for the rate limit. Refuses with 13 without the key (§5),
/// and with 16 if the rate limit is exceeded.
pub(super) async fn authorise(
    State(app): State<SharedApp>,
    request: Request,
    next: Next,
) -> Result<Response, Refusal> {
    if !has_key(&app, request.headers()) {
        return Err(Refusal::new(Code::UNAUTHENTICATED));
    }
    if request.method() == Method::POST {
        app.account().check_rate_limit()?;
    }
    Ok(next.run(request).await)
}

pub(super) fn has_key(app: &SharedApp, headers: &HeaderMap) -> bool {
    let presented = header_text(headers, &AUTHORIZATION).unwrap_or_default();
    let (scheme, key) = presented.split_once(' ').unwrap_or_default();
    scheme.eq_ignore_ascii_case("bearer") && app.config.api_key.matches(key.trim())
}

/// Logs one line for each request. The line has no query, body or key, and no token of an upload
/// URL.
pub(super) async fn log(request: Request, next: Next) -> Response {
    let method = request.method().clone();
    let path = request.uri().path();
    let path = if path.starts_with("/uploads/") {
        "/uploads/…".to_owned()
    } else {
        path.to_owned()
    };
    let started = Instant::now();
    let response = next.run(request).await;
    let code = response.extensions().get::<EnvelopeCode>();
    let code = code.map(|EnvelopeCode(code)| code.0);
    let ms = started.elapsed().as_millis() as u64;
    tracing::info!(%method, path, status = response.status().as_u16(), code, ms, "request");
    response
}

/// Expires tasks before a result is served. There is no timer, so each read expires tasks by
/// itself.
pub(super) async fn expire(State(app): State<SharedApp>, request: Request, next: Next) -> Response {
    if let Some(after) = app.account().scene.task_expires_seconds {
        app.expire(after.0);
    }
    next.run(request).await
}

/// Applies the scene's faults. The handler receives the directive as an extension.
pub(super) async fn faults(
    State(app): State<SharedApp>,
    ConnectInfo(reset): ConnectInfo<ResetHandle>,
    mut request: Request,
    next: Next,
) -> Response {
    if request.method() == Method::OPTIONS {
        // A preflight is sent by the browser, so it does not count as a request of the test.
        return next.run(request).await;
    }
    let account = app.account();
    let path = request.uri().path();
    let path = path
        .strip_prefix(PREFIX)
        .unwrap_or(path.trim_start_matches('/'));
    let Some(directive) = account.faults.select(request.method().as_str(), path) else {
        return next.run(request).await;
    };
    request.extensions_mut().insert(directive.clone());
    if directive.stage == Stage::Poll {
        // The create keeps the directive for the polls of its task.
        return next.run(request).await;
    }
    let headers = request.headers().clone();
    let injection = Injection {
        directive: &directive,
        faults: &account.faults,
        reset: &reset,
        headers: &headers,
    };
    injection.apply(next.run(request)).await
}

pub(super) async fn status(State(app): State<SharedApp>, request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    if app.account().scene.status_200 && response.extensions().get::<EnvelopeCode>().is_some() {
        *response.status_mut() = StatusCode::OK;
    }
    response
}

pub(super) async fn missing_file(request: Request, next: Next) -> Response {
    let response = next.run(request).await;
    let no_envelope = response.extensions().get::<EnvelopeCode>().is_none();
    match response.status() {
        StatusCode::NOT_FOUND if no_envelope => Refusal::not_found().into_response(),
        status @ StatusCode::METHOD_NOT_ALLOWED if no_envelope => {
            let mut refusal = Refusal::new(Code::INVALID_INPUT)
                .with_status(status)
                .into_response();
            refusal.headers_mut().extend(
                response
                    .headers()
                    .get(ALLOW)
                    .map(|allowed| (ALLOW, allowed.clone())),
            );
            refusal
        }
        _ => response,
    }
}
