//! Readers of the types of settings.

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

/// The minimum length of an API key. A caller could guess a shorter key, and a response that
/// repeats all guesses would confirm the right one.
const MIN_API_KEY_LENGTH: usize = 16;

/// Reads settings by name. An empty setting counts as not set, except for a path: an empty path
/// disables a feature.
pub(super) struct SettingsReader<'a>(pub(super) &'a dyn Fn(&'static str) -> Option<String>);

type Read<T> = Result<T, SettingsError>;

/// Returns an error of a setting. `problem` is the rest of a sentence about it.
pub(super) fn wrong<T>(setting: &'static str, problem: impl Into<String>) -> Read<T> {
    Err(SettingsError {
        setting,
        problem: problem.into(),
    })
}

impl SettingsReader<'_> {
    /// Reads a text without spaces around it. Returns `None` if it is empty or not set.
    pub(super) fn text(&self, setting: &'static str) -> Option<String> {
        (self.0)(setting)
            .map(|text| text.trim().to_owned())
            .filter(|text| !text.is_empty())
    }

    /// Reads texts that are separated by commas.
    pub(super) fn list(&self, setting: &'static str) -> Vec<String> {
        let text = self.text(setting).unwrap_or_default();
        text.split(',')
            .map(str::trim)
            .filter(|entry| !entry.is_empty())
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

    /// Reads keys that are separated by commas. At least one must be set.
    pub(super) fn secrets(&self, setting: &'static str, min_bytes: usize) -> Read<Vec<Secret>> {
        let keys = self.list(setting);
        if keys.is_empty() {
            return wrong(
                setting,
                "is missing; set it with `wrangler secret put`, 32 random bytes or more",
            );
        }
        if keys.iter().all(|key| key.len() >= min_bytes) {
            Ok(keys.into_iter().map(Secret::new).collect())
        } else {
            wrong(
                setting,
                format!("holds a key shorter than {min_bytes} bytes"),
            )
        }
    }

    /// Reads https URLs on the internet. With `loopback` also takes URLs of this machine, over http
    /// too.
    pub(super) fn webhook_urls(&self, setting: &'static str, loopback: bool) -> Read<Vec<String>> {
        let urls = self.list(setting);
        let usable = |text: &String| {
            Url::parse(text).is_ok_and(|url| {
                let is_local =
                    loopback && is_safe(&url) && is_loopback(url.host_str().unwrap_or_default());
                // No webhook may reach a host of the operator's own network.
                let plain = url.username().is_empty() && url.password().is_none();
                plain && (is_local || url.scheme() == "https" && is_public(&url))
            })
        };
        if urls.iter().all(usable) {
            Ok(urls)
        } else {
            wrong(
                setting,
                "holds what is no https address of the internet without credentials, such as \
                 https://www.example.com/hook (with WEBHOOK_LOOPBACK=on, as in dev, also http to \
                 this machine)",
            )
        }
    }

    /// Reads keys that sign webhooks. There may be none.
    pub(super) fn webhook_keys(&self, setting: &'static str) -> Read<Vec<WebhookKey>> {
        match self
            .list(setting)
            .iter()
            .map(|key| WebhookKey::parse(key))
            .collect()
        {
            Some(keys) => Ok(keys),
            None => wrong(
                setting,
                "holds what is not `whsec_` and 24 to 64 bytes in base64",
            ),
        }
    }

    /// Reads a whole number from `min` to `max`.
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

    /// Reads a whole number up to `max`. Returns `None` if it is not set.
    pub(super) fn optional_number(&self, setting: &'static str, max: u64) -> Read<Option<u64>> {
        let Some(_) = self.text(setting) else {
            return Ok(None);
        };
        self.number(setting, 0, 0, max).map(Some)
    }

    /// Reads a switch, which is off by default.
    pub(super) fn switch(&self, setting: &'static str) -> Read<bool> {
        match self.text(setting).as_deref() {
            None | Some("off" | "false" | "0") => Ok(false),
            Some("on" | "true" | "1") => Ok(true),
            Some(_) => wrong(setting, "is neither on nor off"),
        }
    }

    /// Reads an https URL, or an http URL of this machine. Every request to it carries the key, so
    /// a network must not be able to read it.
    pub(super) fn base_url(&self, setting: &'static str) -> Read<String> {
        let Some(text) = self.text(setting) else {
            return wrong(
                setting,
                "is missing; give the media service's address, such as https://api.example.com",
            );
        };
        let url = Url::parse(&text)
            .ok()
            .filter(|url| url.query().is_none() && url.fragment().is_none());
        match url {
            Some(url) if !url.username().is_empty() || url.password().is_some() => {
                wrong(setting, "holds credentials")
            }
            Some(url) if url.path().trim_end_matches('/').ends_with("/api/app/v1") => wrong(
                setting,
                "ends in /api/app/v1, which the gateway adds itself; leave that out",
            ),
            Some(url) if is_safe(&url) => Ok(url.as_str().trim_end_matches('/').to_owned()),
            _ => wrong(
                setting,
                "is no https address (http is allowed on the loopback interface only)",
            ),
        }
    }

    /// Reads an https URL with its query, or an http URL of this machine.
    pub(super) fn optional_url(&self, setting: &'static str) -> Read<Option<String>> {
        let Some(text) = self.text(setting) else {
            return Ok(None);
        };
        if Url::parse(&text)
            .is_ok_and(|url| is_safe(&url) && url.username().is_empty() && url.password().is_none())
        {
            Ok(Some(text))
        } else {
            wrong(
                setting,
                "is no https address (http is allowed on the loopback interface only)",
            )
        }
    }

    /// Reads URLs of issuers, which are like those of [`SettingsReader::optional_url`] without a
    /// query.
    pub(super) fn issuers(&self, setting: &'static str) -> Read<Vec<String>> {
        let issuers = self.list(setting);
        let usable = |text: &String| {
            let plain = |url: &Url| {
                url.username().is_empty()
                    && url.password().is_none()
                    && url.query().is_none()
                    && url.fragment().is_none()
            };
            Url::parse(text).is_ok_and(|url| is_safe(&url) && plain(&url))
        };
        if issuers.iter().all(usable) {
            Ok(issuers)
        } else {
            wrong(
                setting,
                "holds what is no https address of an issuer, without credentials or a query",
            )
        }
    }

    /// Reads ids of tokens (`jti`). Refuses an id that no token can have: the entry would revoke
    /// nothing, and the operator would not notice.
    pub(super) fn token_ids(&self, setting: &'static str) -> Read<Vec<String>> {
        let ids = self.list(setting);
        if ids.iter().all(|id| is_revocable_id(id)) {
            Ok(ids)
        } else {
            wrong(
                setting,
                "holds what is no jti of 1 to 128 visible ASCII characters; separate them by \
                 commas",
            )
        }
    }

    /// Reads the prefix of tools' names. Agents accept only names of certain characters and
    /// lengths.
    pub(super) fn tool_prefix(&self, setting: &'static str, default: &str) -> Read<String> {
        let prefix = self.text(setting).unwrap_or_else(|| default.to_owned());
        let usable = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
        if prefix.len() <= 24 && prefix.bytes().all(usable) {
            Ok(prefix)
        } else {
            wrong(setting, "is not at most 24 letters, digits, _, - or .")
        }
    }

    /// Reads a dialect as JSON. Parts that the JSON omits are taken from the default dialect.
    pub(super) fn dialect(&self, setting: &'static str) -> Read<Dialect> {
        let Some(text) = self.text(setting) else {
            return Ok(Dialect::default());
        };
        Dialect::parse(&text).or_else(|error| wrong(setting, format!("is no dialect: {error}")))
    }

    /// Reads the names of fields that a create may have in addition to the document's.
    pub(super) fn extra_fields(&self, setting: &'static str) -> Read<ExtraFields> {
        let Some(text) = self.text(setting) else {
            return Ok(ExtraFields::default());
        };
        ExtraFields::parse(&text).or_else(|problem| wrong(setting, problem))
    }

    /// Reads a path. An empty text switches it off.
    pub(super) fn path(
        &self,
        setting: &'static str,
        default: Option<&str>,
    ) -> Read<Option<String>> {
        match (self.0)(setting).map(|text| text.trim().to_owned()) {
            None => Ok(default.map(str::to_owned)),
            Some(path) if path.is_empty() => Ok(None),
            Some(path)
                if path.starts_with('/')
                    && !path.starts_with("//")
                    && !path.contains(['?', '#', '\\', ' ']) =>
            {
                Ok(Some(path))
            }
            Some(_) => wrong(setting, "is no path; begin it with one slash"),
        }
    }

    /// Reads the path of a task's status.
    pub(super) fn task_path(&self, setting: &'static str, default: &str) -> Read<String> {
        // Tasks can always be read: a path that is switched off is refused, since it has no
        // `{task_id}`.
        let path = self.path(setting, Some(default))?.unwrap_or_default();
        match check_status_path(&path) {
            Ok(()) => Ok(path),
            Err(problem) => wrong(setting, problem),
        }
    }

    /// Reads a path with `{asset_id}` in it, which is off by default.
    pub(super) fn asset_path(&self, setting: &'static str) -> Read<Option<String>> {
        let path = self.path(setting, None)?;
        match &path {
            Some(path) if path.matches("{asset_id}").count() != 1 => {
                wrong(setting, "does not hold {asset_id} exactly once")
            }
            _ => Ok(path),
        }
    }

    /// Reads exact origins.
    pub(super) fn origins(&self, setting: &'static str) -> Read<Vec<String>> {
        let origins = self.list(setting);
        if origins.iter().all(|origin| is_exact(origin)) {
            Ok(origins)
        } else {
            wrong(
                setting,
                "holds what is no exact origin, such as https://www.example.com (no *, no path, no \
                 / at the end)",
            )
        }
    }

    /// Reads an https URL, or an http URL of this machine. It is an origin, which may be followed
    /// by the path that a proxy removes.
    pub(super) fn public_url(&self, setting: &'static str) -> Read<Option<String>> {
        let Some(text) = self.text(setting) else {
            return Ok(None);
        };
        let is_plain = |url: &Url| {
            let origin = url.origin().ascii_serialization();
            let path = url.path().trim_end_matches('/');
            is_safe(url) && text == [&origin, path].concat()
        };
        if Url::parse(&text).is_ok_and(|url| is_plain(&url)) {
            Ok(Some(text))
        } else {
            wrong(
                setting,
                "is no URL such as https://media.example.com or https://www.example.com/media (no \
                 / at the end, no query; http only for this machine)",
            )
        }
    }

    /// Reads the origins of pages: exact origins, the origins of apps, any port of this machine, or
    /// patterns for preview deployments.
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

    /// Reads a scope. Returns `None` if it is not set.
    pub(super) fn scope(&self, setting: &'static str) -> Read<Option<String>> {
        let Some(scope) = self.text(setting) else {
            return Ok(None);
        };
        if scope.split_whitespace().all(Scope::is_word) {
            Ok(Some(scope))
        } else {
            wrong(
                setting,
                "holds a word that is no capability, generate:*, process:* or upload",
            )
        }
    }

    /// Reads a budget in the form of a token's claim.
    pub(super) fn budget(&self, setting: &'static str) -> Read<Budget> {
        let Some(text) = self.text(setting) else {
            return Ok(Budget::default());
        };
        let budget = serde_json::from_str(&text).ok();
        let budget = budget.and_then(|budget| Budget::read(Some(&budget)));
        match budget {
            Some(budget) => Ok(budget),
            None => wrong(
                setting,
                "is no budget, such as {\"creates\": 20, \"in_flight\": 2}: whole numbers for \
                 creates, generate, process, in_flight",
            ),
        }
    }

    /// Reads the ids of assets, or `*` for all assets.
    pub(super) fn public_assets(&self, setting: &'static str) -> PublicAssets {
        let listed = self.list(setting);
        if listed.iter().any(|id| id == "*") {
            PublicAssets::All
        } else {
            PublicAssets::Listed(listed)
        }
    }

    /// Reads an upload mode, which is `direct` by default.
    pub(super) fn upload_mode(&self, setting: &'static str) -> Read<UploadMode> {
        match self.text(setting).as_deref() {
            None | Some("direct") => Ok(UploadMode::Direct),
            Some("relay") => Ok(UploadMode::Relay),
            Some(_) => wrong(setting, "is neither direct nor relay"),
        }
    }

    /// Reads hosts like [`SettingsReader::hosts`], or `*` for any public site. There are none by
    /// default.
    pub(super) fn hosts_or_any(&self, setting: &'static str) -> Read<Hosts> {
        match self.text(setting).as_deref() {
            Some(ANY_HOST) => Ok(Hosts(vec![ANY_HOST.to_owned()])),
            _ => self.hosts(setting, None),
        }
    }

    /// Reads hosts, each with or without a port. The default is the host of a URL.
    pub(super) fn hosts(&self, setting: &'static str, default_url: Option<&str>) -> Read<Hosts> {
        let mut hosts = self.list(setting);
        if hosts.is_empty() {
            let url = default_url.and_then(|url| Url::parse(url).ok());
            hosts.extend(url.and_then(|url| url.host_str().map(str::to_owned)));
        }
        if hosts.iter().all(|host| is_host(host)) {
            Ok(Hosts(hosts))
        } else {
            wrong(
                setting,
                "holds what is no host, such as storage.example.com, localhost:8788 or \
                 *.storage.example (the star stands for one label, and two labels follow it)",
            )
        }
    }
}

/// Returns true if an entry is a host, with or without a port. After a star there are at least two
/// labels.
fn is_host(entry: &str) -> bool {
    let host = entry.strip_prefix("*.").unwrap_or(entry);
    let labels = host.split('.').filter(|label| !label.is_empty());
    // A star before one label would allow the hosts of a whole top-level domain.
    let is_narrow = host.len() == entry.len() || labels.count() >= 2;
    is_narrow && host.is_ascii() && !host.contains(['/', '*', '@', ' ']) && has_valid_port(host)
}

/// Returns true if a host has a valid port or none. An IPv6 address is in brackets, as in a URL.
fn has_valid_port(host: &str) -> bool {
    let after_address = host.rsplit_once(']').map_or(host, |(_, rest)| rest);
    after_address
        .split_once(':')
        .is_none_or(|(_, port)| is_port(port))
}

/// Returns the tenant if `TENANT` is not set: a hash of the upstream's base URL.
pub(super) fn default_tenant(base_url: &str) -> String {
    Sha256::digest(base_url.as_bytes())
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}
