//! Pipelines: several capabilities in one run, in which outputs of steps are inputs of others.
//!
//! [`Plan`] is a requested pipeline, checked as a whole. [`Run`] is its progress: a value that
//! returns the next actions ([`Run::next`]) and takes their results ([`Run::apply`]). The caller
//! stores the value after each change. After an interruption, the run continues from the stored
//! value, and no create is sent under two keys.

mod plan;
mod run;
mod step;
mod stored;

pub use plan::{Plan, Step, StepReference};
pub use run::{Action, Run, RunEvent, RunState};
pub use step::{StepRun, StepState, Stop};
pub use stored::StoredPlan;
