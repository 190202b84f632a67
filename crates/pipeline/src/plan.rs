use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use mediagate_core::{
    Capability, Field, Issue, IssueReason, Severity, Value as _, find, is_valid,
    nearest_capability, validate_strictly,
};

/// The longest name of a step, in characters.
const MAX_NAME: usize = 64;
/// The longest title, in characters.
const MAX_TITLE: usize = 200;
const MAX_REFERENCES: usize = 100;
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
    /// The name, which is unique in the pipeline.
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
        Value::Array(items) => {
            for item in items {
                fill(item, references, ids);
            }
        }
        Value::Object(members) => {
            for member in members.values_mut() {
                fill(member, references, ids);
            }
        }
        _ => {}
    }
}

/// An output of a step that stands for an id.
#[derive(Clone, Debug)]
pub struct StepReference {
    /// The field with the reference.
    pub field: &'static Field,
    /// The position in the field's list. `None` if the reference is the field's own value.
    pub index: Option<usize>,
    /// The position of the used step.
    pub step: usize,
    /// The position of the output; `None` for the first that fits the field.
    pub output: Option<u32>,
    /// The string in the input that the output's id replaces.
    pub placeholder: String,
}

impl Plan {
    /// Reads a pipeline: `{title, steps}`. `steps` has each step under its name, as `{capability,
    /// input}`. In an input, `{step, output}` instead of an id is an output of another step.
    /// Placeholders begin with `token`, which must not occur in an input by chance.
    ///
    /// The error is every problem, by paths such as `steps.clip.input.file_id`: invalid inputs,
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
                "is not a string; give a string",
            )),
        }
        let none = Map::new();
        let steps = request.get("steps").and_then(Value::as_object);
        let steps = steps.unwrap_or(&none);
        if steps.is_empty() || steps.len() > max_steps {
            let message = format!(
                "has {} steps; give 1 to {max_steps}, each under a name of its own",
                steps.len()
            );
            issues.push(issue("steps", IssueReason::OutOfRange, message));
        } else {
            let mut read = Vec::new();
            for (name, step) in steps {
                read.push(read_step(name, step, steps, token, &mut issues));
            }
            check_media(&read, &mut issues);
            if is_valid(&issues) {
                let title = title.and_then(Value::as_str).map(ToOwned::to_owned);
                match in_order(read.into_iter().flatten().collect()) {
                    Ok(steps) => return Ok(Plan { title, steps }),
                    Err(name) => {
                        issues.push(issue(&format!("steps.{name}"), IssueReason::Cycle, CYCLE))
                    }
                }
            }
        }
        Err(issues)
    }
}

const CYCLE: &str =
    "waits for itself through other steps; let it use only steps that do not use it";

