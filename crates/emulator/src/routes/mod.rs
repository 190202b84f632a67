//! The endpoints (§4).

mod account;
mod admin;
mod create;
mod guard;
mod task;
mod upload;

use std::sync::LazyLock;

use axum::{
    Json, Router,
    body::Bytes,
    extract::{DefaultBodyLimit, rejection::BytesRejection},
    http::{HeaderMap, HeaderName, Method, StatusCode, header},
    middleware::{from_fn, from_fn_with_state},
    response::IntoResponse,
    routing::{get, post, put},
};
use mediagate_core::{CAPABILITIES, Code, Group, PREFIX};
use serde_json::{Value, json};
use tower_http::{
    catch_panic::CatchPanicLayer,
    cors::{Any, CorsLayer},
    services::ServeDir,
    set_header::SetResponseHeaderLayer,
};

use crate::{app::Shared, refusal::Refusal};

/// Everything that is served.
pub(crate) fn router(app: Shared) -> Router {
    Router::new()
        .route("/healthz", get(health))
        .route("/openapi.json", get(document))
        .nest(PREFIX.trim_end_matches('/'), api(&app))
        .merge(storage(&app))
        .fallback(missing)
        .method_not_allowed_fallback(wrong_method)
        .layer(from_fn_with_state(app.clone(), guard::status))
        .layer(CatchPanicLayer::custom(|_| Refusal::new(Code::SERVER_ERROR).into_response()))
        .layer(from_fn(guard::log))
        .with_state(app)
}

pub(crate) use admin::router as admin;

async fn health() -> Json<Value> {
    Json(json!({ "status": "ok" }))
}

/// What this server serves, described; the same for as long as it runs.
async fn document() -> Json<Value> {
    static DOCUMENT: LazyLock<Value> = LazyLock::new(crate::openapi::document);
    Json(DOCUMENT.clone())
}

/// What needs the API key. No cross-origin access: a browser that holds the key is a mistake.
fn api(app: &Shared) -> Router<Shared> {
    let mut router = Router::new()
        .route("/upload_urls", post(upload::request))
        .route("/models", get(account::models))
        .route("/credits/estimate", post(account::estimate));
    for group in [Group::Generate, Group::Process] {
        let path = format!("/{}/tasks/{{id}}", group.name());
        router = router.route(&path, get(move |app, id, cord, headers| task::read(group, app, id, cord, headers)));
    }
    for &capability in CAPABILITIES {
        let path = format!("/{}", capability.path);
        router = router.route(
            &path,
            post(move |app, cord, struck, headers, body| create::create(capability, app, cord, struck, headers, body)),
        );
    }
    router
        .fallback(missing)
        .method_not_allowed_fallback(wrong_method)
        .layer(DefaultBodyLimit::max(app.config.max_body_bytes))
        .layer(from_fn_with_state(app.clone(), guard::admit))
        .layer(from_fn_with_state(app.clone(), guard::faults))
}

/// What a browser reaches itself, from any origin: upload URLs and results.
fn storage(app: &Shared) -> Router<Shared> {
    let cors = CorsLayer::new()
        .allow_origin(Any)
        .allow_methods([Method::GET, Method::HEAD, Method::PUT])
        .allow_headers(Any)
        .expose_headers([header::CONTENT_LENGTH, header::CONTENT_RANGE, header::ACCEPT_RANGES]);
    let set = |name: &'static str, value: &'static str| {
        SetResponseHeaderLayer::overriding(HeaderName::from_static(name), header::HeaderValue::from_static(value))
    };
    Router::new()
        .route("/uploads/{token}", put(upload::receive).layer(DefaultBodyLimit::disable()))
        .nest_service("/files", ServeDir::new(app.files.outputs()))
        // Before the layers: set on the whole router only, it would answer a preflight without them.
        .method_not_allowed_fallback(wrong_method)
        .layer(from_fn(guard::missing_file))
        .layer(from_fn_with_state(app.clone(), guard::expire))
        .layer(from_fn_with_state(app.clone(), guard::faults))
        .layer(set("x-content-type-options", "nosniff"))
        .layer(set("cross-origin-resource-policy", "cross-origin"))
        .layer(cors)
}

async fn missing() -> Refusal {
    Refusal::not_found()
}

async fn wrong_method() -> Refusal {
    Refusal::new(Code::INVALID_INPUT).with_status(StatusCode::METHOD_NOT_ALLOWED)
}

/// The JSON body of a request.
fn json_body(headers: &HeaderMap, body: Result<Bytes, BytesRejection>) -> Result<Value, Refusal> {
    let refused = |reason, message: &str| Refusal::field(Code::INVALID_INPUT, "", reason, message);
    let body = body.map_err(|rejection| {
        refused("too_large", "the body is too large or was cut off").with_status(rejection.status())
    })?;
    let content_type = headers.get(header::CONTENT_TYPE).and_then(|it| it.to_str().ok()).unwrap_or_default();
    let media_type = content_type.split(';').next().unwrap_or_default().trim();
    if !media_type.eq_ignore_ascii_case("application/json") {
        return Err(refused("content_type", "the content type is not application/json")
            .with_status(StatusCode::UNSUPPORTED_MEDIA_TYPE));
    }
    serde_json::from_slice(&body).map_err(|_| refused("malformed", "the body is not JSON"))
}
