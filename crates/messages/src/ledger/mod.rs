mod client;
mod requests;
mod result_client;

pub use client::{LedgerClient, ReportedEnd, create_key};
pub use requests::*;
