use axum::{
    Json, Router,
    extract::{DefaultBodyLimit, Request, State, rejection::JsonRejection},
    http::{StatusCode, header::ORIGIN},
    middleware::{Next, from_fn},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use serde_json::{Value, json};

use super::host::{host, is_local};
use crate::{app::SharedApp, scene::Scene};

pub(crate) fn admin_router(app: SharedApp) -> Router {
    Router::new()
        .route("/scene", get(read).put(replace).patch(patch))
        .route("/reset", post(reset))
        .fallback(async || {
            Problem(
                StatusCode::NOT_FOUND,
                "there is no such path; use GET, PUT or PATCH /scene, or POST /reset".into(),
            )
        })
        .layer(from_fn(reject_pages))
        .layer(DefaultBodyLimit::max(app.config.max_body_bytes))
        .with_state(app)
}

struct Problem(StatusCode, String);

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        (self.0, Json(json!({ "error": self.1 }))).into_response()
    }
}

async fn read(State(app): State<SharedApp>) -> Json<Scene> {
    Json(app.account().current_scene())
}

type Changes = Result<Json<Value>, JsonRejection>;

async fn replace(State(app): State<SharedApp>, changes: Changes) -> Result<Json<Scene>, Problem> {
    let initial = app.initial_scene.clone();
    set_patched(&app, &initial, changes)
}

async fn patch(State(app): State<SharedApp>, changes: Changes) -> Result<Json<Scene>, Problem> {
    let current = app.account().current_scene();
    set_patched(&app, &current, changes)
}

fn set_patched(app: &SharedApp, scene: &Scene, changes: Changes) -> Result<Json<Scene>, Problem> {
    let Json(changes) =
        changes.map_err(|rejection| Problem(rejection.status(), rejection.body_text()))?;
    let scene = scene
        .patched(&app.config, &changes)
        .map_err(|problem| Problem(StatusCode::BAD_REQUEST, problem))?;
    app.set_scene(scene.clone());
    Ok(Json(scene))
}

async fn reset(State(app): State<SharedApp>) -> Result<Json<Scene>, Problem> {
    let failed = |error| {
        Problem(
            StatusCode::INTERNAL_SERVER_ERROR,
            format!("files could not be removed: {error}"),
        )
    };
    app.reset().map_err(failed)?;
    Ok(read(State(app)).await)
}

/// Refuses requests of web pages, whatever their origin: a page must not read or change the scene
/// of a test.
///
/// A page can make the name of its own host resolve to this machine. A `GET` of this page has no
/// `Origin`, but its `Host` has that name.
async fn reject_pages(request: Request, next: Next) -> Response {
    let problem = match host(&request) {
        _ if request.headers().contains_key(ORIGIN) => {
            "the admin interface is for programs, not for pages"
        }
        Some(host) if is_local(host) => return next.run(request).await,
        _ => "the admin interface has no other name; use its IP address or localhost",
    };
    Problem(StatusCode::FORBIDDEN, problem.into()).into_response()
}
