use std::sync::Arc;

use axum::{
    Json, Router,
    extract::DefaultBodyLimit,
    http::{HeaderName, Method, StatusCode, header},
    middleware::{from_fn, from_fn_with_state},
    response::IntoResponse,
    routing::{get, post, put},
};
use mediagate_core::{Code, PREFIX};
use serde_json::{Value, json};
use tower_http::{
    catch_panic::CatchPanicLayer,
    cors::{Any, CorsLayer},
    services::ServeDir,
    set_header::SetResponseHeaderLayer,
};

use super::{account, asset, bucket, create, guard, receive, task, upload};
use crate::{app::SharedApp, dialect::Transfer, http::Refusal};

pub(crate) fn router(app: SharedApp) -> Router {
    Router::new()
        .route("/healthz", get(health))
        .nest(PREFIX.trim_end_matches('/'), api(&app))
        .merge(storage(&app))
        .merge(bucket::bucket(&app))
        .fallback(missing)
        .method_not_allowed_fallback(wrong_method)
        // A response passes these layers from top to bottom, so that the log has its final status.
        .layer(from_fn_with_state(app.clone(), guard::status))
        .layer(CatchPanicLayer::custom(|_| {
            Refusal::new(Code::SERVER_ERROR).into_response()
        }))
        .layer(from_fn(guard::log))
        .with_state(app)
}

/// Returns the routes below [`PREFIX`]. They require the API key (§5), and allow no cross-origin
/// access, as a browser must not have the key.
fn api(app: &SharedApp) -> Router<SharedApp> {
    let dialect = &app.config.dialect;
    let mut router = Router::new()
        .route("/upload_urls", post(upload::request))
        .route("/models", get(account::models))
        .route("/credits/estimate", post(account::estimate));
    for capability in app.config.capabilities() {
        let path = format!("/{}", capability.path);
        router = router.route(
            &path,
            post(move |app, reset, fault, headers, body| {
                create::create(capability, app, reset, fault, headers, body)
            }),
        );
    }
    if let Some(path) = &dialect.asset_path {
        router = router.route(path, get(asset::read));
    }
    if let Some(path) = &dialect.confirm_path {
        router = router.route(path, post(upload::confirm));
    }
    for (path, capabilities) in dialect.task_paths() {
        let capabilities: Arc<[&str]> = capabilities.into();
        router = router.route(
            &path,
            get(move |app, id, reset, headers| task::read(capabilities, app, id, reset, headers)),
        );
    }
    router
        .fallback(missing)
        .method_not_allowed_fallback(wrong_method)
        .layer(DefaultBodyLimit::max(app.config.max_body_bytes))
        .layer(from_fn_with_state(app.clone(), guard::authorise))
        // Outermost, so that a fault fails a request whatever its key.
        .layer(from_fn_with_state(app.clone(), guard::faults))
}

/// Returns the routes that pages of any origin call: upload URLs and results.
fn storage(app: &SharedApp) -> Router<SharedApp> {
    let (method, upload) = match app.config.dialect.upload.send {
        Transfer::Put | Transfer::SignedPut => (Method::PUT, put(receive::receive)),
        Transfer::Form => (Method::POST, post(receive::receive)),
    };
    let cors = CorsLayer::new()
        .allow_origin(Any)
        .allow_methods([Method::GET, Method::HEAD, method])
        .allow_headers(Any)
        .expose_headers([
            header::CONTENT_LENGTH,
            header::CONTENT_RANGE,
            header::ACCEPT_RANGES,
        ]);
    let set = |name: &'static str, value: &'static str| {
        SetResponseHeaderLayer::overriding(
            HeaderName::from_static(name),
            header::HeaderValue::from_static(value),
        )
    };
    Router::new()
        .route(
            "/uploads/{token}",
            upload.layer(DefaultBodyLimit::disable()),
        )
        .route("/avatars/{id}", get(asset::avatar))
        .nest_service("/files", ServeDir::new(app.files.outputs()))
        // Set below the layers. The fallback of the whole router would respond to a preflight
        // without CORS headers.
        .method_not_allowed_fallback(wrong_method)
        .layer(from_fn(guard::missing_file))
        .layer(from_fn_with_state(app.clone(), guard::expire))
        .layer(from_fn_with_state(app.clone(), guard::faults))
        .layer(set("x-content-type-options", "nosniff"))
        // A page with COEP could not show a result otherwise.
        .layer(set("cross-origin-resource-policy", "cross-origin"))
        .layer(cors)
}

async fn health() -> Json<Value> {
    Json(json!({ "status": "ok" }))
}

async fn missing() -> Refusal {
    Refusal::not_found()
}

async fn wrong_method() -> Refusal {
    Refusal::new(Code::INVALID_INPUT).with_status(StatusCode::METHOD_NOT_ALLOWED)
}
