//! Endpoints of both interfaces.

use axum::Json;
use serde_json::{Value, json};

/// `GET /healthz`: `{"status":"ok"}`.
pub(super) async fn health() -> Json<Value> {
    Json(json!({ "status": "ok" }))
}
