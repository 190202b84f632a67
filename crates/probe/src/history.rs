//! The responses about one task, and the places of the task's parts in them.

use serde_json::Value;

use super::leaves::{Leaf, has_word, joined, leaves, name, parent, relative};
use super::step::DecodedResponse;
use mediagate_core::ids::{IdKind, id_kind};

/// Words in the names of states.
const STATES: [&str; 4] = ["status", "state", "phase", "stage"];
/// Words in the names of progress.
const PROGRESS: [&str; 7] = [
    "progress",
    "percent",
    "percentage",
    "done",
    "complete",
    "completed",
    "completion",
];
/// The words that services use for success.
pub(super) const SUCCEEDED: [&str; 11] = [
    "succeeded",
    "success",
    "successful",
    "completed",
    "complete",
    "done",
    "finished",
    "finish",
    "ready",
    "ok",
    "succeed",
];
/// The words that services use for failure.
pub(super) const FAILED: [&str; 9] = [
    "failed",
    "failure",
    "error",
    "errored",
    "rejected",
    "cancelled",
    "canceled",
    "aborted",
    "fail",
];
/// The words that services use for an expired task.
pub(super) const EXPIRED: [&str; 4] = ["expired", "timeout", "timed_out", "timedout"];
/// Words in the names of errors.
const ERRORS: [&str; 4] = ["error", "errors", "failure", "exception"];
/// Words in the names of URLs that are no outputs.
const LINKS: [&str; 16] = [
    "self",
    "status",
    "preview",
    "thumbnail",
    "poster",
    "cover",
    "input",
    "source",
    "docs",
    "help",
    "callback",
    "webhook",
    "cancel",
    "links",
    "link_self",
    "request",
];
/// Codes that do not concern the task: unauthenticated, rate limit, server error.
const PASSING: [i32; 3] = [13, 16, 99];
/// The number of polls without a change after which a task with an unknown word has ended, if its
/// output came with that word.
const QUIET_POLLS: usize = 5;
/// The largest number of stored statuses: the first and the latest ones.
const MAX_STORED: usize = 60;

/// The responses about one task, in order.
pub(super) struct History {
    pub(super) id: String,
    pub(super) create: DecodedResponse,
    pub(super) polls: Vec<DecodedResponse>,
}

/// The end of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Succeeded,
    Failed,
    Expired,
}

impl History {
    /// Adds a status.
    pub(super) fn add(&mut self, response: DecodedResponse) {
        // The first status stays: changes since then tell the parts of the record apart.
        if self.polls.len() >= MAX_STORED {
            self.polls.remove(1);
        }
        self.polls.push(response);
    }

    /// Returns the bodies of statuses that are no errors.
    fn bodies(&self) -> impl DoubleEndedIterator<Item = &Value> {
        self.polls.iter().filter_map(DecodedResponse::success)
    }

    pub(super) fn last(&self) -> Option<&Value> {
        self.bodies().next_back()
    }

    /// Returns the places of the id in the response to the create, and in a status that repeats it.
    pub(super) fn ids(&self) -> Vec<String> {
        [self.create.body.as_ref(), self.last()]
            .into_iter()
            .flatten()
            .filter_map(|body| self.id_in(body))
            .collect()
    }

    fn id_in(&self, body: &Value) -> Option<String> {
        leaves(body)
            .into_iter()
            .find(|leaf| text(&leaf.value) == self.id)
            .map(|leaf| leaf.place)
    }

    /// Returns the record's place in a status: the object with the id.
    fn status_record(&self) -> Option<String> {
        self.id_in(self.last()?).map(|id| parent(&id).to_string())
    }

    /// Returns the place of the state in a status.
    pub(super) fn state(&self) -> Option<String> {
        let record = self.status_record();
        let is_in_record = |leaf: &Leaf| {
            record
                .as_ref()
                .is_some_and(|record| leaf.place.starts_with(&[record, "/"].concat()))
        };
        let score = |leaf: &Leaf| {
            4 * usize::from(self.changes(&leaf.place))
                + 3 * usize::from(leaf.is_named(&STATES))
                + 2 * usize::from(is_in_record(leaf))
        };
        // A word outside of the record that the create's response has, too, describes the response,
        // such as `"status": "success"`.
        let is_own = |leaf: &Leaf| {
            let created = self.create.body.as_ref();
            let of_create = created.and_then(|body| body.pointer(&leaf.place));
            !is_in_record(leaf) && !self.changes(&leaf.place) && of_create == Some(&leaf.value)
        };
        let all = leaves(self.last()?);
        let is_flag = |leaf: &Leaf| leaf.value.is_boolean() && self.changes(&leaf.place);
        let is_candidate = |leaf: &&Leaf| {
            (is_word(leaf) || self.is_number(leaf) || is_flag(leaf)) && text(&leaf.value) != self.id
        };
        let words = all
            .iter()
            .filter(is_candidate)
            .filter(|leaf| self.in_first(&leaf.place).is_some() && !is_own(leaf));
        let likely = words.filter(|leaf| score(leaf) >= 3);
        // `max_by_key` returns the last of several equal candidates, so this is the first one.
        likely
            .rev()
            .max_by_key(|leaf| score(leaf))
            .map(|leaf| leaf.place.clone())
    }

