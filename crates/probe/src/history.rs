//! What the responses about one task show: where its id, its state, its progress and its outputs are.

use serde_json::Value;

use super::leaves::{Leaf, has_word, joined, leaves, name, parent, relative};
use super::step::Reply;
use mediagate_core::ids::{IdKind, id_kind};

const STATES: &[&str] = &["status", "state", "phase", "stage"];
const PROGRESS: &[&str] = &[
    "progress",
    "percent",
    "percentage",
    "done",
    "complete",
    "completed",
    "completion",
];
/// Words for the states that services use; by these a task is known to have ended.
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
pub(super) const EXPIRED: [&str; 4] = ["expired", "timeout", "timed_out", "timedout"];
/// Names of errors.
const ERRORS: &[&str] = &["error", "errors", "failure", "exception"];
/// Names of URLs that are no outputs.
const LINKS: &[&str] = &[
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
/// Codes under which a status says nothing of its task: unauthenticated, rate limit, server error.
const PASSING: [i32; 3] = [13, 16, 99];
/// Polls without a change after which a task whose word is unknown has ended, where its output came with that word.
const QUIET_POLLS: usize = 5;
/// The most statuses that are stored: the first, and the latest.
const MAX_STORED: usize = 60;

/// The responses about one task, in order.
pub(super) struct History {
    pub(super) id: String,
    pub(super) create: Reply,
    pub(super) polls: Vec<Reply>,
}

/// How a task ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Succeeded,
    Failed,
    Expired,
}

impl History {
    /// Adds a status.
    pub(super) fn add(&mut self, reply: Reply) {
        if self.polls.len() >= MAX_STORED {
            self.polls.remove(1);
        }
        self.polls.push(reply);
    }

    /// The bodies of statuses that are no errors.
    fn bodies(&self) -> impl DoubleEndedIterator<Item = &Value> {
        self.polls.iter().filter_map(Reply::success)
    }

    pub(super) fn last(&self) -> Option<&Value> {
        self.bodies().next_back()
    }

    /// The places of the id: in the response to the create, and in a status where it is there too.
    pub(super) fn ids(&self) -> Vec<String> {
        [self.create.body.as_ref(), self.last()]
            .into_iter()
            .flatten()
            .filter_map(|it| self.id_in(it))
            .collect()
    }

    fn id_in(&self, body: &Value) -> Option<String> {
        leaves(body)
            .into_iter()
            .find(|it| text(&it.value) == self.id)
            .map(|it| it.place)
    }

    /// The record's place in a status: the object with the id.
    fn status_record(&self) -> Option<String> {
        self.id_in(self.last()?).map(|it| parent(&it).to_string())
    }

    /// The place of the state in a status.
    pub(super) fn state(&self) -> Option<String> {
        let record = self.status_record();
        let is_in_record = |leaf: &Leaf| {
            record
                .as_ref()
                .is_some_and(|it| leaf.place.starts_with(&[it, "/"].concat()))
        };
        let score = |leaf: &Leaf| {
            4 * usize::from(self.changes(&leaf.place))
                + 3 * usize::from(leaf.is_named(STATES))
                + 2 * usize::from(is_in_record(leaf))
        };
        // A word beside the record that the create has too is the response's own, such as `"status": "success"`.
        let is_own = |leaf: &Leaf| {
            let of_create = self
                .create
                .body
                .as_ref()
                .and_then(|it| it.pointer(&leaf.place));
            !is_in_record(leaf) && !self.changes(&leaf.place) && of_create == Some(&leaf.value)
        };
        let all = leaves(self.last()?);
        let in_first = |it: &Leaf| {
            self.bodies()
                .next()
                .and_then(|body| body.pointer(&it.place))
                .is_some()
        };
        let is_flag = |leaf: &Leaf| leaf.value.is_boolean() && self.changes(&leaf.place);
        let is_candidate = |leaf: &&Leaf| {
            (is_word(leaf) || self.is_number(leaf) || is_flag(leaf)) && text(&leaf.value) != self.id
        };
        let words = all
            .iter()
            .filter(is_candidate)
            .filter(|it| in_first(it) && !is_own(it));
        let scored = words.map(|it| (score(it), it)).filter(|it| it.0 >= 3);
        // The first of several.
        scored
            .rev()
            .max_by_key(|it| it.0)
            .map(|it| it.1.place.clone())
    }

