mod api_key;
mod choices;
mod results_secret;
mod seconds;
mod settings;

pub use api_key::ApiKey;
pub use choices::{Plan, Results, TextToImage};
pub use results_secret::ResultsSecret;
pub(crate) use seconds::Seconds;
pub use settings::{Cli, Config, DEV_API_KEY};