    /// Returns true if a leaf may be a state that is a number.
    fn is_number(&self, leaf: &Leaf) -> bool {
        leaf.value.is_u64() && leaf.is_named(&STATES) && self.changes(&leaf.place)
    }

    /// Returns the state's word in the last status.
    pub(super) fn word(&self) -> Option<String> {
        Some(text(
            self.polls.last()?.body.as_ref()?.pointer(&self.state()?)?,
        ))
    }

    /// Returns the words of the state, in order: the word in the create's response, then the words
    /// in statuses that are no errors.
    pub(super) fn words(&self, place: &str) -> Vec<String> {
        let polled = self
            .bodies()
            .filter_map(|body| body.pointer(place))
            .map(text);
        self.created_word(place).into_iter().chain(polled).collect()
    }

    /// Returns the word in the response to the create, at the corresponding place in the record.
    fn created_word(&self, place: &str) -> Option<String> {
        let body = self.create.body.as_ref()?;
        let record = self.id_in(body)?;
        let within = match self.status_record() {
            Some(record) => relative(place, &record),
            None => joined("", name(place)),
        };
        body.pointer(&[parent(&record), &within].concat()).map(text)
    }

    /// Returns true if the value at a place differs between two statuses.
    fn changes(&self, place: &str) -> bool {
        let mut values = self.bodies().filter_map(|body| body.pointer(place));
        let first = values.next();
        values.any(|value| Some(value) != first)
    }

    /// Returns the URLs that came with the last word of the state.
    pub(super) fn outputs(&self) -> Vec<Leaf> {
        let mut found: Vec<Leaf> = Vec::new();
        for leaf in self.came_last().into_iter().filter(Leaf::is_url) {
            if !found.iter().any(|other| other.value == leaf.value) {
                found.push(leaf);
            }
        }
        found
    }

    /// Returns true if a URL or the id of an asset came with the last word of the state.
    fn has_results(&self) -> bool {
        let is_asset = |leaf: &Leaf| {
            let member = name(&leaf.place);
            id_kind(name(parent(&leaf.place)), member) == Some(IdKind::Asset)
        };
        self.came_last()
            .iter()
            .any(|leaf| leaf.is_url() || is_asset(leaf))
    }

    /// Returns the values that came with the last word of the state, without links. Neither the
    /// create's response nor a status with another word has these values.
    fn came_last(&self) -> Vec<Leaf> {
        let Some(last) = self.last() else {
            return Vec::new();
        };
        let place = self.state();
        let word = |body: &Value| body.pointer(place.as_ref()?).map(text);
        let earlier = self.bodies().filter(|body| word(body) != word(last));
        let known: Vec<Leaf> = self
            .create
            .body
            .iter()
            .chain(earlier.take(2))
            .flat_map(leaves)
            .collect();
        let is_new = |leaf: &Leaf| !known.iter().any(|known| known.value == leaf.value);
        let is_link = |leaf: &Leaf| leaf.place.split('/').any(|name| has_word(name, &LINKS));
        leaves(last)
            .into_iter()
            .filter(|leaf| is_new(leaf) && !is_link(leaf))
            .collect()
    }

    /// Returns the place of the progress in a status, and its last value.
    pub(super) fn progress(&self) -> Option<(String, f64)> {
        let values = |place: &str| -> Vec<f64> {
            self.bodies()
                .filter_map(|body| number(body.pointer(place)?))
                .collect()
        };
        let all = leaves(self.last()?);
        let candidates = all.iter().filter_map(|leaf| {
            let values = values(&leaf.place);
            let rises = values.is_sorted() && values.first() < values.last();
            let end = *values.last()?;
            let is_whole = end == 1.0 || end == 100.0;
            let is_named = has_word(name(&leaf.place), &PROGRESS);
            ((rises && is_whole) || is_named && (rises || is_whole))
                .then_some((is_named, leaf, end))
        });
        candidates
            .max_by_key(|(is_named, ..)| *is_named)
            .map(|(_, leaf, end)| (leaf.place.clone(), end))
    }

