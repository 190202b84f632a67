//! Creating at most once, and never beyond a budget.
//!
//! Every subject has a ledger of its own: a Durable Object with SQLite, of which there is one in the world. The gateway
//! hands it each create; it answers a repeated one from memory, counts budgets exactly, asks the service itself, and
//! writes down that it will before it does. What decides is [`book`], over any [`book::Store`]; `object` runs it with
//! the platform's storage, and `desk` is the gateway's side of the counter.

pub mod book;
mod desk;
mod object;
mod order;
mod sql;
pub mod tallies;

pub(crate) use desk::{BINDING, Desk};
pub use object::Ledger;
pub(crate) use order::{Answer, Order};
