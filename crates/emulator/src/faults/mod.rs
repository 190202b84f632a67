//! Responses that fail on purpose, as the scene's list of faults or a request's title requests.

mod directive;
mod injection;
mod rules;

pub(crate) use directive::{Directive, Stage};
pub(crate) use injection::{Injection, task_response};
pub(crate) use rules::{Faults, Rule};