    /// Returns the task's end, or `None` if no response shows that the task has ended.
    pub(super) fn end(&self) -> Option<End> {
        let place = self.state()?;
        let word = self.word()?;
        if self.polls.last()?.success().is_none() {
            return self
                .has_failed_under_a_code(&place, &word)
                .then_some(End::Failed);
        }
        let lower = word.to_ascii_lowercase();
        // `ready` may also mean that a task is ready to run, so a word for success counts only if
        // the state has changed or a result came.
        let is_shown = || self.words(&place).first() != Some(&word) || self.has_results();
        match () {
            // A flag such as `done` does not tell success from failure.
            () if lower == "true" && self.has_error() => Some(End::Failed),
            () if lower == "true" => Some(End::Succeeded),
            () if SUCCEEDED.contains(&lower.as_str()) => is_shown().then_some(End::Succeeded),
            () if FAILED.contains(&lower.as_str()) => Some(End::Failed),
            () if EXPIRED.contains(&lower.as_str()) => Some(End::Expired),
            () => self.is_quiet(&place, &word).then_some(End::Succeeded),
        }
    }

    /// Returns true if the first status does not have the leaf.
    fn is_new(&self, leaf: &Leaf) -> bool {
        self.in_first(&leaf.place) != Some(&leaf.value)
    }

    fn in_first(&self, place: &str) -> Option<&Value> {
        self.bodies().next()?.pointer(place)
    }

    /// Returns true if the last status has an error that the first one does not have.
    fn has_error(&self) -> bool {
        let all = self.last().map(leaves).unwrap_or_default();
        all.iter().any(|leaf| {
            let is_error = leaf.place.split('/').any(|name| has_word(name, &ERRORS));
            is_error && leaf.text().is_some_and(|text| !text.is_empty()) && self.is_new(leaf)
        })
    }

    /// Returns true if an unknown word came with an output, after another word, and nothing has
    /// changed since.
    fn is_quiet(&self, place: &str, word: &str) -> bool {
        let words = self.words(place);
        let since = words
            .iter()
            .rev()
            .take_while(|recent| *recent == word)
            .count();
        let mut last = self.bodies().rev().take(since);
        let newest = last.next();
        let came_with_it = self.bodies().rev().nth(since.saturating_sub(1)) == newest;
        words.len() > since
            && since > QUIET_POLLS
            && came_with_it
            && last.all(|status| Some(status) == newest)
            && self.has_results()
    }

    /// Returns true if the last two statuses have equal codes that concern the task, and a word
    /// that no successful status has.
    fn has_failed_under_a_code(&self, place: &str, word: &str) -> bool {
        let [.., before, last] = self.polls.as_slice() else {
            // A single error may be temporary.
            return false;
        };
        let is_lasting =
            last.code.is_some_and(|code| !PASSING.contains(&code)) && before.code == last.code;
        is_lasting && !self.words(place).iter().any(|other| other == word)
    }

    /// Returns the place of the reason of a failure: a sentence that only the last status has.
    pub(super) fn reason(&self) -> Option<String> {
        let all = leaves(self.polls.last()?.body.as_ref()?);
        all.into_iter()
            .find(|leaf| leaf.text().is_some_and(|text| text.contains(' ')) && self.is_new(leaf))
            .map(|leaf| leaf.place)
    }
}

/// Returns a string as it is, and any other value as JSON.
pub(super) fn text(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), ToString::to_string)
}

/// Reads a number. It may be in a string, and have a percent sign.
fn number(value: &Value) -> Option<f64> {
    value.as_f64().or_else(|| {
        value
            .as_str()?
            .trim()
            .trim_end_matches('%')
            .trim_end()
            .parse()
            .ok()
    })
}

/// Returns true if a leaf may be a state, because it is a word.
fn is_word(leaf: &Leaf) -> bool {
    leaf.text().is_some_and(|text| {
        let is_letter = |letter: u8| letter.is_ascii_alphanumeric() || b"_- ".contains(&letter);
        text.len() <= 40
            && text.starts_with(|letter: char| letter.is_ascii_alphabetic())
            && text.bytes().all(is_letter)
    })
}
