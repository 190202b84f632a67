use std::collections::BTreeMap;

use mediagate_core::CAPABILITIES;
use serde::Deserialize;

use super::{template::Template, upload::UploadDialect};

/// The form of everything that the upstream document does not show.
///
/// It is parsed from one of the names in [`NAMED`](super::NAMED), or from several with commas
/// between them. Their changes are then made in this order.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Dialect {
    /// The path of the status of tasks, with the segment `{task_id}`. `{group}` and `{medium}`
    /// stand for the names of the capability's group and medium. This path and the others are
    /// below `/api/app/v1`.
    task_path: String,
    /// The path of the record of an asset, with the segment `{asset_id}`: the results of tasks are
    /// ids of assets. `None` if results are URLs.
    pub(crate) asset_path: Option<String>,
    /// The path of a POST that confirms a file after its upload, with the segment `{file_id}`. A
    /// create with an unconfirmed file is refused with code 12. `None` if files need no
    /// confirmation.
    pub(crate) confirm_path: Option<String>,
    pub(crate) upload: UploadDialect,
    /// True if a region is `"region.x": 0` and a video's size is an object (§4.3), and no other
    /// shapes are accepted.
    pub(super) dotted: bool,
    /// True if successes have no envelope. Errors always have one (§7).
    pub(super) bare: bool,
    /// The envelope of a success: `code`, `message`, `data`. In the response with an upload URL,
    /// `request_id` is a random id.
    pub(super) envelope: Template,
    /// The words for the states of a task (§3). Other states are their own words.
    pub(super) states: BTreeMap<String, String>,
    /// The code of the envelope with the status of a failed task. The envelope has the code's
    /// message and HTTP status. `None` is code 0.
    pub(super) failure_code: Option<i32>,
    /// The response to a create or to a status request: the task's `record`, and the `asset` that
    /// the create uses.
    pub(super) task: Template,
    /// The record of a task, from the members that it has in the default form. There is also
    /// `done`, which is true in a terminal state, `error/code`, and `asset` as in `task`.
    pub(super) record: Template,
    /// The template of one output of a task, like `record`.
    pub(super) output: Template,
    pub(super) images: Template,
    /// The response with the `id` and the `url` of an asset.
    pub(crate) asset: Template,
    /// The model catalogue (§2): `models`, and the public `assets`.
    pub(super) catalogue: Template,
    /// True if `models` is an object with the models by id instead of a list.
    pub(super) keyed_models: bool,
    /// The template of one model of the catalogue, like `record`.
    pub(super) model: Template,
    /// The template of a field in a model's `generation_options`: its `values`.
    pub(super) option: Template,
    /// The estimate (§4.1): `credits`, `capability` and `model_id`.
    pub(crate) estimate: Template,
}

impl Dialect {
    /// Returns the paths of tasks, each with the names of the capabilities whose tasks it finds.
    /// Their only placeholder is `{task_id}`.
    pub(crate) fn task_paths(&self) -> BTreeMap<String, Vec<&'static str>> {
        let mut paths: BTreeMap<String, Vec<&'static str>> = BTreeMap::new();
        for capability in CAPABILITIES {
            let path = self.task_path.replace("{group}", capability.group().name());
            let path = path.replace("{medium}", capability.medium());
            paths.entry(path).or_default().push(capability.name());
        }
        paths
    }
}
