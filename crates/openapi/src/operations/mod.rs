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

use crate::capability::codes;
use crate::parts::Operation;
use mediagate_core::{Code, Part};
use serde_json::json;

use crate::builder::Builder;
use mediagate_routes::Route;

/// Returns the parts of a route that can refuse a request. Every route also has [`Part::Always`].
fn parts(route: Route) -> &'static [Part] {
    use Part::*;
    match route {
        Route::Health | Route::Ready | Route::Document | Route::Mcp | Route::TokenSource(_) => &[],
        Route::Session => &[Session, Enabled],
        Route::UploadUrl => &[Token, Scope, Body, Shared, Upstream, Data, UploadUrl],
        Route::Upload => &[Token, Shared, Relay],
        Route::Create(_) => &[Token, Scope, Offer, Body, Upstream, TaskRecord, Create],
        Route::Status(_) => &[Token, TaskId, Ledger, Upstream, TaskRecord],
        Route::Events => &[Token, TaskId, Ledger, Watcher],
        Route::Files => &[
            Token, Scope, Body, Enabled, TaskId, Shared, Upstream, TaskRecord, Data, UploadUrl,
            Transfer,
        ],
        Route::Output => &[Output, TaskId, Upstream, TaskRecord],
        Route::Result => &[Output, TaskId, Watcher, Upstream, TaskRecord],
        Route::Tasks => &[Token, List, Ledger],
        Route::Forget => &[Token, TaskId, Forget, Ledger, Upstream, TaskRecord],
        Route::Pipelines => &[
            Token,
            Enabled,
            Scope,
            Offer,
            Body,
            StartPipeline,
            Pipeline,
            Ledger,
            Upstream,
        ],
        Route::Pipeline | Route::PipelineEvents | Route::CancelPipeline => {
            &[Token, Enabled, PipelineId, Pipeline]
        }
        Route::ForgetPipeline => &[Token, Enabled, PipelineId, ForgetPipeline, Pipeline, Ledger],
        Route::ResumePipeline => &[
            Token, Enabled, PipelineId, Scope, Offer, Resume, Pipeline, Ledger,
        ],
        Route::Models => &[Token, Enabled, Upstream, Data],
        Route::Capabilities => &[Token],
        Route::Estimate => &[
            Token, Scope, Offer, Body, Enabled, Shared, Upstream, Data, Estimate,
        ],
        Route::Asset => &[Enabled],
    }
}

pub(super) fn describe(builder: &mut Builder, route: Route) -> Operation {
    let mut operation = match route {
        // Its refusals are messages of another protocol.
        Route::Mcp => return agents::mcp(builder),
        Route::Health => gateway::health(builder),
        Route::Ready => gateway::ready(builder),
        Route::Document => gateway::document(builder),
        Route::Session => session::session(builder),
        Route::UploadUrl => uploads::upload_url(builder),
        Route::Upload => uploads::relay(builder),
        Route::Create(capability) => creates::create(builder, capability),
        Route::Status(group) => tasks::status(builder, group),
        Route::Events => tasks::events(builder),
        Route::Files => uploads::file(builder),
        Route::Output => uploads::output(builder),
        Route::Result => uploads::result(builder),
        Route::Tasks => history::list(builder),
        Route::Forget => history::forget(builder),
        Route::Pipelines => pipelines::start(builder),
        Route::Pipeline => pipelines::read(builder),
        Route::ForgetPipeline => pipelines::forget(builder),
        Route::PipelineEvents => pipelines::events(builder),
        Route::ResumePipeline => pipelines::resume(builder),
        Route::CancelPipeline => pipelines::cancel(builder),
        Route::Models => models::models(builder),
        Route::Capabilities => models::capabilities(builder),
        Route::Estimate => models::estimate(builder),
        Route::TokenSource(path) => agents::token_source(builder, path),
        Route::Asset => gateway::playground(builder),
    };
    let parts = [parts(route), &[Part::Always]].concat();
    let codes = match route {
        Route::Create(capability) => codes(capability),
        // The upstream document lists no codes for other operations.
        _ if parts.contains(&Part::Upstream) => Code::ALL.iter().map(|entry| entry.0).collect(),
        _ => Vec::new(),
    };
    let refusals = builder.refusals(&operation.id, &parts, &codes);
    operation.responses.extend(refusals);
    if !parts.contains(&Part::Token) {
        operation.security.get_or_insert(json!([]));
    }
    operation
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::{Map, Value};

    #[test]
    fn every_route_has_an_operation_of_its_own() {
        let document = crate::document();
        let paths = document["paths"].as_object().expect("paths").values();
        let operations = paths.filter_map(Value::as_object).flat_map(Map::values);
        let ids: Vec<_> = operations
            .map(|operation| operation["operationId"].to_string())
            .collect();
        let count = mediagate_routes::all().count();
        assert_eq!(ids.len(), count);
        assert_eq!(ids.into_iter().collect::<BTreeSet<_>>().len(), count);
    }
}
