//! The members by which a response says that there is no success, although it has outputs.

use mediagate_core::Code;
use serde_json::Value;

use super::failure::{ENDS, ERRORS, FLAGS, has_content, member};
use super::state::is_textual;
use crate::settings::{Dialect, code_of};

/// The levels of nesting that are searched.
const MAX_DEPTH: usize = 8;

impl Dialect {
    /// Returns true if any object of a response states something else than success: a state that is
    /// no word for success, a flag such as `"done": false`, or an error that is not empty. Where it
    /// is does not matter, because a false success is worse than an unknown outcome.
    pub(super) fn is_contrary(&self, response: &Value) -> bool {
        self.contradicts(response, MAX_DEPTH)
    }

    fn contradicts(&self, value: &Value, depth: usize) -> bool {
        match value {
            // A response that nests deeper is not read at all, so it is no success.
            Value::Array(_) | Value::Object(_) if depth == 0 => true,
            Value::Array(items) => items.iter().any(|item| self.contradicts(item, depth - 1)),
            Value::Object(members) => {
                has_code(value)
                    || self.is_contrary_in(value)
                    || members
                        .values()
                        .any(|member| self.contradicts(member, depth - 1))
            }
            _ => false,
        }
    }

    /// Like [`Dialect::is_contrary`], for the members of one object.
    fn is_contrary_in(&self, object: &Value) -> bool {
        let state = self.state_in(object);
        state.is_some_and(|state| !state.is_success() && is_textual(&state.word))
            || is_denied(object)
            || states_error(object)
    }
}

/// Returns true if a flag of an object, such as `success` or `done`, is false.
pub(super) fn is_denied(object: &Value) -> bool {
    FLAGS
        .iter()
        .chain(&ENDS)
        .any(|name| member(object, name) == Some(&Value::Bool(false)))
}

/// Returns true if an object has an error that is not empty.
pub(super) fn states_error(object: &Value) -> bool {
    ERRORS
        .iter()
        .any(|name| member(object, name).is_some_and(has_content))
}

/// Returns true if an object has a code other than 0.
fn has_code(object: &Value) -> bool {
    let code = member(object, "code");
    code.is_some_and(|code| {
        Code::read(&code)
            .or_else(|| code_of(code))
            .is_some_and(|code| code != Code::OK)
    })
}
