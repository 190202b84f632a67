use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;

use mediagate_access::crypto::Secret;
use mediagate_access::identity::{Budget, Scope, ValueLimits};
use mediagate_upstream::check_status_path;
use url::Url;

use super::SettingsError;
use super::url::{has_no_credentials, has_no_query, is_port, is_safe};

/// The text of a setting that is a binding, if the Worker has it.
pub const BOUND: &str = "binding";

/// The shortest API key. A caller could guess a shorter key, and a response that repeats all
/// guesses would confirm the right one.
const MIN_API_KEY_LENGTH: usize = 16;
const MIN_SECRET_BYTES: usize = 32;

const NO_HTTPS: &str = "is not an https address; give one such as https://api.example.com (http \
    only for this machine and private networks)";

/// Reads settings by name. An empty setting counts as not set, except for a path: an empty path
/// disables a feature.
pub(super) struct SettingsReader<'a>(pub(super) &'a dyn Fn(&'static str) -> Option<String>);

pub(super) type Read<T> = Result<T, SettingsError>;

/// Returns an error. `problem` is the rest of a sentence about the setting.
pub(super) fn wrong<T>(setting: &'static str, problem: impl Into<String>) -> Read<T> {
    Err(SettingsError {
        setting,
        problem: problem.into(),
    })
}

pub(super) fn required<T>(setting: &'static str, value: Option<T>, problem: &str) -> Read<T> {
    match value {
        Some(value) => Ok(value),
        None => wrong(setting, problem),
    }
}

impl SettingsReader<'_> {
    /// Removes spaces around the text.
    pub(super) fn text(&self, setting: &'static str) -> Option<String> {
        let text = (self.0)(setting)?;
        let text = text.trim();
        (!text.is_empty()).then(|| text.to_owned())
    }

    pub(super) fn list(&self, setting: &'static str) -> Vec<String> {
        let text = self.text(setting).unwrap_or_default();
        let mut entries: Vec<String> = text.split(',').map(|entry| entry.trim().into()).collect();
        entries.retain(|entry| !entry.is_empty());
        entries
    }

    /// Parses a text. Returns `None` if it is not set. The error of `parse` is the problem.
    pub(super) fn parsed<T, E: Into<String>>(
        &self,
        setting: &'static str,
        parse: impl Fn(&str) -> Result<T, E>,
    ) -> Read<Option<T>> {
        let Some(text) = self.text(setting) else {
            return Ok(None);
        };
        match parse(&text) {
            Ok(value) => Ok(Some(value)),
            Err(problem) => wrong(setting, problem),
        }
    }

    /// Parses texts that are separated by commas. The error of `parse` is the problem.
    pub(super) fn parsed_list<T, E: Into<String>>(
        &self,
        setting: &'static str,
        parse: impl Fn(&str) -> Result<T, E>,
    ) -> Read<Vec<T>> {
        let mut parsed = Vec::new();
        for entry in self.list(setting) {
            match parse(&entry) {
                Ok(value) => parsed.push(value),
                Err(problem) => return wrong(setting, problem),
            }
        }
        Ok(parsed)
    }

    pub(super) fn number<T: FromStr + PartialOrd + Display>(
        &self,
        setting: &'static str,
        default: T,
        range: RangeInclusive<T>,
    ) -> Read<T> {
        let number = self.optional_number(setting, range)?;
        Ok(number.unwrap_or(default))
    }

    /// Reads a whole number. Returns `None` if it is not set.
    pub(super) fn optional_number<T: FromStr + PartialOrd + Display>(
        &self,
        setting: &'static str,
        range: RangeInclusive<T>,
    ) -> Read<Option<T>> {
        self.parsed(setting, |text| match text.parse() {
            Ok(number) if range.contains(&number) => Ok(number),
            _ => {
                let (min, max) = (range.start(), range.end());
                Err(format!("is not a whole number from {min} to {max}"))
            }
        })
    }

    /// Reads a switch, which is off by default.
    pub(super) fn switch(&self, setting: &'static str) -> Read<bool> {
        let switch = self.parsed(setting, |text| match text {
            "off" | "false" | "0" => Ok(false),
            "on" | "true" | "1" => Ok(true),
            _ => Err("is neither on nor off"),
        });
        switch.map(Option::unwrap_or_default)
    }

    /// Returns true if the Worker has the binding. A text in its place is the problem.
    pub(super) fn binding(&self, setting: &'static str, problem: &'static str) -> Read<bool> {
        let bound = self.parsed(setting, |text| match text {
            BOUND => Ok(true),
            _ => Err(problem),
        });
        bound.map(Option::unwrap_or_default)
    }

    /// Reads keys that are separated by commas. At least one must be set.
    pub(super) fn secrets(&self, setting: &'static str) -> Read<Vec<Secret>> {
        let keys = self.parsed_list(setting, secret)?;
        if keys.is_empty() {
            let missing = "is missing; set it with `wrangler secret put`, 32 random bytes or more";
            return wrong(setting, missing);
        }
        Ok(keys)
    }

    /// Reads a path. An empty text switches it off.
    pub(super) fn path(
        &self,
        setting: &'static str,
        default: Option<&str>,
    ) -> Read<Option<String>> {
        let Some(text) = (self.0)(setting) else {
            return Ok(default.map(str::to_owned));
        };
        let path = text.trim();
        let is_path = path.starts_with('/')
            && !path.starts_with("//")
            && !path.contains(['?', '#', '\\', ' ']);
        match path {
            "" => Ok(None),
            _ if is_path => Ok(Some(path.to_owned())),
            _ => wrong(setting, "is not a path; begin it with one slash"),
        }
    }

    pub(super) fn task_path(&self, setting: &'static str, default: &str) -> Read<String> {
        // Tasks can always be read: a path that is switched off is refused, since it has no
        // `{task_id}`.
        let path = self.path(setting, Some(default))?.unwrap_or_default();
        check_status_path(&path).or_else(|problem| wrong(setting, problem))?;
        Ok(path)
    }

    /// Reads a path with `{asset_id}` in it, which is off by default.
    pub(super) fn asset_path(&self, setting: &'static str) -> Read<Option<String>> {
        let path = self.path(setting, None)?;
        match &path {
            Some(path) if path.matches("{asset_id}").count() != 1 => wrong(
                setting,
                "does not have {asset_id} exactly once; give a path such as /assets/{asset_id}",
            ),
            _ => Ok(path),
        }
    }
}

