//! The engine's platform on the values of this crate, and the operations that it starts by the driver.

mod callbacks;
mod events;
mod files;
mod machine;
mod network;
mod operations;
mod results;
mod state;

pub(crate) use results::{outputs, snapshot};
pub(crate) use state::{Engine, Ids, Machine, Operation, Settled};
