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
    let of_the_worker = [main(config), date(config), files(config)]
        .into_iter()
        .flatten()
        .map(str::to_owned);
    let of_objects = OBJECTS
        .iter()
        .flat_map(|(name, class)| [binding(config, name, class), migration(config, class)])
        .flatten();
    of_the_worker
        .chain(of_objects)
        .map(Finding::Error)
        .chain(public_fetch(config))
        .collect()
}

fn main(config: &Config<'_>) -> Option<&'static str> {
    let is_set = config
        .inherited("main")
        .and_then(Value::as_str)
        .is_some_and(|path| !path.trim().is_empty());
    (!is_set).then_some(
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

/// Returns a note if the Worker cannot send requests to other Workers of its zone and account.
fn public_fetch(config: &Config<'_>) -> Option<Finding> {
    let flags = config
        .inherited("compatibility_flags")
        .and_then(Value::as_array);
    let is_set =
        flags.is_some_and(|flags| flags.iter().any(|flag| flag.as_str() == Some(PUBLIC_FETCH)));
    (!is_set).then(|| {
        Finding::Note(format!(
            "compatibility_flags lacks {PUBLIC_FETCH}, so webhooks to other Workers of the same \
             zone or account fail with 522 or 1042, and a file that is loaded from the own zone \
             bypasses its firewall; add compatibility_flags = [\"{PUBLIC_FETCH}\"]"
        ))
    })
}

/// Returns an error if files are served without running the Worker. The Worker sets their security
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
    let is_own = |binding: &Value| {
        let text = |key| binding.get(key).and_then(Value::as_str);
        text("name") == Some(name) && text("class_name") == Some(class)
    };
    let is_bound = bindings.is_some_and(|bindings| bindings.iter().any(is_own));
    (!is_bound).then(|| {
        format!(
            "the Durable Object {name} is not bound; add [[durable_objects.bindings]] \
                 with name = \"{name}\", class_name = \"{class}\""
        )
    })
}

fn migration(config: &Config<'_>, class: &str) -> Option<String> {
    let migrations = config.inherited("migrations").and_then(Value::as_array);
    let classes = migrations
        .into_iter()
        .flatten()
        .filter_map(|migration| migration.get("new_sqlite_classes")?.as_array())
        .flatten();
    let is_made = classes.into_iter().any(|made| made.as_str() == Some(class));
    (!is_made).then(|| {
        format!(
            "no migration makes the class {class}; \
                 add [[migrations]] with a tag and new_sqlite_classes = [\"{class}\"]"
        )
    })
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
            let settings = ["compatibility_date = \"", "compatibilityDate: \""];
            let dates: Vec<_> = settings
                .iter()
                .flat_map(|setting| text.split(setting).skip(1))
                .map(|rest| &rest[..10])
                .collect();
            assert!(
                !dates.is_empty() && dates.iter().all(|date| *date == MIN_DATE),
                "{dates:?}"
            );
        }
    }
}
