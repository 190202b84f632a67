//! Creates at most once for an idempotency key, and never beyond a budget.
//!
//! Every subject has a ledger: a Durable Object with SQLite, of which there is exactly one instance. The gateway sends it
//! each create. It replays the stored outcome of a repeated one, counts budgets exactly, submits to the upstream itself,
//! and stores a create before it does. Two further ledgers count for others: one the creates of all anonymous callers, one the
//! pipelines of a tenant. [`policy`] decides, over any [`store::Store`]; `object` runs it with the object's storage.

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
