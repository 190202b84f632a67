//! Builds the body for the upstream from a caller's: validated, its ids unsealed, in the dialect's shape.

use mediagate_core::{
    Capability, Issue, IssueReason, Kind, Reason, Severity, is_valid, validate_strictly,
};
use mediagate_dialect::{Catalogue, Exclusion};
use serde_json::{Map, Value};

use super::RequestContext;
use super::foreign_ids::is_same;
use super::unsealer::Unsealer;
use crate::refusal::Refusal;
use crate::settings::{ExtraFields, Passage};

/// The fields of a body that the document does not know and the operator, or the model, lets pass.
type Extra = Vec<(String, Value, Passage)>;

/// A body for the upstream.
pub(super) struct Prepared {
    /// It has the document's fields in the document's order, then further ones that may pass, by name, and nothing else, so
    /// equivalent bodies become equal.
    pub(super) body: Value,
    /// Why its model excludes it, where the upstream's model catalogue can be had. That may change from one minute to the
    /// next, so it says nothing of an earlier request.
    pub(super) excluded: Option<Refusal>,
}

/// Checks a request as far as that costs no other request. Fields that a setting or the model may
/// let pass are not checked, and neither are ids.
///
/// # Errors
/// Everything that is wrong with it.
pub(crate) fn check_fields(capability: &Capability, body: &Value) -> Result<(), Refusal> {
    let issues = validate_strictly(capability, body);
    let is_refused = issues.iter().any(|issue| !may_pass(capability, issue));
    match is_refused {
        true => Err(Refusal::issues(&named(issues))),
        false => Ok(()),
    }
}

/// Validates a request and unseals its ids.
pub(super) async fn prepare(
    context: &RequestContext<'_>,
    capability: &Capability,
    body: &Value,
) -> Result<Prepared, Refusal> {
    let original = body;
    let issues = validate_strictly(capability, original);
    // A body that no model could take costs no request to the upstream.
    let is_refused = issues.iter().any(|issue| !may_pass(capability, issue));
    let catalogue = if !is_refused && has_choices(capability, original) {
        context.client().catalogue().await
    } else {
        None
    };
    let (body, extra) = split(context, capability, original, catalogue.as_deref());
    let issues = if extra.is_empty() {
        issues
    } else {
        validate_strictly(capability, &body)
    };
    if !is_valid(&issues) {
        return Err(Refusal::issues(&named(issues)));
    }
    let excluded = catalogue
        .and_then(|it| it.check(capability, original).err())
        .map(exclusion);
    let mut unsealer = Unsealer::new(context);
    let mut prepared = known_fields(&mut unsealer, capability, &body);
    let pass = |(name, value, passage): &(String, Value, Passage)| {
        (name.clone(), unsealer.other(name, value, *passage))
    };
    prepared.extend(extra.iter().filter(|it| !it.1.is_null()).map(pass));
    if let Some(refusal) = unsealer.refusal() {
        return Err(excluded.unwrap_or(refusal));
    }
    context
        .settings()
        .dialect
        .create
        .shape(capability, &mut prepared);
    Ok(Prepared {
        body: Value::Object(prepared),
        excluded,
    })
}

fn known_fields(
    unsealer: &mut Unsealer<'_>,
    capability: &Capability,
    body: &Value,
) -> Map<String, Value> {
    let mut known = Map::new();
    for field in capability.fields() {
        let dotted = match field.kind {
            Kind::Region => field.kind.members(),
            _ => &[],
        };
        let dotted = dotted
            .iter()
            .map(|it| ([field.name, ".", it.name].concat(), it));
        for (name, field) in [(field.name.to_owned(), field)].into_iter().chain(dotted) {
            if let Some(value) = body.get(&name).filter(|it| !it.is_null()) {
                known.insert(name, unsealer.field(field, value));
            }
        }
    }
    known
}

