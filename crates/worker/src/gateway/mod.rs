//! One request in, one reply out: origin, route, caller, limits, operation.

mod cors;
mod document;
mod exchange;
mod handler;
mod playground;
mod session;

pub use exchange::refuse_all;
pub use handler::Gateway;
