//! The operator's settings, read once and validated. While a setting is missing or wrong, the
//! gateway responds to every request with an error that names it.

#![allow(
    missing_docs,
    reason = "only crates of the gateway import this one: a name that says all needs no sentence"
)]

mod anonymous;
#[cfg(any(test, feature = "for-tests"))]
mod complete;
mod config;
mod error;
mod extra_fields;
mod field_rule;
mod hosts;
mod mcp;
mod offers;
pub mod origins;
mod parse;
mod pipelines;
mod prices;
mod results;
mod service;
mod turnstile;
pub mod url;
mod values;

pub(crate) use anonymous::AnonymousSettings;
pub use config::{Settings, TABLES};
pub use error::SettingsError;
pub use extra_fields::ExtraFields;
pub use field_rule::FieldRule;
pub use hosts::Hosts;
pub use hosts::escaped;
pub use mcp::McpSettings;
pub use mcp::{MCP_PATH, is_revocable_id};
pub use offers::Offers;
pub use parse::BOUND;
pub(crate) use pipelines::PipelineSettings;
pub use prices::Prices;
pub use results::{RESULTS, UPLOADS};
pub use results::{ResultsSettings, bucket_region};
pub use service::Service;
pub use service::{BINDING, UPLOADS_BINDING};
pub use turnstile::TurnstileSettings;
pub use url::is_off_the_internet;
pub use values::{PublicAssets, UploadMode};
