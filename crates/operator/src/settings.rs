//! The settings of the gateway, as its own code reads them.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use mediagate_worker::settings::{Settings, SettingsError};

/// Settings that must not be in a file.
pub const SECRETS: [&str; 6] = [
    "UPSTREAM_API_KEY",
    "SESSION_SECRET",
    "SEAL_SECRET",
    "TURNSTILE_SECRET",
    "WEBHOOK_SECRET",
    "RESULTS_SECRET_ACCESS_KEY",
];
/// A valid value for each required setting, in place of an invalid one.
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

/// What the settings of a file are: the names of all settings that the gateway reads, the errors, and the settings if they
/// can be read at all. Secrets, which are in no file, count as set.
pub fn read(
    values: &BTreeMap<&str, String>,
) -> (BTreeSet<String>, Vec<SettingsError>, Option<Settings>) {
    read_without(&SECRETS, values)
}

/// Every setting that is missing or wrong, where these are all settings, with the secrets.
pub fn problems(values: &BTreeMap<&str, String>) -> Vec<SettingsError> {
    read_without(&[], values).1
}

/// Reads the settings repeatedly, each time with a stand-in for the one that was invalid, until every error is known. These
/// `unread` ones have a stand-in from the start.
fn read_without(
    unread: &[&str],
    values: &BTreeMap<&str, String>,
) -> (BTreeSet<String>, Vec<SettingsError>, Option<Settings>) {
    let known = RefCell::new(BTreeSet::new());
    let mut errors: Vec<SettingsError> = Vec::new();
    loop {
        let read = Settings::read(|name| {
            known.borrow_mut().insert(name.to_owned());
            let stand_in = || {
                STAND_INS
                    .iter()
                    .find(|it| it.0 == name)
                    .map(|it| it.1.to_owned())
            };
            match errors.iter().any(|it| it.setting == name) || unread.contains(&name) {
                true => stand_in(),
                false => values.get(name).cloned(),
            }
        });
        match read {
            Ok(settings) => return (known.into_inner(), errors, Some(settings)),
            Err(error) if errors.iter().any(|it| it.setting == error.setting) => {
                return (known.into_inner(), errors, None);
            }
            Err(error) => errors.push(error),
        }
    }
}

/// The names of all settings.
pub fn names() -> BTreeSet<String> {
    read(&BTreeMap::from([(
        "UPSTREAM_BASE_URL",
        "https://upstream.invalid".to_owned(),
    )]))
    .0
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
        let mut named: Vec<_> = problems.iter().map(|it| it.setting).collect();
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
            problems.iter().all(|it| !it.to_string().contains("canary")),
            "{problems:?}"
        );
    }

    #[test]
    fn the_documented_settings_are_those_that_the_gateway_reads() {
        let page = include_str!("../../../docs/deploy.md");
        let table = page
            .split("\n## ")
            .find(|it| it.starts_with("Settings\n"))
            .unwrap();
        let rows = table
            .lines()
            .filter_map(|it| it.strip_prefix("| `")?.split('`').next());
        assert_eq!(rows.map(str::to_owned).collect::<BTreeSet<_>>(), names());
    }
}
