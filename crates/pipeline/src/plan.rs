//! A requested pipeline: its steps, and the references between them.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use mediagate_core::text::is_blank;
use mediagate_core::{
    Capability, Field, Issue, IssueReason, Severity, Value as _, find, is_valid,
    nearest_capability, validate_strictly,
};

/// The largest number of characters in a step's name.
const MAX_NAME: usize = 64;
/// The largest number of characters in a title.
const MAX_TITLE: usize = 200;
/// The largest number of references of a step.
const MAX_REFERENCES: usize = 100;
/// The highest position of an output.
const MAX_POSITION: i64 = 99;

/// A pipeline with valid steps that do not wait for each other in a cycle.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The title.
    pub title: Option<String>,
    /// The steps, each after the steps that it uses.
    pub steps: Vec<Step>,
}

/// A create of a pipeline.
#[derive(Clone, Debug)]
pub struct Step {
    /// The unique name.
    pub name: String,
    /// The capability of the create.
    pub capability: &'static Capability,
    /// The input, with a placeholder for each reference. A caller may change its shape, but must
    /// keep the placeholders.
    pub input: Value,
    /// The references to outputs of other steps.
    pub references: Vec<StepReference>,
}

impl Step {
    /// Returns true if the step takes files that other steps produce.
    pub fn takes_files(&self) -> bool {
        self.references
            .iter()
            .any(|reference| reference.field.kind.media().is_some())
    }

    /// Returns the input with `ids` instead of placeholders. The keys are positions of references.
    /// Placeholders without an id stay.
    pub fn with_ids(&self, ids: &BTreeMap<usize, String>) -> Value {
        let mut input = self.input.clone();
        fill(&mut input, &self.references, ids);
        input
    }
}

/// Replaces placeholders by ids.
fn fill(value: &mut Value, references: &[StepReference], ids: &BTreeMap<usize, String>) {
    match value {
        Value::String(text) => {
            let reference = references
                .iter()
                .position(|reference| reference.placeholder == *text);
            if let Some(id) = reference.and_then(|index| ids.get(&index)) {
                text.clone_from(id);
            }
        }
        Value::Array(items) => items
            .iter_mut()
            .for_each(|item| fill(item, references, ids)),
        Value::Object(members) => members
            .values_mut()
            .for_each(|member| fill(member, references, ids)),
        _ => {}
    }
}

/// An output of a step that stands for an id.
#[derive(Clone, Debug)]
pub struct StepReference {
    /// The field with the reference.
    pub field: &'static Field,
    /// The position in the field's list, or `None` if the reference is the field's own value.
    pub index: Option<usize>,
    /// The position of the used step among the steps.
    pub step: usize,
    /// The position of the output, or `None` for the first that fits the field.
    pub output: Option<u32>,
    /// The string in the input that the output's id replaces.
    pub placeholder: String,
}

/// A step before the steps have an order. Its references have names instead of positions.
struct Named<'a> {
    name: &'a str,
    capability: &'static Capability,
    input: Value,
    references: Vec<NamedReference<'a>>,
}

/// A reference to a step by its name.
struct NamedReference<'a> {
    field: &'static Field,
    index: Option<usize>,
    used: &'a str,
    output: Option<u32>,
    placeholder: String,
}

impl Plan {
    /// Reads a pipeline: `{title, steps}`. `steps` has each step under its name, as `{capability,
    /// input}`. In an input, `{step, output}` instead of an id is an output of another step.
    /// Placeholders begin with `token`, which must not occur in an input by chance.
    ///
    /// # Errors
    /// Every problem, by paths such as `steps.clip.input.file_id`. Problems are invalid inputs,
    /// more than `max_steps` steps, a reference to an unknown step or to a step whose outputs the
    /// field does not take, and steps that wait for each other.
    pub fn read(request: &Value, max_steps: usize, token: &str) -> Result<Plan, Vec<Issue>> {
        let mut issues = Vec::new();
        let title = check_members(request, &["title", "steps"], "", &mut issues)
            .and_then(|members| members.get("title"));
        match title {
            Some(Value::String(title)) if title.chars().count() > MAX_TITLE => {
                let message = format!("has more than {MAX_TITLE} characters; shorten it");
                issues.push(issue("title", IssueReason::OutOfRange, message));
            }
            None | Some(Value::Null | Value::String(_)) => {}
            Some(_) => issues.push(issue(
                "title",
                IssueReason::WrongType,
                "is not a string; give a string".to_owned(),
            )),
        }
        let none = Map::new();
        let steps = request
            .get("steps")
            .and_then(Value::as_object)
            .unwrap_or(&none);
        if steps.is_empty() || steps.len() > max_steps {
            let message = format!(
                "has {} steps; give 1 to {max_steps}, each under a name of its own",
                steps.len()
            );
            issues.push(issue("steps", IssueReason::OutOfRange, message));
        } else {
            let named: Vec<_> = steps
                .iter()
                .filter_map(|(name, step)| read_step(name, step, token, &mut issues))
                .collect();
            check_references(&named, steps, &mut issues);
            if is_valid(&issues) {
                let title = title.and_then(Value::as_str).map(ToOwned::to_owned);
                match in_order(&named) {
                    Ok(steps) => return Ok(Plan { title, steps }),
                    Err(name) => issues.push(issue(
                        &format!("steps.{name}"),
                        IssueReason::Cycle,
                        CYCLE.to_owned(),
                    )),
                }
            }
        }
        Err(issues)
    }

