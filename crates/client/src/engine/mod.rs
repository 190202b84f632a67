//! The engine: what it keeps, and the events that the platform reports.

mod call;
mod create;
mod data;
mod follow;
mod machine;
mod pipeline;
mod promise;
mod session;
mod stream;
mod task;
mod transfer;
mod upload;

pub use machine::Engine;
