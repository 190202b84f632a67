//! What the operator sets, read once and checked; a wrong setting is named and nothing is served.

mod mcp;
pub(crate) mod parse;

use std::fmt;

use mediagate_core::{CAPABILITIES, Group};

use crate::Secret;
use crate::session::Scope;
pub use mcp::Mcp;
use parse::Reader;

/// How a page's bytes reach the storage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UploadMode {
    /// The page PUTs to the upload URL itself.
    Direct,
    /// The page PUTs to the gateway, which streams on.
    Relay,
}

/// A setting that is missing or wrong. Names the setting and the remedy, never the value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingsError {
    /// The setting's name.
    pub setting: &'static str,
    /// What is wrong with it and what would be right.
    pub problem: String,
}

impl fmt::Display for SettingsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the setting {} {}", self.setting, self.problem)
    }
}

impl std::error::Error for SettingsError {}

/// Every setting, with its default filled in.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where the service is, without a slash at the end.
    pub upstream_base_url: String,
    /// The service's key.
    pub upstream_api_key: Secret,
    /// Path of a generation task's status, with `{task_id}`.
    pub task_path_generate: String,
    /// Path of a processing task's status, with `{task_id}`.
    pub task_path_process: String,
    /// Path of the model catalogue; empty is off.
    pub models_path: String,
    /// Path of the credit estimation; empty is off.
    pub estimate_path: String,
    /// Total deadline of one call to the service, in milliseconds.
    pub upstream_timeout_ms: u32,
    /// Largest JSON body, of a request or of an answer, in bytes.
    pub max_body_bytes: usize,
    /// HS256 keys of the app's backend; none where its tokens are checked with published keys alone.
    pub session_secrets: Vec<Secret>,
    /// Where an identity provider publishes its keys.
    pub session_jwks_url: Option<String>,
    /// The audience that a token must name.
    pub session_audience: String,
    /// The issuer that a token must name; empty is any.
    pub session_issuer: String,
    /// Tokens issued before this moment (seconds since 1970) are revoked.
    pub session_not_before: f64,
    /// Keys that seal ids, current first.
    pub seal_secrets: Vec<Secret>,
    /// What sealed ids are bound to besides the subject.
    pub tenant: String,
    /// Origins whose pages may call the gateway.
    pub allowed_origins: Vec<String>,
    /// Whether `POST /session` answers.
    pub anonymous_sessions: bool,
    /// What an anonymous token may do; `None` where it is not set.
    pub anonymous_scope: Option<String>,
    /// Creates a day that all anonymous callers share; `None` where it is not set.
    pub anonymous_budget: Option<u32>,
    /// Turnstile's secret; where it is set, an anonymous session needs its word.
    pub turnstile_secret: Option<Secret>,
    /// Where Turnstile is asked.
    pub turnstile_url: String,
    /// Requests a minute of one subject, and anonymous sessions a minute of one address; 0 is no limit.
    pub rate_limit_per_minute: u32,
    /// Tasks of one subject that have not ended; `None` is no limit.
    pub max_tasks_in_flight: Option<u32>,
    /// Failures in a row after which the service is left alone for a while; 0 is never.
    pub breaker_failures: u32,
    /// Raw asset ids that anyone may use.
    pub public_assets: PublicAssets,
    /// How bytes reach the storage.
    pub upload_mode: UploadMode,
    /// Hosts that upload URLs may name, each with or without a port.
    pub upload_hosts: Vec<String>,
    /// Largest upload, in bytes.
    pub max_upload_bytes: u64,
    /// Where the app's own backend is told how tasks end.
    pub webhook_urls: Vec<String>,
    /// Keys that sign what it is told, current first.
    pub webhook_secrets: Vec<Secret>,
    /// Origins that outputs come from, for the playground's content security policy.
    pub media_hosts: Vec<String>,
    /// What concerns agents.
    pub mcp: Mcp,
}

/// Which raw asset ids pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PublicAssets {
    /// Every one.
    All,
    /// These.
    Listed(Vec<String>),
}

impl PublicAssets {
    /// Whether this id is one that anyone may use.
    pub fn contains(&self, id: &str) -> bool {
        match self {
            PublicAssets::All => true,
            PublicAssets::Listed(ids) => ids.iter().any(|it| it == id),
        }
    }
}

