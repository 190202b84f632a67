//! Handles one request: origin, route, caller, limits, operation, reply.

mod cors;
mod document;
mod exchange;
mod handler;
mod playground;
mod session;

pub use exchange::refuse_all;
pub use handler::Gateway;
