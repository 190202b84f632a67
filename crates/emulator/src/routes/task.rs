//! Reading tasks (§4.1).

use axum::{
    extract::{ConnectInfo, Path, State, rejection::PathRejection},
    http::HeaderMap,
    response::Response,
};
use mediagate_core::Group;
use serde_json::json;

use crate::{
    app::Shared,
    connection::Cord,
    faults::{self, Stage, Strike},
    refusal::Refusal,
};

/// `GET {group}/tasks/{id}`: the task as it is now.
pub(super) async fn read(
    group: Group,
    State(app): State<Shared>,
    id: Result<Path<String>, PathRejection>,
    ConnectInfo(cord): ConnectInfo<Cord>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let Path(id) = id.map_err(|_| Refusal::not_found())?;
    let task = app.tasks.find(&id, group).ok_or_else(Refusal::not_found)?;
    let account = app.account();
    if let Some(after) = account.scene.task_expires_seconds {
        app.expire(after.0);
    }
    let answer = async || faults::answer(&task.directive, &headers, json!({ "task": task.record(&app.base_url) }));
    if task.directive.stage != Stage::Poll {
        return Ok(answer().await);
    }
    let strike = Strike { directive: &task.directive, faults: &account.faults, cord: &cord, headers: &headers };
    Ok(strike.on(answer()).await)
}
