mod directive;
mod injection;
mod rules;

pub(crate) use directive::{Directive, Stage, unknown_directive};
pub(crate) use injection::{Injection, task_response};
pub(crate) use rules::{Faults, Rule};
