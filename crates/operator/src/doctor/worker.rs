//! Checks the Worker's part of the configuration: its code, its files, its Durable Objects.

use toml::Value;

use super::config::Config;
use super::finding::Finding;

/// The earliest compatibility date that the gateway is tested with.
const MIN_DATE: &str = "2026-04-01";

/// The compatibility flag that lets requests reach other Workers of the zone and the account.
const PUBLIC_FETCH: &str = "global_fetch_strictly_public";

/// The Durable Objects: the name of each binding, and its class.
const OBJECTS: [(&str, &str); 5] = [
    ("LEDGER", "Ledger"),
    ("WATCHER", "Watcher"),
    ("DURATIONS", "Durations"),
    ("TRANSFER", "Transfer"),
    ("PIPELINE", "Pipeline"),
];

pub(super) fn check(config: &Config<'_>) -> Vec<Finding> {
    let mut errors = Vec::new();
    for error in [main(config), date(config), files(config)] {
        errors.extend(error.map(str::to_owned));
    }
    for (name, class) in OBJECTS {
        errors.extend(binding(config, name, class));
        errors.extend(migration(config, class));
    }
    let mut findings: Vec<Finding> = errors.into_iter().map(Finding::Error).collect();
    findings.extend(public_fetch(config));
    findings
}

fn main(config: &Config<'_>) -> Option<&'static str> {
    let path = config.inherited("main").and_then(Value::as_str);
    if !path.unwrap_or_default().trim().is_empty() {
        return None;
    }
    Some(
        "main is missing; set it to \"node_modules/mediagate-gateway/dist/worker/index.js\", \
         or in a checkout to \"crates/entry/build/index.js\", which `cargo xtask build` makes",
    )
}

fn date(config: &Config<'_>) -> Option<&'static str> {
    let date = match config.inherited("compatibility_date") {
        Some(Value::String(date)) => date.clone(),
        Some(Value::Datetime(date)) => date.to_string(),
        _ => {
            return Some(
                "compatibility_date is missing; \
                 set it to \"2026-04-01\", which the gateway is tested with",
            );
        }
    };
    // Strings of this form compare as dates.
    (date.as_str() < MIN_DATE).then_some(
        "compatibility_date is older than the date that the gateway is tested with; \
                 set it to \"2026-04-01\"",
    )
}

fn public_fetch(config: &Config<'_>) -> Option<Finding> {
    let flags = config
        .inherited("compatibility_flags")
        .and_then(Value::as_array);
    for flag in flags.into_iter().flatten() {
        if flag.as_str() == Some(PUBLIC_FETCH) {
            return None;
        }
    }
    Some(Finding::Note(format!(
        "compatibility_flags lacks {PUBLIC_FETCH}, so webhooks to other Workers of the same \
         zone or account fail with 522 or 1042, and a file that is loaded from the own zone \
         bypasses its firewall; add compatibility_flags = [\"{PUBLIC_FETCH}\"]"
    )))
}

/// headers.
fn files(config: &Config<'_>) -> Option<&'static str> {
    // A gateway without a playground has no files.
    let assets = config.inherited("assets")?.as_table()?;
    if assets.get("run_worker_first") != Some(&Value::Boolean(true)) {
        return Some(
            "assets.run_worker_first is not true, so files would have no security headers; \
             set it to true",
        );
    }
    let is_bound = assets.get("binding").and_then(Value::as_str) == Some("ASSETS");
    (!is_bound).then_some(
        "assets.binding is not \"ASSETS\", so the gateway finds no files; set it to \"ASSETS\"",
    )
}

fn binding(config: &Config<'_>, name: &str, class: &str) -> Option<String> {
    // wrangler does not pass bindings on to environments.
    let bindings = config
        .own("durable_objects")
        .and_then(|objects| objects.get("bindings"))
        .and_then(Value::as_array);
    for binding in bindings.into_iter().flatten() {
        if has_text(binding, "name", name) && has_text(binding, "class_name", class) {
            return None;
        }
    }
    Some(format!(
        "the Durable Object {name} is not bound; add [[durable_objects.bindings]] \
         with name = \"{name}\", class_name = \"{class}\""
    ))
}

fn has_text(binding: &Value, key: &str, text: &str) -> bool {
    binding.get(key).and_then(Value::as_str) == Some(text)
}

fn migration(config: &Config<'_>, class: &str) -> Option<String> {
    let migrations = config.inherited("migrations").and_then(Value::as_array);
    for migration in migrations.into_iter().flatten() {
        let classes = migration.get("new_sqlite_classes");
        let mut classes = classes.and_then(Value::as_array).into_iter().flatten();
        if classes.any(|made| made.as_str() == Some(class)) {
            return None;
        }
    }
    Some(format!(
        "no migration makes the class {class}; \
         add [[migrations]] with a tag and new_sqlite_classes = [\"{class}\"]"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_configuration_and_every_test_has_that_date() {
        for text in [
            include_str!("../../../../wrangler.toml"),
            include_str!("../../../../examples/embedded-gateway/wrangler.toml"),
            include_str!("../../../../tests/packaging/fixtures/workerd/wrangler.toml"),
            include_str!("../../../../tests/packaging/workerd.test.mjs"),
            include_str!("../../../../tests/support/gateway.mjs"),
        ] {
            let text = text.replace("compatibilityDate: ", "compatibility_date = ");
            let mut dates = text.split("compatibility_date = \"").skip(1).peekable();
            assert!(dates.peek().is_some());
            for date in dates {
                assert!(date.starts_with(MIN_DATE), "{date}");
            }
        }
    }
}
