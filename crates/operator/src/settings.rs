//! The settings of the gateway, read by the gateway's own code.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use mediagate_worker::settings::{Settings, SettingsError};

/// Settings that must not be in a file.
pub const SECRETS: [&str; 7] = [
    "UPSTREAM_API_KEY",
    "SESSION_SECRET",
    "SEAL_SECRET",
    "LOG_SECRET",
    "TURNSTILE_SECRET",
    "WEBHOOK_SECRET",
    "RESULTS_SECRET_ACCESS_KEY",
];
/// A valid value for each setting that may be required. It replaces an invalid value.
const STAND_INS: [(&str, &str); 13] = [
    ("UPSTREAM_BASE_URL", "https://service.invalid"),
    ("ALLOWED_ORIGINS", "https://page.invalid"),
    ("ANONYMOUS_SCOPE", "upload"),
    ("ANONYMOUS_BUDGET", "1"),
    ("RATE_LIMIT_PER_MINUTE", "60"),
    ("UPSTREAM_API_KEY", "stand-in-stand-in-stand-in-stand-in"),
    ("SESSION_SECRET", "stand-in-stand-in-stand-in-stand-in"),
    ("SEAL_SECRET", "stand-in-stand-in-stand-in-stand-in"),
    ("WEBHOOK_SECRET", "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"),
    ("RESULTS_ACCESS_KEY_ID", "stand-in"),
    ("RESULTS_SECRET_ACCESS_KEY", "stand-in"),
    ("MCP_RESOURCE", "https://gateway.invalid/mcp"),
    ("SESSION_JWKS_URL", "https://keys.invalid"),
];

/// The result of reading settings.
pub struct Reading {
    /// The names of all settings that the gateway reads.
    pub names: BTreeSet<String>,
    /// Every setting that is missing or invalid.
    pub errors: Vec<SettingsError>,
    /// The settings, with valid values instead of invalid ones. `None` if a setting has no such
    /// value.
    pub settings: Option<Settings>,
}

/// Reads the settings of a file. Secrets are never in a file, so they count as set.
pub fn read(values: &BTreeMap<&str, String>) -> Reading {
    read_without(&SECRETS, values)
}

/// Returns every setting that is missing or invalid. `values` must have all settings, with the
/// secrets.
pub fn problems(values: &BTreeMap<&str, String>) -> Vec<SettingsError> {
    read_with_secrets(values).errors
}

/// Reads settings that include the secrets.
pub fn read_with_secrets(values: &BTreeMap<&str, String>) -> Reading {
    read_without(&[], values)
}

/// Reads settings. The gateway stops at the first error, so this replaces each invalid value by a
/// stand-in and reads again, until all errors are found. The settings in `unread` have a stand-in
/// from the start.
fn read_without(unread: &[&str], values: &BTreeMap<&str, String>) -> Reading {
    // The closure for `Settings::read` cannot change its captures.
    let names = RefCell::new(BTreeSet::new());
    let mut errors: Vec<SettingsError> = Vec::new();
    loop {
        let read = Settings::read(|name| {
            names.borrow_mut().insert(name.to_owned());
            let is_invalid = errors.iter().any(|error| error.setting == name);
            // A module needs no key.
            let is_needless = name == "UPSTREAM_API_KEY" && values.contains_key("UPSTREAM");
            if !is_invalid && (!unread.contains(&name) || is_needless) {
                return values.get(name).cloned();
            }
            let stand_in = STAND_INS.iter().find(|(setting, _)| *setting == name);
            stand_in.map(|(_, value)| (*value).to_owned())
        });
        let settings = match read {
            Ok(settings) => Some(settings),
            // The stand-in is invalid too, so reading again would find this error again.
            Err(error) if errors.iter().any(|known| known.setting == error.setting) => None,
            Err(error) => {
                errors.push(error);
                continue;
            }
        };
        return Reading {
            names: names.into_inner(),
            errors,
            settings,
        };
    }
}

/// Returns the names of all settings.
pub fn names() -> BTreeSet<String> {
    let url = "https://upstream.invalid".to_owned();
    read(&BTreeMap::from([("UPSTREAM_BASE_URL", url)])).names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_problem_is_named_once_and_no_value_is() {
        let values = [
            ("SESSION_SECRET", "canary"),
            ("UPLOAD_MODE", "sideways"),
            ("WEBHOOK_SECRET", "canary"),
        ];
        let values = values.map(|(name, value)| (name, value.to_owned()));
        let problems = problems(&BTreeMap::from(values));
        let mut named: Vec<_> = problems.iter().map(|problem| problem.setting).collect();
        named.sort_unstable();
        let expected = [
            "SEAL_SECRET",
            "SESSION_SECRET",
            "UPLOAD_MODE",
            "UPSTREAM_API_KEY",
            "UPSTREAM_BASE_URL",
            "WEBHOOK_SECRET",
        ];
        assert_eq!(named, expected);
        assert!(
            problems
                .iter()
                .all(|problem| !problem.to_string().contains("canary")),
            "{problems:?}"
        );
    }

    #[test]
    fn the_documented_settings_are_those_that_the_gateway_reads() {
        let page = include_str!("../../../docs/deploy.md");
        let table = page
            .split("\n## ")
            .find(|section| section.starts_with("Settings\n"))
            .unwrap();
        let rows = table
            .lines()
            .filter_map(|line| line.strip_prefix("| `")?.split('`').next());
        assert_eq!(rows.map(str::to_owned).collect::<BTreeSet<_>>(), names());
    }
}
