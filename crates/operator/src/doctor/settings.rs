//! Checks the settings under `[vars]` with the gateway's own code.

use std::collections::{BTreeMap, BTreeSet};

use mediagate_access::identity::{Budget, Scope};
use mediagate_settings::{
    Offers, PublicAssets, Service, Settings, TABLES, UploadMode, is_off_the_internet,
};
use toml::Value;

use super::config::Config;
use super::finding::Finding;
use crate::settings::{BOUND, MODULE, Reading, SECRETS, read};

pub(super) fn check(config: &Config<'_>) -> Vec<Finding> {
    let vars = config.own("vars").and_then(Value::as_table);
    let mut findings = Vec::new();
    let mut values = BTreeMap::new();
    if config.binds_service(MODULE) {
        values.insert(MODULE, BOUND.to_owned());
    }
    for (name, value) in vars.into_iter().flatten() {
        let name = name.as_str();
        match value {
            _ if SECRETS.contains(&name) => findings.push(Finding::Error(format!(
                "{name} is a secret and is in a file; take it out, \
                 revoke it if the file was shared, and set it with `npx wrangler secret put {name}`"
            ))),
            // Text is no binding, whatever it says. The rest is read as with a module.
            _ if name == MODULE => {
                findings.push(Finding::Error(format!(
                    "{MODULE} is text; make it a service binding of the module, under [[services]]"
                )));
                values.insert(name, BOUND.to_owned());
            }
            Value::String(text) => {
                values.insert(name, text.clone());
            }
            // wrangler passes a table as JSON.
            Value::Table(table) if TABLES.contains(&name) => {
                values.insert(name, serde_json::to_string(table).unwrap_or_default());
            }
            _ => findings.push(Finding::Error(format!(
                "{name} is not text; put its value in quotes"
            ))),
        }
    }
    let Reading {
        names,
        errors,
        settings,
    } = read(&values);
    for error in errors {
        let line = format!("{} {}", error.setting, error.problem);
        findings.push(Finding::Error(line));
    }
    for name in values.keys().filter(|name| !names.contains(**name)) {
        findings.push(unknown(name, &names));
    }
    findings.extend(unreachable(&values));
    if let Some(settings) = &settings {
        findings.extend(risks(settings, &values));
    }
    findings.push(secrets(&values));
    findings
}

fn unknown(name: &str, known: &BTreeSet<String>) -> Finding {
    let nearest = known
        .iter()
        .map(|known| (strsim::damerau_levenshtein(name, known), known))
        .min();
    let remedy = match nearest {
        Some((..=3, known)) => format!("did you mean {known}?"),
        _ => "take it out".to_owned(),
    };
    Finding::Error(format!("{name} is no setting of the gateway; {remedy}"))
}

/// Returns findings about settings that are valid, but wrong or a risk for a Worker on the
/// internet.
fn risks(settings: &Settings, values: &BTreeMap<&str, String>) -> Vec<Finding> {
    let Settings {
        anonymous,
        allowed_origins,
        ..
    } = settings;
    let is_module = matches!(settings.service, Service::Module);
    let notes = [
        (
            allowed_origins.is_empty(),
            "ALLOWED_ORIGINS is not set, so no page may call the gateway; \
             list the origins of your pages, such as https://www.example.com",
        ),
        (
            settings.default_budget == Budget::default(),
            "DEFAULT_BUDGET is not set, so a token without a budget spends without a limit; \
             set it, for example to '{\"creates\": 100}'",
        ),
        (
            settings.output_hosts.is_empty() && !is_module,
            "OUTPUT_HOSTS is not set, so no result can be the input of another request; \
             list the hosts of the media service's results, such as cdn.example.com",
        ),
        (
            anonymous.sessions && anonymous.tasks_in_flight.is_none(),
            "ANONYMOUS_SESSIONS is on without a limit of tasks that run at once; \
             set ANONYMOUS_TASKS_IN_FLIGHT or MAX_TASKS_IN_FLIGHT",
        ),
        (
            anonymous.sessions && !values.contains_key("TURNSTILE_ACTION"),
            "ANONYMOUS_SESSIONS is on without TURNSTILE_ACTION; have Turnstile check who opens a \
             session (the secret TURNSTILE_SECRET), and set the widget's action, so that no other \
             form's response token is accepted",
        ),
        (
            allowed_origins
                .iter()
                .any(|origin| origin.starts_with("http:")),
            "ALLOWED_ORIGINS has an http: origin, whose pages can be changed in transit; \
             remove it before you deploy for users",
        ),
        (
            settings.extra_fields.names_any(),
            "EXTRA_FIELDS has *, so callers may send fields that nobody has checked, \
             and a misspelt field costs credits; list the fields that the media service takes",
        ),
        (
            settings.public_assets == PublicAssets::All,
            "PUBLIC_ASSETS is *, so every caller may use every asset of the account; \
             list the assets that are public",
        ),
        (
            settings.session_jwks_url.is_some()
                && settings.session_issuer.is_none()
                && settings.mcp.authorization_servers.is_empty(),
            "SESSION_JWKS_URL is set without SESSION_ISSUER, so tokens of every tenant count; \
             set SESSION_ISSUER",
        ),
    ];
    let mut findings = applying(&notes);
    for host in &settings.upload_hosts.0 {
        if host.starts_with("*.") {
            findings.push(Finding::Note(format!(
                "UPLOAD_HOSTS has {host}, so files of your callers may go to every host below it; \
                 list single hosts if others may have such a host too"
            )));
        }
    }
    findings.extend(anonymous_extensions(settings));
    findings.extend(of_upstream(settings, values));
    findings
}