    /// Whether it may be a state that is a number.
    fn is_number(&self, leaf: &Leaf) -> bool {
        leaf.value.is_u64() && leaf.is_named(STATES) && self.changes(&leaf.place)
    }

    /// The state's word in the last status.
    pub(super) fn word(&self) -> Option<String> {
        Some(text(
            self.polls.last()?.body.as_ref()?.pointer(&self.state()?)?,
        ))
    }

    /// The words of the state, in order: that of the create, and those of statuses that are no errors.
    pub(super) fn words(&self, place: &str) -> Vec<String> {
        let polled = self.bodies().filter_map(|it| it.pointer(place)).map(text);
        self.created_word(place).into_iter().chain(polled).collect()
    }

    /// The word in the response to the create, at the same place in its record.
    fn created_word(&self, place: &str) -> Option<String> {
        let body = self.create.body.as_ref()?;
        let record = self.id_in(body)?;
        let within = match self.status_record() {
            Some(it) => relative(place, &it),
            None => joined("", name(place)),
        };
        body.pointer(&[parent(&record), &within].concat()).map(text)
    }

    fn changes(&self, place: &str) -> bool {
        let mut values = self.bodies().filter_map(|it| it.pointer(place));
        let first = values.next();
        values.any(|it| Some(it) != first)
    }

    /// URLs that came with the last word of the state.
    pub(super) fn outputs(&self) -> Vec<Leaf> {
        let mut found: Vec<Leaf> = Vec::new();
        for leaf in self.came_last().into_iter().filter(Leaf::is_url) {
            if !found.iter().any(|it| it.value == leaf.value) {
                found.push(leaf);
            }
        }
        found
    }

    /// Whether a URL or the id of an asset came with the last word of the state.
    fn has_results(&self) -> bool {
        let is_asset = |leaf: &Leaf| {
            let member = name(&leaf.place);
            id_kind(name(parent(&leaf.place)), member) == Some(IdKind::Asset)
        };
        self.came_last()
            .iter()
            .any(|leaf| leaf.is_url() || is_asset(leaf))
    }

    /// What came with the last word of the state, but links: neither the create nor a status with another word has it.
    fn came_last(&self) -> Vec<Leaf> {
        let Some(last) = self.last() else {
            return Vec::new();
        };
        let place = self.state();
        let word = |body: &Value| place.as_ref().and_then(|it| body.pointer(it)).map(text);
        let earlier = self.bodies().filter(|it| word(it) != word(last));
        let known: Vec<Leaf> = self
            .create
            .body
            .iter()
            .chain(earlier.take(2))
            .flat_map(leaves)
            .collect();
        let is_new = |it: &Leaf| !known.iter().any(|known| known.value == it.value);
        let is_link = |it: &Leaf| it.place.split('/').any(|name| has_word(name, LINKS));
        leaves(last)
            .into_iter()
            .filter(|it| is_new(it) && !is_link(it))
            .collect()
    }

    /// The place of the progress in a status, and the value that it has at the end.
    pub(super) fn progress(&self) -> Option<(String, f64)> {
        let values = |place: &str| -> Vec<f64> {
            self.bodies()
                .filter_map(|it| number(it.pointer(place)?))
                .collect()
        };
        let all = leaves(self.last()?);
        let candidates = all.iter().filter_map(|leaf| {
            let values = values(&leaf.place);
            let rises = values.is_sorted() && values.first() < values.last();
            let end = *values.last()?;
            let is_whole = end == 1.0 || end == 100.0;
            let is_named = has_word(name(&leaf.place), PROGRESS);
            ((rises && is_whole) || is_named && (rises || is_whole))
                .then_some((is_named, leaf, end))
        });
        candidates
            .max_by_key(|it| it.0)
            .map(|it| (it.1.place.clone(), it.2))
    }

