mod client;
mod requests;
mod result_client;

pub use client::{LedgerClient, ReportedEnd, cost_of, create_key};
pub use requests::*;
