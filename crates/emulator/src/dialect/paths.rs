//! The paths that the document does not show (§4.1).

use std::collections::BTreeMap;

use mediagate_core::{CAPABILITIES, Capability, Group};
use serde::{Deserialize, Serialize};

/// The placeholder of the id in the path of a task.
pub(super) const TASK_ID: &str = "{task_id}";

/// The placeholder of the id in the path of an asset.
pub(super) const ASSET_ID: &str = "{asset_id}";

/// The absolute paths of the endpoints. The path of a task has the segment `{task_id}`, and may
/// have `{group}`, `{medium}` and `{capability}`, as in `/tasks/{medium}/{task_id}`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PathsDialect {
    /// The status of generation tasks. The document shows only this path.
    pub generate_task: String,
    /// The status of processing tasks. If it equals `generate_task`, that path finds the tasks of
    /// both groups.
    pub process_task: String,
    /// The model catalogue, or `None` if there is no catalogue.
    pub models: Option<String>,
    /// The estimate of credits, or `None` if there are no estimates.
    pub estimate: Option<String>,
    /// The record of an asset, with the segment `{asset_id}`: the results of tasks are ids of
    /// assets. `None` if results are URLs.
    pub asset: Option<String>,
}

impl Default for PathsDialect {
    fn default() -> Self {
        PathsDialect {
            generate_task: "/api/app/v1/generate/tasks/{task_id}".into(),
            process_task: "/api/app/v1/process/tasks/{task_id}".into(),
            models: Some("/api/app/v1/models".into()),
            estimate: Some("/api/app/v1/credits/estimate".into()),
            asset: None,
        }
    }
}

impl PathsDialect {
    /// Returns the paths of tasks, each with the names of the capabilities whose tasks it finds.
    /// Their only placeholder is `{task_id}`.
    pub(crate) fn tasks(&self) -> BTreeMap<String, Vec<&'static str>> {
        let mut paths: BTreeMap<String, Vec<&'static str>> = BTreeMap::new();
        for capability in CAPABILITIES {
            let path = self.task(capability);
            paths.entry(path).or_default().push(capability.name());
        }
        paths
    }

    /// Returns the path of a capability's tasks. Its only placeholder is `{task_id}`.
    pub fn task(&self, capability: &Capability) -> String {
        let template = match capability.group() {
            Group::Generate => &self.generate_task,
            Group::Process => &self.process_task,
        };
        template
            .replace("{group}", capability.group().name())
            .replace("{medium}", capability.medium())
            .replace("{capability}", capability.name())
    }
}
