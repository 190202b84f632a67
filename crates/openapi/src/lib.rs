//! The description of the gateway: its OpenAPI document, in which every route has an operation,
//! and the schemas of its tools for agents. Both are generated from the catalogue.
//!
//! The build of the Worker writes them in pieces by capability, so that a gateway joins those of
//! the capabilities that it offers.

#![allow(
    missing_docs,
    reason = "only the gateway's build imports this crate: a name that says all needs no sentence"
)]

mod builder;
mod capability;
mod content;
mod document;
mod operation;
mod operations;
mod parts;
mod pieces;
mod plain_schema;
mod refusal_schema;
mod refusals;
mod tools;

pub use document::document;
pub use pieces::{Piece, pieces};
pub use tools::tools;
