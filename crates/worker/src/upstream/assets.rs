//! Reads the assets that tasks produce, if the upstream has a path for that.

use mediagate_core::outputs;
use serde_json::{Value, json};

use super::{TaskRecord, UpstreamClient};
use crate::ids::path_segment;

/// The most assets of one task that are read.
const MAX_ASSETS: usize = 10;

impl UpstreamClient<'_> {
    /// Adds URLs to the outputs of a finished task that have only the id of an asset. If an asset can't be read, its output
    /// stays as it is.
    pub(super) async fn read_assets(&self, record: &mut TaskRecord) {
        let settings = &self.upstream.settings;
        if settings.asset_path.is_empty() || !record.is_terminal {
            return;
        }
        let outputs = record.data["task"]["outputs"].as_array_mut();
        let without_url = outputs
            .into_iter()
            .flatten()
            .filter(|output| output.get("url").is_none());
        for output in without_url.take(MAX_ASSETS) {
            let Some(id) = output["asset_id"].as_str().and_then(path_segment) else {
                continue;
            };
            let path = settings.asset_path.replace("{asset_id}", &id);
            if let Some(asset) = self.fetch_unreported(&path).await {
                add_url(output, &asset, &settings.dialect.task.not_outputs);
            }
        }
    }
}

/// Adds the first URL in the record of an asset to an output.
fn add_url(output: &mut Value, asset: &Value, left_out: &[String]) {
    let found = outputs::find(asset, left_out);
    let Some(found) = found.into_iter().find(|found| found.url.is_some()) else {
        return;
    };
    output["url"] = json!(found.url);
    if let (Some(kind), None) = (found.kind, output.get("kind")) {
        output["kind"] = json!(kind);
    }
}
