//! The parts of a response: what the rules read from which place, and settings that may read the
//! rest.

use mediagate_core::ids::snake;
use mediagate_core::response::Expects;
use mediagate_core::{Code, Value as _};
use serde_json::{Value, json};

use super::state::{is_ok, is_textual};
use super::{Response, around};
use crate::json::words;
use crate::outputs::{Linked, Search};
use crate::settings::{Dialect, Pointers};

/// A part of a response that the rules read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The setting that names its place, such as `task.state`.
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

/// The most candidates for one part.
const MAX_CANDIDATES: usize = 5;
/// The levels of nesting that are searched.
const MAX_DEPTH: usize = 6;
/// The most values that are searched.
const MAX_LEAVES: usize = 2_000;
/// The longest name of a member and the longest word for a state, in bytes. Anything longer may be
/// a prompt, which must not get into a log.
const MAX_NAME_LEN: usize = 40;
/// Words for states that end no task.
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
/// Words for failures.
const FAILURES: [&str; 7] = [
    "error",
    "errored",
    "failure",
    "fail",
    "canceled",
    "cancelled",
    "rejected",
];
/// The longest value that is shown, in characters.
const MAX_SEEN_CHARS: usize = 60;

/// A text, number or boolean of a response, with its place.
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
        let outer = around(body, &parts.place, response.code.is_some());
        let record = body.pointer(&parts.place).into_iter();
        let (bases, values): (Vec<String>, Vec<&Value>) = record
            .map(|record| (parts.place.clone(), record))
            .chain(outer)
            .unzip();
        let scalar = |value| Some(value).filter(|value: &&Value| !is_container(value));
        for (part, places) in [
            ("task.id", &self.task.id),
            ("task.state", &self.task.state),
            ("task.progress", &self.task.progress),
        ] {
            if let Some((index, place, value)) = places.locate(&values, scalar) {
                found.push(Finding {
                    part,
                    place: [&bases[index], place].concat(),
                    value: shortened(value),
                });
            }
        }
        found
    }

    /// Returns the parts of the response to a request for an upload URL that the rules read.
    pub fn upload_findings(&self, body: &Value) -> Vec<Finding> {
        let places = [
            ("upload.url", &self.upload.url),
            ("upload.file_id", &self.upload.file_id),
        ];
        let found = places.into_iter().filter_map(|(part, places)| {
            let (_, place, value) = places.locate(&[body], |value| value.identifier())?;
            Some(Finding {
                part,
                place: place.to_owned(),
                value: shortened(&value.into()),
            })
        });
        found.collect()
    }

    /// Returns settings that may read what the rules do not read of a create's or a status's
    /// response: the meaning of its state, a record, its outputs, and a code.
    pub fn candidates(&self, body: &Value, expects: Expects) -> Vec<Candidate> {
        let leaves = leaves(body);
        let response = Response::new(self, 200, body, expects, None);
        let parts = response.parts(body);
        let has_id = parts.as_ref().is_some_and(|parts| parts.id.is_some());
        let mut records = Vec::new();
        if !has_id && matches!(expects, Expects::Task | Expects::TaskOrResult) {
            records = record_candidates(&leaves);
        }
        // An object with an id and a state is likely to be the record.
        let has_state = |outer: &str| {
            self.task
                .state
                .iter()
                .any(|state| body.pointer(&[outer, state].concat()).is_some())
        };
        let (likely, others): (Vec<_>, Vec<_>) =
            records.into_iter().partition(|(outer, _)| has_state(outer));
        let mut candidates: Vec<Candidate> =
            likely.into_iter().flat_map(|(_, pair)| pair).collect();
        let record = parts.map_or_else(String::new, |parts| parts.place);
        candidates.extend(self.state_candidates(body, &record));
        candidates.extend(others.into_iter().flat_map(|(_, pair)| pair));
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
        let leaves = leaves(body);
        let has = |places: &Pointers| places.find(&[body], |value| value.identifier()).is_some();
        let urls = leaves.iter().filter(|(_, value)| {
            !has(&self.upload.url) && words(value).is_some_and(|text| text.contains("://"))
        });
        let ids = leaves.iter().filter(|(place, value)| {
            !has(&self.upload.file_id) && is_id(name_of(place)) && value.identifier().is_some()
        });
        let urls = urls.map(|(place, value)| Candidate::new("upload.url", json!(place), value));
        let ids = ids.map(|(place, value)| Candidate::new("upload.file_id", json!(place), value));
        urls.take(MAX_CANDIDATES)
            .chain(ids.take(MAX_CANDIDATES))
            .collect()
    }

    /// Returns the places of lists of objects that may be the catalogue of models.
    pub fn models_candidates(&self, body: &Value) -> Vec<Candidate> {
        let leaves = leaves(body);
        let firsts = leaves.iter().filter_map(|(place, value)| {
            let (list, name) = place.rsplit_once("/0/")?;
            let is_name = is_id(name) || name == "name";
            (is_name && value.is_string())
                .then(|| Candidate::new("models.list", json!(list), value))
        });
        firsts.take(MAX_CANDIDATES).collect()
    }

    /// Returns the words for states in the record and the objects around it that may mean an end.
    fn state_candidates(&self, body: &Value, record: &str) -> Vec<Candidate> {
        let outer = around(body, record, false).into_iter();
        let objects = body.pointer(record).into_iter();
        let objects = objects
            .chain(outer.map(|(_, object)| object))
            .chain(body.get("data"));
        let mut candidates: Vec<Candidate> = Vec::new();
        for object in objects {
            for value in self
                .task
                .state
                .iter()
                .filter_map(|place| object.pointer(place))
            {
                let Some(part) = value.as_str().and_then(|word| self.likely_end(word)) else {
                    continue;
                };
                let candidate = Candidate::new(part, json!([value]), value);
                if !candidates.contains(&candidate) {
                    candidates.push(candidate);
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
        let is_output = |url: &str| {
            let urls = search.found.iter();
            urls.filter_map(|output| output.url.as_deref())
                .any(|known| known == url)
        };
        let mut candidates: Vec<Candidate> = Vec::new();
        for (place, value) in leaves {
            let url = value
                .as_str()
                .filter(|text| text.starts_with("https://") || text.starts_with("http://"));
            if url.is_none_or(is_output) || candidates.len() >= MAX_CANDIDATES {
                continue;
            }
            let inner = place.strip_prefix(record).unwrap_or(place);
            // The items of a list have the list's place.
            let list = inner.trim_end_matches(|letter: char| letter.is_ascii_digit());
            let inner = list.strip_suffix('/').unwrap_or(inner);
            let candidate = Candidate::new("task.outputs", json!([inner]), value);
            if candidates
                .iter()
                .all(|known| known.value != candidate.value)
            {
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
    let named = leaves.iter().filter(|(place, value)| {
        place.matches('/').count() == 1
            && Code::read(value).is_some()
            && names.contains(&snake(name_of(place)).as_str())
    });
    named
        .map(|(place, value)| Candidate::new("envelope.code", json!(place), value))
        .take(MAX_CANDIDATES)
        .collect()
}

/// Returns the places of the objects that have a member like an id, each with the settings that
/// name the object and the id.
fn record_candidates(leaves: &[Leaf<'_>]) -> Vec<(String, [Candidate; 2])> {
    let ids = leaves
        .iter()
        .filter(|(place, value)| is_id(name_of(place)) && value.identifier().is_some());
    let pairs = ids.map(|(place, value)| {
        let outer = place.rsplit_once('/').map_or("", |parts| parts.0);
        let id = format!("/{}", name_of(place));
        let pair = [
            Candidate::new("task.record", json!(outer), value),
            Candidate::new("task.id", json!(id), value),
        ];
        (outer.to_owned(), pair)
    });
    pairs.take(MAX_CANDIDATES).collect()
}

/// Returns true if a name is that of an id.
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