pub(super) fn valid(
    text: &str,
    is_valid: bool,
    problem: &'static str,
) -> Result<String, &'static str> {
    if is_valid {
        Ok(text.to_owned())
    } else {
        Err(problem)
    }
}

pub(super) fn secret(key: &str) -> Result<Secret, String> {
    match key.len() {
        MIN_SECRET_BYTES.. => Ok(Secret::new(key)),
        _ => Err(format!("has a key shorter than {MIN_SECRET_BYTES} bytes")),
    }
}

pub(super) fn api_key(key: &str) -> Result<Secret, String> {
    if !key.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err("has a character that is not visible ASCII; copy only the key".into());
    }
    if key.len() < MIN_API_KEY_LENGTH {
        let remedy = "copy the whole key, or have the media service issue a longer one";
        return Err(format!(
            "is shorter than {MIN_API_KEY_LENGTH} characters; {remedy}"
        ));
    }
    Ok(Secret::new(key))
}

/// Parses a URL: https, or http of this machine or a private network. Every request to it carries
/// the key, so nobody on the internet may read it.
pub(super) fn base_url(text: &str) -> Result<String, &'static str> {
    match Url::parse(text).ok().filter(has_no_query) {
        Some(url) if !has_no_credentials(&url) => Err("has a user or a password; leave them out"),
        Some(url) if url.path().trim_end_matches('/').ends_with("/api/app/v1") => {
            Err("ends in /api/app/v1, which the gateway adds itself; leave that out")
        }
        Some(url) if is_safe(&url) => Ok(url.as_str().trim_end_matches('/').to_owned()),
        _ => Err(NO_HTTPS),
    }
}

