//! The settings, which are also the command line.

mod api_key;
mod choices;
mod seconds;
mod settings;

pub use api_key::ApiKey;
pub use choices::{Plan, Results, TextToImage};
pub(crate) use seconds::Seconds;
pub use settings::{Cli, Config, DEV_API_KEY};
