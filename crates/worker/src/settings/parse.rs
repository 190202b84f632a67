//! One reader for each type of setting.

use mediagate_dialect::{Dialect, check_status_path};
use sha2::{Digest, Sha256};
use url::Url;

use super::hosts::{ANY_HOST, Hosts};
use super::origins::{self, is_exact};
use super::token_id::is_revocable_id;
use super::url::{is_loopback, is_port, is_public, is_safe};
use super::{ExtraFields, PublicAssets, SettingsError, UploadMode};
use crate::crypto::{Secret, WebhookKey};
use crate::identity::{Budget, Scope};

/// The shortest API key. A caller could guess a shorter one, and a response that repeats all guesses would confirm one.
const MIN_API_KEY_LENGTH: usize = 16;

/// Reads settings by name. An empty setting counts as not set, except for a path, where it means off.
pub(super) struct SettingsReader<'a>(pub(super) &'a dyn Fn(&'static str) -> Option<String>);

type Read<T> = Result<T, SettingsError>;

pub(super) fn wrong<T>(setting: &'static str, problem: impl Into<String>) -> Read<T> {
    Err(SettingsError {
        setting,
        problem: problem.into(),
    })
}

impl SettingsReader<'_> {
    pub(super) fn text(&self, setting: &'static str) -> Option<String> {
        (self.0)(setting)
            .map(|it| it.trim().to_owned())
            .filter(|it| !it.is_empty())
    }

    pub(super) fn list(&self, setting: &'static str) -> Vec<String> {
        let text = self.text(setting).unwrap_or_default();
        text.split(',')
            .map(str::trim)
            .filter(|it| !it.is_empty())
            .map(str::to_owned)
            .collect()
    }

    /// Reads the upstream's API key.
    pub(super) fn api_key(&self, setting: &'static str) -> Read<Secret> {
        let Some(key) = self.text(setting) else {
            return wrong(setting, "is missing; set it with `wrangler secret put`");
        };
        if !key.bytes().all(|byte| byte.is_ascii_graphic()) {
            return wrong(setting, "holds a character that is no visible ASCII");
        }
        if key.len() < MIN_API_KEY_LENGTH {
            let remedy = "copy the whole key, or have the media service issue a longer one";
            return wrong(
                setting,
                format!("is shorter than {MIN_API_KEY_LENGTH} characters; {remedy}"),
            );
        }
        Ok(Secret::new(key))
    }

    pub(super) fn secrets(&self, setting: &'static str, min_bytes: usize) -> Read<Vec<Secret>> {
        let keys = self.list(setting);
        if keys.is_empty() {
            return wrong(
                setting,
                "is missing; set it with `wrangler secret put`, 32 random bytes or more",
            );
        }
        match keys.iter().all(|it| it.len() >= min_bytes) {
            true => Ok(keys.into_iter().map(Secret::new).collect()),
            false => wrong(
                setting,
                format!("holds a key shorter than {min_bytes} bytes"),
            ),
        }
    }

    /// https URLs on the internet; with `loopback` also those of this machine, over http too.
    pub(super) fn webhook_urls(&self, setting: &'static str, loopback: bool) -> Read<Vec<String>> {
        let urls = self.list(setting);
        let usable = |it: &String| {
            Url::parse(it).is_ok_and(|url| {
                let is_local =
                    loopback && is_safe(&url) && is_loopback(url.host_str().unwrap_or_default());
                let plain = url.username().is_empty() && url.password().is_none();
                plain && (is_local || url.scheme() == "https" && is_public(&url))
            })
        };
        match urls.iter().all(usable) {
            true => Ok(urls),
            false => wrong(
                setting,
                "holds what is no https address of the internet without credentials, such as https://www.example.com/hook (with WEBHOOK_LOOPBACK=on, as in dev, also http to this machine)",
            ),
        }
    }

    pub(super) fn webhook_keys(&self, setting: &'static str) -> Read<Vec<WebhookKey>> {
        match self
            .list(setting)
            .iter()
            .map(|it| WebhookKey::parse(it))
            .collect()
        {
            Some(keys) => Ok(keys),
            None => wrong(
                setting,
                "holds what is not `whsec_` and 24 to 64 bytes in base64",
            ),
        }
    }

    pub(super) fn number(
        &self,
        setting: &'static str,
        default: u64,
        min: u64,
        max: u64,
    ) -> Read<u64> {
        let Some(text) = self.text(setting) else {
            return Ok(default);
        };
        match text.parse() {
            Ok(number) if (min..=max).contains(&number) => Ok(number),
            _ => wrong(setting, format!("is no whole number from {min} to {max}")),
        }
    }

    pub(super) fn optional_number(&self, setting: &'static str, max: u64) -> Read<Option<u64>> {
        let Some(_) = self.text(setting) else {
            return Ok(None);
        };
        self.number(setting, 0, 0, max).map(Some)
    }

    pub(super) fn switch(&self, setting: &'static str) -> Read<bool> {
        match self.text(setting).as_deref() {
            None | Some("off" | "false" | "0") => Ok(false),
            Some("on" | "true" | "1") => Ok(true),
            Some(_) => wrong(setting, "is neither on nor off"),
        }
    }

    /// An https URL, or http to this machine: every request carries the key.
    pub(super) fn base_url(&self, setting: &'static str) -> Read<String> {
        let Some(text) = self.text(setting) else {
            return wrong(
                setting,
                "is missing; give the media service's address, such as https://api.example.com",
            );
        };
        let url = Url::parse(&text)
            .ok()
            .filter(|it| it.query().is_none() && it.fragment().is_none());
        match url {
            Some(it) if !it.username().is_empty() || it.password().is_some() => {
                wrong(setting, "holds credentials")
            }
            Some(it) if it.path().trim_end_matches('/').ends_with("/api/app/v1") => wrong(
                setting,
                "ends in /api/app/v1, which the gateway adds itself; leave that out",
            ),
            Some(it) if is_safe(&it) => Ok(it.as_str().trim_end_matches('/').to_owned()),
            _ => wrong(
                setting,
                "is no https address (http is allowed on the loopback interface only)",
            ),
        }
    }

    /// An https URL, with its query, or http to this machine.
    pub(super) fn optional_url(&self, setting: &'static str) -> Read<Option<String>> {
        let Some(text) = self.text(setting) else {
            return Ok(None);
        };
        match Url::parse(&text)
            .is_ok_and(|it| is_safe(&it) && it.username().is_empty() && it.password().is_none())
        {
            true => Ok(Some(text)),
            false => wrong(
                setting,
                "is no https address (http is allowed on the loopback interface only)",
            ),
        }
    }

    /// URLs of issuers, as [`SettingsReader::optional_url`] takes one, without a query.
    pub(super) fn issuers(&self, setting: &'static str) -> Read<Vec<String>> {
        let issuers = self.list(setting);
        let usable = |it: &String| {
            let plain = |url: &Url| {
                url.username().is_empty() && url.password().is_none() && url.query().is_none()
            };
            Url::parse(it).is_ok_and(|url| is_safe(&url) && plain(&url) && url.fragment().is_none())
        };
        match issuers.iter().all(usable) {
            true => Ok(issuers),
            false => wrong(
                setting,
                "holds what is no https address of an issuer, without credentials or a query",
            ),
        }
    }

    /// Ids of tokens (`jti`). An id that no token can have would revoke nothing.
    pub(super) fn token_ids(&self, setting: &'static str) -> Read<Vec<String>> {
        let ids = self.list(setting);
        match ids.iter().all(|it| is_revocable_id(it)) {
            true => Ok(ids),
            false => wrong(
                setting,
                "holds what is no jti of 1 to 128 visible ASCII characters; separate them by commas",
            ),
        }
    }

    /// The prefix of tools' names: characters and length that agents accept.
    pub(super) fn tool_prefix(&self, setting: &'static str, default: &str) -> Read<String> {
        let prefix = self.text(setting).unwrap_or_else(|| default.to_owned());
        let usable = |it: u8| it.is_ascii_alphanumeric() || matches!(it, b'_' | b'-' | b'.');
        match prefix.len() <= 24 && prefix.bytes().all(usable) {
            true => Ok(prefix),
            false => wrong(setting, "is not at most 24 letters, digits, _, - or ."),
        }
    }

    /// A dialect as JSON; each part that it omits is the default's.
    pub(super) fn dialect(&self, setting: &'static str) -> Read<Dialect> {
        let Some(text) = self.text(setting) else {
            return Ok(Dialect::default());
        };
        Dialect::parse(&text).or_else(|error| wrong(setting, format!("is no dialect: {error}")))
    }

    /// Names that a create may have besides the document's.
    pub(super) fn extra_fields(&self, setting: &'static str) -> Read<ExtraFields> {
        let Some(text) = self.text(setting) else {
            return Ok(ExtraFields::default());
        };
        ExtraFields::parse(&text).or_else(|problem| wrong(setting, problem))
    }

    pub(super) fn path(&self, setting: &'static str, default: &str) -> Read<String> {
        match (self.0)(setting).map(|it| it.trim().to_owned()) {
            None => Ok(default.to_owned()),
            Some(it) if it.is_empty() => Ok(it),
            Some(it)
                if it.starts_with('/')
                    && !it.starts_with("//")
                    && !it.contains(['?', '#', '\\', ' ']) =>
            {
                Ok(it)
            }
            Some(_) => wrong(setting, "is no path; begin it with one slash"),
        }
    }

    pub(super) fn task_path(&self, setting: &'static str, default: &str) -> Read<String> {
        let path = self.path(setting, default)?;
        match check_status_path(&path) {
            Ok(()) => Ok(path),
            Err(problem) => wrong(setting, problem),
        }
    }

    /// A path with `{asset_id}` in it, or an empty one.
    pub(super) fn asset_path(&self, setting: &'static str) -> Read<String> {
        let path = self.path(setting, "")?;
        match path.matches("{asset_id}").count() {
            0 if path.is_empty() => Ok(path),
            1 => Ok(path),
            _ => wrong(setting, "does not hold {asset_id} exactly once"),
        }
    }

    /// Exact origins.
    pub(super) fn origins(&self, setting: &'static str) -> Read<Vec<String>> {
        let origins = self.list(setting);
        match origins.iter().all(|it| is_exact(it)) {
            true => Ok(origins),
            false => wrong(
                setting,
                "holds what is no exact origin, such as https://www.example.com (no *, no path, no / at the end)",
            ),
        }
    }

    /// An https URL, or http of this machine: an origin, and perhaps the prefix of paths that a proxy removes.
    pub(super) fn public_url(&self, setting: &'static str) -> Read<Option<String>> {
        let Some(text) = self.text(setting) else {
            return Ok(None);
        };
        let is_plain = |url: &Url| {
            let origin = url.origin().ascii_serialization();
            let path = url.path().trim_end_matches('/');
            is_safe(url) && text == [&origin, path].concat()
        };
        match Url::parse(&text).is_ok_and(|url| is_plain(&url)) {
            true => Ok(Some(text)),
            false => wrong(
                setting,
                "is no URL such as https://media.example.com or https://www.example.com/media (no / at the end, no query; \
                 http only for this machine)",
            ),
        }
    }

    /// The origins of pages: exact ones, those of apps, or any port of this machine.
    pub(super) fn page_origins(&self, setting: &'static str) -> Read<Vec<String>> {
        let listed = self.list(setting);
        match listed
            .iter()
            .find(|origin| !origins::is_page_origin(origin))
        {
            None => Ok(listed),
            Some(other) => wrong(setting, origins::problem(other)),
        }
    }

    pub(super) fn scope(&self, setting: &'static str) -> Read<Option<String>> {
        let Some(scope) = self.text(setting) else {
            return Ok(None);
        };
        match scope.split_whitespace().all(Scope::is_word) {
            true => Ok(Some(scope)),
            false => wrong(
                setting,
                "holds a word that is no capability, generate:*, process:* or upload",
            ),
        }
    }

    /// A budget as a token's claim has it.
    pub(super) fn budget(&self, setting: &'static str) -> Read<Budget> {
        let Some(text) = self.text(setting) else {
            return Ok(Budget::default());
        };
        let budget = serde_json::from_str(&text)
            .ok()
            .and_then(|it| Budget::read(Some(&it)));
        match budget {
            Some(it) => Ok(it),
            None => wrong(
                setting,
                r#"is no budget, such as {"creates": 20, "in_flight": 2}: whole numbers for creates, generate, process, in_flight"#,
            ),
        }
    }

    pub(super) fn public_assets(&self, setting: &'static str) -> PublicAssets {
        let listed = self.list(setting);
        if listed.iter().any(|it| it == "*") {
            PublicAssets::All
        } else {
            PublicAssets::Listed(listed)
        }
    }

    pub(super) fn upload_mode(&self, setting: &'static str) -> Read<UploadMode> {
        match self.text(setting).as_deref() {
            None | Some("direct") => Ok(UploadMode::Direct),
            Some("relay") => Ok(UploadMode::Relay),
            Some(_) => wrong(setting, "is neither direct nor relay"),
        }
    }

    /// Hosts, as [`SettingsReader::hosts`] takes them, or `*` for any public site; none by default.
    pub(super) fn hosts_or_any(&self, setting: &'static str) -> Read<Hosts> {
        match self.text(setting).as_deref() {
            Some(ANY_HOST) => Ok(Hosts(vec![ANY_HOST.to_owned()])),
            _ => self.hosts(setting, None),
        }
    }

    /// Hosts, each with or without a port; by default that of a URL.
    pub(super) fn hosts(&self, setting: &'static str, default_url: Option<&str>) -> Read<Hosts> {
        let mut hosts = self.list(setting);
        if hosts.is_empty() {
            let url = default_url.and_then(|it| Url::parse(it).ok());
            hosts.extend(url.and_then(|it| it.host_str().map(str::to_owned)));
        }
        match hosts.iter().all(|it| is_host(it)) {
            true => Ok(Hosts(hosts)),
            false => wrong(
                setting,
                "holds what is no host, such as storage.example.com, localhost:8788 or *.storage.example (the star stands \
                 for one label, and two labels follow it)",
            ),
        }
    }
}

/// Whether an entry is a host, with or without a port; one that begins with a star names a parent of two labels or more.
fn is_host(entry: &str) -> bool {
    let host = entry.strip_prefix("*.").unwrap_or(entry);
    let is_narrow =
        host.len() == entry.len() || host.split('.').filter(|it| !it.is_empty()).count() >= 2;
    is_narrow && host.is_ascii() && !host.contains(['/', '*', '@', ' ']) && has_valid_port(host)
}

/// Returns whether a host has no port or a possible one. An address of IPv6 is in brackets, as in a URL.
fn has_valid_port(host: &str) -> bool {
    let after_address = host.rsplit_once(']').map_or(host, |(_, rest)| rest);
    after_address
        .split_once(':')
        .is_none_or(|(_, port)| is_port(port))
}

/// The tenant where `TENANT` is not set: a hash of the upstream's base URL.
pub(super) fn default_tenant(base_url: &str) -> String {
    Sha256::digest(base_url.as_bytes())
        .iter()
        .map(|it| format!("{it:02x}"))
        .collect()
}