/// Parses a URL with its query: https, or http of this machine or a private network.
pub(super) fn safe_url(text: &str) -> Result<String, &'static str> {
    match Url::parse(text) {
        Ok(url) if is_safe(&url) && has_no_credentials(&url) => Ok(text.to_owned()),
        _ => Err(NO_HTTPS),
    }
}

/// Parses a URL: https, or http of this machine or a private network. It is an origin, which may be
/// followed by the path that a proxy removes.
pub(super) fn public_url(text: &str) -> Result<String, &'static str> {
    let problem = "is not the gateway's URL; give one such as https://media.example.com or \
        https://www.example.com/media (no / at the end, no query; http only for this machine \
        and private networks)";
    match Url::parse(text) {
        Ok(url) if is_safe(&url) && text == without_slash(&url) => Ok(text.to_owned()),
        _ => Err(problem),
    }
}

/// Returns the origin and the path, without a slash at the end.
fn without_slash(url: &Url) -> String {
    let origin = url.origin().ascii_serialization();
    origin + url.path().trim_end_matches('/')
}

/// Parses a URL: https, or http of this machine or a private network.
pub(super) fn webhook_url(text: &str) -> Result<String, &'static str> {
    safe_url(text).or(Err(
        "has an entry that is not an https address; give one such as https://www.example.com/hook, \
         without credentials (http only for this machine and private networks)",
    ))
}

pub(super) fn scope(text: &str) -> Result<String, &'static str> {
    let problem =
        "has a word that is not a scope; give capabilities, generate:*, process:* or upload";
    valid(text, text.split_whitespace().all(Scope::is_word), problem)
}

/// Parses a budget in the form of a token's claim.
pub(super) fn budget(text: &str) -> Result<Budget, &'static str> {
    let claim = serde_json::from_str(text).ok();
    claim.and_then(|claim| Budget::read(Some(&claim))).ok_or(
        "is not a budget; give whole numbers for creates, generate, process or in_flight, and a \
         number for credits, such as {\"creates\": 20, \"credits\": 200}",
    )
}

/// Parses limits on values in the form of a token's claim.
pub(super) fn limits(text: &str) -> Result<ValueLimits, &'static str> {
    let claim = serde_json::from_str(text).ok();
    claim
        .and_then(|claim| ValueLimits::read(Some(&claim)))
        .ok_or(
            "is not a set of limits; give lists of texts for models or clarities, and whole \
             numbers for max_seconds, max_pixels or max_prompt_chars, such as \
             {\"max_seconds\": 5, \"clarities\": [\"720P\"]}",
        )
}

/// Parses a host, with or without a port.
pub(super) fn host(entry: &str) -> Result<String, &'static str> {
    let host = entry.strip_prefix("*.").unwrap_or(entry);
    let labels = host.split('.').filter(|label| !label.is_empty());
    // A star before one label would allow the hosts of a whole top-level domain.
    let is_narrow = host.len() == entry.len() || labels.count() >= 2;
    let is_plain = host.is_ascii() && !host.contains(['/', '*', '@', ' ']);
    // An IPv6 address is in brackets, as in a URL.
    let (_, after_address) = host.rsplit_once(']').unwrap_or(("", host));
    let has_valid_port = match after_address.split_once(':') {
        Some((_, port)) => is_port(port),
        None => true,
    };
    valid(
        entry,
        is_narrow && is_plain && has_valid_port,
        "has an entry that is not a host; give hosts such as cdn.example.com, localhost:8788 or \
         *.storage.example (the star stands for one label, and two labels follow it)",
    )
}
