//! The scene as one JSON object. `README.md` describes the scene and its changes. The keys of
//! `assets` and `models` are their ids.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    assets::{self, Asset},
    models::{self, Model},
};
use crate::{
    config::{Config, Plan, Seconds, TextToImage},
    faults::Rule,
};

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Scene {
    pub(crate) plan: Plan,
    pub(crate) credits: u64,
    pub(crate) rate_limit: u32,
    pub(crate) task_seconds: Seconds,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) task_expires_seconds: Option<Seconds>,
    pub(crate) upload_url_seconds: Seconds,
    pub(crate) text_to_image: TextToImage,
    pub(crate) status_200: bool,
    pub(crate) seed: u64,
    pub(crate) logo_types: Vec<String>,
    pub(crate) assets: BTreeMap<String, Asset>,
    pub(crate) models: BTreeMap<String, Model>,
    pub(crate) faults: Vec<Rule>,
}

impl Scene {
    /// Returns the scene at the start: the settings, changed by `--scene`. The error is a sentence.
    pub(crate) fn new(config: &Config) -> Result<Self, String> {
        let scene = Scene {
            plan: config.plan,
            credits: config.credits,
            rate_limit: config.rate_limit,
            task_seconds: Seconds(config.task_seconds),
            task_expires_seconds: config.task_expires_seconds.map(Seconds),
            upload_url_seconds: Seconds(config.upload_url_seconds),
            text_to_image: config.text_to_image,
            status_200: config.status_200,
            seed: config.seed,
            logo_types: config.logo_types.clone(),
            assets: assets::catalogue(),
            models: models::catalogue(config),
            faults: Vec::new(),
        };
        scene.patched(config, &config.scene)
    }

    /// Returns the scene with these changes, a JSON merge patch. The error is a sentence that names
    /// the member.
    pub(crate) fn patched(&self, config: &Config, changes: &Value) -> Result<Self, String> {
        if !changes.is_object() {
            return Err(
                "the changes are not a JSON object; give one such as {\"credits\": 4}".into(),
            );
        }
        let mut patched = serde_json::to_value(self).map_err(|error| error.to_string())?;
        json_patch::merge(&mut patched, changes);
        // Adds the path of the member to the error.
        let mut scene: Scene =
            serde_path_to_error::deserialize(patched).map_err(|error| error.to_string())?;
        for (id, model) in &mut scene.models {
            config.capability(&model.capability).ok_or_else(|| {
                format!("models.{id}: there is no capability {}", model.capability)
            })?;
            // An id is the key in JSON, so it is not part of the value that was read.
            model.id.clone_from(id);
        }
        for (id, asset) in &mut scene.assets {
            asset.id.clone_from(id);
        }
        Ok(scene)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn scene() -> Scene {
        Scene::new(&Config::default()).unwrap()
    }

    #[test]
    fn members_that_are_absent_stay() {
        let changes = json!({
        "plan": "free", "assets": { "avatar_owned": { "state": "locked" }, "voice_owned": null },
            "models": { "omni-reference-15s": { "references": { "max_media_seconds": 3 } } } });
        let changed = scene().patched(&Config::default(), &changes).unwrap();
        assert_eq!(
            (changed.plan, changed.credits),
            (Plan::Free, scene().credits)
        );
        let before = serde_json::to_value(scene()).unwrap();
        let after = serde_json::to_value(&changed).unwrap();
        assert_eq!(
            after["assets"]["avatar_owned"]["name"],
            before["assets"]["avatar_owned"]["name"]
        );
        assert_eq!(after["assets"]["avatar_owned"]["state"], "locked");
        assert!(after["assets"].get("voice_owned").is_none());
        assert_eq!(
            after["models"].as_object().unwrap().len(),
            before["models"].as_object().unwrap().len()
        );
    }

    #[test]
    fn an_error_names_what_is_invalid() {
        for (changes, part) in [
            (json!([]), "JSON object"),
            (json!({ "plann": "free" }), "plann"),
            (json!({ "plan": "gold" }), "gold"),
            (json!({ "credits": -1 }), "credits"),
            (json!({ "credits": null }), "credits"),
            (json!({ "task_seconds": 1e9 }), "86400"),
            (
                json!({ "assets": { "a": { "category": "avatar" } } }),
                "name",
            ),
            (
                json!({ "models": { "m": {
                    "capability": "teleport", "price": { "credits": 1, "per": "task" },
                } } }),
                "teleport",
            ),
            (
                json!({ "models": { "m": {
                    "capability": "text_to_video", "price": { "credits": 1, "per": "task" },
                } } }),
                "text_to_video",
            ),
            (json!({ "faults": [{ "do": "explode" }] }), "explode"),
            (
                json!({ "faults": [{ "do": "html", "chance": 2 }] }),
                "chance",
            ),
            (json!({ "faults": [{ "do": "html", "often": 2 }] }), "often"),
        ] {
            let error = scene().patched(&Config::default(), &changes).unwrap_err();
            assert!(error.contains(part), "{changes}: {error}");
        }
    }
}
