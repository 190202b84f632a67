//! Reads the assets that tasks produce, if the upstream has a path for that.

use std::time::Duration;

use futures_util::future::join_all;
use mediagate_platform::http::within;
use mediagate_upstream::{TaskRecord, outputs_of, path_segment};
use serde_json::{Value, json};

use super::UpstreamClient;

const MAX_ASSETS: usize = 10;

/// The maximum time that a task waits for its assets. See the deadline in `submit.rs`.
const DEADLINE: Duration = Duration::from_secs(4);

impl UpstreamClient<'_> {
    /// Adds URLs to outputs that have only the id of an asset. If an asset can't be read in time,
    /// its output stays as it is.
    pub(super) async fn read_assets(&self, record: &mut TaskRecord) {
        let settings = &self.upstream.settings;
        let outputs = record.data["task"]["outputs"].as_array_mut();
        let Some((outputs, path)) = outputs.zip(settings.asset_path.as_ref()) else {
            return; // the upstream has no path for assets
        };
        let reads = outputs
            .iter_mut()
            .filter(|output| output.get("url").is_none())
            .take(MAX_ASSETS)
            .map(async |output| {
                let segment = output["asset_id"].as_str().and_then(path_segment)?;
                let path = path.replace("{asset_id}", &segment);
                let asset = within(DEADLINE, self.fetch_unreported(&path)).await??;
                add_url(output, &asset, &settings.dialect.task.not_outputs);
                Some(())
            });
        join_all(reads).await;
    }
}

fn add_url(output: &mut Value, asset: &Value, left_out: &[String]) {
    let Some(found) = outputs_of(asset, left_out)
        .into_iter()
        .find(|found| found.url.is_some())
    else {
        return; // the asset has no URL that is a result
    };
    output["url"] = json!(found.url);
    if let (Some(kind), None) = (found.kind, output.get("kind")) {
        output["kind"] = json!(kind);
    }
}
