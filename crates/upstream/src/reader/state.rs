//! The state of a task (§3).

use mediagate_core::TERMINAL;
use serde_json::Value;

use crate::settings::{Dialect, STATE_PLACES};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct State {
    /// The document's word for a final state; any other state unchanged.
    pub(super) word: String,
    pub(super) end: Option<End>,
    /// True if the state is a boolean or a number, which the settings give a meaning.
    pub(super) is_flag: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Succeeded,
    Failed,
}

impl State {
    /// Creates a final state from the document's word.
    pub(super) fn ended(word: &str) -> Self {
        let is_success = word == TERMINAL[0];
        State {
            word: word.to_owned(),
            is_flag: false,
            end: Some(if is_success {
                End::Succeeded
            } else {
                End::Failed
            }),
        }
    }

    pub(super) fn is_success(&self) -> bool {
        self.end == Some(End::Succeeded)
    }

    fn is_failure(&self) -> bool {
        self.end == Some(End::Failed)
    }

    /// Returns true if the state contradicts a success.
    pub(super) fn is_contrary(&self) -> bool {
        !self.is_success() && is_textual(&self.word)
    }

    pub(super) fn is_of_request(&self) -> bool {
        self.word.eq_ignore_ascii_case(REQUEST_SUCCEEDED)
    }

    /// Returns the rank of the state. Of several states, the lowest rank counts.
    fn rank(&self) -> u8 {
        match self.end {
            Some(End::Failed) => 0,
            None if is_textual(&self.word) => 1,
            Some(End::Succeeded) => 2,
            None => 3,
        }
    }
}

/// A word in an envelope that describes the request, not the task.
pub(super) const REQUEST_SUCCEEDED: &str = "success";

impl Dialect {
    /// Returns the state of a record. `around` has the objects around it, the innermost first. The
    /// record's own state counts. Without one, it is the state of the innermost object that has
    /// one, except the envelope. A success counts only if no object around, with the envelope,
    /// states anything else.
    pub(super) fn state_of(
        &self,
        record: &Value,
        around: &[&Value],
        envelope: Option<&Value>,
    ) -> Option<State> {
        let mut others: Vec<State> = Vec::new();
        for object in around {
            others.extend(self.state_in(object));
        }
        let state = match self.state_in(record) {
            Some(state) => state,
            None => others.first()?.clone(),
        };
        if !state.is_success() {
            return Some(state);
        }
        if let Some(state) = envelope.and_then(|envelope| self.state_in(envelope))
            && !state.is_of_request()
        {
            others.push(state);
        }
        Some(others.into_iter().find(State::is_contrary).unwrap_or(state))
    }

    /// Returns the state that the members of one object state. A failure comes before an unknown
    /// word, an unknown word before a success, and a number or a boolean without a meaning is last.
    /// If the settings have other places, the default ones can still state a failure.
    pub(super) fn state_in(&self, object: &Value) -> Option<State> {
        let places = self.task.state.iter();
        let stated = places.filter_map(|place| self.state_at(object, place));
        let state = stated.min_by_key(State::rank);
        if state.as_ref().is_some_and(State::is_failure) {
            return state;
        }
        let mut defaults = STATE_PLACES
            .iter()
            .filter_map(|place| self.state_at(object, place));
        defaults.find(State::is_failure).or(state)
    }

    fn state_at(&self, object: &Value, place: &str) -> Option<State> {
        let value = object.pointer(place)?;
        let word = word(value)?;
        let is_flag = !value.is_string();
        match self.states.terminal(&word) {
            Some(end) => Some(State {
                is_flag,
                ..State::ended(end)
            }),
            None if is_ok(&word) => None,
            None => Some(State {
                word,
                end: None,
                is_flag,
            }),
        }
    }
}

/// Returns true if a word is the document's message for success (§7). As a state it says nothing.
pub(super) fn is_ok(word: &str) -> bool {
    word.trim().eq_ignore_ascii_case("ok")
}

/// Returns true if a state is a word. A number or a boolean says nothing unless the settings give
/// it a meaning: `"status": 200` may be of the request.
pub(super) fn is_textual(word: &str) -> bool {
    word != "true" && word != "false" && word.parse::<f64>().is_err()
}

/// Returns a state as a word: a string that is not blank, a number or a boolean.
fn word(state: &Value) -> Option<String> {
    match state {
        Value::String(word) if !word.trim().is_empty() => Some(word.trim().to_owned()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        _ => None,
    }
}
