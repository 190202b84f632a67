//! What a model catalogue says of a create (§2: "only values listed there are accepted").

use serde_json::{Map, Value, json};

use mediagate_core::ids::snake;
use mediagate_core::{Capability, Field, FileKind, Issue, IssueReason, Kind, Severity};

/// The models of an account, as far as they could be read.
#[derive(Clone, Debug, PartialEq)]
pub struct Catalogue {
    pub(super) models: Vec<Model>,
    /// Whether these are all models there are.
    pub(super) is_complete: bool,
}

/// One model.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Model {
    pub(super) id: String,
    /// The name of the capability that it serves; `None` where it does not say so.
    pub(super) capability: Option<&'static str>,
    /// Fields that the model names, each with the values that it takes; `None` where they can't be read.
    pub(super) options: Vec<(String, Option<Values>)>,
    /// The kinds of references that it takes; `None` where it does not say so.
    pub(super) references: Option<Vec<FileKind>>,
    /// The upstream's record.
    pub(super) record: Value,
}

/// The values that a field takes.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Values {
    /// Each value once.
    pub(super) listed: Vec<Value>,
    /// Further notations of them, such as their labels.
    pub(super) others: Vec<Value>,
}

/// Why a catalogue excludes a request.
#[derive(Clone, Debug, PartialEq)]
pub enum Exclusion {
    /// It has no model of this id: code 1410.
    Model,
    /// The model does not take some of the values: code 12.
    Values(Vec<Issue>),
}

/// What may be named among the options and is no field.
const REFERENCES: &str = "references";

/// The most values that a message lists.
const MAX_LISTED: usize = 20;

impl Catalogue {
    /// Checks a valid body against its model. Where none is named, that is the documented default. What the catalogue does
    /// not say excludes nothing, and neither does it exclude what the document names itself.
    ///
    /// # Errors
    /// An unknown model, or every value that the model does not take.
    pub fn check(&self, capability: &Capability, body: &Value) -> Result<(), Exclusion> {
        let Some(model) = self.model(capability, body) else {
            return if self.is_unknown(capability, body) {
                Err(Exclusion::Model)
            } else {
                Ok(())
            };
        };
        let known = capability
            .fields()
            .filter_map(|it| model.excluded(it, body.get(it.name)?));
        let issues: Vec<_> = known
            .chain(model.excluded_others(capability, body))
            .collect();
        if issues.is_empty() {
            Ok(())
        } else {
            Err(Exclusion::Values(issues))
        }
    }

    /// Whether the model of a body names a field that the document does not know.
    pub fn names(&self, capability: &Capability, body: &Value, field: &str) -> bool {
        let is_new = !capability.fields().any(|it| is_of(field, it.name)) && field != REFERENCES;
        is_new
            && self
                .model(capability, body)
                .is_some_and(|it| it.options.iter().any(|it| it.0 == field))
    }

    /// Returns whether the model of a body lists a value for a field, or each value of a list.
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
        listed.any(|values| requested.iter().all(|value| values.list(value)))
    }

    /// Whether there can be no model of the id that a body names: the catalogue is complete, and has models of this
    /// capability, or does not say which ones they serve.
    fn is_unknown(&self, capability: &Capability, body: &Value) -> bool {
        let Some(id) = named_model(body).filter(|it| Some(*it) != capability.documented_model)
        else {
            return false;
        };
        let serves = |it: &Model| it.capability == Some(capability.name());
        let is_covered =
            self.models.iter().any(serves) || self.models.iter().all(|it| it.capability.is_none());
        self.is_complete && is_covered && !self.models.iter().any(|it| it.id == id)
    }

    /// Every model as a record that says what of it was read: the upstream's members, `model_id`, `capability` where it
    /// is known, and as `generation_options` the values by field, in place of another shape, which is then in `raw`.
    pub fn records(&self) -> Vec<Value> {
        self.models.iter().map(Model::normalised).collect()
    }

    /// The ids of the models that serve a capability, with the values that each takes by field. A model that does not say
    /// what it serves counts where the document names it.
    pub fn models_of(
        &self,
        capability: &Capability,
    ) -> impl Iterator<Item = (&str, impl Iterator<Item = (&str, &[Value])>)> {
        let serves = move |it: &&Model| match it.capability {
            Some(own) => own == capability.name(),
            None => capability.documented_model == Some(it.id.as_str()),
        };
        self.models
            .iter()
            .filter(serves)
            .map(|it| (it.id.as_str(), it.readable_options()))
    }

    fn model(&self, capability: &Capability, body: &Value) -> Option<&Model> {
        let id = named_model(body).or(capability.default_model)?;
        let of = |served: Option<&str>| {
            self.models
                .iter()
                .find(|it| it.id == id && it.capability == served)
        };
        of(Some(capability.name())).or_else(|| of(None))
    }
}

