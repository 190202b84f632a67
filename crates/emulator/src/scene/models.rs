use std::collections::BTreeMap;

use mediagate_core::{Capability, FileKind, Group};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::config::{Config, Plan};

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Model {
    /// The `model_id`: the model's key in the scene.
    #[serde(skip)]
    pub(crate) id: String,
    pub(crate) capability: String,
    /// True if the model serves requests without a `model_id`.
    #[serde(default)]
    pub(crate) default: bool,
    /// The lowest plan that may use the model.
    #[serde(rename = "required_plan", default = "lowest_plan")]
    pub(crate) plan: Plan,
    pub(crate) price: Price,
    /// The accepted values of each field. A field that is not listed accepts any value.
    #[serde(default)]
    pub(crate) generation_options: BTreeMap<String, Vec<Value>>,
    #[serde(default, skip_serializing_if = "References::is_unrestricted")]
    pub(crate) references: References,
}

const fn lowest_plan() -> Plan {
    Plan::Free
}

/// The price of a task, in credits.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Price {
    credits: u64,
    per: Per,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Per {
    Task,
    /// One second of generated video (§4.2).
    Second,
}

/// The reference files that a model accepts (§4.2, rule 3). The default accepts everything that the
/// capability accepts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct References {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) media: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) max_media_seconds: Option<f64>,
}

impl References {
    fn is_unrestricted(&self) -> bool {
        *self == References::default()
    }

    pub(crate) fn accepts(&self, media: Option<FileKind>) -> bool {
        let kind = match media {
            Some(FileKind::Image) => "image",
            Some(FileKind::Video) => "video",
            Some(FileKind::Audio) => "audio",
            Some(FileKind::Pdf) | None => "",
        };
        self.media
            .as_ref()
            .is_none_or(|accepted| accepted.iter().any(|name| name == kind))
    }
}

/// The length of a generated video, if the request has no `duration_seconds`.
pub(crate) const DEFAULT_SECONDS: u64 = 5;

pub(super) fn catalogue(config: &Config) -> BTreeMap<String, Model> {
    let mut catalogue = BTreeMap::new();
    for capability in config.capabilities() {
        for model in models_of(capability, config) {
            catalogue.insert(model.id.clone(), model);
        }
    }
    catalogue
}

fn models_of(capability: &'static Capability, config: &Config) -> Vec<Model> {
    let name = capability.name();
    let base = Model {
        id: match capability.documented_model {
            Some(id) => id.into(),
            None => format!("{}-default", name.replace('_', "-")),
        },
        capability: name.into(),
        default: true,
        plan: Plan::Free,
        price: price(capability),
        generation_options: options(capability),
        references: References::default(),
    };
    match name {
        "text_to_image_turbo" => vec![Model {
            id: config.turbo_model_id.clone(),
            ..base
        }],
        "image_to_video" => vec![Model {
            id: config.image_to_video_model_id.clone(),
            plan: Plan::Starter,
            ..base
        }],
        "omni_reference_to_video" => {
            let other = |id: &str, media, max_media_seconds| Model {
                id: id.into(),
                default: false,
                references: References {
                    media,
                    max_media_seconds,
                },
                ..base.clone()
            };
            let images = Some(vec!["image".into()]);
            vec![
                other("omni-reference-images-only", images, None),
                other("omni-reference-15s", None, Some(15.0)),
                Model {
                    id: "omni-reference-standard".into(),
                    ..base
                },
            ]
        }
        _ => vec![base],
    }
}

fn price(capability: &Capability) -> Price {
    let (credits, per) = match (capability.group(), capability.medium()) {
        (Group::Generate, "video") => (10, Per::Second),
        (Group::Generate, _) => (4, Per::Task),
        (Group::Process, _) => (2, Per::Task),
    };
    Price { credits, per }
}

/// Returns values for the fields whose values the document shows only by example ("such as", §4.2).
fn options(capability: &Capability) -> BTreeMap<String, Vec<Value>> {
    let mut options = BTreeMap::new();
    for (name, values) in [
        (
            "aspect_ratio",
            strings(&["16:9", "9:16", "1:1", "4:3", "3:4", "21:9"]),
        ),
        ("clarity", strings(&["480P", "720P", "1080P", "2K", "4K"])),
        ("resolution", strings(&["480p", "720p", "1080p"])),
        ("duration_seconds", (1..=60).map(Value::from).collect()),
    ] {
        if capability.field(name).is_some() {
            options.insert(name.into(), values);
        }
    }
    options
}

fn strings(values: &[&str]) -> Vec<Value> {
    values.iter().copied().map(Value::from).collect()
}

impl Model {
    pub(crate) fn cost(&self, input: &Map<String, Value>) -> u64 {
        let seconds = match input.get("duration_seconds").and_then(Value::as_f64) {
            Some(seconds) if seconds > 0.0 => seconds as u64,
            _ => DEFAULT_SECONDS,
        };
        match self.price.per {
            Per::Task => self.price.credits,
            Per::Second => self.price.credits.saturating_mul(seconds),
        }
    }

    pub(crate) fn record(&self) -> Value {
        let mut record = json!({
            "model_id": self.id,
            "capability": self.capability,
            "required_plan": self.plan,
            "price": self.price,
            "generation_options": self.generation_options,
        });
        if !self.references.is_unrestricted() {
            record["references"] = json!(self.references);
        }
        record
    }
}

#[cfg(test)]
mod tests {
    use mediagate_core::CAPABILITIES;

    use super::*;

    #[test]
    fn every_capability_that_is_served_has_one_default_model() {
        for extensions in [false, true] {
            let models = catalogue(&Config {
                extensions,
                ..Config::default()
            });
            for capability in CAPABILITIES {
                let defaults = models
                    .values()
                    .filter(|model| model.default && model.capability == capability.name());
                let is_served = extensions || !capability.is_extension;
                assert_eq!(
                    defaults.count(),
                    usize::from(is_served),
                    "{}",
                    capability.name()
                );
            }
        }
    }
}
