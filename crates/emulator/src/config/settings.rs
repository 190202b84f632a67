use std::{net::SocketAddr, path::PathBuf, time::Duration};

use clap::{
    Args, Parser,
    builder::{OsStringValueParser, TypedValueParser},
};
use mediagate_core::{CAPABILITIES, Capability};
use serde_json::{Value, json};
use tracing::level_filters::LevelFilter;

use super::{
    api_key::ApiKey,
    choices::{Plan, Results, TextToImage},
    results_secret::ResultsSecret,
    seconds::parse_seconds,
};
use crate::dialect::{self, Dialect};

/// The API key that the emulator accepts if no other key is set. It gives access to an emulator and
/// nothing else.
pub const DEV_API_KEY: &str = "emulator-dev-key";

/// Every setting, one field for each flag of the binary.
///
/// [`Config::default`] has the defaults of the binary: 127.0.0.1, the key [`DEV_API_KEY`], tasks of
/// 3 seconds that never expire, upload URLs that are valid for 900 seconds, the plan `starter` with
/// 1,000,000 credits and no rate limit, jobs of 60 seconds, JSON bodies of 1 MiB, uploads and
/// results of 512 MiB, and no extensions. There are two differences: it listens on any free port
/// (port 0), and it ignores `MEDIAGATE_EMULATOR_API_KEY` and `MEDIAGATE_EMULATOR_RESULTS_SECRET`.
#[derive(Clone, Debug, Args)]
pub struct Config {
    /// Address and port to listen on; port 0 is any free port
    #[arg(long, default_value = "127.0.0.1:8788")]
    pub listen: SocketAddr,
    /// The API key that callers must send as bearer token; prefer the environment, as a command
    /// line is visible to others
    #[arg(
        long,
        env = "MEDIAGATE_EMULATOR_API_KEY",
        default_value = DEV_API_KEY,
        hide_env_values = true
    )]
    pub api_key: ApiKey,
    /// The secret that signs URLs of the bucket for results; prefer the environment [default: a
    /// random one, so that nobody can use the bucket]
    #[arg(
        long,
        env = "MEDIAGATE_EMULATOR_RESULTS_SECRET",
        value_name = "SECRET",
        hide_env_values = true
    )]
    pub results_secret: Option<ResultsSecret>,
    /// The URL that callers use, for upload and output URLs; its host is one of the bucket's, too
    /// [default: http:// and the listen address]
    #[arg(long)]
    pub base_url: Option<String>,
    /// The duration of a task, in seconds
    #[arg(long, default_value = "3", value_parser = parse_seconds)]
    pub task_seconds: Duration,
    /// The time in seconds after which an ended task is EXPIRED and its results are removed
    /// [default: never]
    #[arg(long, value_parser = parse_seconds)]
    pub task_expires_seconds: Option<Duration>,
    /// The validity of an upload URL, in seconds
    #[arg(long, default_value = "900", value_parser = parse_seconds)]
    pub upload_url_seconds: Duration,
    /// The account's plan
    #[arg(long, value_enum, default_value = "starter")]
    pub plan: Plan,
    /// The account's credits
    #[arg(long, default_value_t = 1_000_000)]
    pub credits: u64,
    /// POST requests a minute; 0 is no limit
    #[arg(long, default_value_t = 0)]
    pub rate_limit: u32,
    /// The default model of text_to_image_turbo, which the document does not name
    #[arg(long, default_value = "text-to-image-turbo-default")]
    pub turbo_model_id: String,
    /// The default model of image_to_video, of whose name the document shows only the end
    #[arg(long, default_value = "emulator-2-6-image-to-video")]
    pub image_to_video_model_id: String,
    /// A logo_type that is accepted beside `default`; repeat the flag for several [default:
    /// platform_mode_1 … 9]
    #[arg(
        long = "logo-type",
        hide_default_value = true,
        default_values_t = (1..=9).map(|number| format!("platform_mode_{number}"))
    )]
    pub logo_types: Vec<String>,
    /// The form of text_to_image's response, whose fields the document does not show
    #[arg(long, value_enum, default_value = "task")]
    pub text_to_image: TextToImage,
    /// The form of what the document leaves open. `--help` lists the names that the flag takes.
    #[arg(
        long,
        value_name = "NAME",
        default_value = "default",
        help = dialect::help(),
        verbatim_doc_comment
    )]
    pub dialect: Dialect,
    /// Serve the extensions, too: capabilities that the document does not have, such as
    /// text_to_video
    #[arg(long)]
    pub extensions: bool,
    /// The kind of results that tasks yield
    #[arg(long, value_enum, default_value = "drawn")]
    pub results: Results,
    /// Respond to everything with HTTP status 200, as the document does not say which status goes
    /// with which code
    #[arg(long)]
    pub status_200: bool,
    /// Seeds drawings whose request names no seed, and the random choices of faults
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// A JSON file that changes the scene: assets, models, faults, and what the flags set
    #[arg(
        long,
        value_name = "FILE",
        value_parser = read_scene,
        default_value = "",
        hide_default_value = true
    )]
    pub scene: Value,
    /// Address and port of the admin interface [default: on loopback, the port after --listen, or
    /// any free port]
    #[arg(long, value_name = "ADDRESS")]
    pub admin: Option<SocketAddr>,
    /// A directory that keeps tasks and files over a restart [default: a temporary one]
    #[arg(long, value_name = "DIRECTORY")]
    pub data: Option<PathBuf>,
    /// The ffmpeg to use [default: the first on PATH, or else an ffmpeg that npm installed here]
    // An environment may set the variable to an empty string, which counts as not set. clap's own
    // path parser rejects an empty string.
    #[arg(
        long,
        env = "MEDIAGATE_FFMPEG",
        value_name = "PROGRAM",
        value_parser = OsStringValueParser::new().map(PathBuf::from)
    )]
    pub ffmpeg: Option<PathBuf>,
    /// The longest time that one result may take, in seconds; with ffmpeg, the longest time without
    /// progress
    #[arg(long, default_value = "60", value_parser = parse_seconds)]
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

