//! `GET /openapi.json`, the gateway's OpenAPI document. Every route has an operation. The
//! operations of the capabilities are generated from the catalogue.

mod builder;
mod content;
mod document;
mod operation;
mod operations;
mod refusal_schema;
mod refusals;

pub(crate) use document::Served;
