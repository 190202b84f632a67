//! The settings, which are also the command line.

use std::{fmt, net::SocketAddr, path::PathBuf, str::FromStr, time::Duration};

use clap::{
    Args, Parser, ValueEnum,
    builder::{OsStringValueParser, TypedValueParser},
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use subtle::ConstantTimeEq;
use tracing::level_filters::LevelFilter;

use crate::scene::Seconds;

/// The key that the emulator takes where none is set. It opens nothing but an emulator.
pub const DEV_API_KEY: &str = "emulator-dev-key";

/// Everything that can be set. [`Config::default`] is what the binary starts with, but for the port: 0, any free one.
#[derive(Clone, Debug, Args)]
pub struct Config {
    /// Address and port to listen on; port 0 takes any free one
    #[arg(long, default_value = "127.0.0.1:8788")]
    pub listen: SocketAddr,
    /// The API key that callers must send as Bearer token; better given by the environment, as others see a command line
    #[arg(long, env = "MEDIAGATE_EMULATOR_API_KEY", default_value = DEV_API_KEY, hide_env_values = true)]
    pub api_key: ApiKey,
    /// Where callers reach this server, for upload and output URLs [default: http:// and the address listened on]
    #[arg(long)]
    pub base_url: Option<String>,
    /// How long a task takes, in seconds
    #[arg(long, default_value = "3", value_parser = seconds)]
    pub task_seconds: Duration,
    /// How long a task can be read and its results be had after its end, in seconds; then it is EXPIRED [default: for ever]
    #[arg(long, value_parser = seconds)]
    pub task_expires_seconds: Option<Duration>,
    /// How long an upload URL can be used, in seconds
    #[arg(long, default_value = "900", value_parser = seconds)]
    pub upload_url_seconds: Duration,
    /// The account's plan
    #[arg(long, value_enum, default_value = "starter")]
    pub plan: Plan,
    /// The account's credits
    #[arg(long, default_value_t = 1_000_000)]
    pub credits: u64,
    /// Requests a minute, reads of tasks and models not counted; 0 is no limit
    #[arg(long, default_value_t = 0)]
    pub rate_limit: u32,
    /// The default model of text_to_image_turbo, which the document does not name
    #[arg(long, default_value = "text-to-image-turbo-default")]
    pub turbo_model_id: String,
    /// The default model of image_to_video; the document shows its end only
    #[arg(long, default_value = "emulator-2-6-image-to-video")]
    pub image_to_video_model_id: String,
    /// A logo_type that is accepted beside `default`; give it nine times for nine [default: platform_mode_1 … 9]
    #[arg(long = "logo-type", hide_default_value = true, default_values_t = (1..=9).map(|it| format!("platform_mode_{it}")))]
    pub logo_types: Vec<String>,
    /// How text_to_image answers, for which the document shows no fields
    #[arg(long, value_enum, default_value = "task")]
    pub text_to_image: TextToImage,
    /// Answer everything with HTTP status 200: the document does not say which status goes with which code
    #[arg(long)]
    pub status_200: bool,
    /// Chooses what is drawn where a request leaves it open, and what faults leave to chance
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// A file of JSON that changes the scene: assets, models, faults, and all that has a flag here
    #[arg(long, value_name = "FILE", value_parser = scene, default_value = "", hide_default_value = true)]
    pub scene: Value,
    /// Address and port of the admin interface [default: on loopback, the port after that of --listen, or any free one]
    #[arg(long, value_name = "ADDRESS")]
    pub admin: Option<SocketAddr>,
    /// A directory that keeps tasks and files over a restart [default: a temporary one]
    #[arg(long, value_name = "DIRECTORY")]
    pub data: Option<PathBuf>,
    /// The ffmpeg to use [default: the one on PATH, else the one that npm installed here]
    // Empty, as an environment may have it, is as good as not set; clap's own parser of paths refuses it.
    #[arg(long, env = "MEDIAGATE_FFMPEG", value_name = "PROGRAM", value_parser = OsStringValueParser::new().map(PathBuf::from))]
    pub ffmpeg: Option<PathBuf>,
    /// How long one result may take, in seconds
    #[arg(long, default_value = "60", value_parser = seconds)]
    pub job_seconds: Duration,
    /// Largest result that ffmpeg may write, in bytes
    #[arg(long, default_value_t = 512 << 20)]
    pub max_output_bytes: u64,
    /// Largest JSON body, in bytes
    #[arg(long, default_value_t = 1 << 20)]
    pub max_body_bytes: usize,
    /// Largest upload, in bytes
    #[arg(long, default_value_t = 512 << 20)]
    pub max_upload_bytes: u64,
}

/// The command line of the binary: nothing but the settings.
#[derive(Debug, Parser)]
#[command(name = "mediagate-emulator", version, about = "The media service on your own machine")]
pub struct Cli {
    /// The settings.
    #[command(flatten)]
    pub config: Config,
    /// The least that is logged, one JSON object a line: off, error, warn, info, debug; info is every request
    #[arg(long, value_name = "LEVEL", default_value = "info")]
    pub log: LevelFilter,
}

impl Default for Config {
    fn default() -> Self {
        #[expect(clippy::expect_used, reason = "the defaults are constants, which every test parses")]
        let Cli { config, .. } = Cli::try_parse_from(["mediagate-emulator"]).expect("the defaults are valid");
        // A library's caller sets what it wants; the environment is the command line's.
        Config { api_key: ApiKey(DEV_API_KEY.into()), listen: SocketAddr::from(([127, 0, 0, 1], 0)), ..config }
    }
}

/// The account's plans, lowest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Plan {
    /// Below what the default model of image_to_video needs.
    Free,
    /// What the default model of image_to_video needs (§4.2).
    Starter,
    /// Above it.
    Pro,
}