    /// Returns the number of creates.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Returns true if there are no steps. [`Plan::read`] never returns such a plan.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }
}

const CYCLE: &str =
    "waits for itself through other steps; let it use only steps that do not use it";

fn issue(path: &str, reason: IssueReason, message: String) -> Issue {
    Issue {
        path: path.to_owned(),
        reason,
        message,
        severity: Severity::Error,
    }
}

/// Returns the members of an object. Adds an issue for each member with another name than these.
fn check_members<'a>(
    value: &'a Value,
    names: &[&str],
    path: &str,
    issues: &mut Vec<Issue>,
) -> Option<&'a Map<String, Value>> {
    let Some(members) = value.as_object() else {
        issues.push(issue(
            path,
            IssueReason::WrongType,
            format!("is {}; give an object", value.kind().described()),
        ));
        return None;
    };
    let is_known = |name: &str| names.contains(&name);
    for name in members.keys().filter(|name| !is_known(name)) {
        let shown: String = name.chars().take(MAX_NAME).collect();
        let dot = if path.is_empty() { "" } else { "." };
        issues.push(issue(
            &format!("{path}{dot}{shown}"),
            IssueReason::UnknownField,
            "is not a known field; leave it out".to_owned(),
        ));
    }
    Some(members)
}

/// Reads a step, with a placeholder for each reference. Returns `None` if its name, its capability
/// or its input is missing or invalid.
fn read_step<'a>(
    name: &'a str,
    value: &'a Value,
    token: &str,
    issues: &mut Vec<Issue>,
) -> Option<Named<'a>> {
    let is_letter = |letter: u8| letter.is_ascii_alphanumeric() || b"_-".contains(&letter);
    if name.is_empty() || name.len() > MAX_NAME || !name.bytes().all(is_letter) {
        let message =
            format!("has a step whose name is not 1 to {MAX_NAME} letters, digits, _ or -");
        issues.push(issue("steps", IssueReason::Malformed, message));
        return None;
    }
    let path = format!("steps.{name}");
    let members = check_members(value, &["capability", "input"], &path, issues)?;
    let given = members.get("capability").and_then(Value::as_str);
    let Some(capability) = given.and_then(find) else {
        let message = match given.and_then(nearest_capability) {
            Some(known) => format!("is no capability; did you mean {known}?"),
            None => "is no capability; give the name of one".to_owned(),
        };
        issues.push(issue(
            &format!("{path}.capability"),
            IssueReason::UnknownCapability,
            message,
        ));
        return None;
    };
    let Some(input) = members.get("input") else {
        issues.push(issue(
            &format!("{path}.input"),
            IssueReason::Missing,
            "is missing; give the fields of the capability".to_owned(),
        ));
        return None;
    };
    let mut filled = input.clone();
    let mut references = Vec::new();
    for field in capability.fields().filter(|field| field.kind.takes_id()) {
        visit_values(input, field, &mut |index, value| {
            let Some(used) = value.get("step").and_then(Value::as_str) else {
                // Not a reference: the validation below checks the value.
                return;
            };
            let place = place(field, index);
            check_members(
                value,
                &["step", "output"],
                &format!("{path}.input.{place}"),
                issues,
            );
            let output = value.get("output").filter(|output| !output.is_null());
            let position = output
                .and_then(Value::as_i64)
                .filter(|position| (0..=MAX_POSITION).contains(position));
            if output.is_some() && position.is_none() {
                let message = format!("is no position of an output; give 0 to {MAX_POSITION}");
                issues.push(issue(
                    &format!("{path}.input.{place}.output"),
                    IssueReason::OutOfRange,
                    message,
                ));
            }
            let placeholder = format!("{token}{}", references.len());
            replace(&mut filled, field, index, json!(placeholder));
            let output = position.and_then(|position| u32::try_from(position).ok());
            references.push(NamedReference {
                field,
                index,
                used,
                output,
                placeholder,
            });
        });
    }
    if references.len() > MAX_REFERENCES {
        let message =
            format!("refers to more than {MAX_REFERENCES} outputs of steps; take some out");
        issues.push(issue(
            &format!("{path}.input"),
            IssueReason::OutOfRange,
            message,
        ));
    }
    // A placeholder is a valid id, so the validation of the input covers every later id.
    issues.extend(
        validate_strictly(capability, &filled)
            .into_iter()
            .map(|issue| {
                let dot = if issue.path.is_empty() { "" } else { "." };
                Issue {
                    path: format!("{path}.input{dot}{}", issue.path),
                    ..issue
                }
            }),
    );
    Some(Named {
        name,
        capability,
        input: filled,
        references,
    })
}

