//! The models of an account, and the check of a create against them (§2: "only values listed
//! there are accepted").

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde_json::{Value, json};

use crate::capability::Capability;
use crate::field::{Field, FileKind, Kind};
use crate::ids::snake;
use crate::validate::{Issue, IssueReason, Severity};
use crate::value::object;

/// The models of an account, as far as they could be read.
#[derive(Clone, Debug, PartialEq)]
pub struct Catalogue {
    /// The models.
    pub models: Vec<Model>,
    /// True if the account has no further models.
    pub is_complete: bool,
}

/// One model.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// The id.
    pub id: String,
    /// The name of the capability that it serves, if the record has it.
    pub capability: Option<&'static str>,
    /// The fields that the record names, each with its values, or with `None` if they are
    /// unreadable.
    pub options: Vec<(String, Option<Values>)>,
    /// The kinds of references that it takes, if the record has them.
    pub references: Option<Vec<FileKind>>,
    /// The upstream's record.
    pub record: Value,
}

/// The values that a field takes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Values {
    /// Each value once.
    pub listed: Vec<Value>,
    /// Other notations of the values, such as their labels.
    pub others: Vec<Value>,
}

/// A reason to exclude a request.
#[derive(Clone, Debug, PartialEq)]
pub enum Exclusion {
    /// There is no model with this id: code 1410.
    Model,
    /// The model does not take some of the values: code 12.
    Values(Vec<Issue>),
}

/// A name among the options that is not a field.
const REFERENCES: &str = "references";

/// The largest number of values that a message lists.
const MAX_LISTED: usize = 20;

impl Catalogue {
    /// Checks a valid body against its model. Without a `model_id`, this is the documented default.
    /// Missing information excludes nothing, and whatever the document itself names passes.
    ///
    /// # Errors
    /// [`Exclusion::Model`] for an unknown model, or [`Exclusion::Values`] with every value that
    /// the model does not take.
    pub fn check(&self, capability: &Capability, body: &Value) -> Result<(), Exclusion> {
        let Some(model) = self.model(capability, body) else {
            let is_unknown = self.is_unknown(capability, body);
            return if is_unknown {
                Err(Exclusion::Model)
            } else {
                Ok(())
            };
        };
        let known = capability
            .fields()
            .filter_map(|field| model.excluded(field, body.get(field.name)?));
        let issues: Vec<_> = known
            .chain(model.excluded_others(capability, body))
            .collect();
        if issues.is_empty() {
            Ok(())
        } else {
            Err(Exclusion::Values(issues))
        }
    }

    /// Returns true if the model of a body names a field that the document does not have.
    pub fn names(&self, capability: &Capability, body: &Value, field: &str) -> bool {
        let is_new =
            !capability.fields().any(|known| is_of(field, known.name)) && field != REFERENCES;
        is_new
            && self
                .model(capability, body)
                .is_some_and(|model| model.options.iter().any(|(name, _)| name == field))
    }

    /// Returns true if the model of a body lists a value for a field, or each value of a list.
    pub fn lists(&self, capability: &Capability, body: &Value, field: &str, value: &Value) -> bool {
        let Some(model) = self.model(capability, body) else {
            return false;
        };
        let mut listed = model
            .options
            .iter()
            .filter(|(name, _)| name == field)
            .filter_map(|(_, values)| values.as_ref());
        let requested = value
            .as_array()
            .map_or(core::slice::from_ref(value), Vec::as_slice);
        listed.any(|values| requested.iter().all(|item| values.list(item)))
    }

    /// Returns true if the model that a body names can't exist. This needs a complete catalogue
    /// with models of this capability, or without any capabilities.
    fn is_unknown(&self, capability: &Capability, body: &Value) -> bool {
        let Some(id) = named_model(body).filter(|id| Some(*id) != capability.documented_model)
        else {
            // The default model and the documented one always exist.
            return false;
        };
        let serves = |model: &Model| model.capability == Some(capability.name());
        let is_covered = self.models.iter().any(serves)
            || self.models.iter().all(|model| model.capability.is_none());
        self.is_complete && is_covered && !self.models.iter().any(|model| model.id == id)
    }

    /// Returns every model as a normalised record: the upstream's members, `model_id`, the known
    /// `capability`, and the values by field as `generation_options`. If upstream has these in
    /// another shape, that is in `raw`.
    pub fn records(&self) -> Vec<Value> {
        self.models.iter().map(Model::normalised).collect()
    }

    /// Returns the ids of the models that serve a capability, each with its values by field.
    /// Includes a model without a capability if the document names it.
    pub fn models_of(
        &self,
        capability: &Capability,
    ) -> impl Iterator<Item = (&str, impl Iterator<Item = (&str, &[Value])>)> {
        let serves = move |model: &&Model| match model.capability {
            Some(own) => own == capability.name(),
            None => capability.documented_model == Some(model.id.as_str()),
        };
        self.models
            .iter()
            .filter(serves)
            .map(|model| (model.id.as_str(), model.readable_options()))
    }

    /// Returns the model of a body. A model of this capability comes before a model without one.
    fn model(&self, capability: &Capability, body: &Value) -> Option<&Model> {
        let id = named_model(body).or(capability.default_model)?;
        let of = |served: Option<&str>| {
            self.models
                .iter()
                .find(|model| model.id == id && model.capability == served)
        };
        of(Some(capability.name())).or_else(|| of(None))
    }
}

fn named_model(body: &Value) -> Option<&str> {
    body.get("model_id")?
        .as_str()
        .filter(|id| !id.trim().is_empty())
}

