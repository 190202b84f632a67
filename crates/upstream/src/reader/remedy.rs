//! The parts of a response: what the rules read from which place, and settings that may read the
//! rest.

use mediagate_core::Code;
use mediagate_core::ids::snake;
use mediagate_core::response::Expects;
use serde_json::{Value, json};

use super::state::{is_ok, is_textual};
use super::{Response, around, objects_around};
use crate::json::identifier;
use crate::outputs::{Linked, Search};
use crate::settings::Dialect;

/// A part of a response that the rules read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The setting that names the place, such as `task.state`.
    pub part: &'static str,
    /// The place: a JSON Pointer from the response's outermost object.
    pub place: String,
    /// The value, shortened.
    pub value: String,
}

/// A setting that may read a part of a response that the rules do not read. A person decides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The part of the dialect, such as `task.outputs` or `states.SUCCEEDED`.
    pub part: &'static str,
    /// The value of the setting, as JSON.
    pub value: Value,
    /// The value that was seen there, shortened.
    pub seen: String,
}

impl Candidate {
    fn new(part: &'static str, value: Value, seen: &Value) -> Self {
        Candidate {
            part,
            value,
            seen: shortened(seen),
        }
    }

    /// Returns the setting as a line of TOML in the table `vars.UPSTREAM_DIALECT`.
    pub fn line(&self) -> String {
        format!("{} = {}", self.part, self.value)
    }
}

const MAX_CANDIDATES: usize = 5;
const MAX_DEPTH: usize = 6;
const MAX_LEAVES: usize = 2_000;
/// The longest name of a member and the longest word for a state, in bytes. Anything longer may be
/// a prompt, which must not get into a log.
const MAX_NAME_LEN: usize = 40;
const UNFINISHED: [&str; 11] = [
    "accepted",
    "created",
    "in_progress",
    "in_queue",
    "new",
    "pending",
    "processing",
    "queued",
    "running",
    "starting",
    "submitted",
];
const FAILURES: [&str; 7] = [
    "error",
    "errored",
    "failure",
    "fail",
    "canceled",
    "cancelled",
    "rejected",
];
const MAX_SEEN_CHARS: usize = 60;

type Leaf<'a> = (String, &'a Value);

impl Dialect {
    /// Returns the parts of a create's or a status's response that the rules read.
    pub fn findings(&self, body: &Value) -> Vec<Finding> {
        let response = Response::new(self, 200, body, Expects::Status, None);
        let mut found = Vec::new();
        if let Some((_, place, code)) = self.envelope.code.locate(&[body], Some)
            && response.code.is_some()
        {
            found.push(Finding {
                part: "envelope.code",
                place: place.to_owned(),
                value: shortened(code),
            });
        }
        let Some(parts) = response.parts(body) else {
            return found;
        };
        let mut objects = Vec::new();
        if let Some(record) = body.pointer(&parts.place) {
            objects.push((parts.place.clone(), record));
        }
        objects.extend(around(body, &parts.place, response.code.is_some()));
        let values: Vec<&Value> = objects.iter().map(|(_, object)| *object).collect();
        for (part, places) in [
            ("task.id", &self.task.id),
            ("task.state", &self.task.state),
            ("task.progress", &self.task.progress),
        ] {
            if let Some((index, place, value)) = places.locate(&values, scalar) {
                found.push(Finding {
                    part,
                    place: [&objects[index].0, place].concat(),
                    value: shortened(value),
                });
            }
        }
        found
    }

    /// Returns the parts of the response to an upload URL's request that the rules read.
    pub fn upload_findings(&self, body: &Value) -> Vec<Finding> {
        let mut found = Vec::new();
        for (part, places) in [
            ("upload.url", &self.upload.url),
            ("upload.file_id", &self.upload.file_id),
        ] {
            if let Some((_, place, value)) = places.locate(&[body], identifier) {
                found.push(Finding {
                    part,
                    place: place.to_owned(),
                    value: shortened(&value.into()),
                });
            }
        }
        found
    }