/// The command line of the binary: the settings and the log level.
#[derive(Debug, Parser)]
#[command(
    name = "mediagate-emulator",
    version,
    about = "The media service on your own machine"
)]
pub struct Cli {
    /// The settings.
    #[command(flatten)]
    pub config: Config,
    /// The lowest level that is logged, one JSON object a line: off, error, warn, info, debug;
    /// requests are info
    #[arg(long, value_name = "LEVEL", default_value = "info")]
    pub log: LevelFilter,
}

impl Default for Config {
    fn default() -> Self {
        #[expect(
            clippy::expect_used,
            reason = "the defaults are constants, which every test parses"
        )]
        let Cli { config, .. } =
            Cli::try_parse_from(["mediagate-emulator"]).expect("the defaults are valid");
        // The environment is for the command line. The caller of a library sets the key in code.
        Config {
            api_key: ApiKey(DEV_API_KEY.into()),
            results_secret: None,
            listen: SocketAddr::from(([127, 0, 0, 1], 0)),
            ..config
        }
    }
}

impl Config {
    /// Returns the served capabilities in the catalogue's order.
    pub(crate) fn capabilities(&self) -> impl Iterator<Item = &'static Capability> {
        CAPABILITIES
            .iter()
            .copied()
            .filter(|capability| self.extensions || !capability.is_extension)
    }

    pub(crate) fn capability(&self, name: &str) -> Option<&'static Capability> {
        self.capabilities()
            .find(|capability| capability.name() == name)
    }
}

/// Reads the changes to the scene from a JSON file. An empty path stands for no changes.
fn read_scene(file: &str) -> Result<Value, String> {
    if file.is_empty() {
        return Ok(json!({}));
    }
    let text = std::fs::read(file).map_err(|error| format!("it cannot be read: {error}"))?;
    serde_json::from_slice(&text).map_err(|error| format!("it is not JSON: {error}"))
}
