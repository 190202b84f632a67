//! The routes of the main interface.

use std::sync::LazyLock;

use axum::{
    Json, Router,
    extract::DefaultBodyLimit,
    http::{HeaderName, Method, StatusCode, header},
    middleware::{from_fn, from_fn_with_state},
    response::IntoResponse,
    routing::{get, post, put},
};
use mediagate_core::{CAPABILITIES, Code, Group, PREFIX};
use serde_json::Value;
use tower_http::{
    catch_panic::CatchPanicLayer,
    cors::{Any, CorsLayer},
    services::ServeDir,
    set_header::SetResponseHeaderLayer,
};

use super::{account, create, guard, health::health, task, upload};
use crate::{app::SharedApp, http::Refusal, openapi};

/// The main interface: the API under its prefix, uploads and results, `/healthz` and `/openapi.json`.
pub(crate) fn router(app: SharedApp) -> Router {
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

/// `GET /openapi.json`: the OpenAPI document of this server, built once.
async fn document() -> Json<Value> {
    static DOCUMENT: LazyLock<Value> = LazyLock::new(openapi::document);
    Json(DOCUMENT.clone())
}

/// The routes that require the API key (§5). They allow no cross-origin access, as a browser must not have the key.
fn api(app: &SharedApp) -> Router<SharedApp> {
    let mut router = Router::new()
        .route("/upload_urls", post(upload::request))
        .route("/models", get(account::models))
        .route("/credits/estimate", post(account::estimate));
    for group in [Group::Generate, Group::Process] {
        let path = format!("/{}/tasks/{{id}}", group.name());
        router = router.route(&path, get(move |app, id, reset, headers| task::read(group, app, id, reset, headers)));
    }
    for &capability in CAPABILITIES {
        let path = format!("/{}", capability.path);
        router = router.route(
            &path,
            post(move |app, reset, fault, headers, body| create::create(capability, app, reset, fault, headers, body)),
        );
    }
    router
        .fallback(missing)
        .method_not_allowed_fallback(wrong_method)
        .layer(DefaultBodyLimit::max(app.config.max_body_bytes))
        .layer(from_fn_with_state(app.clone(), guard::authorise))
        .layer(from_fn_with_state(app.clone(), guard::faults))
}

/// The routes that a browser calls directly, from any origin: upload URLs and results.
fn storage(app: &SharedApp) -> Router<SharedApp> {
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
        // Set here, below the layers: on the whole router, it would respond to a preflight without CORS headers.
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
