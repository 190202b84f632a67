//! The scene: everything about the account and the service that a test may want to set, as one JSON object.
//!
//! It is given at the start with `--scene`, and at run time through the admin interface, as a merge patch (RFC 7396):
//! what is not named stays, `null` takes away. Assets and models are named by their ids.

use std::{collections::BTreeMap, time::Duration};

use mediagate_core::find;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    assets::{self, Asset},
    config::{Config, Plan, TextToImage},
    faults::Rule,
    models::{self, Model},
};

/// What can be set; a time is in seconds.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Scene {
    pub(crate) plan: Plan,
    /// What is left, where it is read.
    pub(crate) credits: u64,
    /// Requests a minute; 0 is no limit.
    pub(crate) rate_limit: u32,
    pub(crate) task_seconds: Seconds,
    /// How long a task can be read after its end; without it, for ever.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) task_expires_seconds: Option<Seconds>,
    pub(crate) upload_url_seconds: Seconds,
    pub(crate) text_to_image: TextToImage,
    pub(crate) status_200: bool,
    /// Decides whatever a fault leaves to chance.
    pub(crate) seed: u64,
    pub(crate) logo_types: Vec<String>,
    pub(crate) assets: BTreeMap<String, Asset>,
    pub(crate) models: BTreeMap<String, Model>,
    /// The first that strikes a request decides.
    pub(crate) faults: Vec<Rule>,
}

/// A length of time, no longer than a day.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub(crate) struct Seconds(pub(crate) Duration);

impl TryFrom<f64> for Seconds {
    type Error = &'static str;

    fn try_from(seconds: f64) -> Result<Self, Self::Error> {
        const DAY: f64 = 86_400.0;
        let valid = (0.0..=DAY).contains(&seconds);
        valid.then(|| Seconds(Duration::from_secs_f64(seconds))).ok_or("give seconds from 0 to 86400, such as 0.5")
    }
}

impl From<Seconds> for f64 {
    fn from(seconds: Seconds) -> Self {
        seconds.0.as_secs_f64()
    }
}

impl Scene {
    /// The scene at the start.
    ///
    /// # Errors
    /// What is wrong with the changes to it that were given.
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
        scene.changed(&config.scene)
    }

    /// The scene with these changes.
    ///
    /// # Errors
    /// The first thing that is wrong with them.
    pub(crate) fn changed(&self, changes: &Value) -> Result<Self, String> {
        if !changes.is_object() {
            return Err("a scene is a JSON object".into());
        }
        let mut changed = serde_json::to_value(self).map_err(|error| error.to_string())?;
        json_patch::merge(&mut changed, changes);
        // The error says where, which that of the JSON alone may not.
        let mut scene: Scene = serde_path_to_error::deserialize(changed).map_err(|error| error.to_string())?;
        for (id, model) in &mut scene.models {
            find(&model.capability)
                .ok_or_else(|| format!("models.{id}: no capability is named {}", model.capability))?;
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
    fn what_is_not_named_stays() {
        let changes = json!({ "plan": "free", "assets": { "avatar_owned": { "state": "locked" }, "voice_owned": null },
            "models": { "omni-reference-15s": { "references": { "max_media_seconds": 3 } } } });
        let changed = scene().changed(&changes).unwrap();
        assert_eq!((changed.plan, changed.credits), (Plan::Free, scene().credits));
        let before = serde_json::to_value(scene()).unwrap();
        let after = serde_json::to_value(&changed).unwrap();
        assert_eq!(after["assets"]["avatar_owned"]["name"], before["assets"]["avatar_owned"]["name"]);
        assert_eq!(after["assets"]["avatar_owned"]["state"], "locked");
        assert!(after["assets"].get("voice_owned").is_none());
        assert_eq!(after["models"].as_object().unwrap().len(), before["models"].as_object().unwrap().len());
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (changes, part) in [
            (json!([]), "JSON object"),
            (json!({ "plann": "free" }), "plann"),
            (json!({ "plan": "gold" }), "gold"),
            (json!({ "credits": -1 }), "credits"),
            (json!({ "credits": null }), "credits"),
            (json!({ "task_seconds": 1e9 }), "86400"),
            (json!({ "assets": { "a": { "category": "avatar" } } }), "name"),
            (
                json!({ "models": { "m": { "capability": "teleport", "price": { "credits": 1, "per": "task" } } } }),
                "teleport",
            ),
            (json!({ "faults": [{ "do": "explode" }] }), "explode"),
            (json!({ "faults": [{ "do": "html", "chance": 2 }] }), "chance"),
            (json!({ "faults": [{ "do": "html", "often": 2 }] }), "often"),
        ] {
            let error = scene().changed(&changes).unwrap_err();
            assert!(error.contains(part), "{changes}: {error}");
        }
    }
}
