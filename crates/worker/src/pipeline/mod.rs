//! Runs pipelines: several creates, in which outputs of some are inputs of others, with the page closed.
//!
//! Every pipeline has a Durable Object, of which there is exactly one instance. What may be done next, and what follows from what
//! became of it, is decided in core's `pipeline`; the object carries it out: creates through the ledger, waits through the
//! tasks' watchers, hand-overs as transfers. While it only waits for a time, it sleeps until its alarm. It writes down each event before it acts on it, so that a run that is
//! interrupted at any point goes on where it was.

mod act;
mod deliveries;
mod object;
mod record;
mod refusals;
mod requests;
mod run;
mod run_starts;
mod step_task;
mod stored_state;
mod view;

pub use object::Pipeline;
