//! The state of a running emulator, and the work of its tasks.

mod state;
mod work;

pub(crate) use state::{App, SharedApp};