fn named_model(body: &Value) -> Option<&str> {
    body.get("model_id")?
        .as_str()
        .filter(|it| !it.trim().is_empty())
}

impl Model {
    fn readable_options(&self) -> impl Iterator<Item = (&str, &[Value])> {
        self.options
            .iter()
            .filter_map(|(name, values)| Some((name.as_str(), values.as_ref()?.listed.as_slice())))
    }

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
                value.as_array().is_some_and(|it| !it.is_empty()) && !taken.contains(&media);
            return is_excluded.then(|| {
                issue(
                    IssueReason::ReferenceMedia,
                    "are references that the model does not take".into(),
                )
            })?;
        }
        // What is free text, or an id, is not chosen from a list of values.
        let is_choice = matches!(
            field.kind,
            Kind::Boolean | Kind::Number | Kind::Integer | Kind::PositiveInteger
        ) || matches!(field.kind, Kind::Int32 | Kind::PositiveInt32)
            || field.kind == Kind::Choice
            || field.kind == Kind::Text && !field.required;
        let default = field
            .default
            .and_then(|it| serde_json::from_str::<Value>(it).ok());
        if !is_choice
            || value.is_null()
            || *value == ""
            || default.is_some_and(|it| same(&it, value) == Some(true))
        {
            return None;
        }
        let values: Vec<_> = self
            .options
            .iter()
            .filter(|it| is_of(&it.0, field.name))
            .collect();
        let mut lists = values.iter().map(|it| it.1.as_ref());
        if values.is_empty() || lists.any(|it| it.is_none_or(|it| it.take(value))) {
            return None;
        }
        let listed = values
            .iter()
            .filter_map(|it| it.1.as_ref())
            .flat_map(|it| &it.listed);
        let listed: Vec<_> = listed.take(MAX_LISTED).map(Value::to_string).collect();
        issue(
            IssueReason::NotOffered,
            format!(
                "is not among the values that the model takes; give one of {}",
                listed.join(", ")
            ),
        )
    }

    /// What it excludes of fields that the document does not know: values that it does not list, and objects.
    fn excluded_others(
        &self,
        capability: &Capability,
        body: &Value,
    ) -> impl Iterator<Item = Issue> {
        let others = self
            .options
            .iter()
            .filter(|it| !capability.fields().any(|field| is_of(&it.0, field.name)));
        others.filter_map(|(name, values)| {
            let value = body.get(name).filter(|it| !it.is_null())?;
            let takes = |it: &Value| {
                !it.is_object()
                    && !it.is_array()
                    && values.as_ref().is_none_or(|list| list.take(it))
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

    fn normalised(&self) -> Value {
        let mut record = self.record.as_object().cloned().unwrap_or_default();
        record.entry("model_id").or_insert_with(|| json!(self.id));
        if let Some(capability) = self.capability {
            record
                .entry("capability")
                .or_insert_with(|| json!(capability));
        }
        if self.options.is_empty() {
            return Value::Object(record);
        }
        let options: Map<_, _> = self
            .readable_options()
            .map(|(name, it)| (name.to_string(), json!(it)))
            .collect();
        let options = Value::Object(options);
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
    /// Returns whether a value is among them.
    fn list(&self, value: &Value) -> bool {
        self.listed
            .iter()
            .chain(&self.others)
            .any(|listed| same(listed, value) == Some(true))
    }

    /// Whether a value is among them, or can't be compared with one of them.
    fn take(&self, value: &Value) -> bool {
        self.listed
            .iter()
            .chain(&self.others)
            .any(|it| same(it, value) != Some(false))
    }
}

/// Whether an option's name means a field: in camel case and in the plural too.
fn is_of(option: &str, field: &str) -> bool {
    let option = snake(option);
    option == field || option.strip_suffix('s') == Some(field)
}

/// Whether a listed value and a requested one are the same; `None` where they can't be compared. Numbers may be written as
/// strings, and labels in any case of letters.
fn same(listed: &Value, requested: &Value) -> Option<bool> {
    let number = |it: &Value| it.as_f64().or_else(|| it.as_str()?.trim().parse().ok());
    match (listed, requested) {
        (Value::Bool(a), Value::Bool(b)) => Some(a == b),
        _ if number(listed).is_some() && number(requested).is_some() => {
            Some(number(listed) == number(requested))
        }
        (Value::String(a), Value::String(b)) => Some(a.trim().eq_ignore_ascii_case(b.trim())),
        _ => None,
    }
}
