//! The model catalogue (§2).

use heck::ToLowerCamelCase;
use json_patch::jsonptr::{Pointer, PointerBuf};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::place::{at, beside, place, place_optional};

/// The places of the model catalogue's parts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ModelsDialect {
    /// The place of the list of models, from the outermost object.
    pub list: PointerBuf,
    /// True if `list` is an object with the models by id. The models then have no member for the
    /// id.
    pub keyed: bool,
    /// The place of the id in a model.
    pub id: PointerBuf,
    /// The place of the capability's name in a model, or `None` if models do not name it.
    pub capability: Option<PointerBuf>,
    /// The place of the `generation_options` in a model, or `None` if models have none.
    pub options: Option<PointerBuf>,
    /// The form of the options.
    pub values: ValuesForm,
    /// The place of the list of accepted kinds of references in a model, or `None` if models do not
    /// name them. The longest combined duration is beside the list.
    pub references: Option<PointerBuf>,
}

/// The form in which `generation_options` lists the values of each field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ValuesForm {
    /// `{"clarity": ["480P"]}`.
    #[default]
    Lists,
    /// `{"clarity": {"values": ["480P"]}}`.
    Values,
    /// `[{"name": "clarity", "values": ["480P"]}]`.
    Named,
}

impl Default for ModelsDialect {
    fn default() -> Self {
        ModelsDialect {
            list: at("/data/models"),
            keyed: false,
            id: at("/model_id"),
            capability: Some(at("/capability")),
            options: Some(at("/generation_options")),
            values: ValuesForm::Lists,
            references: Some(at("/references/media")),
        }
    }
}

impl ModelsDialect {
    /// Returns the list of models, or the object by id, from the default's records.
    pub(super) fn catalogue(&self, records: Vec<Value>, camel_case: bool) -> Value {
        let records = records.into_iter();
        if !self.keyed {
            return records
                .map(|record| self.model(record, camel_case))
                .collect();
        }
        let id = |record: &Value| record["model_id"].as_str().unwrap_or_default().to_owned();
        records
            .map(|record| (id(&record), self.model(record, camel_case)))
            .collect()
    }

    fn model(&self, record: Value, camel_case: bool) -> Value {
        let mut model = json!({});
        let Value::Object(record) = record else {
            return model; // a record is always an object
        };
        for (name, value) in record {
            match name.as_str() {
                "model_id" if self.keyed => {}
                "model_id" => place(&mut model, &self.id, value),
                "capability" => place_optional(&mut model, &self.capability, value),
                "generation_options" => {
                    place_optional(&mut model, &self.options, self.options(value))
                }
                "references" => {
                    if let Some(pointer) = &self.references {
                        references(&mut model, pointer, &value);
                    }
                }
                _ if camel_case => model[name.to_lower_camel_case()] = value,
                _ => model[name] = value,
            }
        }
        model
    }

    fn options(&self, lists: Value) -> Value {
        let Value::Object(lists) = lists else {
            return lists;
        };
        match self.values {
            ValuesForm::Lists => Value::Object(lists),
            ValuesForm::Values => lists
                .into_iter()
                .map(|(name, values)| (name, json!({ "values": values })))
                .collect(),
            ValuesForm::Named => lists
                .into_iter()
                .map(|(name, values)| json!({ "name": name, "values": values }))
                .collect(),
        }
    }
}

/// Puts the kinds of references at `place_of_media`, and all further members beside them.
fn references(model: &mut Value, place_of_media: &Pointer, references: &Value) {
    for (name, value) in references.as_object().into_iter().flatten() {
        match name.as_str() {
            "media" => place(model, place_of_media, value.clone()),
            name => place(model, &beside(place_of_media, name), value.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_catalogue_has_the_shape_of_the_dialect() {
        let record = json!({
            "model_id": "m", "capability": "c", "required_plan": "pro",
            "generation_options": {"clarity": ["2K"]},
            "references": {"media": ["image"], "max_media_seconds": 15.0},
        });
        let default = ModelsDialect::default();
        assert_eq!(
            default.catalogue(vec![record.clone()], false),
            json!([record])
        );
        let other = ModelsDialect {
            keyed: true,
            capability: Some(at("/is/for")),
            values: ValuesForm::Named,
            references: Some(at("/takes")),
            ..default
        };
        let expected = json!({ "m": {
            "is": {"for": "c"}, "requiredPlan": "pro",
            "takes": ["image"], "max_media_seconds": 15.0,
            "generation_options": [{"name": "clarity", "values": ["2K"]}],
        } });
        assert_eq!(other.catalogue(vec![record.clone()], true), expected);
        let bare = ModelsDialect {
            keyed: false,
            id: at("/slug"),
            capability: None,
            options: None,
            references: None,
            ..other
        };
        assert_eq!(
            bare.catalogue(vec![record], false),
            json!([{"slug": "m", "required_plan": "pro"}])
        );
    }
}
