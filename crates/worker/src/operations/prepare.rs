//! Makes the body for the upstream from a caller's body: validated, with unsealed ids, in the
//! dialect's shape.

use mediagate_access::refusal::Refusal;
use mediagate_core::models::{Catalogue, Exclusion};
use mediagate_core::{
    Capability, Issue, IssueReason, Kind, Reason, Severity, is_valid, validate_strictly,
};
use mediagate_ids::is_same;
use mediagate_settings::{ExtraFields, FieldRule};
use serde_json::{Map, Value};

use super::RequestContext;
use super::unsealer::Unsealer;

/// A field that the document does not list, and that the operator or the model lets pass.
struct ExtraField {
    name: String,
    value: Value,
    field_rule: FieldRule,
}

pub(super) struct Prepared {
    /// The document's fields in the document's order, then the extra fields by name. So equivalent
    /// bodies become equal.
    pub(super) body: Value,
    /// The refusal if the upstream does not offer the capability, or if the model excludes a value
    /// of the body, according to the model catalogue. A repetition ignores this, because offers and
    /// catalogue may have changed since the first request.
    pub(super) excluded: Option<Refusal>,
}

/// Validates a request, checks it by the caller's limits, and unseals its ids. The error has all
/// issues of fields, of limits or of ids, or is the refusal of a body that is excluded as well.
pub(super) async fn prepare(
    context: &RequestContext<'_>,
    capability: &Capability,
    input: &Value,
) -> Result<Prepared, Refusal> {
    let issues = validate_strictly(capability, input);
    // A body that no model could take costs no request to the upstream.
    let is_refused = issues.iter().any(|issue| !may_pass(capability, issue));
    let is_offered = context.settings().offers.contains(capability);
    let catalogue = if is_offered && !is_refused && has_choices(capability, input) {
        context.client().catalogue().await
    } else {
        None
    };
    let (body, extra) = split(context, capability, input, catalogue.as_deref());
    let issues = if extra.is_empty() {
        issues
    } else {
        // Again without the extra fields, since their issues may have left no room for others.
        validate_strictly(capability, &body)
    };
    let not_offered = (!is_offered).then(|| Refusal::from(Reason::NotOffered));
    if !is_valid(&issues) {
        return Err(not_offered.unwrap_or_else(|| Refusal::issues(&named(issues))));
    }
    let excluded = catalogue.and_then(|catalogue| catalogue.check(capability, input).err());
    let excluded = not_offered.or_else(|| excluded.map(exclusion));
    let issues = beyond_limits(context, capability, &body, &extra);
    if !issues.is_empty() {
        // Never part of `excluded`, which a repetition ignores: the create that has the key may be
        // rejected meanwhile, and then the repetition is sent.
        return Err(excluded.unwrap_or_else(|| Refusal::limited(&issues)));
    }
    let mut unsealer = Unsealer::new(context);
    let mut prepared = known_fields(&mut unsealer, capability, &body);
    for field in extra.iter().filter(|field| !field.value.is_null()) {
        let value = unsealer.other(&field.name, &field.value, field.field_rule);
        prepared.insert(field.name.clone(), value);
    }
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

/// Returns an issue for each value that the caller's limits forbid.
fn beyond_limits(
    context: &RequestContext<'_>,
    capability: &Capability,
    body: &Value,
    extra: &[ExtraField],
) -> Vec<Issue> {
    let limits = context.limits();
    let mut issues = limits.check(capability, body);
    for field in extra.iter().filter(|field| !field.value.is_null()) {
        issues.extend(limits.check_extra(capability, &field.name, &field.value));
    }
    issues
}

/// Returns the document's fields, in its order.
fn known_fields(
    unsealer: &mut Unsealer<'_>,
    capability: &Capability,
    body: &Value,
) -> Map<String, Value> {
    let mut known = Map::new();
    for field in capability.fields() {
        // The members of a region may be fields of their own, such as `region.x`.
        let dotted = match field.kind {
            Kind::Region => field.kind.members(),
            _ => &[],
        };
        let dotted = dotted
            .iter()
            .map(|member| ([field.name, ".", member.name].concat(), member));
        for (name, field) in [(field.name.to_owned(), field)].into_iter().chain(dotted) {
            if let Some(value) = body.get(&name).filter(|value| !value.is_null()) {
                known.insert(name, unsealer.field(field, value));
            }
        }
    }
    known
}

/// Returns true if a body with this issue may be valid: the issue is a warning, or a field that the
/// document does not list.
fn may_pass(capability: &Capability, issue: &Issue) -> bool {
    let field = issue.path.split(['.', '[']).next().unwrap_or_default();
    let is_unknown_field =
        issue.reason == IssueReason::UnknownField && capability.field(field).is_none();
    issue.severity == Severity::Warning || is_unknown_field
}

/// Returns true if a body has something that its model decides: a field that the document does not
/// list or, if the body has a model, a reference or an optional field.
fn has_choices(capability: &Capability, body: &Value) -> bool {
    let has_model = capability.default_model.is_some() || body.get("model_id").is_some();
    for (name, _) in body.as_object().into_iter().flatten() {
        let Some(field) = capability.field(name) else {
            return true;
        };
        let is_file = field.kind.media().is_some();
        let is_optional = !field.required && !is_file && name != "title";
        if has_model && (is_optional || capability.any_of.contains(&name.as_str())) {
            return true;
        }
    }
    false
}

fn exclusion(exclusion: Exclusion) -> Refusal {
    match exclusion {
        Exclusion::Values(issues) => Refusal::issues(&issues),
        Exclusion::Model => Refusal::from(Reason::InvalidModel),
    }
}

/// Returns how a field that the document does not list may be sent on: the operator or the model
/// names it, or `*` allows it.
fn field_rule(
    settings: &ExtraFields,
    catalogue: Option<&Catalogue>,
    capability: &Capability,
    body: &Value,
    name: &str,
    value: &Value,
) -> Option<FieldRule> {
    if is_known(capability, name) {
        return None;
    }
    let by_setting = settings.field_rule(capability, name);
    if by_setting == Some(FieldRule::Named) {
        return by_setting;
    }
    if let Some(catalogue) = catalogue
        && catalogue.names(capability, body, name)
    {
        let is_listed = catalogue.lists(capability, body, name, value);
        return Some(if is_listed {
            FieldRule::Listed
        } else {
            FieldRule::Model
        });
    }
    // A wildcard must not let a misspelt known field pass: the create would cost credits without
    // it.
    let is_misspelt = capability.fields().any(|field| is_same(name, field));
    by_setting.filter(|_| !is_misspelt)
}

/// Splits a body into the fields that are validated, and those that the operator or the model lets
/// pass.
fn split(
    context: &RequestContext<'_>,
    capability: &Capability,
    body: &Value,
    catalogue: Option<&Catalogue>,
) -> (Value, Vec<ExtraField>) {
    let settings = &context.settings().extra_fields;
    let Some(members) = body.as_object() else {
        return (body.clone(), Vec::new()); // validation refuses a body that is no object
    };
    let mut extra = Vec::new();
    let mut rest = Map::new();
    for (name, value) in members {
        match field_rule(settings, catalogue, capability, body, name, value) {
            Some(field_rule) => extra.push(ExtraField {
                name: name.clone(),
                value: value.clone(),
                field_rule,
            }),
            None => drop(rest.insert(name.clone(), value.clone())),
        }
    }
    extra.sort_by(|one, other| one.name.cmp(&other.name));
    (Value::Object(rest), extra)
}

fn is_known(capability: &Capability, name: &str) -> bool {
    if capability.field(name).is_some() {
        return true;
    }
    // A member of a region may be a field of its own, such as `region.x`.
    let region = name.split_once('.').map(|(field, _)| field);
    let field = region.and_then(|field| capability.field(field));
    field.is_some_and(|field| field.kind == Kind::Region)
}

/// Adds the setting that can let an unknown field pass to the issue of that field.
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
