//! The admin interface, on a port of its own: it sets the scene, and puts everything back.

use axum::{
    Json, Router,
    extract::{DefaultBodyLimit, Request, State, rejection::JsonRejection},
    http::{StatusCode, header::ORIGIN},
    middleware::{Next, from_fn},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use serde_json::{Value, json};

use crate::{app::Shared, scene::Scene};

/// What it serves.
pub(crate) fn router(app: Shared) -> Router {
    Router::new()
        .route("/scene", get(read).put(replace).patch(change))
        .route("/reset", post(reset))
        .route("/healthz", get(super::health))
        .fallback(async || Problem(StatusCode::NOT_FOUND, "there is GET, PUT and PATCH /scene, and POST /reset".into()))
        .layer(from_fn(no_pages))
        .layer(DefaultBodyLimit::max(app.config.max_body_bytes))
        .with_state(app)
}

/// What cannot be done, and why.
struct Problem(StatusCode, String);

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        (self.0, Json(json!({ "error": self.1 }))).into_response()
    }
}

/// `GET /scene`: all of it, with what is left of the credits.
async fn read(State(app): State<Shared>) -> Json<Scene> {
    Json(app.account().now())
}

type Changes = Result<Json<Value>, JsonRejection>;

/// `PUT /scene`: the scene of the start with these changes. Tasks and files stay.
async fn replace(State(app): State<Shared>, changes: Changes) -> Result<Json<Scene>, Problem> {
    let start = app.start.clone();
    set(&app, &start, changes)
}

/// `PATCH /scene`: the scene as it is with these changes; faults are counted anew.
async fn change(State(app): State<Shared>, changes: Changes) -> Result<Json<Scene>, Problem> {
    let now = app.account().now();
    set(&app, &now, changes)
}

fn set(app: &Shared, scene: &Scene, changes: Changes) -> Result<Json<Scene>, Problem> {
    let Json(changes) = changes.map_err(|rejection| Problem(rejection.status(), rejection.body_text()))?;
    let scene = scene.changed(&changes).map_err(|problem| Problem(StatusCode::BAD_REQUEST, problem))?;
    app.set_scene(scene.clone());
    Ok(Json(scene))
}

/// `POST /reset`: everything as at the start: the scene, no tasks, no files.
async fn reset(State(app): State<Shared>) -> Result<Json<Scene>, Problem> {
    let failed = |error| Problem(StatusCode::INTERNAL_SERVER_ERROR, format!("files could not be removed: {error}"));
    app.reset().map_err(failed)?;
    Ok(read(State(app)).await)
}

/// Pages of any origin are refused: a page that somebody opens must not change what a test has set.
async fn no_pages(request: Request, next: Next) -> Response {
    if request.headers().contains_key(ORIGIN) {
        return Problem(StatusCode::FORBIDDEN, "the admin interface is for programs, not for pages".into())
            .into_response();
    }
    next.run(request).await
}
