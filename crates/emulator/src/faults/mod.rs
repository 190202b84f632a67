//! Failures on request: by the scene's list of faults, or by the title of a create.

mod directive;
mod injection;
mod rules;

pub(crate) use directive::{Directive, Stage, unknown_directive};
pub(crate) use injection::{Injection, task_response};
pub(crate) use rules::{Faults, Rule};
