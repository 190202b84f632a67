//! `GET /openapi.json`: the gateway's OpenAPI document. Every route has its operation here; those of the capabilities are made
//! from the catalogue.

mod agents;
mod document;
mod operation;
mod operations;
mod parts;
mod refusals;

pub(crate) use document::SERVED;
pub use document::document;
