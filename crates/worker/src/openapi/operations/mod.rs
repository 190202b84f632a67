//! The operations: one for each route.

mod agents;
mod creates;
mod gateway;
mod history;
mod models;
mod pipelines;
mod session;
mod tasks;
mod uploads;

use mediagate_schema::openapi::Operation;

use super::builder::Builder;
use crate::routes::Route;

/// Returns the operation of a route.
pub(super) fn describe(builder: &mut Builder, route: Route<'_>) -> Operation {
    match route {
        Route::Health => gateway::health(builder),
        Route::Document => gateway::document(builder),
        Route::Session => session::session(builder),
        Route::UploadUrl => uploads::upload_url(builder),
        Route::Upload(_) => uploads::relay(builder),
        Route::Create(capability) => creates::create(builder, capability),
        Route::Status(group, _) => tasks::status(builder, group),
        Route::Events(_) => tasks::events(builder),
        Route::Files => uploads::file(builder),
        Route::Output(_) => uploads::output(builder),
        Route::Result(_) => uploads::result(builder),
        Route::Tasks => history::list(builder),
        Route::Forget(_) => history::forget(builder),
        Route::Pipelines => pipelines::start(builder),
        Route::Pipeline(_) => pipelines::read(builder),
        Route::ForgetPipeline(_) => pipelines::forget(builder),
        Route::PipelineEvents(_) => pipelines::events(builder),
        Route::ResumePipeline(_) => pipelines::resume(builder),
        Route::CancelPipeline(_) => pipelines::cancel(builder),
        Route::Models => models::models(builder),
        Route::Estimate => models::estimate(builder),
        Route::Mcp => agents::mcp(builder),
        Route::ProtectedResource(path) => agents::protected_resource(builder, path),
        Route::Asset => gateway::playground(builder),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value};

    #[test]
    fn every_route_has_an_operation_of_its_own() {
        let document = crate::openapi::document();
        let paths = document["paths"].as_object().expect("paths");
        let operations: Vec<&Map<String, Value>> =
            paths.values().filter_map(Value::as_object).collect();
        let mut ids: Vec<_> = operations
            .iter()
            .flat_map(|path| path.values())
            .map(|operation| operation["operationId"].clone())
            .collect();
        assert_eq!(ids.len(), crate::routes::all().count());
        ids.sort_by_key(Value::to_string);
        ids.dedup();
        assert_eq!(ids.len(), crate::routes::all().count());
    }
}
