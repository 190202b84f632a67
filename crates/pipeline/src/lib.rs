//! Pipelines: several capabilities in one run, in which outputs of steps are inputs of others.
//!
//! [`Plan`] is a pipeline as it was requested, checked as a whole. [`Run`] is how far it is: a value that says what is to be done
//! ([`Run::next`]) and takes what became of it ([`Run::apply`]). It is stored after each change; where the run is
//! interrupted, the stored value says how to go on, and no create is sent under two keys.

mod plan;
mod run;
mod step;
mod stored;

pub use plan::{Plan, Step, StepReference};
pub use run::{Action, Run, RunEvent, RunState};
pub use step::{StepRun, StepState, Stop};
pub use stored::StoredPlan;