/// Returns true if a body with this issue may be valid. The issue is a warning, or a field that the document does not know.
fn may_pass(capability: &Capability, issue: &Issue) -> bool {
    let field = issue.path.split(['.', '[']).next().unwrap_or_default();
    let is_unknown_field =
        issue.reason == IssueReason::UnknownField && capability.field(field).is_none();
    issue.severity == Severity::Warning || is_unknown_field
}

/// Whether a body has something that its model decides: a field that the document does not know, or, where the model is
/// known, references or an optional field.
fn has_choices(capability: &Capability, body: &Value) -> bool {
    let has_model = capability.default_model.is_some() || body.get("model_id").is_some();
    let is_choice = |name: &str| match capability.field(name) {
        None => true,
        Some(field) => {
            let is_optional = !field.required && !is_file(field.kind) && name != "title";
            has_model && (is_optional || capability.any_of.contains(&name))
        }
    };
    body.as_object()
        .is_some_and(|it| it.keys().any(|it| is_choice(it)))
}

fn is_file(kind: Kind) -> bool {
    kind.media().is_some()
}

/// The refusal for a request that the model catalogue excludes.
fn exclusion(exclusion: Exclusion) -> Refusal {
    match exclusion {
        Exclusion::Values(issues) => Refusal::issues(&issues),
        Exclusion::Model => Refusal::from(Reason::InvalidModel),
    }
}

/// Returns how a field that the document does not know may be sent on: because the operator or the model names it, or because
/// of `*`.
fn passage(
    settings: &ExtraFields,
    capability: &Capability,
    name: &str,
    by_model: impl FnOnce() -> Option<Passage>,
) -> Option<Passage> {
    let by_setting = settings.passage(capability, name);
    if by_setting == Some(Passage::Named) {
        return by_setting;
    }
    if let Some(passage) = by_model() {
        return Some(passage);
    }
    // A wildcard must not let a misspelt known field pass: the create would cost credits without the field.
    let is_misspelt = capability.fields().any(|field| is_same(name, field));
    by_setting.filter(|_| !is_misspelt)
}

/// The body without the fields that the operator or the model lets pass, and these.
fn split(
    context: &RequestContext<'_>,
    capability: &Capability,
    body: &Value,
    catalogue: Option<&Catalogue>,
) -> (Value, Extra) {
    let settings = &context.settings().extra_fields;
    let Some(members) = body.as_object() else {
        return (body.clone(), Extra::new());
    };
    let by_model = |name: &str, value: &Value| {
        let catalogue = catalogue.filter(|catalogue| catalogue.names(capability, body, name))?;
        let is_listed = catalogue.lists(capability, body, name, value);
        Some(if is_listed {
            Passage::Listed
        } else {
            Passage::Model
        })
    };
    let mut extra = Extra::new();
    let mut rest = Map::new();
    for (name, value) in members {
        let passage = match is_known(capability, name) {
            true => None,
            false => passage(settings, capability, name, || by_model(name, value)),
        };
        match passage {
            Some(passage) => extra.push((name.clone(), value.clone(), passage)),
            None => drop(rest.insert(name.clone(), value.clone())),
        }
    }
    extra.sort_by(|a, b| a.0.cmp(&b.0));
    (Value::Object(rest), extra)
}

fn is_known(capability: &Capability, name: &str) -> bool {
    let is_part = |(field, _): (&str, &str)| {
        capability
            .field(field)
            .is_some_and(|it| it.kind == Kind::Region)
    };
    capability.field(name).is_some() || name.split_once('.').is_some_and(is_part)
}

/// The issues, of which an unknown field of the body names the setting that lets it pass.
fn named(mut issues: Vec<Issue>) -> Vec<Issue> {
    for issue in &mut issues {
        if issue.reason == IssueReason::UnknownField && !issue.path.contains(['.', '[']) {
            issue
                .message
                .push_str(" (the gateway's setting EXTRA_FIELDS can let it pass)");
        }
    }
    issues
}
