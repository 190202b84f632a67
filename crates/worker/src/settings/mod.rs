//! The operator's settings, read once and validated. While a setting is missing or wrong, the
//! gateway responds to every request with an error that names it.

mod anonymous;
mod config;
mod error;
mod extra_fields;
mod hosts;
mod mcp;
mod offers;
pub(crate) mod origins;
mod parse;
mod passage;
mod pipelines;
mod public_suffix;
mod results;
mod service;
mod turnstile;
pub(crate) mod url;
mod values;

pub use anonymous::AnonymousSettings;
pub use config::{Settings, TABLES};
pub use error::SettingsError;
pub use extra_fields::ExtraFields;
pub use hosts::Hosts;
pub(crate) use hosts::escaped;
pub use mcp::McpSettings;
pub(crate) use mcp::{MCP_PATH, is_revocable_id};
pub use offers::Offers;
pub use passage::Passage;
pub use pipelines::PipelineSettings;
pub(crate) use results::{RESULTS, UPLOADS};
pub use results::{ResultsSettings, bucket_region};
pub use service::Service;
pub(crate) use service::{BINDING, UPLOADS_BINDING};
pub use turnstile::TurnstileSettings;
pub use url::is_off_the_internet;
pub use values::{PublicAssets, UploadMode};