fn issue(path: &str, reason: IssueReason, message: impl Into<String>) -> Issue {
    Issue {
        path: path.to_owned(),
        reason,
        message: message.into(),
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
    for name in members.keys() {
        if names.contains(&name.as_str()) {
            continue;
        }
        let shown: String = name.chars().take(MAX_NAME).collect();
        let dot = if path.is_empty() { "" } else { "." };
        issues.push(issue(
            &format!("{path}{dot}{shown}"),
            IssueReason::UnknownField,
            "is not a known field; leave it out",
        ));
    }
    Some(members)
}

/// Reads a step, with a placeholder for each reference. References have the positions of the used
/// steps among all. Returns `None` if name, capability or input is missing or invalid.
fn read_step(
    name: &str,
    value: &Value,
    all: &Map<String, Value>,
    token: &str,
    issues: &mut Vec<Issue>,
) -> Option<Step> {
    if !is_name(name) {
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
            "is missing; give the fields of the capability",
        ));
        return None;
    };
    let mut input = input.clone();
    let mut references = Vec::new();
    for field in capability.fields().filter(|field| field.kind.takes_id()) {
        visit_values(&mut input, field, &mut |index, value| {
            let Some(used) = value.get("step").and_then(Value::as_str) else {
                // Not a reference: the validation below checks the value.
                return;
            };
            let used = all.keys().position(|name| name == used);
            let place = format!("{path}.input.{}", place(field, index));
            check_members(value, &["step", "output"], &place, issues);
            let output = value.get("output").filter(|output| !output.is_null());
            let position = output
                .and_then(Value::as_i64)
                .filter(|position| (0..=MAX_POSITION).contains(position));
            if output.is_some() && position.is_none() {
                let message = format!("is no position of an output; give 0 to {MAX_POSITION}");
                let place = format!("{place}.output");
                issues.push(issue(&place, IssueReason::OutOfRange, message));
            }
            let placeholder = format!("{token}{}", references.len());
            *value = json!(placeholder);
            match used {
                Some(step) => references.push(StepReference {
                    field,
                    index,
                    step,
                    output: position.and_then(|position| u32::try_from(position).ok()),
                    placeholder,
                }),
                None => {
                    let message = "refers to no step of this pipeline; give the name of one";
                    issues.push(issue(&place, IssueReason::UnknownStep, message));
                }
            }
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
    for issue in validate_strictly(capability, &input) {
        let dot = if issue.path.is_empty() { "" } else { "." };
        issues.push(Issue {
            path: format!("{path}.input{dot}{}", issue.path),
            ..issue
        });
    }
    Some(Step {
        name: name.to_owned(),
        capability,
        input,
        references,
    })
}

fn is_name(name: &str) -> bool {
    (1..=MAX_NAME).contains(&name.len())
        && name
            .bytes()
            .all(|letter| letter.is_ascii_alphanumeric() || b"_-".contains(&letter))
}

/// Visits a field's own value, or each item of a list.
fn visit_values(
    input: &mut Value,
    field: &Field,
    visit: &mut dyn FnMut(Option<usize>, &mut Value),
) {
    match input.get_mut(field.name) {
        Some(Value::Array(items)) => {
            for (index, value) in items.iter_mut().enumerate() {
                visit(Some(index), value);
            }
        }
        Some(value) => visit(None, value),
        None => {}
    }
}

/// Returns the path of a value in the input, such as `file_id` or `input_file_ids[1]`.
fn place(field: &Field, index: Option<usize>) -> String {
    match index {
        Some(index) => format!("{}[{index}]", field.name),
        None => field.name.to_owned(),
    }
}

/// Checks that the fields of references take what the used steps produce. `None` is a step that
/// could not be read.
fn check_media(steps: &[Option<Step>], issues: &mut Vec<Issue>) {
    for step in steps.iter().flatten() {
        for StepReference {
            field,
            index,
            step: used,
            ..
        } in &step.references
        {
            let (Some(Some(used)), Some(media)) = (steps.get(*used), field.kind.media()) else {
                continue;
            };
            // A capability produces the medium that it works on; `asset` is a PDF (§4.3).
            let medium = used.capability.medium();
            if !media.fits(media_type(medium)) {
                let path = format!("steps.{}.input.{}", step.name, place(field, *index));
                let message = format!(
                    "is a step that produces {}; give {}",
                    described(medium),
                    media.described()
                );
                issues.push(issue(&path, IssueReason::WrongType, message));
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

/// Returns the steps, each after the steps that it uses. The error is a step of a cycle.
fn in_order(steps: Vec<Step>) -> Result<Vec<Step>, String> {
    let mut order: Vec<usize> = Vec::new();
    while order.len() < steps.len() {
        let mut waiting = (0..steps.len()).filter(|step| !order.contains(step));
        let ready = waiting
            .clone()
            .find(|step| missing(&steps[*step], &order).is_none());
        let Some(ready) = ready else {
            // Each remaining step uses a remaining step. A walk along these references enters a
            // cycle after at most as many moves as there are steps, and stays in it.
            let mut last = waiting.next().unwrap_or_default();
            for _ in &steps {
                last = missing(&steps[last], &order).unwrap_or(last);
            }
            return Err(steps[last].name.clone());
        };
        order.push(ready);
    }
    let mut ordered = Vec::new();
    for index in &order {
        let mut step = steps[*index].clone();
        for reference in &mut step.references {
            let place = order.iter().position(|other| *other == reference.step);
            reference.step = place.unwrap_or_default();
        }
        ordered.push(step);
    }
    Ok(ordered)
}

/// Returns a step that this one uses and that has no place yet.
fn missing(step: &Step, order: &[usize]) -> Option<usize> {
    let mut used = step.references.iter().map(|reference| reference.step);
    used.find(|used| !order.contains(used))
}
