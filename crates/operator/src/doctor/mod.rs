//! The doctor: checks a `wrangler.toml` before it is deployed.
//!
//! Each finding is a line with its remedy. No line contains the value of a setting, as the value
//! may be a secret.

mod config;
mod finding;
mod settings;
mod worker;

use anyhow::{Error, Result, anyhow};
use jsonc_parser::ParseOptions;
use toml::{Table, Value};

use self::config::Config;
pub use self::finding::Finding;
use crate::settings::MODULE;

/// The length of the shortest key that cannot be guessed, in characters.
const RECOMMENDED_KEY_LENGTH: usize = 32;

/// A format of wrangler's configurations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// `wrangler.toml`.
    Toml,
    /// `wrangler.json` and `wrangler.jsonc`.
    Json,
}

impl Format {
    /// Returns the format of a file with this name.
    pub fn of(name: &str) -> Self {
        if name.ends_with(".json") || name.ends_with(".jsonc") {
            Format::Json
        } else {
            Format::Toml
        }
    }
}

/// Returns the findings about a configuration: about its top level first, then about each
/// environment, then about the media service's key. No configuration contains the key, so commands
/// pass the one of their environment. Fails if the text is not in this format. The error has the
/// number of a line, and nothing of its text.
pub fn examine(text: &str, format: Format, key: Option<&str>) -> Result<Vec<Finding>> {
    let top = read(text, format)?;
    let top_level = Config::new(&top, &top);
    let mut findings = check(&top_level);
    let mut needs_key = !top_level.binds_service(MODULE);
    let environments = top.get("env").and_then(Value::as_table);
    for (name, own) in environments.into_iter().flatten() {
        let Some(own) = own.as_table() else {
            continue; // wrangler itself reports an environment that is no table
        };
        let environment = Config::new(own, &top);
        for finding in check(&environment) {
            findings.push(match finding {
                Finding::Error(line) => Finding::Error(format!("in env.{name}: {line}")),
                Finding::Note(line) => Finding::Note(format!("in env.{name}: {line}")),
            });
        }
        needs_key |= !environment.binds_service(MODULE);
    }
    if needs_key {
        findings.extend(key.and_then(check_key_length));
    }
    Ok(findings)
}

/// The names of Workers at the top level of a configuration.
#[derive(Debug, PartialEq, Eq)]
pub struct WorkerNames {
    /// The Worker of the configuration, if it has a name.
    pub worker: Option<String>,
    /// The Worker that is bound as upstream module. Empty if the binding names none.
    pub module: Option<String>,
}

/// Returns the names of the Worker and of its upstream module. Fails as [`examine`] does.
pub fn worker_names(text: &str, format: Format) -> Result<WorkerNames> {
    let top = read(text, format)?;
    let config = Config::new(&top, &top);
    let module = config.service(MODULE);
    Ok(WorkerNames {
        worker: config.own("name").and_then(text_of),
        module: module.map(|binding| binding.get("service").and_then(text_of).unwrap_or_default()),
    })
}

fn text_of(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

fn check_key_length(key: &str) -> Option<Finding> {
    if key.trim().len() >= RECOMMENDED_KEY_LENGTH {
        return None;
    }
    Some(Finding::Note(format!(
        "UPSTREAM_API_KEY is shorter than {RECOMMENDED_KEY_LENGTH} characters, \
         so it is easier to guess; have the media service issue a longer one"
    )))
}

fn read(text: &str, format: Format) -> Result<Table> {
    match format {
        Format::Toml => read_toml(text),
        Format::Json => read_json(text),
    }
}

fn read_toml(text: &str) -> Result<Table> {
    toml::from_str(text).map_err(|error| {
        let start = error.span().map_or(0, |span| span.start);
        syntax(text, start)
    })
}

pub(crate) fn read_json(text: &str) -> Result<Table> {
    let value =
        jsonc_parser::parse_to_serde_value::<serde_json::Value>(text, &ParseOptions::default())
            .map_err(|error| syntax(text, error.range().start))?;
    // TOML has no null, which wrangler treats as absent.
    Table::try_from(without_nulls(value)).map_err(|_| anyhow!("the file is not a JSON object"))
}

fn without_nulls(value: serde_json::Value) -> serde_json::Value {
    match value {
        serde_json::Value::Object(members) => members
            .into_iter()
            .filter(|(_, member)| !member.is_null())
            .map(|(name, member)| (name, without_nulls(member)))
            .collect(),
        other => other,
    }
}

/// Returns an error with the number of a line. The parsers' own messages quote the line, which may
/// contain a secret.
fn syntax(text: &str, at: usize) -> Error {
    let line = text
        .get(..at)
        .map_or(0, |before| before.matches('\n').count() + 1);
    anyhow!("the syntax is wrong at line {line}")
}

fn check(config: &Config<'_>) -> Vec<Finding> {
    let mut findings = worker::check(config);
    findings.extend(settings::check(config));
    findings
}

#[cfg(test)]
mod tests;
