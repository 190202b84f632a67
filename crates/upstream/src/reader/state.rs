//! The state of a task (§3).

use mediagate_core::TERMINAL;
use serde_json::Value;

use crate::settings::{Dialect, STATE_PLACES};

/// A state that a response states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct State {
    /// The document's word for a final state, and any other state unchanged.
    pub(super) word: String,
    pub(super) end: Option<End>,
    /// True if the state is a boolean or a number, which the settings give a meaning.
    pub(super) is_flag: bool,
}

/// A final state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Succeeded,
    /// `FAILED` or `EXPIRED`.
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
}

/// A word in an envelope that describes the request, not the task.
pub(super) const REQUEST_SUCCEEDED: &str = "success";

impl Dialect {
    /// Returns the state of a record. `around` has the objects around it, the innermost first.
    ///
    /// The record's own state counts. Without one, it is the state of the innermost object that has
    /// one, except the envelope. A success counts only if no object around, with the envelope,
    /// states anything else.
    pub(super) fn state_of(
        &self,
        record: &Value,
        around: &[&Value],
        envelope: Option<&Value>,
    ) -> Option<State> {
        let stated = self.state_in(record);
        let mut state =
            stated.or_else(|| around.iter().find_map(|object| self.state_in(object)))?;
        if state.is_success() {
            let of_envelope = envelope
                .and_then(|envelope| self.state_in(envelope))
                .filter(|state| !state.word.eq_ignore_ascii_case(REQUEST_SUCCEEDED));
            let others = around.iter().filter_map(|object| self.state_in(object));
            let mut contrary = others
                .chain(of_envelope)
                .filter(|other| !other.is_success() && is_textual(&other.word));
            if let Some(contrary) = contrary.next() {
                state = contrary;
            }
        }
        Some(state)
    }

    /// Returns the state that the members of one object state. A failure comes before an unknown
    /// word, an unknown word before a success, and a number or a boolean without a meaning is last.
    /// If the settings have other places, the default ones can still state a failure.
    pub(super) fn state_in(&self, object: &Value) -> Option<State> {
        let states: Vec<State> = self.states_at(self.task.state.iter(), object).collect();
        let first = |accept: &dyn Fn(&State) -> bool| states.iter().find(|state| accept(state));
        let is_failure = |state: &State| state.end == Some(End::Failed);
        first(&is_failure)
            .cloned()
            .or_else(|| {
                self.states_at(STATE_PLACES.into_iter(), object)
                    .find(is_failure)
            })
            .or_else(|| first(&|state| state.end.is_none() && is_textual(&state.word)).cloned())
            .or_else(|| first(&State::is_success).cloned())
            .or_else(|| states.first().cloned())
    }

    /// Returns the states at these places of an object.
    fn states_at<'a>(
        &'a self,
        places: impl Iterator<Item = &'a str> + 'a,
        object: &'a Value,
    ) -> impl Iterator<Item = State> + 'a {
        let values = places.filter_map(|place| object.pointer(place));
        values.filter_map(|value| {
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
        })
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
