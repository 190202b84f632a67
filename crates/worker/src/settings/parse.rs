//! One reader for each form that a setting takes.

use std::net::Ipv4Addr;

use sha2::{Digest, Sha256};
use url::{Host, Url};

use super::{PublicAssets, SettingsError, UploadMode, is_scope_word};
use crate::Secret;
use crate::watch::webhooks;

/// Reads settings by name. An empty one counts as not set, but for paths, where it means off.
pub(super) struct Reader<'a>(pub(super) &'a dyn Fn(&str) -> Option<String>);

type Read<T> = Result<T, SettingsError>;

fn wrong<T>(setting: &'static str, problem: impl Into<String>) -> Read<T> {
    Err(SettingsError { setting, problem: problem.into() })
}

impl Reader<'_> {
    pub(super) fn text(&self, setting: &str) -> Option<String> {
        (self.0)(setting).map(|it| it.trim().to_owned()).filter(|it| !it.is_empty())
    }

    pub(super) fn list(&self, setting: &str) -> Vec<String> {
        let text = self.text(setting).unwrap_or_default();
        text.split(',').map(str::trim).filter(|it| !it.is_empty()).map(str::to_owned).collect()
    }

    pub(super) fn secret(&self, setting: &'static str, shortest: usize) -> Read<Secret> {
        match self.text(setting) {
            None => wrong(setting, "is missing; set it with `wrangler secret put`"),
            Some(it) if it.len() < shortest => wrong(setting, format!("is shorter than {shortest} bytes")),
            Some(it) if !it.bytes().all(|it| it.is_ascii_graphic()) => {
                wrong(setting, "holds a character that is no visible ASCII")
            }
            Some(it) => Ok(Secret::new(it)),
        }
    }

    pub(super) fn secrets(&self, setting: &'static str, shortest: usize) -> Read<Vec<Secret>> {
        let keys = self.list(setting);
        if keys.is_empty() {
            return wrong(setting, "is missing; set it with `wrangler secret put`, 32 random bytes or more");
        }
        match keys.iter().all(|it| it.len() >= shortest) {
            true => Ok(keys.into_iter().map(Secret::new).collect()),
            false => wrong(setting, format!("holds a key shorter than {shortest} bytes")),
        }
    }

    /// https addresses of the internet; with `loopback` also those of this machine, over http too.
    pub(super) fn webhook_urls(&self, setting: &'static str, loopback: bool) -> Read<Vec<String>> {
        let urls = self.list(setting);
        let usable = |it: &String| {
            Url::parse(it).is_ok_and(|url| {
                let own = loopback && is_safe(&url) && is_loopback(url.host_str().unwrap_or_default());
                let plain = url.username().is_empty() && url.password().is_none();
                plain && (own || url.scheme() == "https" && is_public(&url))
            })
        };
        match urls.iter().all(usable) {
            true => Ok(urls),
            false => wrong(setting, "holds what is no https address of the internet, without credentials"),
        }
    }

    pub(super) fn webhook_secrets(&self, setting: &'static str) -> Read<Vec<Secret>> {
        let keys: Vec<_> = self.list(setting).into_iter().map(Secret::new).collect();
        match keys.iter().all(|it| webhooks::key(it).is_some()) {
            true => Ok(keys),
            false => wrong(setting, "holds what is not `whsec_` and 24 to 64 bytes in base64"),
        }
    }

    pub(super) fn number(&self, setting: &'static str, default: u64, least: u64, most: u64) -> Read<u64> {
        let Some(text) = self.text(setting) else { return Ok(default) };
        match text.parse() {
            Ok(number) if (least..=most).contains(&number) => Ok(number),
            _ => wrong(setting, format!("is no whole number from {least} to {most}")),
        }
    }

    pub(super) fn optional_number(&self, setting: &'static str, most: u32) -> Read<Option<u32>> {
        let Some(_) = self.text(setting) else { return Ok(None) };
        self.number(setting, 0, 0, most.into()).map(|it| Some(it as u32))
    }

    pub(super) fn switch(&self, setting: &'static str) -> Read<bool> {
        match self.text(setting).as_deref() {
            None | Some("off" | "false" | "0") => Ok(false),
            Some("on" | "true" | "1") => Ok(true),
            Some(_) => wrong(setting, "is neither on nor off"),
        }
    }

    /// An http(s) address; plain http on this machine only, since the key travels with every call.
    pub(super) fn base_url(&self, setting: &'static str) -> Read<String> {
        let Some(text) = self.text(setting) else {
            return wrong(setting, "is missing; give the address of the service");
        };
        let url = Url::parse(&text).ok().filter(|it| it.query().is_none() && it.fragment().is_none());
        match url {
            Some(it) if !it.username().is_empty() || it.password().is_some() => wrong(setting, "holds credentials"),
            Some(it) if is_safe(&it) => Ok(it.as_str().trim_end_matches('/').to_owned()),
            _ => wrong(setting, "is no https address (http is allowed on the loopback interface only)"),
        }
    }

    /// An https address, query and all; plain http on this machine only.
    pub(super) fn optional_url(&self, setting: &'static str) -> Read<Option<String>> {
        let Some(text) = self.text(setting) else { return Ok(None) };
        match Url::parse(&text).is_ok_and(|it| is_safe(&it) && it.username().is_empty() && it.password().is_none()) {
            true => Ok(Some(text)),
            false => wrong(setting, "is no https address (http is allowed on the loopback interface only)"),
        }
    }

    /// Addresses as [`Reader::optional_url`] takes one.
    pub(super) fn issuers(&self, setting: &'static str) -> Read<Vec<String>> {
        let issuers = self.list(setting);
        let usable = |it: &String| {
            let plain = |url: &Url| url.username().is_empty() && url.password().is_none() && url.query().is_none();
            Url::parse(it).is_ok_and(|url| is_safe(&url) && plain(&url) && url.fragment().is_none())
        };
        match issuers.iter().all(usable) {
            true => Ok(issuers),
            false => wrong(setting, "holds what is no https address of an issuer, without credentials or a query"),
        }
    }

    /// What tools' names may begin with: the names stay within the letters and the length that agents take.
    pub(super) fn tool_prefix(&self, setting: &'static str, default: &str) -> Read<String> {
        let prefix = self.text(setting).unwrap_or_else(|| default.to_owned());
        let usable = |it: u8| it.is_ascii_alphanumeric() || matches!(it, b'_' | b'-' | b'.');
        match prefix.len() <= 24 && prefix.bytes().all(usable) {
            true => Ok(prefix),
            false => wrong(setting, "is not at most 24 letters, digits, _, - or ."),
        }
    }

    pub(super) fn path(&self, setting: &'static str, default: &str) -> Read<String> {
        match (self.0)(setting).map(|it| it.trim().to_owned()) {
            None => Ok(default.to_owned()),
            Some(it) if it.is_empty() => Ok(it),
            Some(it) if it.starts_with('/') && !it.starts_with("//") && !it.contains(['?', '#', '\\', ' ']) => Ok(it),
            Some(_) => wrong(setting, "is no path; begin it with one slash"),
        }
    }

    pub(super) fn task_path(&self, setting: &'static str, default: &str) -> Read<String> {
        let path = self.path(setting, default)?;
        match path.matches("{task_id}").count() {
            1 => Ok(path),
            _ => wrong(setting, "does not hold {task_id} exactly once"),
        }
    }

    /// Exact origins: scheme, host, and port where it is not the scheme's own.
    pub(super) fn origins(&self, setting: &'static str) -> Read<Vec<String>> {
        let origins = self.list(setting);
        let exact = |it: &String| {
            let same = |url: Url| matches!(url.scheme(), "http" | "https") && url.origin().ascii_serialization() == *it;
            // A star is a letter of a host like any other to the parser.
            !it.contains('*') && Url::parse(it).is_ok_and(same)
        };
        match origins.iter().all(exact) {
            true => Ok(origins),
            false => wrong(
                setting,
                "holds what is no exact origin, such as https://www.example.com (no *, no path, no / at the end)",
            ),
        }
    }

    pub(super) fn scope(&self, setting: &'static str) -> Read<Option<String>> {
        let Some(scope) = self.text(setting) else { return Ok(None) };
        match scope.split_whitespace().all(is_scope_word) {
            true => Ok(Some(scope)),
            false => wrong(setting, "holds a word that is no capability, generate:*, process:* or upload"),
        }
    }

    pub(super) fn public_assets(&self, setting: &str) -> PublicAssets {
        let listed = self.list(setting);
        if listed.iter().any(|it| it == "*") { PublicAssets::All } else { PublicAssets::Listed(listed) }
    }

    pub(super) fn upload_mode(&self, setting: &'static str) -> Read<UploadMode> {
        match self.text(setting).as_deref() {
            None | Some("direct") => Ok(UploadMode::Direct),
            Some("relay") => Ok(UploadMode::Relay),
            Some(_) => wrong(setting, "is neither direct nor relay"),
        }
    }

    /// Hosts, each with or without a port; by default the service's own.
    pub(super) fn upload_hosts(&self, setting: &'static str, base_url: &str) -> Read<Vec<String>> {
        let mut hosts = self.list(setting);
        if hosts.is_empty() {
            hosts.extend(Url::parse(base_url).ok().and_then(|it| it.host_str().map(str::to_owned)));
        }
        match hosts.iter().all(|it| !it.contains(['/', '*', '@', ' '])) {
            true => Ok(hosts),
            false => wrong(setting, "holds what is no host, such as storage.example.com or localhost:8788"),
        }
    }
}

