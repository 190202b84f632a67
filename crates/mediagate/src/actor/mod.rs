//! The actor: the one owner of an engine. Callers send it commands; the operations that the engine starts report their ends
//! to it; and it settles the promises that callers wait for.

mod command;
mod connection;
mod owner;
mod published;

pub(crate) use command::{Begin, Lease, Reply, settle_restored};
pub(crate) use connection::Connection;
