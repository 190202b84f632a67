//! Creates a task at most once for an idempotency key, and never beyond a budget.
//!
//! Every subject has a ledger: a Durable Object with SQLite, of which there is exactly one
//! instance. The gateway sends each create to the ledger. The ledger replays the stored outcome of
//! a repeated create, counts budgets exactly, and stores a new create before it submits it to the
//! upstream. Two shared ledgers count for others: one counts the creates of all anonymous callers,
//! one the pipelines of a tenant. [`policy`] decides, over any [`store::Store`]. `object` runs it
//! with the object's storage.

mod history;
mod known;
mod media;
mod object;
mod pipelines;
pub mod policy;
pub mod record;
mod results;
mod sqlite;
pub mod store;
mod unsettled;
pub mod usage;

pub use object::Ledger;
