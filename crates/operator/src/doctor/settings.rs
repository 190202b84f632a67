//! The settings under `[vars]`, checked by the gateway's own code.

use std::collections::{BTreeMap, BTreeSet};

use mediagate_worker::identity::Budget;
use mediagate_worker::settings::{PublicAssets, Settings, TABLES};
use toml::Value;

use super::config::Config;
use super::finding::Finding;
use crate::settings::{SECRETS, read};

pub(super) fn check(config: &Config<'_>) -> Vec<Finding> {
    let vars = config.own("vars").and_then(Value::as_table);
    let mut findings = Vec::new();
    let mut values = BTreeMap::new();
    for (name, value) in vars.into_iter().flatten() {
        match value {
            _ if SECRETS.contains(&name.as_str()) => findings.push(Finding::Error(format!(
                "{name} is a secret and stands in a file; take it out, revoke it where the file was shared, and set it with `npx wrangler secret put {name}`"
            ))),
            Value::String(text) => drop(values.insert(name.as_str(), text.clone())),
            Value::Table(table) if TABLES.contains(&name.as_str()) => {
                drop(values.insert(name.as_str(), serde_json::to_string(table).unwrap_or_default()));
            }
            _ => findings.push(Finding::Error(format!("{name} is no text; put its value in quotes"))),
        }
    }
    let (known, errors, settings) = read(&values);
    findings.extend(
        errors
            .iter()
            .map(|it| Finding::Error(format!("{} {}", it.setting, it.problem))),
    );
    findings.extend(
        values
            .keys()
            .filter(|it| !known.contains(**it))
            .map(|it| unknown(it, &known)),
    );
    findings.extend(settings.iter().flat_map(|it| risks(it, &values)));
    findings.push(secrets(&values));
    findings
}

fn unknown(name: &str, known: &BTreeSet<String>) -> Finding {
    let near = known
        .iter()
        .map(|it| (strsim::damerau_levenshtein(name, it), it))
        .min();
    let suggestion = near
        .filter(|it| it.0 <= 3)
        .map(|it| format!("did you mean {}?", it.1));
    Finding::Error(format!(
        "{name} is no setting of the gateway; {}",
        suggestion.unwrap_or_else(|| "take it out".into())
    ))
}

/// Findings about valid settings that are wrong, or a risk, for a Worker on the internet.
fn risks(settings: &Settings, values: &BTreeMap<&str, String>) -> Vec<Finding> {
    let mut findings = Vec::new();
    if values.contains_key("UPSTREAM_BASE_URL") && settings.upstream_base_url.starts_with("http:") {
        findings.push(Finding::Error(
            "UPSTREAM_BASE_URL is on this machine, where no deployed Worker reaches it; give the media service's own address"
                .into(),
        ));
    }
    let bucket = values.get("RESULTS_BUCKET_URL");
    if bucket.is_some_and(|url| url.trim().starts_with("http:")) {
        findings.push(Finding::Error(
            "RESULTS_BUCKET_URL is on this machine, where no deployed Worker reaches it; give the address of a bucket on the internet"
                .into(),
        ));
    }
    findings.extend(
        limits(settings, values)
            .into_iter()
            .map(|it| Finding::Note(it.to_owned())),
    );
    if settings
        .allowed_origins
        .iter()
        .any(|it| it.starts_with("http:"))
    {
        findings.push(Finding::Note(
            "ALLOWED_ORIGINS holds an http: origin, whose pages can be changed in transit; remove it before you deploy for users".into(),
        ));
    }
    let wildcards = settings
        .upload_hosts
        .0
        .iter()
        .filter(|it| it.starts_with("*."));
    findings.extend(wildcards.map(|it| {
        Finding::Note(format!(
            "UPLOAD_HOSTS holds {it}: files of your callers may go to every host below it; list single hosts where others may have such a host too"
        ))
    }));
    if settings.extra_fields.names_any() {
        findings.push(Finding::Note(
            "EXTRA_FIELDS has *, so that callers send the media service fields that no one has checked, and a misspelt one costs; list those that it takes"
                .into(),
        ));
    }
    if settings.public_assets == PublicAssets::All {
        findings.push(Finding::Note(
            "PUBLIC_ASSETS is *, so that every caller may use every asset of the account; list those that are public"
                .into(),
        ));
    }
    let any_issuer =
        settings.session_issuer.is_none() && settings.mcp.authorization_servers.is_empty();
    if settings.session_jwks_url.is_some() && any_issuer {
        findings.push(Finding::Note(
            "SESSION_JWKS_URL is set without SESSION_ISSUER; set it, so that only your own tenant's tokens count"
                .into(),
        ));
    }
    findings
}

/// What is probably missing: pages, and limits on what callers use.
fn limits(settings: &Settings, values: &BTreeMap<&str, String>) -> Vec<&'static str> {
    let anonymous = &settings.anonymous;
    let findings = [
        (
            settings.allowed_origins.is_empty(),
            "ALLOWED_ORIGINS is not set, so that no page may call the gateway; list the origins of your pages, such as https://www.example.com",
        ),
        (
            settings.default_budget == Budget::default(),
            "DEFAULT_BUDGET is not set, so that a token without a budget spends without a limit; set it, for example to '{\"creates\": 100}'",
        ),
        (
            settings.output_hosts.is_empty(),
            "OUTPUT_HOSTS is not set, so that no result can be the input of another request; list the hosts of the media service's results, such as cdn.example.com",
        ),
        (
            anonymous.sessions && anonymous.tasks_in_flight.is_none(),
            "ANONYMOUS_SESSIONS is on without ANONYMOUS_TASKS_IN_FLIGHT or MAX_TASKS_IN_FLIGHT; one of them bounds how many tasks run at once",
        ),
        (
            anonymous.sessions && !values.contains_key("TURNSTILE_ACTION"),
            "ANONYMOUS_SESSIONS is on without TURNSTILE_ACTION; have Turnstile check who opens a session (the secret TURNSTILE_SECRET), and set the widget's action, so that another form's response token is not accepted",
        ),
    ];
    findings
        .into_iter()
        .filter(|it| it.0)
        .map(|it| it.1)
        .collect()
}

/// The secrets that the Worker needs; the file does not show which of them it has.
fn secrets(values: &BTreeMap<&str, String>) -> Finding {
    let is_set = |name| values.get(name).is_some_and(|it| !it.trim().is_empty());
    let mut needed = vec!["UPSTREAM_API_KEY", "SEAL_SECRET"];
    if !is_set("SESSION_JWKS_URL") {
        needed.push("SESSION_SECRET");
    }
    if is_set("WEBHOOK_URLS") {
        needed.push("WEBHOOK_SECRET");
    }
    if is_set("RESULTS_BUCKET_URL") {
        needed.push("RESULTS_SECRET_ACCESS_KEY");
    }
    Finding::Note(format!(
        "the Worker needs the secrets {}; `npx wrangler secret list` shows which it has, `npx wrangler secret put NAME` sets one",
        needed.join(", ")
    ))
}
