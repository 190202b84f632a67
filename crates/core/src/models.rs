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

const REFERENCES: &str = "references";

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
            if self.is_unknown(capability, body) {
                return Err(Exclusion::Model);
            }
            return Ok(());
        };
        let mut issues = Vec::new();
        for field in capability.fields() {
            if let Some(value) = body.get(field.name) {
                issues.extend(model.excluded(field, value));
            }
        }
        issues.extend(model.excluded_others(capability, body));
        if issues.is_empty() {
            Ok(())
        } else {
            Err(Exclusion::Values(issues))
        }
    }

    /// Returns true if the model of a body names a field that the document does not have.
    pub fn names(&self, capability: &Capability, body: &Value, field: &str) -> bool {
        if is_known(capability, field) || field == REFERENCES {
            return false;
        }
        let model = self.model(capability, body);
        model.is_some_and(|model| model.options.iter().any(|(name, _)| name == field))
    }

    /// Returns true if the model of a body lists a value for a field, or each value of a list.
    pub fn lists(&self, capability: &Capability, body: &Value, field: &str, value: &Value) -> bool {
        let Some(model) = self.model(capability, body) else {
            return false;
        };
        let requested = items_of(value);
        for (name, values) in &model.options {
            if let Some(values) = values
                && name == field
                && requested.iter().all(|item| values.list(item))
            {
                return true;
            }
        }
        false
    }

    /// Returns true if the model that a body names can't exist. This needs a complete catalogue
    /// with models of this capability, or without any capabilities.
    fn is_unknown(&self, capability: &Capability, body: &Value) -> bool {
        let id = named_model(body);
        // The default model and the documented one always exist.
        if id.is_none() || id == capability.documented_model || !self.is_complete {
            return false;
        }
        let mut has_own = false;
        let mut has_others = false;
        for model in &self.models {
            if Some(model.id.as_str()) == id {
                return false;
            }
            match model.capability {
                Some(name) if name == capability.name() => has_own = true,
                Some(_) => has_others = true,
                None => {}
            }
        }
        has_own || !has_others
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
        self.find(id, Some(capability.name()))
            .or_else(|| self.find(id, None))
    }

    fn find(&self, id: &str, capability: Option<&str>) -> Option<&Model> {
        let mut models = self.models.iter();
        models.find(|model| model.id == id && model.capability == capability)
    }
}

fn issue(path: &str, reason: IssueReason, message: String) -> Issue {
    Issue {
        path: path.to_string(),
        reason,
        message,
        severity: Severity::Error,
    }
}

/// The items of a list, or the value itself.
fn items_of(value: &Value) -> &[Value] {
    match value {
        Value::Array(items) => items,
        other => core::slice::from_ref(other),
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

    fn excluded(&self, field: &Field, value: &Value) -> Option<Issue> {
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
            return Some(issue(
                field.name,
                IssueReason::ReferenceMedia,
                "are references that the model does not take".into(),
            ));
        }
        // Free texts and ids are not chosen from a list of values.
        let is_choice = matches!(
            field.kind,
            Kind::Boolean
                | Kind::Number
                | Kind::Integer
                | Kind::PositiveInteger
                | Kind::Int32
                | Kind::PositiveInt32
                | Kind::Choice
                | Kind::Text
        );
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
        let mut is_named = false;
        let mut listed = Vec::new();
        for (name, values) in &self.options {
            if is_of(name, field.name) {
                is_named = true;
                match values {
                    Some(values) if !values.take(value) => listed.extend(&values.listed),
                    _ => return None,
                }
            }
        }
        if !is_named {
            return None;
        }
        let listed = listed.into_iter().take(MAX_LISTED).map(Value::to_string);
        let message = format!(
            "is not among the values that the model takes; give one of {}",
            listed.collect::<Vec<_>>().join(", ")
        );
        Some(issue(field.name, IssueReason::NotOffered, message))
    }

    /// Returns the issues of values that the model does not list, and of objects.
    fn excluded_others(&self, capability: &Capability, body: &Value) -> Vec<Issue> {
        let mut issues = Vec::new();
        for (name, values) in &self.options {
            let value = body.get(name).unwrap_or(&Value::Null);
            if value.is_null() || is_known(capability, name) {
                continue;
            }
            for item in items_of(value) {
                let is_listed = values.as_ref().is_none_or(|values| values.take(item));
                if item.is_object() || item.is_array() || !is_listed {
                    let message = "is not among the values that the model takes".into();
                    issues.push(issue(name, IssueReason::NotOffered, message));
                    break;
                }
            }
        }
        issues
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
    fn list(&self, value: &Value) -> bool {
        self.listed
            .iter()
            .chain(&self.others)
            .any(|listed| same(listed, value) == Some(true))
    }

    /// Returns true if the list has the value, or a listed value can't be compared with it.
    fn take(&self, value: &Value) -> bool {
        self.listed
            .iter()
            .chain(&self.others)
            .any(|listed| same(listed, value) != Some(false))
    }
}

fn is_known(capability: &Capability, option: &str) -> bool {
    capability.fields().any(|field| is_of(option, field.name))
}

/// Returns true if an option's name means a field. It may be in camel case or in the plural.
pub fn is_of(option: &str, field: &str) -> bool {
    let option = snake(option);
    option == field || option.strip_suffix('s') == Some(field)
}

/// Compares a listed value with a requested one. Returns `None` if they can't be compared. Numbers
/// may be strings. A label in another case of letters is another one: the value is sent unchanged.
fn same(listed: &Value, requested: &Value) -> Option<bool> {
    match (listed, requested) {
        (Value::Bool(a), Value::Bool(b)) => Some(a == b),
        _ if number(listed).is_some() && number(requested).is_some() => {
            Some(number(listed) == number(requested))
        }
        (Value::String(a), Value::String(b)) => Some(a.trim() == b.trim()),
        _ => None,
    }
}

fn number(value: &Value) -> Option<f64> {
    match value {
        Value::String(text) => text.trim().parse().ok(),
        other => other.as_f64(),
    }
}
