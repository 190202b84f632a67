//! The accepted shapes of `region` and `video_size` (§4.3).

use mediagate_core::{Capability, Kind};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::http::{Problem, Refusal};

/// The shapes of fields that a create and an estimate accept.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CreateDialect {
    /// The shape of `region`.
    pub region: RegionForm,
    /// The shape of `video_size`.
    pub video_size: SizeForm,
}

/// The shape of a region.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RegionForm {
    /// Both shapes.
    #[default]
    Either,
    /// `"region": {"x": 0}`.
    Nested,
    /// `"region.x": 0`.
    Dotted,
}

/// The shape of a video's size.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SizeForm {
    /// Both shapes.
    #[default]
    Either,
    /// `[1280, 720]`.
    List,
    /// `{"width": 1280, "height": 720}`.
    Object,
}

impl CreateDialect {
    /// Checks the shapes of the fields in a body.
    ///
    /// # Errors
    /// 12 with every field that has another shape.
    pub(crate) fn check(&self, capability: &Capability, body: &Value) -> Result<(), Refusal> {
        let problem = |path: &str, message| Problem::new(path, "wrong_shape", message);
        let mut problems = Vec::new();
        for field in capability.fields() {
            let value = body.get(field.name).filter(|value| !value.is_null());
            match (field.kind, value) {
                (Kind::Region, _) => {
                    let prefix = format!("{}.", field.name);
                    let mut names = body.as_object().into_iter().flat_map(Map::keys);
                    let dotted = names.find(|name| name.starts_with(&prefix));
                    if let (RegionForm::Nested, Some(name)) = (self.region, dotted) {
                        problems.push(problem(name, "no member of the object region"));
                    }
                    if self.region == RegionForm::Dotted && value.is_some() {
                        problems.push(problem(
                            field.name,
                            "an object, not members such as region.x",
                        ));
                    }
                }
                (Kind::VideoSize, Some(value)) => match self.video_size {
                    SizeForm::List if !value.is_array() => {
                        problems.push(problem(field.name, "not a list"))
                    }
                    SizeForm::Object if !value.is_object() => {
                        problems.push(problem(field.name, "not an object"))
                    }
                    _ => {}
                },
                _ => {}
            }
        }
        if problems.is_empty() {
            Ok(())
        } else {
            Err(Refusal::invalid(problems))
        }
    }
}
