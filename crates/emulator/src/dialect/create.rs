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

#[cfg(test)]
mod tests {
    use mediagate_core::find;
    use serde_json::json;

    use super::*;

    #[test]
    fn another_shape_is_refused() {
        let region = find("subtitle_removal").unwrap();
        let size = find("video_logo_removal").unwrap();
        let nested = json!({"region": {"x": 0}});
        let dotted = json!({"region.x": 0});
        let list = json!({"video_size": [1, 2]});
        let object = json!({"video_size": {"width": 1}});
        let accepts = |region_form, video_size| {
            let dialect = CreateDialect {
                region: region_form,
                video_size,
            };
            let check = |capability, body| dialect.check(capability, body).is_ok();
            [
                check(region, &nested),
                check(region, &dotted),
                check(size, &list),
                check(size, &object),
            ]
        };
        assert_eq!(accepts(RegionForm::Either, SizeForm::Either), [true; 4]);
        assert_eq!(
            accepts(RegionForm::Nested, SizeForm::List),
            [true, false, true, false]
        );
        assert_eq!(
            accepts(RegionForm::Dotted, SizeForm::Object),
            [false, true, false, true]
        );
        let strict = CreateDialect {
            region: RegionForm::Dotted,
            video_size: SizeForm::Object,
        };
        assert!(strict.check(region, &json!({"region": null})).is_ok());
    }
}