/// Visits a field's own value, or each item if it is a list.
fn visit_values<'a>(
    input: &'a Value,
    field: &Field,
    visit: &mut dyn FnMut(Option<usize>, &'a Value),
) {
    match input.get(field.name) {
        Some(Value::Array(items)) => items
            .iter()
            .enumerate()
            .for_each(|(index, value)| visit(Some(index), value)),
        Some(value) => visit(None, value),
        None => {}
    }
}

/// Returns the path of a value in the input, such as `file_id` or `input_file_ids[1]`.
fn place(field: &Field, index: Option<usize>) -> String {
    index.map_or_else(
        || field.name.to_owned(),
        |index| format!("{}[{index}]", field.name),
    )
}

/// Replaces a field's value, or an item of its list.
fn replace(input: &mut Value, field: &Field, index: Option<usize>, value: Value) {
    let at = input.get_mut(field.name);
    let at = match index {
        Some(index) => at.and_then(|items| items.get_mut(index)),
        None => at,
    };
    if let Some(at) = at {
        *at = value;
    }
}

/// Checks that references lead to steps of the pipeline whose outputs the fields take. `all` also
/// has the steps that could not be read.
fn check_references(steps: &[Named<'_>], all: &Map<String, Value>, issues: &mut Vec<Issue>) {
    for step in steps {
        for &NamedReference {
            field, index, used, ..
        } in &step.references
        {
            let path = format!("steps.{}.input.{}", step.name, place(field, index));
            let produced = steps
                .iter()
                .find(|other| other.name == used)
                .map(|step| step.capability.medium());
            match (produced, field.kind.media()) {
                (None, _) if !all.contains_key(used) || is_blank(used) => {
                    let message =
                        "refers to no step of this pipeline; give the name of one".to_owned();
                    issues.push(issue(&path, IssueReason::UnknownStep, message));
                }
                // A capability produces the medium that it works on; `asset` is a PDF (§4.3).
                (Some(medium), Some(media)) if !media.fits(media_type(medium)) => {
                    let message = format!(
                        "is a step that produces {}; give {}",
                        described(medium),
                        media.accept()
                    );
                    issues.push(issue(&path, IssueReason::WrongType, message));
                }
                _ => {}
            }
        }
    }
}

fn media_type(medium: &str) -> &'static str {
    match medium {
        "image" => "image/",
        "video" => "video/",
        "audio" => "audio/",
        _ => "application/pdf",
    }
}

fn described(medium: &str) -> &'static str {
    match medium {
        "image" => "a picture",
        "video" => "a video",
        "audio" => "a sound",
        _ => "a PDF",
    }
}

/// Returns the steps, each after the steps that it uses.
///
/// # Errors
/// The name of a step of a cycle.
fn in_order<'a>(named: &[Named<'a>]) -> Result<Vec<Step>, &'a str> {
    let mut order: Vec<&Named<'a>> = Vec::new();
    while order.len() < named.len() {
        let is_placed = |name: &str| order.iter().any(|step| step.name == name);
        let is_ready = |step: &Named<'_>| {
            let mut references = step.references.iter();
            references.all(|reference| is_placed(reference.used))
        };
        let mut waiting = named.iter().filter(|step| !is_placed(step.name));
        let Some(ready) = waiting.clone().find(|step| is_ready(step)) else {
            // Each remaining step uses a remaining step. A walk along these references enters a
            // cycle after at most as many moves as there are steps, and stays in it.
            let mut name = waiting.next().map_or("", |step| step.name);
            for _ in 0..named.len() {
                let step = named.iter().find(|step| step.name == name);
                let mut references = step.into_iter().flat_map(|step| &step.references);
                let next = references.find(|reference| !is_placed(reference.used));
                name = next.map_or(name, |reference| reference.used);
            }
            return Err(name);
        };
        order.push(ready);
    }
    Ok(order.iter().map(|step| resolved(step, &order)).collect())
}

/// Returns a step whose references have the positions of the used steps.
fn resolved(named: &Named<'_>, order: &[&Named<'_>]) -> Step {
    let position = |name: &str| order.iter().position(|step| step.name == name);
    let resolve = |reference: &NamedReference<'_>| {
        Some(StepReference {
            field: reference.field,
            index: reference.index,
            step: position(reference.used)?,
            output: reference.output,
            placeholder: reference.placeholder.clone(),
        })
    };
    Step {
        name: named.name.to_owned(),
        capability: named.capability,
        input: named.input.clone(),
        references: named.references.iter().filter_map(resolve).collect(),
    }
}