    /// How the task has ended; `None` while it runs, or while nothing shows that it does not.
    pub(super) fn end(&self) -> Option<End> {
        let place = self.state()?;
        let word = self.word()?;
        if self.polls.last()?.success().is_none() {
            return self
                .has_failed_under_a_code(&place, &word)
                .then_some(End::Failed);
        }
        let lower = word.to_ascii_lowercase();
        let is_one = |words: &[&str]| words.contains(&lower.as_str());
        // `ready` may be what a task is before it runs.
        let is_shown = || self.words(&place).first() != Some(&word) || self.has_results();
        match () {
            // A flag is the same for success and failure.
            () if lower == "true" && self.has_error() => Some(End::Failed),
            () if lower == "true" => Some(End::Succeeded),
            () if is_one(&SUCCEEDED) => is_shown().then_some(End::Succeeded),
            () if is_one(&FAILED) => Some(End::Failed),
            () if is_one(&EXPIRED) => Some(End::Expired),
            () => self.is_quiet(&place, &word).then_some(End::Succeeded),
        }
    }

    /// Returns true if the last status has an error that the first one does not have.
    fn has_error(&self) -> bool {
        let first = self.bodies().next();
        let is_new =
            |leaf: &Leaf| first.and_then(|body| body.pointer(&leaf.place)) != Some(&leaf.value);
        let all = self.last().map(leaves).unwrap_or_default();
        all.iter().any(|leaf| {
            let is_error = leaf.place.split('/').any(|name| has_word(name, ERRORS));
            is_error && leaf.text().is_some_and(|text| !text.is_empty()) && is_new(leaf)
        })
    }

    /// Whether an unknown word came with an output, after another word, and nothing has changed since.
    fn is_quiet(&self, place: &str, word: &str) -> bool {
        let words = self.words(place);
        let since = words.iter().rev().take_while(|it| *it == word).count();
        let mut last = self.bodies().rev().take(since);
        let newest = last.next();
        let came_with_it = self.bodies().rev().nth(since.saturating_sub(1)) == newest;
        words.len() > since
            && since > QUIET_POLLS
            && came_with_it
            && last.all(|it| Some(it) == newest)
            && self.has_results()
    }

    /// Whether two statuses in a row have the same error, which is not one that passes, and a word that no other has.
    fn has_failed_under_a_code(&self, place: &str, word: &str) -> bool {
        let [.., before, last] = self.polls.as_slice() else {
            return false;
        };
        let is_lasting =
            last.code.is_some_and(|it| !PASSING.contains(&it)) && before.code == last.code;
        is_lasting && !self.words(place).iter().any(|it| it == word)
    }

    /// Where the words are that say why it failed: what only the last status has.
    pub(super) fn reason(&self) -> Option<String> {
        let first = self.bodies().next();
        let is_new = |it: &Leaf| first.and_then(|body| body.pointer(&it.place)) != Some(&it.value);
        let all = leaves(self.polls.last()?.body.as_ref()?);
        all.into_iter()
            .find(|it| it.text().is_some_and(|it| it.contains(' ')) && is_new(it))
            .map(|it| it.place)
    }
}

/// A string or a number as a string.
pub(super) fn text(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), ToString::to_string)
}

/// A number, also one in a string and with a percent sign.
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

/// Whether a leaf may be a state: a word.
fn is_word(leaf: &Leaf) -> bool {
    leaf.text().is_some_and(|it| {
        let is_letter = |it: u8| it.is_ascii_alphanumeric() || b"_- ".contains(&it);
        it.len() <= 40
            && it.starts_with(|it: char| it.is_ascii_alphabetic())
            && it.bytes().all(is_letter)
    })
}
