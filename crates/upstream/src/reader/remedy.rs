//! The parts of a response: what the rules read from which place, and settings that may read the
//! rest.

use mediagate_core::Value as _;
use mediagate_core::ids::snake;
use mediagate_core::response::Expects;
use serde_json::{Value, json};

use super::state::is_textual;
use crate::outputs::is_output_name;
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
    /// Returns the setting as a line of TOML in the table `vars.UPSTREAM_DIALECT`.
    pub fn line(&self) -> String {
        format!("{} = {}", self.part, self.value)
    }
}

/// The most candidates for one part.
const MAX_CANDIDATES: usize = 5;
/// The levels of nesting that are searched.
const MAX_DEPTH: usize = 6;
/// The longest word for a state, in bytes.
const MAX_WORD_LEN: usize = 40;
/// The longest value that is shown, in characters.
const MAX_SEEN_CHARS: usize = 60;
/// The words in names of members that have a state.
const STATE_WORDS: [&str; 4] = ["status", "state", "phase", "stage"];

impl Dialect {
    /// Returns the parts of a create's or a status's response that the rules read.
    pub fn findings(&self, body: &Value) -> Vec<Finding> {
        let mut found = Vec::new();
        let mut add = |part, place: &str, value: &Value| {
            found.push(Finding {
                part,
                place: place.to_owned(),
                value: shortened(value),
            });
        };
        for (part, places) in [
            ("envelope.code", &self.envelope.code),
            ("envelope.message", &self.envelope.message),
        ] {
            if let Some((place, value)) = first(places.iter(), body) {
                add(part, place, value);
            }
        }
        let record = self.task.record.iter().find_map(|place| {
            let record = body.pointer(place).filter(|record| record.is_object())?;
            let has_id = first(self.task.id.iter(), record).is_some();
            let has_state = first(self.task.state.iter(), record).is_some();
            (has_id || has_state).then_some((place, record))
        });
        let Some((place, record)) = record else {
            return found;
        };
        for (part, places) in [
            ("task.id", &self.task.id),
            ("task.state", &self.task.state),
            ("task.progress", &self.task.progress),
            ("task.error_message", &self.task.error_message),
            ("task.error_code", &self.task.error_code),
        ] {
            if let Some((inner, value)) = first(places.iter(), record) {
                add(part, &[place, inner].concat(), value);
            }
        }
        found
    }

    /// Returns settings that may read what the rules do not read of a create's or a status's
    /// response: a code, a record, its id, the meaning of its state, and its outputs.
    pub fn candidates(&self, body: &Value, expects: Expects) -> Vec<Candidate> {
        let mut candidates = Vec::new();
        let leaves = leaves(body);
        if self.envelope.is_required() && self.envelope.read(body).is_none() {
            candidates.extend(self.code_candidates(&leaves));
        }
        let has_record = self
            .task
            .record
            .iter()
            .filter_map(|place| body.pointer(place))
            .any(|record| first(self.task.id.iter(), record).is_some());
        if !has_record && matches!(expects, Expects::Task | Expects::TaskOrResult) {
            candidates.extend(record_candidates(&leaves));
        }
        candidates.extend(self.state_candidates(body, &leaves));
        candidates.extend(self.output_candidates(body, &leaves));
        candidates
    }

    /// Returns the parts of the response to a request for an upload URL that the rules read.
    pub fn upload_findings(&self, body: &Value) -> Vec<Finding> {
        let upload = &self.upload;
        let parts = [
            ("upload.url", &upload.url),
            ("upload.file_id", &upload.file_id),
            ("upload.method", &upload.method),
            ("upload.expires_at", &upload.expires_at),
        ];
        let found = parts.into_iter().filter_map(|(part, places)| {
            let (place, value) = first(places.iter(), body)?;
            Some(Finding {
                part,
                place: place.to_owned(),
                value: shortened(value),
            })
        });
        found.collect()
    }

    /// Returns settings that may read the response to a request for an upload URL.
    pub fn upload_candidates(&self, body: &Value) -> Vec<Candidate> {
        let leaves = leaves(body);
        let is_url = |value: &Value| value.as_str().is_some_and(|text| text.contains("://"));
        let is_id = |place: &str| {
            let name = snake(name_of(place));
            ["id", "key", "uuid", "reference", "ref"]
                .iter()
                .any(|word| name == *word || name.ends_with(&["_", word].concat()))
        };
        let has = |places: &Pointers| first(places.iter(), body).is_some();
        let urls = leaves
            .iter()
            .filter(|(_, value)| !has(&self.upload.url) && is_url(value))
            .map(|(place, value)| candidate("upload.url", json!(place), value));
        let ids = leaves
            .iter()
            .filter(|(place, value)| {
                !has(&self.upload.file_id) && is_id(place) && value.identifier().is_some()
            })
            .map(|(place, value)| candidate("upload.file_id", json!(place), value));
        urls.take(MAX_CANDIDATES)
            .chain(ids.take(MAX_CANDIDATES))
            .collect()
    }

    /// Returns the places of lists of objects that may be the catalogue of models.
    pub fn models_candidates(&self, body: &Value) -> Vec<Candidate> {
        let leaves = leaves(body);
        let firsts = leaves.iter().filter_map(|(place, value)| {
            let (list, name) = place.rsplit_once("/0/")?;
            let is_id = snake(name).ends_with("id") || name == "name";
            (is_id && value.is_string()).then(|| candidate("models.list", json!(list), value))
        });
        firsts.take(MAX_CANDIDATES).collect()
    }

    /// Returns the first candidate for an unreadable response as a sentence for the log.
    pub(super) fn remedy(&self, body: &Value, expects: Expects) -> Option<String> {
        let candidates = self.candidates(body, expects);
        Some(candidates.first()?.line())
    }

