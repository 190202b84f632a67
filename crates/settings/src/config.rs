use mediagate_access::crypto::{Secret, WebhookKey};
use mediagate_access::identity::{Budget, ValueLimits};
use mediagate_core::Group;
use mediagate_upstream::{Dialect, EstimateDialect, UploadDialect};
use sha2::{Digest, Sha256};
use url::Url;

use super::hosts::ANY_HOST;
use super::parse::{
    SettingsReader, budget, host, limits, public_url, required, safe_url, secret, webhook_url,
    wrong,
};
use super::url::{is_loopback, is_on_loopback};
use super::{
    AnonymousSettings, ExtraFields, Hosts, McpSettings, Offers, PipelineSettings, Prices,
    PublicAssets, ResultsSettings, Service, SettingsError, TurnstileSettings, UPLOADS_BINDING,
    UploadMode, origins,
};

/// Every setting, with its default filled in.
#[derive(Clone, Debug)]
pub struct Settings {
    pub service: Service,
    /// The path of a generation task's status, with the placeholders of
    /// [`mediagate_upstream::status_path`]. `task_path_process` has them, too.
    pub task_path_generate: String,
    pub task_path_process: String,
    /// `None` disables the model catalogue.
    pub models_path: Option<String>,
    /// `None` disables the credit estimation.
    pub estimate_path: Option<String>,
    /// Contains `{asset_id}`. `None` if assets can't be read.
    pub asset_path: Option<String>,
    /// The parts of the wire that the document leaves open.
    pub dialect: Box<Dialect>,
    /// True if records have the name of the provider behind a module.
    pub show_provider: bool,
    pub offers: Offers,
    pub extra_fields: ExtraFields,
    /// The polls of tasks in a second that all callers together may cause; 0 is no limit.
    pub upstream_polls_per_second: f64,
    /// The total deadline of a create.
    pub upstream_timeout_ms: u32,
    /// The total deadline of any other request to the upstream, and the time that a body may stall.
    pub read_timeout_ms: u32,
    /// In bytes.
    pub max_body_bytes: usize,
    /// In bytes.
    pub max_response_bytes: usize,
    /// HS256 keys of the app's backend. Empty if only published keys verify tokens.
    pub session_secrets: Vec<Secret>,
    /// The URL of an identity provider's published keys (JWKS).
    pub session_jwks_url: Option<String>,
    /// The audience that a token must name.
    pub session_audience: String,
    /// The issuer that a token must name; `None` allows any.
    pub session_issuer: Option<String>,
    /// The time, in seconds since 1970, before which issued tokens are revoked.
    pub session_not_before: f64,
    /// Keys that seal ids, the current one first.
    pub seal_secrets: Vec<Secret>,
    /// Names subjects in the log.
    pub log_secret: Secret,
    /// The name that ids are sealed for, together with the subject.
    pub tenant: String,
    /// The origin under which callers reach the gateway. `None` if the URL of each request has it.
    pub public_url: Option<String>,
    /// An origin on this machine may end in `:*`, which is any port.
    pub allowed_origins: Vec<String>,
    pub anonymous: AnonymousSettings,
    /// If set, Turnstile must verify each request for an anonymous session.
    pub turnstile: Option<TurnstileSettings>,
    /// Requests a minute per subject, and anonymous sessions a minute per address; 0 is no limit.
    pub rate_limit_per_minute: u32,
    /// The requests of one subject that are handled at once.
    pub requests_at_once: usize,
    /// The budget of callers whose token has none.
    pub default_budget: Budget,
    /// The limits on values of callers whose token has none.
    pub default_limits: ValueLimits,
    /// What creates cost.
    pub prices: Prices,
    /// The time that a task is followed after its create. A task that runs for longer is
    /// unfinished.
    pub max_task_ms: i64,
    /// The limit per subject; `None` is no limit.
    pub max_tasks_in_flight: Option<u32>,
    /// A further stream ends the oldest.
    pub streams_per_subject: usize,
    /// A further transfer is refused.
    pub transfers_per_subject: usize,
    pub breaker_failures: u32,
    pub public_assets: PublicAssets,
    pub upload_mode: UploadMode,
    /// True if the Worker has the binding `UPLOADS_BUCKET` of an R2 bucket, which can't sign URLs.
    pub has_bucket_binding: bool,
    /// True if no provider can load files from the bucket.
    pub bucket_private: bool,
    /// Hosts that upload URLs may name, each with or without a port.
    pub upload_hosts: Hosts,
    /// Outputs of these hosts may be inputs again. Empty if no output may.
    pub output_hosts: Hosts,
    /// Files of these hosts may be loaded by their URL. Empty if no file may.
    pub input_hosts: Hosts,
    /// In bytes.
    pub max_upload_bytes: u64,
    /// A moved file is moved again after this time.
    pub moved_file_hours: u32,
    /// `None` if results stay in the media service.
    pub results: Option<ResultsSettings>,
    /// The time that a create is listed in its subject's history.
    pub history_days: u32,
    pub pipelines: PipelineSettings,
    pub webhook_urls: Vec<String>,
    /// Keys that sign webhooks, the current one first.
    pub webhook_keys: Vec<WebhookKey>,
    /// Origins that outputs come from, for the playground's content security policy.
    pub media_hosts: Vec<String>,
    /// Settings of the Model Context Protocol.
    pub mcp: McpSettings,
}

