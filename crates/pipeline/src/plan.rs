//! A pipeline as it was requested: its steps, and which of them use which.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use mediagate_core::text::is_blank;
use mediagate_core::{
    Capability, Field, Issue, IssueReason, Severity, Value as _, find, is_valid,
    nearest_capability, validate_strictly,
};

/// The most characters of a step's name.
const MAX_NAME: usize = 64;
/// The most characters of a title.
const MAX_TITLE: usize = 200;
/// The most references of a step.
const MAX_REFERENCES: usize = 100;
/// The highest position of an output.
const MAX_POSITION: i64 = 99;

/// A pipeline each of whose steps is valid, and can begin once those that it uses have ended.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Its title.
    pub title: Option<String>,
    /// Its steps, each after those that it uses.
    pub steps: Vec<Step>,
}

/// A create of a pipeline.
#[derive(Clone, Debug)]
pub struct Step {
    /// Its name, which no other step has.
    pub name: String,
    /// What it creates.
    pub capability: &'static Capability,
    /// Its input, with a placeholder for each reference. A caller may put it into another shape, as long as the placeholders stay.
    pub input: Value,
    /// These references.
    pub references: Vec<StepReference>,
}

impl Step {
    /// Whether it takes files that other steps produce.
    pub fn takes_files(&self) -> bool {
        self.references
            .iter()
            .any(|it| it.field.kind.media().is_some())
    }

    /// Its input, with ids in the places of the references that have one, by their positions.
    pub fn with_ids(&self, ids: &BTreeMap<usize, String>) -> Value {
        let mut input = self.input.clone();
        fill(&mut input, &self.references, ids);
        input
    }
}

