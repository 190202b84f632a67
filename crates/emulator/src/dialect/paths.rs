//! The paths that the document does not show (§4.1).

use std::collections::BTreeMap;

use mediagate_core::{CAPABILITIES, Capability, Group};
use serde::{Deserialize, Serialize};

/// The placeholder of the id in the path of a task.
pub(super) const TASK_ID: &str = "{task_id}";

/// The placeholder of the id in the path of an asset.
pub(super) const ASSET_ID: &str = "{asset_id}";

/// Absolute paths. The path of a task has the segment `{task_id}`, and may have `{group}`, `{medium}` and `{capability}`,
/// as in `/tasks/{medium}/{task_id}`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PathsDialect {
    /// The status of generation tasks, the one path of these that the document shows.
    pub generate_task: String,
    /// The status of processing tasks. If it is `generate_task` too, that path finds the tasks of both groups.
    pub process_task: String,
    /// The model catalogue; `None`: there is none.
    pub models: Option<String>,
    /// The estimate of credits; `None`: there is none.
    pub estimate: Option<String>,
    /// The record of an asset, with the segment `{asset_id}`. The results of tasks are then ids of assets. `None`: they
    /// are URLs.
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
    /// Returns the paths of tasks, whose only placeholder is `{task_id}`, each with the names of the capabilities whose
    /// tasks it finds.
    pub(crate) fn tasks(&self) -> BTreeMap<String, Vec<&'static str>> {
        let mut paths: BTreeMap<String, Vec<&'static str>> = BTreeMap::new();
        for capability in CAPABILITIES {
            let path = self.task(capability);
            paths.entry(path).or_default().push(capability.name());
        }
        paths
    }

    /// Returns the path of a capability's tasks, whose only placeholder is `{task_id}`.
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
