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
    /// Has the document's fields in the document's order, then the extra fields by name, and
    /// nothing else. So equivalent bodies become equal.
    pub(super) body: Value,
    /// The refusal if the upstream does not offer the capability, or if its model excludes a value of
    /// the body, according to the upstream's model catalogue. A repetition ignores it, because offers
    /// and catalogue may have changed since the first request.
    pub(super) excluded: Option<Refusal>,
}

/// Validates a request and unseals its ids.
///
/// # Errors
/// All issues of fields and ids, or the refusal of a body that is excluded as well.
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

/// Returns the fields of a body that the document lists, in the document's order.
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

/// Returns true if a body has something that its model decides. That is a field that the document
/// does not list. If the body has a model, it is also a reference or an optional field.
fn has_choices(capability: &Capability, body: &Value) -> bool {
    let has_model = capability.default_model.is_some() || body.get("model_id").is_some();
    let is_choice = |name: &str| match capability.field(name) {
        None => true,
        Some(field) => {
            let is_optional = !field.required && !is_file(field.kind) && name != "title";
            has_model && (is_optional || capability.any_of.contains(&name))
        }
    };
    let members = body.as_object();
    members.is_some_and(|members| members.keys().any(|name| is_choice(name)))
}

fn is_file(kind: Kind) -> bool {
    kind.media().is_some()
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
    capability: &Capability,
    name: &str,
    by_model: impl FnOnce() -> Option<FieldRule>,
) -> Option<FieldRule> {
    let by_setting = settings.field_rule(capability, name);
    if by_setting == Some(FieldRule::Named) {
        return by_setting;
    }
    if let Some(field_rule) = by_model() {
        return Some(field_rule);
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
    let by_model = |name: &str, value: &Value| {
        let catalogue = catalogue.filter(|catalogue| catalogue.names(capability, body, name))?;
        let is_listed = catalogue.lists(capability, body, name, value);
        Some(if is_listed {
            FieldRule::Listed
        } else {
            FieldRule::Model
        })
    };
    let mut extra = Vec::new();
    let mut rest = Map::new();
    for (name, value) in members {
        let field_rule = if is_known(capability, name) {
            None
        } else {
            field_rule(settings, capability, name, || by_model(name, value))
        };
        match field_rule {
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
    let is_part = |(field, _): (&str, &str)| {
        let field = capability.field(field);
        field.is_some_and(|field| field.kind == Kind::Region)
    };
    capability.field(name).is_some() || name.split_once('.').is_some_and(is_part)
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