impl Plan {
    /// The plan's name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Plan::Free => "free",
            Plan::Starter => "starter",
            Plan::Pro => "pro",
        }
    }
}

/// The forms in which text_to_image may answer (§4.2 shows none).
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TextToImage {
    /// A task in the envelope, as everything else.
    Task,
    /// The picture in the envelope, without a task.
    Data,
    /// The picture alone: a bare object, no envelope.
    Bare,
    /// HTTP 200 with nothing.
    Empty,
}

/// The API key. It is compared in constant time and never shown.
#[derive(Clone)]
pub struct ApiKey(String);

impl ApiKey {
    /// Whether this is the key that a caller presented.
    pub(crate) fn is(&self, presented: &str) -> bool {
        self.0.as_bytes().ct_eq(presented.as_bytes()).into()
    }
}

impl FromStr for ApiKey {
    type Err = &'static str;

    fn from_str(key: &str) -> Result<Self, Self::Err> {
        if key.is_empty() { Err("the API key is empty; give at least one character") } else { Ok(ApiKey(key.into())) }
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("ApiKey(…)")
    }
}

/// A length of time that is no longer than a day.
fn seconds(text: &str) -> Result<Duration, &'static str> {
    Seconds::try_from(text.parse().unwrap_or(f64::NAN)).map(|it| it.0)
}

/// The changes to the scene in a file; none without one.
fn scene(file: &str) -> Result<Value, String> {
    if file.is_empty() {
        return Ok(json!({}));
    }
    let text = std::fs::read(file).map_err(|error| format!("it cannot be read: {error}"))?;
    serde_json::from_slice(&text).map_err(|error| format!("it is not JSON: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_is_in_no_debug_output() {
        let config = Config { api_key: "sk-secret".parse().unwrap(), ..Config::default() };
        assert!(!format!("{config:?}").contains("sk-secret"));
        assert!(config.api_key.is("sk-secret") && !config.api_key.is("sk-secreT") && !config.api_key.is(""));
    }

    #[test]
    fn a_length_of_time_has_bounds() {
        assert_eq!(seconds("0.5"), Ok(Duration::from_millis(500)));
        for text in ["-1", "NaN", "inf", "1e9", "soon", ""] {
            assert!(seconds(text).is_err(), "{text}");
        }
    }
}
