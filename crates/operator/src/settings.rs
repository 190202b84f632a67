//! The settings of the gateway, read by the gateway's own code.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use mediagate_settings::origins::SHARED_STAR;
use mediagate_settings::{Settings, SettingsError};

use crate::shared_hosts::is_shared;

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
/// The service binding of an upstream module, as a setting.
pub const MODULE: &str = "UPSTREAM";
/// The text of the setting `UPSTREAM` if the Worker has the binding.
pub const BOUND: &str = "binding";
/// The settings of an upstream that is a server. A module has neither.
const OF_A_SERVER: [&str; 2] = ["UPSTREAM_BASE_URL", "UPSTREAM_API_KEY"];
/// A valid value for each setting that may be required. It replaces an invalid value.
const STAND_INS: [(&str, &str); 15] = [
    (MODULE, BOUND),
    ("UPSTREAM_BASE_URL", "https://service.invalid"),
    ("ALLOWED_ORIGINS", "https://page.invalid"),
    ("ANONYMOUS_SCOPE", "upload"),
    ("ANONYMOUS_BUDGET", "1"),
    ("RATE_LIMIT_PER_MINUTE", "60"),
    ("UPSTREAM_API_KEY", "stand-in-stand-in-stand-in-stand-in"),
    ("SESSION_SECRET", "stand-in-stand-in-stand-in-stand-in"),
    ("SEAL_SECRET", "stand-in-stand-in-stand-in-stand-in"),
    ("WEBHOOK_SECRET", "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"),
    ("RESULTS_BUCKET_URL", "https://bucket.invalid/results"),
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

/// Reads settings with the address of a module that runs on its own. A module needs no key, so the
/// key counts as set.
pub fn read_without_key(values: &BTreeMap<&str, String>) -> Reading {
    read_without(&["UPSTREAM_API_KEY"], values)
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
            if !is_invalid && !unread.contains(&name) {
                return values.get(name).cloned();
            }
            if values.contains_key(MODULE) && OF_A_SERVER.contains(&name) {
                return None;
            }
            let stand_in = STAND_INS.iter().find(|(setting, _)| *setting == name);
            stand_in.map(|(_, value)| (*value).to_owned())
        });
        let settings = match read.and_then(without_shared_origins) {
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

fn without_shared_origins(settings: Settings) -> Result<Settings, SettingsError> {
    for origin in &settings.allowed_origins {
        if is_shared(origin) {
            return Err(SettingsError {
                setting: "ALLOWED_ORIGINS",
                problem: SHARED_STAR.to_owned(),
            });
        }
    }
    Ok(settings)
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
        for problem in problems {
            assert!(!problem.to_string().contains("canary"), "{problem}");
        }
    }

    #[test]
    fn a_star_that_matches_the_hosts_of_others_is_a_problem_in_a_file_too() {
        let value = "https://a.example, https://*.vercel.app".to_owned();
        let reading = read(&BTreeMap::from([("ALLOWED_ORIGINS", value)]));
        let named: Vec<_> = reading.errors.iter().map(|error| error.setting).collect();
        assert_eq!(named, ["UPSTREAM_BASE_URL", "ALLOWED_ORIGINS"]);
        assert!(reading.settings.is_some());
    }

    #[test]
    fn a_module_needs_neither_an_address_nor_a_key() {
        let secret = "stand-in-stand-in-stand-in-stand-in";
        let named = |changes: &[(&'static str, &str)]| -> Vec<_> {
            let mut values = BTreeMap::new();
            for name in ["SESSION_SECRET", "SEAL_SECRET"] {
                values.insert(name, secret.to_owned());
            }
            for (name, value) in changes {
                values.insert(name, (*value).to_owned());
            }
            let problems = problems(&values);
            problems.iter().map(|problem| problem.setting).collect()
        };
        assert_eq!(named(&[(MODULE, BOUND)]), [""; 0]);
        assert_eq!(named(&[(MODULE, "https://module.invalid")]), [MODULE]);
        let both = [
            (MODULE, BOUND),
            ("UPSTREAM_BASE_URL", "https://api.example.com"),
            ("UPSTREAM_API_KEY", secret),
            ("UPLOAD_MODE", "bucket"),
        ];
        let expected = [
            "UPSTREAM_BASE_URL",
            "UPSTREAM_API_KEY",
            "RESULTS_BUCKET_URL",
            "RESULTS_ACCESS_KEY_ID",
            "RESULTS_SECRET_ACCESS_KEY",
        ];
        assert_eq!(named(&both), expected);
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