impl Model {
    fn readable_options(&self) -> impl Iterator<Item = (&str, &[Value])> {
        self.options
            .iter()
            .filter_map(|(name, values)| Some((name.as_str(), values.as_ref()?.listed.as_slice())))
    }

    /// Returns the issue of a value that the model does not take.
    fn excluded(&self, field: &Field, value: &Value) -> Option<Issue> {
        let issue = |reason, message| {
            let path = field.name.to_string();
            Some(Issue {
                path,
                reason,
                message,
                severity: Severity::Error,
            })
        };
        if let (
            Kind::Files(media @ (FileKind::Image | FileKind::Video | FileKind::Audio)),
            Some(taken),
        ) = (field.kind, &self.references)
        {
            let is_excluded =
                value.as_array().is_some_and(|items| !items.is_empty()) && !taken.contains(&media);
            if !is_excluded {
                return None;
            }
            return issue(
                IssueReason::ReferenceMedia,
                "are references that the model does not take".into(),
            );
        }
        // Free texts and ids are not chosen from a list of values.
        let is_choice = match field.kind {
            Kind::Boolean | Kind::Number | Kind::Integer | Kind::PositiveInteger => true,
            Kind::Int32 | Kind::PositiveInt32 | Kind::Choice => true,
            Kind::Text => !field.required,
            _ => false,
        };
        let default = field
            .default
            .and_then(|default| serde_json::from_str::<Value>(default).ok());
        // The documented default means the same as no value.
        if !is_choice
            || value.is_null()
            || *value == ""
            || default.is_some_and(|default| same(&default, value) == Some(true))
        {
            return None;
        }
        let lists: Vec<_> = self
            .options
            .iter()
            .filter(|(name, _)| is_of(name, field.name))
            .map(|(_, values)| values.as_ref())
            .collect();
        let takes = |list: &Option<&Values>| list.is_none_or(|values| values.take(value));
        if lists.is_empty() || lists.iter().any(takes) {
            return None;
        }
        let listed = lists.iter().flatten().flat_map(|values| &values.listed);
        let listed: Vec<_> = listed.take(MAX_LISTED).map(Value::to_string).collect();
        issue(
            IssueReason::NotOffered,
            format!(
                "is not among the values that the model takes; give one of {}",
                listed.join(", ")
            ),
        )
    }

    /// Returns the issues of fields that the document does not have: values that the model does not
    /// list, and objects.
    fn excluded_others(
        &self,
        capability: &Capability,
        body: &Value,
    ) -> impl Iterator<Item = Issue> {
        let others = self.options.iter().filter(|option| {
            !capability
                .fields()
                .any(|field| is_of(&option.0, field.name))
        });
        others.filter_map(|(name, values)| {
            let value = body.get(name).filter(|value| !value.is_null())?;
            let takes = |item: &Value| {
                !item.is_object()
                    && !item.is_array()
                    && values.as_ref().is_none_or(|list| list.take(item))
            };
            let is_taken = value
                .as_array()
                .map_or_else(|| takes(value), |items| items.iter().all(takes));
            (!is_taken).then(|| Issue {
                path: name.clone(),
                reason: IssueReason::NotOffered,
                message: "is not among the values that the model takes".into(),
                severity: Severity::Error,
            })
        })
    }

    /// Returns the record in the shape that [`Catalogue::records`] documents.
    fn normalised(&self) -> Value {
        let mut record = self.record.as_object().cloned().unwrap_or_default();
        // Members of upstream's own stay unchanged.
        record.entry("model_id").or_insert_with(|| json!(self.id));
        if let Some(capability) = self.capability {
            record
                .entry("capability")
                .or_insert_with(|| json!(capability));
        }
        if self.options.is_empty() {
            return Value::Object(record);
        }
        let options = self
            .readable_options()
            .map(|(name, values)| (name.to_string(), json!(values)));
        let options = Value::Object(object(options));
        match record.insert("generation_options".into(), options.clone()) {
            Some(other) if other != options => {
                record.insert("raw".into(), json!({ "generation_options": other }));
            }
            _ => {}
        }
        Value::Object(record)
    }
}

impl Values {
    /// Returns true if the list has a value.
    fn list(&self, value: &Value) -> bool {
        self.listed
            .iter()
            .chain(&self.others)
            .any(|listed| same(listed, value) == Some(true))
    }

    /// Returns true if the list has a value, or a listed value can't be compared with it.
    fn take(&self, value: &Value) -> bool {
        self.listed
            .iter()
            .chain(&self.others)
            .any(|listed| same(listed, value) != Some(false))
    }
}

/// Returns true if an option's name means a field. It may be in camel case or in the plural.
fn is_of(option: &str, field: &str) -> bool {
    let option = snake(option);
    option == field || option.strip_suffix('s') == Some(field)
}

/// Compares a listed value with a requested one. Returns `None` if they can't be compared. Numbers
/// may be strings. A label in another case of letters is another one: the value is sent unchanged.
fn same(listed: &Value, requested: &Value) -> Option<bool> {
    let number = |value: &Value| {
        value
            .as_f64()
            .or_else(|| value.as_str()?.trim().parse().ok())
    };
    match (listed, requested) {
        (Value::Bool(a), Value::Bool(b)) => Some(a == b),
        _ if number(listed).is_some() && number(requested).is_some() => {
            Some(number(listed) == number(requested))
        }
        (Value::String(a), Value::String(b)) => Some(a.trim() == b.trim()),
        _ => None,
    }
}