    fn code_candidates(&self, leaves: &[(String, &Value)]) -> Vec<Candidate> {
        let named = leaves.iter().filter(|(place, value)| {
            let name = snake(name_of(place));
            place.matches('/').count() == 1
                && (value.as_i64().is_some())
                && [
                    "code",
                    "errno",
                    "error_code",
                    "err_code",
                    "ret",
                    "retcode",
                    "status_code",
                ]
                .contains(&name.as_str())
        });
        let mut candidates: Vec<Candidate> = named
            .map(|(place, value)| candidate("envelope.code", json!(place), value))
            .take(MAX_CANDIDATES)
            .collect();
        if candidates.is_empty() {
            candidates.push(Candidate {
                part: "envelope.code",
                value: json!([]),
                seen: "no code".to_owned(),
            });
        }
        candidates
    }

    /// Returns the words that may mean an end, and the places that may have a state.
    fn state_candidates(&self, body: &Value, leaves: &[(String, &Value)]) -> Vec<Candidate> {
        let is_read = |place: &str| {
            self.task
                .state
                .iter()
                .any(|known| !known.is_empty() && place.ends_with(known))
        };
        let words = leaves.iter().filter(|(place, value)| {
            is_read(place)
                && value
                    .as_str()
                    .is_some_and(|word| self.is_unknown_word(word))
        });
        let mut candidates: Vec<Candidate> = words
            .map(|(_, value)| candidate("states.SUCCEEDED", json!([value]), value))
            .take(MAX_CANDIDATES)
            .collect();
        let has_state = leaves.iter().any(|(place, _)| is_read(place)) || !body.is_object();
        if !has_state {
            let places = leaves.iter().filter(|(place, value)| {
                let name = snake(name_of(place));
                value.is_string() && STATE_WORDS.iter().any(|word| name.contains(word))
            });
            candidates.extend(
                places
                    .map(|(place, value)| {
                        let inner = format!("/{}", name_of(place));
                        candidate("task.state", json!(inner), value)
                    })
                    .take(MAX_CANDIDATES),
            );
        }
        candidates
    }

    fn is_unknown_word(&self, word: &str) -> bool {
        let word = word.trim();
        // Anything longer is a sentence, which must not get into a log.
        let is_word = word.len() <= MAX_WORD_LEN
            && word
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"_-. ".contains(&byte));
        is_word
            && !word.is_empty()
            && !word.eq_ignore_ascii_case("ok")
            && is_textual(word)
            && self.states.terminal(word).is_none()
    }

    /// Returns the places of URLs that may be outputs.
    fn output_candidates(&self, body: &Value, leaves: &[(String, &Value)]) -> Vec<Candidate> {
        let record = self
            .task
            .record
            .iter()
            .find(|place| body.pointer(place).is_some_and(Value::is_object))
            .unwrap_or_default();
        let urls = leaves.iter().filter(|(place, value)| {
            let is_url = value
                .as_str()
                .is_some_and(|text| text.starts_with("https://") || text.starts_with("http://"));
            is_url && !is_output_name(name_of(place))
        });
        urls.map(|(place, value)| {
            let inner = place.strip_prefix(record).unwrap_or(place);
            candidate("task.outputs", json!([inner]), value)
        })
        .take(MAX_CANDIDATES)
        .collect()
    }
}

/// Returns the objects that have a member like an id and one like a state, in any place.
fn record_candidates(leaves: &[(String, &Value)]) -> Vec<Candidate> {
    let mut candidates: Vec<Candidate> = Vec::new();
    for (place, value) in leaves {
        let name = snake(name_of(place));
        let is_id = (name == "id" || name.ends_with("_id") || name == "uuid" || name == "key")
            && value.identifier().is_some();
        if !is_id || candidates.len() >= MAX_CANDIDATES {
            continue;
        }
        let outer = place.rsplit_once('/').map_or("", |parts| parts.0);
        candidates.push(candidate("task.record", json!(outer), value));
        candidates.push(candidate(
            "task.id",
            json!(format!("/{}", name_of(place))),
            value,
        ));
    }
    candidates
}

fn candidate(part: &'static str, value: Value, seen: &Value) -> Candidate {
    Candidate {
        part,
        value,
        seen: shortened(seen),
    }
}

/// Returns the first of the places with a value that is not `null`.
fn first<'a>(
    mut places: impl Iterator<Item = &'a str>,
    value: &'a Value,
) -> Option<(&'a str, &'a Value)> {
    places.find_map(|place| {
        let found = value.pointer(place).filter(|found| !found.is_null())?;
        (!found.is_object() && !found.is_array()).then_some((place, found))
    })
}

fn name_of(place: &str) -> &str {
    place.rsplit('/').next().unwrap_or_default()
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

/// Returns every text, number and boolean of a response with its place.
fn leaves(body: &Value) -> Vec<(String, &Value)> {
    let mut found = Vec::new();
    collect(body, String::new(), MAX_DEPTH, &mut found);
    found
}

fn collect<'a>(
    value: &'a Value,
    place: String,
    depth: usize,
    found: &mut Vec<(String, &'a Value)>,
) {
    match value {
        Value::Null => {}
        Value::Object(members) if depth > 0 => {
            for (name, member) in members {
                let name = name.replace('~', "~0").replace('/', "~1");
                collect(member, format!("{place}/{name}"), depth - 1, found);
            }
        }
        Value::Array(items) if depth > 0 => {
            for (index, item) in items.iter().enumerate() {
                collect(item, format!("{place}/{index}"), depth - 1, found);
            }
        }
        Value::Object(_) | Value::Array(_) => {}
        leaf => found.push((place, leaf)),
    }
}