pub const TABLES: [&str; 4] = [
    "UPSTREAM_DIALECT",
    "EXTRA_FIELDS",
    "DEFAULT_LIMITS",
    "PRICES",
];

impl Settings {
    /// Reads the settings through `get`, which returns the text of a setting that is set. Returns
    /// the first error.
    pub fn read(get: impl Fn(&'static str) -> Option<String>) -> Result<Self, SettingsError> {
        let read = SettingsReader(&get);
        let service = Service::read(&read)?;
        let mut dialect = read
            .parsed("UPSTREAM_DIALECT", |text| {
                Dialect::parse(text).map_err(|error| format!("is not a valid dialect: {error}"))
            })?
            .unwrap_or_default();
        if service.is_module() {
            dialect.estimate = EstimateDialect::of_module();
        }
        let allowed_origins = read.parsed_list("ALLOWED_ORIGINS", origins::page_origin)?;
        let max_tasks_in_flight = read.optional_number("MAX_TASKS_IN_FLIGHT", 0..=10_000)?;
        let max_tasks_in_flight = max_tasks_in_flight.filter(|max| *max > 0);
        let session_jwks_url = read.parsed("SESSION_JWKS_URL", safe_url)?;
        // With published keys, a secret of the app's backend is optional.
        let has_secrets = session_jwks_url.is_none() || read.text("SESSION_SECRET").is_some();
        let public_assets = read.list("PUBLIC_ASSETS");
        let mut upload_hosts = read.parsed_list("UPLOAD_HOSTS", host)?;
        if upload_hosts.is_empty() && !service.is_module() {
            let url = Url::parse(service.base_url()).ok();
            upload_hosts.extend(url.and_then(|url| upload_host(&url)));
        }
        let upstream_timeout_ms = read.number(
            "UPSTREAM_TIMEOUT_MS",
            default_timeout_ms(&service),
            1..=600_000,
        )?;
        let seal_secrets = read.secrets("SEAL_SECRET")?;
        let polls: u32 = read.number("UPSTREAM_POLLS_PER_SECOND", 0, 0..=100_000)?;
        let not_before: u64 = read.number("SESSION_NOT_BEFORE", 0, 0..=1 << 52)?;
        let task_seconds: i64 =
            read.number("MAX_TASK_SECONDS", 24 * 60 * 60, 1..=365 * 24 * 60 * 60)?;
        let settings = Settings {
            task_path_generate: read.task_path(
                "UPSTREAM_TASK_PATH_GENERATE",
                "/api/app/v1/generate/tasks/{task_id}",
            )?,
            task_path_process: read.task_path(
                "UPSTREAM_TASK_PATH_PROCESS",
                "/api/app/v1/process/tasks/{task_id}",
            )?,
            models_path: read.path("UPSTREAM_MODELS_PATH", Some("/api/app/v1/models"))?,
            estimate_path: read.path(
                "UPSTREAM_ESTIMATE_PATH",
                Some("/api/app/v1/credits/estimate"),
            )?,
            asset_path: read.asset_path("UPSTREAM_ASSET_PATH")?,
            dialect: Box::new(dialect),
            show_provider: read.switch("SHOW_PROVIDER")?,
            offers: Offers::read(&read)?,
            extra_fields: read
                .parsed("EXTRA_FIELDS", ExtraFields::parse)?
                .unwrap_or_default(),
            upstream_timeout_ms,
            read_timeout_ms: match service {
                Service::Server { .. } => upstream_timeout_ms,
                Service::Module => upstream_timeout_ms.min(SERVER_TIMEOUT_MS),
            },
            max_body_bytes: read.number("MAX_BODY_BYTES", 1 << 20, 1024..=64 << 20)?,
            max_response_bytes: read.number("MAX_RESPONSE_BYTES", 16 << 20, 1024..=64 << 20)?,
            session_jwks_url,
            session_secrets: if has_secrets {
                read.secrets("SESSION_SECRET")?
            } else {
                Vec::new()
            },
            session_audience: read
                .text("SESSION_AUDIENCE")
                .unwrap_or_else(|| "mediagate".into()),
            session_issuer: read.text("SESSION_ISSUER"),
            session_not_before: not_before as f64,
            seal_secrets: seal_secrets.clone(),
            // While `SEAL_SECRET` is rotated, its last key is the one of before.
            log_secret: match read.parsed("LOG_SECRET", secret)? {
                Some(secret) => secret,
                None => required("SEAL_SECRET", seal_secrets.last().cloned(), "is missing")?,
            },
            tenant: read
                .text("TENANT")
                .unwrap_or_else(|| default_tenant(service.base_url())),
            turnstile: TurnstileSettings::read(&read, &allowed_origins)?,
            public_url: read.parsed("PUBLIC_URL", public_url)?,
            allowed_origins,
            anonymous: AnonymousSettings::read(&read, max_tasks_in_flight)?,
            upstream_polls_per_second: polls.into(),
            rate_limit_per_minute: read.number("RATE_LIMIT_PER_MINUTE", 0, 0..=1_000_000)?,
            default_budget: read.parsed("DEFAULT_BUDGET", budget)?.unwrap_or_default(),
            default_limits: read.parsed("DEFAULT_LIMITS", limits)?.unwrap_or_default(),
            prices: read.parsed("PRICES", Prices::parse)?.unwrap_or_default(),
            max_task_ms: task_seconds * 1000,
            max_tasks_in_flight,
            requests_at_once: read.number("REQUESTS_AT_ONCE", 300, 1..=100_000)?,
            streams_per_subject: read.number("STREAMS_PER_SUBJECT", 200, 1..=10_000)?,
            transfers_per_subject: read.number("TRANSFERS_PER_SUBJECT", 50, 1..=10_000)?,
            breaker_failures: read.number("BREAKER_FAILURES", 0, 0..=1_000)?,
            public_assets: if public_assets.iter().any(|id| id == "*") {
                PublicAssets::All
            } else {
                PublicAssets::Listed(public_assets)
            },
            upload_mode: read
                .parsed("UPLOAD_MODE", UploadMode::parse)?
                .unwrap_or(UploadMode::Direct),
            has_bucket_binding: read.binding(
                UPLOADS_BINDING,
                "is text; make it a binding of an R2 bucket, under [[r2_buckets]]",
            )?,
            bucket_private: read.switch("BUCKET_PRIVATE")?,
            upload_hosts: Hosts(upload_hosts),
            output_hosts: Hosts(read.parsed_list("OUTPUT_HOSTS", host)?),
            input_hosts: match read.text("INPUT_HOSTS").as_deref() {
                Some(ANY_HOST) => Hosts(vec![ANY_HOST.to_owned()]),
                _ => Hosts(read.parsed_list("INPUT_HOSTS", host)?),
            },
            max_upload_bytes: read.number("MAX_UPLOAD_BYTES", 5 << 30, 1..=1 << 50)?,
            moved_file_hours: read.number("MOVED_FILE_HOURS", 24, 1..=8_760)?,
            results: ResultsSettings::read(&read)?,
            history_days: read.number("HISTORY_DAYS", 1, 1..=365)?,
            pipelines: PipelineSettings::read(&read)?,
            webhook_urls: read.parsed_list("WEBHOOK_URLS", webhook_url)?,
            webhook_keys: read.parsed_list("WEBHOOK_SECRET", |key| {
                WebhookKey::parse(key)
                    .ok_or("has a key in another form; give `whsec_` and 24 to 64 bytes in base64")
            })?,
            media_hosts: read.parsed_list("MEDIA_HOSTS", origins::exact_origin)?,
            mcp: McpSettings::read(&read)?,
            service,
        };
        settings.check_combinations()?;
        Ok(settings)
    }

    fn check_combinations(&self) -> Result<(), SettingsError> {
        // The upstream's address decides if it is the real service, because the sender of a request
        // chooses its `Host`.
        let is_upstream_local = self.service.is_on_this_machine();
        if self.anonymous.sessions {
            check(
                !self.allowed_origins.is_empty(),
                "ALLOWED_ORIGINS",
                "is missing: ANONYMOUS_SESSIONS needs the list of origins that may request one",
            )?;
            // A public page must not spend without a limit that the operator chose.
            for (setting, is_set) in [
                ("ANONYMOUS_SCOPE", self.anonymous.scope.is_some()),
                ("ANONYMOUS_BUDGET", self.anonymous.creates.is_some()),
                ("RATE_LIMIT_PER_MINUTE", self.rate_limit_per_minute > 0),
            ] {
                check(
                    is_set || is_upstream_local,
                    setting,
                    "is missing, or 0: ANONYMOUS_SESSIONS needs it if the upstream is not on \
                     this machine",
                )?;
            }
        }
        let default_credits = self.default_budget.credits;
        check(
            !self.prices.is_empty() || default_credits.or(self.anonymous.credits).is_none(),
            "PRICES",
            "is missing: DEFAULT_BUDGET or ANONYMOUS_BUDGET has credits, and refuses every create \
             whose price is unknown",
        )?;
        check(
            !self.dialect.upload.send.api_key || self.upload_mode == UploadMode::Relay,
            "UPLOAD_MODE",
            "is not relay: upload.send.api_key of UPSTREAM_DIALECT needs it, since no page may \
             have the key",
        )?;
        check(
            self.upload_mode != UploadMode::Bucket
                || self.results.is_some()
                || self.has_bucket_binding,
            "RESULTS_BUCKET_URL",
            "is missing: UPLOAD_MODE=bucket needs a bucket, or the binding UPLOADS_BUCKET of one",
        )?;
        // Otherwise a caller could choose the host of URLs that a provider loads.
        check(
            self.upload_mode != UploadMode::Bucket
                || self.results.is_some()
                || self.public_url.is_some(),
            "PUBLIC_URL",
            "is missing: UPLOADS_BUCKET needs it, since providers load files through the gateway; \
             set the address under which callers reach the gateway",
        )?;
        // The library for modules fixes the shape of an upload.
        check(
            !self.service.is_module() || self.dialect.upload == UploadDialect::default(),
            "UPSTREAM_DIALECT",
            "has settings of uploads, which a module does not take; set UPLOAD_MODE to bucket",
        )?;
        // The URL of an upload signs its length.
        check(
            self.upload_mode != UploadMode::Bucket || !self.dialect.upload.send.without_length,
            "UPSTREAM_DIALECT",
            "has upload.send.without_length, but a bucket needs the length of each file",
        )?;
        check(
            !self.input_hosts.is_any() || self.rate_limit_per_minute > 0,
            "RATE_LIMIT_PER_MINUTE",
            "is missing, or 0: INPUT_HOSTS=* needs it, since callers choose what the gateway loads",
        )?;
        if let Some(results) = &self.results {
            let own = self.public_url.as_deref().unwrap_or_default();
            check(
                !results.is_origin_of(own),
                "RESULTS_BUCKET_URL",
                "has the origin of PUBLIC_URL: a result that is a page could act as the gateway's \
                 callers; give the bucket a host of its own",
            )?;
        }
        // Otherwise a caller could choose the host of URLs in signed webhooks, which the app's
        // backend loads.
        check(
            self.webhook_urls.is_empty() || self.public_url.is_some(),
            "PUBLIC_URL",
            "is missing: WEBHOOK_URLS needs it, since webhooks have URLs of the gateway; set the \
             address under which callers reach the gateway, such as https://media.example.com",
        )?;
        check(
            self.webhook_urls.is_empty() || !self.webhook_keys.is_empty(),
            "WEBHOOK_SECRET",
            "is missing: WEBHOOK_URLS needs a key that signs what is sent there",
        )
    }

    /// Returns the beginning of the URLs that callers get. Behind a proxy with TLS, a request to
    /// the origin `requested` may seem to use http. So http is kept only if the gateway or the
    /// upstream is on this machine.
    pub fn public_origin(&self, requested: &str) -> String {
        if let Some(public_url) = &self.public_url {
            return public_url.clone();
        }
        let may_be_http = is_on_loopback(requested) || self.service.is_on_this_machine();
        match requested.strip_prefix("http://") {
            Some(authority) if !may_be_http => ["https://", authority].concat(),
            _ => requested.to_owned(),
        }
    }

    pub fn relays_uploads(&self) -> bool {
        match self.upload_mode {
            UploadMode::Direct => false,
            UploadMode::Relay => true,
            // Only a key can sign the URL of an upload.
            UploadMode::Bucket => self.results.is_none(),
        }
    }

    /// Returns true if outputs can become files: from listed hosts, or from a module, which may
    /// name an output by a path.
    pub fn moves_outputs(&self) -> bool {
        !self.output_hosts.is_empty() || self.service.is_module()
    }

    pub fn task_path(&self, group: Group) -> &str {
        match group {
            Group::Generate => &self.task_path_generate,
            Group::Process => &self.task_path_process,
        }
    }
}

fn check(is_right: bool, setting: &'static str, problem: &str) -> Result<(), SettingsError> {
    if is_right {
        Ok(())
    } else {
        wrong(setting, problem)
    }
}

/// Returns the default of `UPLOAD_HOSTS`: the upstream's host, with its port if the URL is http.
fn upload_host(base_url: &Url) -> Option<String> {
    let host = base_url.host_str()?;
    Some(match base_url.port() {
        Some(port) if base_url.scheme() == "http" && !is_loopback(host) => format!("{host}:{port}"),
        _ => host.to_owned(),
    })
}

/// The default of `UPSTREAM_TIMEOUT_MS` for a server.
const SERVER_TIMEOUT_MS: u32 = 30_000;
/// The default of `UPSTREAM_TIMEOUT_MS` for a module. Many models respond only when their picture
/// is finished, which may take a minute. A picture that comes too late is charged and lost.
const MODULE_TIMEOUT_MS: u32 = 120_000;

const fn default_timeout_ms(service: &Service) -> u32 {
    match service {
        Service::Server { .. } => SERVER_TIMEOUT_MS,
        Service::Module => MODULE_TIMEOUT_MS,
    }
}

/// Returns the tenant if `TENANT` is not set: a hash of the upstream's base URL.
fn default_tenant(base_url: &str) -> String {
    let hash = Sha256::digest(base_url.as_bytes());
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(any(test, feature = "for-tests"))]
impl Settings {
    #[expect(clippy::expect_used, reason = "tests fail by panicking")]
    pub fn for_tests(changes: &[(&str, &str)]) -> Self {
        Settings::read(|name| crate::complete::value(changes, name)).expect("complete")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn callers_get_http_for_this_machine_only() {
        let [api, emulated] = ["https://api.example.com", "http://127.0.0.1:8788"];
        let [own, phone] = ["https://media.example.com", "http://192.168.1.5:8787"];
        let local = "http://localhost:8787";
        for (upstream, public_url, requested, expected) in [
            (api, "", "http://media.example.com", own),
            (api, "", phone, "https://192.168.1.5:8787"),
            (api, "", "https://a.example:8443", "https://a.example:8443"),
            (api, "", local, local),
            (api, "", "http://127.0.0.1:8787", "http://127.0.0.1:8787"),
            (api, "", "http://[::1]:8787", "http://[::1]:8787"),
            // A phone tries a page.
            (emulated, "", phone, phone),
            (api, own, local, own),
            (emulated, own, "http://evil.example", own),
        ] {
            let changes = [("UPSTREAM_BASE_URL", upstream), ("PUBLIC_URL", public_url)];
            let settings = Settings::for_tests(&changes);
            assert_eq!(settings.public_origin(requested), expected);
        }
    }
}
