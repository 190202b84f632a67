use std::sync::Arc;

use axum::{
    extract::{ConnectInfo, Path, State, rejection::PathRejection},
    http::HeaderMap,
    response::Response,
};

use crate::{
    app::SharedApp,
    dialect::TaskResponse,
    faults::{self, Injection, Stage},
    http::{Refusal, ResetHandle},
};

/// `GET {group}/tasks/{task_id}` (§4.1): responds with `data.task`, or HTTP 404 with code 12 if
/// none of `capabilities` created the task.
pub(super) async fn read(
    capabilities: Arc<[&'static str]>,
    State(app): State<SharedApp>,
    id: Result<Path<String>, PathRejection>,
    ConnectInfo(reset): ConnectInfo<ResetHandle>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let Path(id) = id.map_err(|_| Refusal::not_found())?;
    let task = app
        .tasks
        .find(&id, &capabilities)
        .ok_or_else(Refusal::not_found)?;
    let account = app.account();
    if let Some(after) = account.scene.task_expires_seconds {
        app.expire(after.0);
    }
    let respond = async || {
        let response = TaskResponse {
            record: task.record(&app.base_url),
            is_created: false,
            asset: None,
            echo: None,
        };
        faults::task_response(&app.config.dialect, &task.directive, &headers, response)
    };
    if task.directive.stage != Stage::Poll {
        return Ok(respond().await);
    }
    let injection = Injection {
        directive: &task.directive,
        faults: &account.faults,
        reset: &reset,
        headers: &headers,
    };
    Ok(injection.apply(respond()).await)
}
