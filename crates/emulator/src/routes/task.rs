//! Reading tasks (§4.1).

use axum::{
    extract::{ConnectInfo, Path, State},
    http::HeaderMap,
    response::Response,
};
use mediagate_core::Group;
use serde_json::json;

use crate::{app::Shared, connection::Cord, directive::Stage, faults, refusal::Refusal};

/// `GET {group}/tasks/{id}`: the task as it is now.
pub(super) async fn read(
    group: Group,
    State(app): State<Shared>,
    Path(id): Path<String>,
    ConnectInfo(cord): ConnectInfo<Cord>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let task = app.tasks.find(&id, group).ok_or_else(Refusal::not_found)?;
    if let Some(answer) = faults::strike(&task.directive, Stage::Poll, &cord, &headers).await {
        return Ok(answer);
    }
    Ok(faults::answer(&task.directive, &headers, json!({ "task": task.record() })))
}