/// Puts ids in the places of placeholders.
fn fill(value: &mut Value, references: &[StepReference], ids: &BTreeMap<usize, String>) {
    match value {
        Value::String(text) => {
            let reference = references.iter().position(|it| it.placeholder == *text);
            if let Some(id) = reference.and_then(|it| ids.get(&it)) {
                text.clone_from(id);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|it| fill(it, references, ids)),
        Value::Object(members) => members
            .values_mut()
            .for_each(|it| fill(it, references, ids)),
        _ => {}
    }
}

/// An output of a step in the place of an id.
#[derive(Clone, Debug)]
pub struct StepReference {
    /// The field that has it.
    pub field: &'static Field,
    /// Its position in the field's list; `None` where it is the field's own value.
    pub index: Option<usize>,
    /// The step, by its position among the steps.
    pub step: usize,
    /// The position of the output; `None` for the first that fits the field.
    pub output: Option<u32>,
    /// What is in the input until the output's id is known.
    pub placeholder: String,
}

/// A step before the steps have an order: its references have names.
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
    /// Reads a pipeline: `{title, steps}`, in which `steps` has each step under its name, as `{capability, input}`. In an input,
    /// `{step, output}` in the place of an id is an output of another step. Placeholders begin with `token`, which must be in no
    /// input by chance.
    ///
    /// # Errors
    /// Everything that is wrong, by paths such as `steps.clip.input.file_id`: also more than `max_steps`, a reference to no
    /// step or to one whose outputs the field does not take, and steps that wait for each other.
    pub fn read(request: &Value, max_steps: usize, token: &str) -> Result<Plan, Vec<Issue>> {
        let mut issues = Vec::new();
        let title = check_members(request, &["title", "steps"], "", &mut issues)
            .and_then(|it| it.get("title"));
        match title {
            Some(Value::String(it)) if it.chars().count() > MAX_TITLE => {
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
                .filter_map(|it| read_step(it.0, it.1, token, &mut issues))
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

    /// The number of creates.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether it has no step, which no pipeline that was read has.
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

/// The members of an object that has no others than these.
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
    for name in members.keys().filter(|it| !names.contains(&it.as_str())) {
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

fn read_step<'a>(
    name: &'a str,
    value: &'a Value,
    token: &str,
    issues: &mut Vec<Issue>,
) -> Option<Named<'a>> {
    let is_letter = |it: u8| it.is_ascii_alphanumeric() || b"_-".contains(&it);
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
                return;
            };
            let place = place(field, index);
            check_members(
                value,
                &["step", "output"],
                &format!("{path}.input.{place}"),
                issues,
            );
            let output = value.get("output").filter(|it| !it.is_null());
            let position = output
                .and_then(Value::as_i64)
                .filter(|it| (0..=MAX_POSITION).contains(it));
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
            let output = position.and_then(|it| u32::try_from(it).ok());
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
    // Whatever id comes in the place of a placeholder, it is as valid.
    issues.extend(
        validate_strictly(capability, &filled)
            .into_iter()
            .map(|it| {
                let dot = if it.path.is_empty() { "" } else { "." };
                Issue {
                    path: format!("{path}.input{dot}{}", it.path),
                    ..it
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

/// Visits a field's own value, and those in its list.
fn visit_values<'a>(
    input: &'a Value,
    field: &Field,
    visit: &mut dyn FnMut(Option<usize>, &'a Value),
) {
    match input.get(field.name) {
        Some(Value::Array(items)) => items
            .iter()
            .enumerate()
            .for_each(|(index, it)| visit(Some(index), it)),
        Some(value) => visit(None, value),
        None => {}
    }
}

/// Where a value is, such as `file_id` or `input_file_ids[1]`.
fn place(field: &Field, index: Option<usize>) -> String {
    index.map_or_else(
        || field.name.to_owned(),
        |it| format!("{}[{it}]", field.name),
    )
}

/// Replaces a field's value, or an item of its list.
fn replace(input: &mut Value, field: &Field, index: Option<usize>, value: Value) {
    let at = input.get_mut(field.name);
    let at = match index {
        Some(index) => at.and_then(|it| it.get_mut(index)),
        None => at,
    };
    if let Some(at) = at {
        *at = value;
    }
}

fn check_references(steps: &[Named<'_>], all: &Map<String, Value>, issues: &mut Vec<Issue>) {
    for step in steps {
        for &NamedReference {
            field, index, used, ..
        } in &step.references
        {
            let path = format!("steps.{}.input.{}", step.name, place(field, index));
            let produced = steps
                .iter()
                .find(|it| it.name == used)
                .map(|it| it.capability.medium());
            match (produced, field.kind.media()) {
                (None, _) if !all.contains_key(used) || is_blank(used) => {
                    let message =
                        "refers to no step of this pipeline; give the name of one".to_owned();
                    issues.push(issue(&path, IssueReason::UnknownStep, message));
                }
                // What a capability works on is what it produces; `asset` is a PDF (§4.3).
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

/// The steps, each after those that it uses; the name of one that waits for itself otherwise.
fn in_order<'a>(named: &[Named<'a>]) -> Result<Vec<Step>, &'a str> {
    let mut order: Vec<&Named<'a>> = Vec::new();
    while order.len() < named.len() {
        let position = |name: &str| order.iter().position(|it| it.name == name);
        let is_ready = |it: &&Named<'a>| {
            position(it.name).is_none()
                && it.references.iter().all(|it| position(it.used).is_some())
        };
        match named.iter().find(is_ready) {
            Some(step) => order.push(step),
            None => {
                return Err(named
                    .iter()
                    .find(|it| position(it.name).is_none())
                    .map_or("", |it| it.name));
            }
        }
    }
    let step = |it: &&Named<'a>| Step {
        name: it.name.to_owned(),
        capability: it.capability,
        input: it.input.clone(),
        references: it
            .references
            .iter()
            .filter_map(
                |&NamedReference {
                     field,
                     index,
                     used,
                     output,
                     ref placeholder,
                 }| {
                    let step = order.iter().position(|it| it.name == used)?;
                    Some(StepReference {
                        field,
                        index,
                        step,
                        output,
                        placeholder: placeholder.clone(),
                    })
                },
            )
            .collect(),
    };
    Ok(order.iter().map(step).collect())
}
