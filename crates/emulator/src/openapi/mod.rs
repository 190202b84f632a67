//! The OpenAPI 3.1 document of this server. The operations of the capabilities come from the catalogue, as their routes
//! do.

mod document;
mod operations;
mod responses;
mod schemas;

pub(crate) use document::document;