impl Settings {
    /// Reads the settings through `get`, which answers with a setting's text where it is set.
    pub fn read(get: impl Fn(&str) -> Option<String>) -> Result<Self, SettingsError> {
        let read = Reader(&get);
        let upstream_base_url = read.base_url("UPSTREAM_BASE_URL")?;
        let settings = Settings {
            upstream_api_key: read.secret("UPSTREAM_API_KEY", 8)?,
            task_path_generate: read
                .task_path("UPSTREAM_TASK_PATH_GENERATE", "/api/app/v1/generate/tasks/{task_id}")?,
            task_path_process: read.task_path("UPSTREAM_TASK_PATH_PROCESS", "/api/app/v1/process/tasks/{task_id}")?,
            models_path: read.path("UPSTREAM_MODELS_PATH", "/api/app/v1/models")?,
            estimate_path: read.path("UPSTREAM_ESTIMATE_PATH", "/api/app/v1/credits/estimate")?,
            upstream_timeout_ms: read.number("UPSTREAM_TIMEOUT_MS", 30_000, 1, 600_000)? as u32,
            max_body_bytes: read.number("MAX_BODY_BYTES", 1 << 20, 1024, 64 << 20)? as usize,
            session_jwks_url: read.optional_url("SESSION_JWKS_URL")?,
            session_secrets: match read.text("SESSION_JWKS_URL").is_some() && read.text("SESSION_SECRET").is_none() {
                true => Vec::new(),
                false => read.secrets("SESSION_SECRET", 32)?,
            },
            session_audience: read.text("SESSION_AUDIENCE").unwrap_or_else(|| "mediagate".into()),
            session_issuer: read.text("SESSION_ISSUER").unwrap_or_default(),
            session_not_before: read.number("SESSION_NOT_BEFORE", 0, 0, 1 << 52)? as f64,
            seal_secrets: read.secrets("SEAL_SECRET", 32)?,
            tenant: read.text("TENANT").unwrap_or_else(|| parse::tenant_of(&upstream_base_url)),
            allowed_origins: read.origins("ALLOWED_ORIGINS")?,
            anonymous_sessions: read.switch("ANONYMOUS_SESSIONS")?,
            anonymous_scope: read.scope("ANONYMOUS_SCOPE")?,
            anonymous_budget: read.optional_number("ANONYMOUS_BUDGET", 1_000_000)?,
            turnstile_secret: read.text("TURNSTILE_SECRET").map(Secret::new),
            turnstile_url: read
                .optional_url("TURNSTILE_URL")?
                .unwrap_or_else(|| "https://challenges.cloudflare.com/turnstile/v0/siteverify".into()),
            rate_limit_per_minute: read.number("RATE_LIMIT_PER_MINUTE", 0, 0, 1_000_000)? as u32,
            max_tasks_in_flight: read.optional_number("MAX_TASKS_IN_FLIGHT", 10_000)?.filter(|it| *it > 0),
            breaker_failures: read.number("BREAKER_FAILURES", 0, 0, 1_000)? as u32,
            public_assets: read.public_assets("PUBLIC_ASSETS"),
            upload_mode: read.upload_mode("UPLOAD_MODE")?,
            upload_hosts: read.upload_hosts("UPLOAD_HOSTS", &upstream_base_url)?,
            max_upload_bytes: read.number("MAX_UPLOAD_BYTES", 5 << 30, 1, 1 << 50)?,
            webhook_urls: read.webhook_urls("WEBHOOK_URLS", read.switch("WEBHOOK_LOOPBACK")?)?,
            webhook_secrets: read.webhook_secrets("WEBHOOK_SECRET")?,
            media_hosts: read.origins("MEDIA_HOSTS")?,
            mcp: Mcp::read(&read)?,
            upstream_base_url,
        };
        settings.agree()?;
        Ok(settings)
    }

    /// What no single setting shows.
    fn agree(&self) -> Result<(), SettingsError> {
        if self.anonymous_sessions && self.allowed_origins.is_empty() {
            let problem = "is missing: ANONYMOUS_SESSIONS needs the list of origins that may ask for one".into();
            return Err(SettingsError { setting: "ALLOWED_ORIGINS", problem });
        }
        // A page that anyone can open must not spend without a bound that somebody chose. Whether this is the real service
        // is decided by its address: what a request says of the gateway's own is the caller's word.
        if self.anonymous_sessions && !parse::is_on_loopback(&self.upstream_base_url) {
            let unset = [
                ("ANONYMOUS_SCOPE", self.anonymous_scope.is_none()),
                ("ANONYMOUS_BUDGET", self.anonymous_budget.is_none()),
            ];
            if let Some((setting, _)) = unset.into_iter().find(|it| it.1) {
                let problem = "is missing: ANONYMOUS_SESSIONS needs it where the service is not on this machine".into();
                return Err(SettingsError { setting, problem });
            }
        }
        if !self.webhook_urls.is_empty() && self.webhook_secrets.is_empty() {
            let problem = "is missing: WEBHOOK_URLS needs a key that signs what is sent there".into();
            return Err(SettingsError { setting: "WEBHOOK_SECRET", problem });
        }
        Ok(())
    }

    /// Path of a task's status, with `{task_id}`.
    pub fn task_path(&self, group: Group) -> &str {
        match group {
            Group::Generate => &self.task_path_generate,
            Group::Process => &self.task_path_process,
        }
    }
}

/// Words that a scope may hold.
pub(crate) fn is_scope_word(word: &str) -> bool {
    matches!(word, Scope::UPLOAD | "generate:*" | "process:*") || CAPABILITIES.iter().any(|it| it.name() == word)
}