/// Returns a note if anonymous callers may use an extension, because their scope names its group.
fn anonymous_extensions(settings: &Settings) -> Option<Finding> {
    let scope = settings.anonymous.scope.as_deref().unwrap_or_default();
    let mut groups: Vec<&str> = scope.split_ascii_whitespace().collect();
    groups.retain(|word| word.ends_with(":*"));
    let of_groups = Scope::new(groups.join(" "));
    let mut extensions = Vec::new();
    for capability in settings.offers.all() {
        if capability.is_extension && of_groups.allows(capability) {
            extensions.push(capability.name());
        }
    }
    if !settings.anonymous.sessions || extensions.is_empty() {
        return None;
    }
    Some(Finding::Note(format!(
        "CAPABILITIES has {}, and ANONYMOUS_SCOPE has the whole group, so anonymous callers may \
         use it; list single capabilities in ANONYMOUS_SCOPE if they may not",
        extensions.join(", ")
    )))
}

/// Returns notes about settings that depend on whether the upstream is a module, and about uploads
/// to the bucket.
fn of_upstream(settings: &Settings, values: &BTreeMap<&str, String>) -> Vec<Finding> {
    let is_module = matches!(settings.service, Service::Module);
    let has_bucket = settings.upload_mode == UploadMode::Bucket;
    let notes = [
        (
            is_module && settings.offers == Offers::Documented,
            "CAPABILITIES is not set, so callers are offered everything in the media service's \
             document; list the capabilities that the module offers",
        ),
        (
            is_module && !has_bucket,
            "UPLOAD_MODE is not bucket, so callers of a module can upload nothing; \
             set it to bucket, with RESULTS_BUCKET_URL",
        ),
        (
            is_module && settings.output_hosts.is_empty(),
            "OUTPUT_HOSTS is not set, so outputs at a provider's host are neither kept nor inputs; \
             list the hosts of the module's providers, such as cdn.example.com",
        ),
        (
            is_module && !values.contains_key("TENANT"),
            "TENANT is not set, so another module behind UPSTREAM would get the ids and budgets of \
             this one; set a name before you change the upstream",
        ),
        (
            is_module && settings.breaker_failures > 0,
            "BREAKER_FAILURES is set, and behind a module the circuit breaker sees no failure of a \
             provider; take it out",
        ),
        (
            settings.bucket_private,
            "BUCKET_PRIVATE is on, so providers load no file themselves, and the module sends only \
             small ones; take it out, as a deployed gateway's bucket is on the internet",
        ),
        (
            has_bucket && !is_module,
            "UPLOAD_MODE is bucket without the binding UPSTREAM, so the media service gets an \
             object with a URL instead of the id of a file; check that it takes that",
        ),
    ];
    applying(&notes)
}

/// Returns an error for each address that a deployed Worker can't reach.
fn unreachable(values: &BTreeMap<&str, String>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for name in [
        "UPSTREAM_BASE_URL",
        "RESULTS_BUCKET_URL",
        "SESSION_JWKS_URL",
        "WEBHOOK_URLS",
    ] {
        if let Some(urls) = values.get(name)
            && urls.split(',').any(is_off_the_internet)
        {
            findings.push(Finding::Error(format!(
                "{name} is on this machine or in a private network, which no deployed Worker \
                 reaches; give an address on the internet"
            )));
        }
    }
    findings
}

fn applying(notes: &[(bool, &str)]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (applies, note) in notes {
        if *applies {
            findings.push(Finding::Note((*note).to_owned()));
        }
    }
    findings
}

fn is_set(values: &BTreeMap<&str, String>, name: &str) -> bool {
    values
        .get(name)
        .is_some_and(|value| !value.trim().is_empty())
}

/// Returns a note with the secrets that the Worker needs. The file does not show which are set.
fn secrets(values: &BTreeMap<&str, String>) -> Finding {
    let mut needed = vec!["SEAL_SECRET"];
    if !is_set(values, MODULE) {
        needed.insert(0, "UPSTREAM_API_KEY");
    }
    // Without an identity provider, the gateway signs its session tokens itself.
    if !is_set(values, "SESSION_JWKS_URL") {
        needed.push("SESSION_SECRET");
    }
    if is_set(values, "WEBHOOK_URLS") {
        needed.push("WEBHOOK_SECRET");
    }
    if is_set(values, "RESULTS_BUCKET_URL") {
        needed.push("RESULTS_SECRET_ACCESS_KEY");
    }
    Finding::Note(format!(
        "the Worker needs the secrets {}; `npx wrangler secret list` shows the secrets \
         that are set, `npx wrangler secret put NAME` sets a secret",
        needed.join(", ")
    ))
}
