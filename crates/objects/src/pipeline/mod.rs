//! Runs pipelines: several creates, in which outputs of some are inputs of others. A pipeline runs
//! without an open page.
//!
//! Every pipeline has exactly one Durable Object. The crate `mediagate-pipeline` decides the next
//! actions and the effect of each event. The object carries the actions out: creates through the
//! ledger, waits through the watchers of tasks, and inputs through transfers. If it only waits for
//! a time, it sleeps until its alarm. It stores each event before it acts on it, so a run that is
//! interrupted at any point continues from there.

mod act;
mod deliveries;
mod object;
mod record;
mod refusals;
mod requests;
mod run;
mod stored_state;
mod view;

pub use object::Pipeline;
