//! Creates a task at most once for an idempotency key, and never beyond a budget.
//!
//! Every subject has exactly one ledger, which is a Durable Object with SQLite. The gateway sends
//! each create to the ledger. The ledger replays the stored outcome of a repeated create, counts
//! budgets exactly, and stores a new create before it submits it to the upstream. Two shared
//! ledgers count for several subjects: the creates of all anonymous callers, and the pipelines of a
//! tenant. [`policy`] decides, over any [`store::Store`]. `creates` runs a create, and `messages`
//! receives every message.

mod creates;
mod history;
mod known;
mod media;
mod medium_reads;
mod messages;
mod object;
mod pipelines;
pub mod policy;
mod results;
mod settlement;
mod sqlite;
pub mod store;
pub mod usage;

pub use object::Ledger;
