//! The model catalogue (§2): every capability's default model, and the omni-reference models with their rules (§4.2).

use mediagate_core::{CAPABILITIES, Capability, Group};
use serde_json::{Map, Value, json};

use crate::config::{Config, Plan};

/// One model of one capability.
#[derive(Clone, Debug)]
pub(crate) struct Model {
    /// Its `model_id`.
    pub(crate) id: String,
    /// The capability's name.
    pub(crate) capability: &'static str,
    /// The least plan that may use it.
    pub(crate) plan: Plan,
    /// Credits for a task.
    pub(crate) price: Price,
    /// The values that its fields take; a field that is not listed takes any.
    pub(crate) generation_options: Map<String, Value>,
    /// What it accepts as references.
    pub(crate) references: References,
}

/// What a task costs, in credits.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Price {
    /// The same whatever it yields.
    Task(u64),
    /// For each second of generated video.
    Second(u64),
}

/// What a model accepts as reference files (§4.2, rule 3).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum References {
    /// Whatever the capability's fields take.
    Any,
    /// Pictures alone.
    ImagesOnly,
    /// Video and audio of no more than this many seconds together.
    Seconds(u32),
}

/// Length of a generated video where the request names none, in seconds.
pub(crate) const DEFAULT_SECONDS: u64 = 5;

/// Every model there is; of each capability the default comes first.
pub(crate) fn catalogue(config: &Config) -> Vec<Model> {
    CAPABILITIES.iter().flat_map(|capability| of(capability, config)).collect()
}

fn of(capability: &'static Capability, config: &Config) -> Vec<Model> {
    let name = capability.name();
    let base = Model {
        id: capability.default_model.map_or_else(|| format!("{}-default", name.replace('_', "-")), Into::into),
        capability: name,
        plan: Plan::Free,
        price: price(capability),
        generation_options: options(capability),
        references: References::Any,
    };
    match name {
        "text_to_image_turbo" => vec![Model { id: config.turbo_model_id.clone(), ..base }],
        "image_to_video" => {
            vec![Model { id: config.image_to_video_model_id.clone(), plan: Plan::Starter, ..base }]
        }
        "omni_reference_to_video" => {
            let named = |id: &str, references| Model { id: id.into(), references, ..base.clone() };
            vec![
                named("omni-reference-standard", References::Any),
                named("omni-reference-images-only", References::ImagesOnly),
                named("omni-reference-15s", References::Seconds(15)),
            ]
        }
        _ => vec![base],
    }
}

fn price(capability: &Capability) -> Price {
    match (capability.group(), capability.medium()) {
        (Group::Generate, "video") => Price::Second(10),
        (Group::Generate, _) => Price::Task(4),
        (Group::Process, _) => Price::Task(2),
    }
}

/// What the document says "such as" of, made definite.
fn options(capability: &Capability) -> Map<String, Value> {
    let lengths: Vec<u32> = (1..=60).collect();
    [
        ("aspect_ratio", json!(["16:9", "9:16", "1:1", "4:3", "3:4", "21:9"])),
        ("clarity", json!(["480P", "720P", "1080P", "2K", "4K"])),
        ("resolution", json!(["480p", "720p", "1080p"])),
        ("duration_seconds", json!(lengths)),
    ]
    .into_iter()
    .filter(|(name, _)| capability.field(name).is_some())
    .map(|(name, values)| (name.into(), values))
    .collect()
}

impl Model {
    /// The credits that a request costs.
    pub(crate) fn cost(&self, input: &Map<String, Value>) -> u64 {
        match self.price {
            Price::Task(credits) => credits,
            Price::Second(credits) => {
                credits * input.get("duration_seconds").and_then(Value::as_u64).unwrap_or(DEFAULT_SECONDS)
            }
        }
    }

    /// The record, as the model catalogue lists it.
    pub(crate) fn record(&self) -> Value {
        let (credits, per) = match self.price {
            Price::Task(credits) => (credits, "task"),
            Price::Second(credits) => (credits, "second"),
        };
        let mut record = json!({
            "model_id": self.id,
            "capability": self.capability,
            "required_plan": self.plan.name(),
            "price": { "credits": credits, "per": per },
            "generation_options": self.generation_options,
        });
        match self.references {
            References::Any => {}
            References::ImagesOnly => record["references"] = json!({ "media": ["image"] }),
            References::Seconds(seconds) => record["references"] = json!({ "max_media_seconds": seconds }),
        }
        record
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_capability_has_a_model_and_no_id_is_listed_twice() {
        let models = catalogue(&Config::default());
        for capability in CAPABILITIES {
            assert!(models.iter().any(|it| it.capability == capability.name()), "{}", capability.name());
        }
        let mut ids: Vec<_> = models.iter().map(|it| &it.id).collect();
        ids.sort();
        ids.dedup();
        assert_eq!(ids.len(), models.len());
    }
}