    /// Returns settings that may read what the rules do not read of a create's or a status's
    /// response: the meaning of its state, a record, its outputs, and a code.
    pub fn candidates(&self, body: &Value, expects: Expects) -> Vec<Candidate> {
        let leaves = leaves(body);
        let response = Response::new(self, 200, body, expects, None);
        let parts = response.parts(body);
        let has_id = parts.as_ref().is_some_and(|parts| parts.id.is_some());
        let mut candidates = Vec::new();
        let mut other_records = Vec::new();
        if !has_id && matches!(expects, Expects::Task | Expects::TaskOrResult) {
            for (outer, pair) in record_candidates(&leaves) {
                // An object with an id and a state is likely to be the record.
                if self.has_state(body, &outer) {
                    candidates.extend(pair);
                } else {
                    other_records.extend(pair);
                }
            }
        }
        let record = parts.map_or_else(String::new, |parts| parts.place);
        candidates.extend(self.state_candidates(body, &record));
        candidates.extend(other_records);
        candidates.extend(self.output_candidates(body, &record, &leaves));
        // The document shows no envelope of text-to-image.
        let is_optional = expects == Expects::TaskOrResult && body.get("code").is_none();
        if response.code.is_none() && self.envelope.is_required() {
            candidates.extend(code_candidates(&leaves));
            if !is_optional {
                candidates.push(Candidate {
                    part: "envelope.code",
                    value: json!([]),
                    seen: "no code".to_owned(),
                });
            }
        }
        candidates
    }

    /// Returns settings that may read the response to a request for an upload URL.
    pub fn upload_candidates(&self, body: &Value) -> Vec<Candidate> {
        let has_url = self.upload.url.find(&[body], identifier).is_some();
        let has_file_id = self.upload.file_id.find(&[body], identifier).is_some();
        let mut urls = Vec::new();
        let mut ids = Vec::new();
        for (place, value) in leaves(body) {
            if !has_url && value.as_str().is_some_and(|text| text.contains("://")) {
                urls.push(Candidate::new("upload.url", json!(place), value));
            }
            if !has_file_id && is_named_id(&place, value) {
                ids.push(Candidate::new("upload.file_id", json!(place), value));
            }
        }
        urls.truncate(MAX_CANDIDATES);
        ids.truncate(MAX_CANDIDATES);
        urls.append(&mut ids);
        urls
    }

    /// Returns the places of lists of objects that may be the catalogue of models.
    pub fn models_candidates(&self, body: &Value) -> Vec<Candidate> {
        let mut candidates = Vec::new();
        for (place, value) in leaves(body) {
            if let Some((list, name)) = place.rsplit_once("/0/")
                && (is_id(name) || name == "name")
                && value.is_string()
            {
                candidates.push(Candidate::new("models.list", json!(list), value));
            }
        }
        candidates.truncate(MAX_CANDIDATES);
        candidates
    }

    /// Returns true if the object at the place has a state.
    fn has_state(&self, body: &Value, object: &str) -> bool {
        let mut places = self.task.state.iter();
        places.any(|state| body.pointer(&[object, state].concat()).is_some())
    }

    /// Returns words in the record and the objects around it that may mean an end.
    fn state_candidates(&self, body: &Value, record: &str) -> Vec<Candidate> {
        let objects = body
            .pointer(record)
            .into_iter()
            .chain(objects_around(body, record, false))
            .chain(body.get("data"));
        let mut candidates: Vec<Candidate> = Vec::new();
        for object in objects {
            for place in self.task.state.iter() {
                if let Some(value) = object.pointer(place)
                    && let Some(part) = self.likely_end(value.as_str().unwrap_or_default())
                {
                    let candidate = Candidate::new(part, json!([value]), value);
                    if !candidates.contains(&candidate) {
                        candidates.push(candidate);
                    }
                }
            }
        }
        candidates
    }

    /// Returns the setting for an unknown word that may mean an end.
    fn likely_end(&self, word: &str) -> Option<&'static str> {
        let word = word.trim().to_ascii_lowercase();
        let is_known = is_ok(&word) || !is_textual(&word) || self.states.terminal(&word).is_some();
        if !is_name(&word) || is_known || UNFINISHED.contains(&word.as_str()) {
            return None;
        }
        Some(match word.as_str() {
            word if FAILURES.contains(&word) => "states.FAILED",
            "timeout" | "timed_out" | "timedout" => "states.EXPIRED",
            _ => "states.SUCCEEDED",
        })
    }

    /// Returns the places of URLs that are no outputs by the rules. `record` is the place of the
    /// record; it is empty if there is none.
    fn output_candidates(&self, body: &Value, record: &str, leaves: &[Leaf<'_>]) -> Vec<Candidate> {
        let linked = Linked::new();
        let mut search = Search::new(&self.task.not_outputs, &linked);
        for value in body.pointer(record).into_iter().chain(body.get("data")) {
            search.read(value, None);
        }
        let mut candidates: Vec<Candidate> = Vec::new();
        for (place, value) in leaves {
            let url = value.as_str().unwrap_or_default();
            let is_url = url.starts_with("https://") || url.starts_with("http://");
            let mut outputs = search.found.iter();
            let is_output = outputs.any(|output| output.url.as_deref() == Some(url));
            if !is_url || is_output || candidates.len() >= MAX_CANDIDATES {
                continue;
            }
            let inner = place.strip_prefix(record).unwrap_or(place);
            // The items of a list have the list's place.
            let list = inner.trim_end_matches(|letter: char| letter.is_ascii_digit());
            let inner = list.strip_suffix('/').unwrap_or(inner);
            let candidate = Candidate::new("task.outputs", json!([inner]), value);
            let mut known = candidates.iter();
            if known.all(|known| known.value != candidate.value) {
                candidates.push(candidate);
            }
        }
        candidates
    }
}

