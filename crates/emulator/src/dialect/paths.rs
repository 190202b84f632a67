//! The paths that the document does not show (§4.1).

use mediagate_core::Group;
use serde::{Deserialize, Serialize};

/// What stands for the id in the path of a task.
pub(super) const TASK_ID: &str = "{task_id}";

/// Absolute paths. Those of a task have the segment `{task_id}`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PathsDialect {
    /// The status of generation tasks, the one path of these that the document shows.
    pub generate_task: String,
    /// The status of processing tasks. Where it is `generate_task` too, that path finds the tasks of both groups.
    pub process_task: String,
    /// The model catalogue; `None`: there is none.
    pub models: Option<String>,
    /// The estimate of credits; `None`: there is none.
    pub estimate: Option<String>,
}

impl Default for PathsDialect {
    fn default() -> Self {
        PathsDialect {
            generate_task: "/api/app/v1/generate/tasks/{task_id}".into(),
            process_task: "/api/app/v1/process/tasks/{task_id}".into(),
            models: Some("/api/app/v1/models".into()),
            estimate: Some("/api/app/v1/credits/estimate".into()),
        }
    }
}

impl PathsDialect {
    /// The paths at which tasks are read, each with the group whose tasks it finds; `None` for both groups.
    pub(crate) fn tasks(&self) -> Vec<(&str, Option<Group>)> {
        if self.generate_task == self.process_task {
            return vec![(&self.generate_task, None)];
        }
        vec![
            (&self.generate_task, Some(Group::Generate)),
            (&self.process_task, Some(Group::Process)),
        ]
    }
}
