//! Handles one request: origin, route, caller, limits, operation, reply.

mod cors;
mod document;
mod handler;
mod playground;
mod response;
mod session;

pub use handler::Gateway;
pub use response::refuse_all;