/// Returns the places of numbers that may be the code.
fn code_candidates(leaves: &[Leaf<'_>]) -> Vec<Candidate> {
    let names = [
        "errno",
        "error_code",
        "err_code",
        "ret",
        "retcode",
        "status_code",
    ];
    let mut candidates = Vec::new();
    for (place, value) in leaves {
        if place.matches('/').count() == 1
            && Code::read(value).is_some()
            && names.contains(&snake(name_of(place)).as_str())
        {
            candidates.push(Candidate::new("envelope.code", json!(place), value));
        }
    }
    candidates.truncate(MAX_CANDIDATES);
    candidates
}

/// Returns the places of the objects that have a member like an id, each with the settings that
/// name the object and the id.
fn record_candidates(leaves: &[Leaf<'_>]) -> Vec<(String, [Candidate; 2])> {
    let mut records = Vec::new();
    for (place, value) in leaves {
        if is_named_id(place, value) {
            let (outer, name) = place.rsplit_once('/').unwrap_or_default();
            let pair = [
                Candidate::new("task.record", json!(outer), value),
                Candidate::new("task.id", json!(format!("/{name}")), value),
            ];
            records.push((outer.to_owned(), pair));
        }
    }
    records.truncate(MAX_CANDIDATES);
    records
}

/// Returns true for an identifier whose name says that it is one.
fn is_named_id(place: &str, value: &Value) -> bool {
    is_id(name_of(place)) && identifier(value).is_some()
}

fn is_id(name: &str) -> bool {
    let name = snake(name);
    ["id", "key", "uuid", "ref"]
        .iter()
        .any(|word| name == *word || name.ends_with(&["_", word].concat()))
}

fn name_of(place: &str) -> &str {
    place.rsplit('/').next().unwrap_or_default()
}

fn is_container(value: &Value) -> bool {
    matches!(value, Value::Null | Value::Object(_) | Value::Array(_))
}

fn scalar(value: &Value) -> Option<&Value> {
    (!is_container(value)).then_some(value)
}

/// Returns a value as it is shown to a person: on one line, and not too long.
fn shortened(value: &Value) -> String {
    let text = match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let printable = text.chars().filter(|letter| !letter.is_control());
    let mut short: String = printable.clone().take(MAX_SEEN_CHARS).collect();
    if printable.count() > MAX_SEEN_CHARS {
        short.push('…');
    }
    short
}

/// Returns every text, number and boolean of a response with its place, up to a bound.
fn leaves(body: &Value) -> Vec<Leaf<'_>> {
    let mut found = Vec::new();
    collect(body, String::new(), MAX_DEPTH, &mut found);
    found
}

fn collect<'a>(value: &'a Value, place: String, depth: usize, found: &mut Vec<Leaf<'a>>) {
    if found.len() >= MAX_LEAVES {
        return; // a response with a task has fewer
    }
    match value {
        Value::Object(members) if depth > 0 => {
            for (name, member) in members.iter().filter(|(name, _)| is_name(name)) {
                collect(member, format!("{place}/{name}"), depth - 1, found);
            }
        }
        Value::Array(items) if depth > 0 => {
            for (index, item) in items.iter().enumerate() {
                collect(item, format!("{place}/{index}"), depth - 1, found);
            }
        }
        other if !is_container(other) => found.push((place, other)),
        _ => {}
    }
}

/// Returns true if a name is that of a member. Anything else may be a text of the caller's.
fn is_name(name: &str) -> bool {
    (1..=MAX_NAME_LEN).contains(&name.len())
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte))
}
