//! Members that deny a success, although the response has outputs.

use mediagate_core::ids::snake;
use mediagate_core::{TERMINAL, fraction};
use serde_json::{Map, Value};

use super::failure::{ERRORS, FLAGS, has_content};
use super::state::{REQUEST_SUCCEEDED, is_ok, is_textual};
use crate::settings::Dialect;

/// The names of members that state that there is no end yet, if they are false.
const ENDS: [&str; 6] = [
    "done",
    "complete",
    "completed",
    "finished",
    "is_done",
    "is_finished",
];
const STATES: [&str; 5] = ["status", "state", "task_status", "task_state", "job_status"];
const MAX_DEPTH: usize = 8;

impl Dialect {
    /// Returns true if any object of a response states something else than success: a state that is
    /// no word for success, a flag such as `"done": false`, an error that is not empty, a progress
    /// that is not complete, or a code other than 0. It may be at any place, because a false
    /// success is worse than an unknown outcome. The code and a `status: "success"` of the
    /// outermost object are of the request.
    pub(super) fn is_contrary(&self, response: &Value) -> bool {
        match response {
            Value::Object(members) => {
                self.is_contrary_in(response, members, true)
                    || members
                        .values()
                        .any(|member| self.contradicts(member, MAX_DEPTH))
            }
            other => self.contradicts(other, MAX_DEPTH),
        }
    }

    fn contradicts(&self, value: &Value, depth: usize) -> bool {
        match value {
            // A response that nests deeper is not read at all, so it is no success.
            Value::Array(_) | Value::Object(_) if depth == 0 => true,
            Value::Array(items) => items.iter().any(|item| self.contradicts(item, depth - 1)),
            Value::Object(members) => {
                self.is_contrary_in(value, members, false)
                    || members
                        .values()
                        .any(|member| self.contradicts(member, depth - 1))
            }
            _ => false,
        }
    }

    fn is_contrary_in(
        &self,
        object: &Value,
        members: &Map<String, Value>,
        is_outermost: bool,
    ) -> bool {
        let state = self.state_in(object);
        if let Some(state) = &state
            && state.is_contrary()
            && !(is_outermost && state.is_of_request())
        {
            return true;
        }
        for (name, value) in members {
            let name = snake(name);
            let is_contrary = match name.as_str() {
                "code" => !is_outermost && has_content(value) && !value.as_str().is_some_and(is_ok),
                "progress" => fraction(value).is_some_and(|share| share < 1.0),
                // A state in an unknown form.
                name if STATES.contains(&name) && (value.is_object() || value.is_array()) => {
                    state.is_none()
                }
                // Also in other letters, such as `Status`, and if the settings have other places.
                name if STATES.contains(&name) => {
                    let word = value.as_str().unwrap_or_default();
                    let is_success = self.states.terminal(word) == Some(TERMINAL[0])
                        || is_outermost && word.eq_ignore_ascii_case(REQUEST_SUCCEEDED);
                    !word.is_empty() && is_textual(word) && !is_ok(word) && !is_success
                }
                name => is_denial(name, value) || is_error(name, value),
            };
            if is_contrary {
                return true;
            }
        }
        false
    }
}

/// Returns true if a flag of an object, such as `success` or `done`, is false.
pub(super) fn is_denied(object: &Value) -> bool {
    has_member(object, is_denial)
}

pub(super) fn states_error(object: &Value) -> bool {
    has_member(object, is_error)
}

fn has_member(object: &Value, accept: fn(&str, &Value) -> bool) -> bool {
    let mut members = object.as_object().into_iter().flatten();
    members.any(|(name, value)| accept(&snake(name), value))
}

fn is_denial(name: &str, value: &Value) -> bool {
    let is_false = match value {
        Value::Bool(flag) => !flag,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => ["false", "0"].contains(&text.trim().to_ascii_lowercase().as_str()),
        _ => false,
    };
    is_false && (FLAGS.contains(&name) || ENDS.contains(&name))
}

fn is_error(name: &str, value: &Value) -> bool {
    ERRORS.contains(&name) && has_content(value)
}