/// Whether an address is https, or http on this machine.
pub(crate) fn is_safe(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    url.scheme() == "https" && !host.is_empty() || url.scheme() == "http" && is_loopback(host)
}

/// Whether an address may be of the internet: no name or number of a machine or a network of one's own. What a name
/// leads to is for the platform to bound.
fn is_public(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => {
            let name = name.trim_end_matches('.');
            name.contains('.') && ![".localhost", ".local", ".internal"].iter().any(|it| name.ends_with(it))
        }
        Some(Host::Ipv4(it)) => is_public_v4(it),
        Some(Host::Ipv6(it)) => match it.to_ipv4() {
            Some(it) => is_public_v4(it),
            // Addresses that stand for one of the older kind (NAT64, 6to4) may stand for any.
            None if matches!(it.segments(), [0x64, 0xff9b, ..] | [0x2002, ..]) => false,
            None => !(it.is_unique_local() || it.is_unicast_link_local() || it.is_multicast()),
        },
        None => false,
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [first, second, ..] = address.octets();
    let shared = first == 100 && (64..128).contains(&second) || first == 198 && (18..20).contains(&second);
    let own = address.is_private() || address.is_loopback() || address.is_link_local() || shared;
    !(own || first == 0 || first >= 224)
}

/// Whether a host is this machine.
pub(crate) fn is_loopback(host: &str) -> bool {
    matches!(host, "localhost" | "[::1]") || host.parse::<Ipv4Addr>().is_ok_and(|it| it.is_loopback())
}

/// Whether an address is one of this machine.
pub(super) fn is_on_loopback(url: &str) -> bool {
    Url::parse(url).is_ok_and(|it| is_loopback(it.host_str().unwrap_or_default()))
}

/// The path of an address that has neither query nor fragment.
pub(super) fn path_of(url: &str) -> Option<String> {
    let url = Url::parse(url).ok().filter(|it| it.query().is_none() && it.fragment().is_none())?;
    Some(url.path().to_owned())
}

/// What ids are bound to where `TENANT` is not set: the service that they belong to.
pub(super) fn tenant_of(base_url: &str) -> String {
    Sha256::digest(base_url.as_bytes()).iter().map(|it| format!("{it:02x}")).collect()
}
