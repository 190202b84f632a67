//! The search for the path of an asset, if a task results in an asset's id without a URL (§2:
//! "output URL or produced asset ID").

use serde_json::Value;

use super::history::{End, History};
use super::report::Report;
use super::session::Session;
use mediagate_core::outputs;
use mediagate_core::response::Expects;
use mediagate_dialect::{Decoded, Dialect, path_segment};

/// The likely paths, after the prefix.
const PATHS: [&str; 5] = [
    "assets/{asset_id}",
    "asset/{asset_id}",
    "media/{asset_id}",
    "media_assets/{asset_id}",
    "files/{asset_id}",
];
const SETTING: &str = "UPSTREAM_ASSET_PATH";

/// Reads likely paths until a response has the URL of a result.
pub(super) async fn find(session: &Session, report: &mut Report, histories: &[History]) {
    let dialect = report.dialect();
    let asset_id = histories
        .iter()
        .find_map(|history| asset_without_url(history, &dialect));
    let Some(segment) = asset_id.as_deref().and_then(path_segment) else {
        // Every result has a URL, so the gateway needs no path for assets.
        return;
    };
    for path in session.paths(SETTING, &PATHS) {
        let response = session
            .try_get("read the asset", &path.replace("{asset_id}", &segment))
            .await;
        if response.success().is_some_and(has_url) {
            report.set(SETTING, path);
            return;
        }
    }
    report.unknown(
        SETTING,
        "a task has the id of an asset instead of a URL, and no path that was tried has the asset; \
         without a path, such results have no URL",
    );
}

/// Returns the id of an asset that a task has produced, if its last status has no URL of an output.
fn asset_without_url(history: &History, dialect: &Dialect) -> Option<String> {
    if history.end() != Some(End::Succeeded) {
        return None;
    }
    let last = history.polls.last()?;
    let Decoded::Task(task) = dialect.decode(last.status, last.body.as_ref(), Expects::Status)
    else {
        // The dialect that was found does not read the last status.
        return None;
    };
    if task.outputs.iter().any(|output| output.url.is_some()) {
        return None;
    }
    task.outputs.into_iter().find_map(|output| output.asset_id)
}

fn has_url(body: &Value) -> bool {
    outputs::find(body, &[])
        .iter()
        .any(|output| output.url.is_some())
}
