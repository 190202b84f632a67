//! The doctor: checks a `wrangler.toml` before it is deployed.
//!
//! One line for each finding, with its remedy. An error would keep the gateway from serving, or leave it open; a note is about
//! something that the file does not show. No value of a setting is in a line: a secret may be among them.

mod config;
mod finding;
mod settings;
mod worker;

use anyhow::{Error, Result, anyhow};
use jsonc_parser::ParseOptions;
use toml::{Table, Value};

use self::config::Config;
pub use self::finding::Finding;

/// The shortest key that can't be guessed, in characters.
const RECOMMENDED_KEY_LENGTH: usize = 32;

/// The formats in which wrangler reads a configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// `wrangler.toml`.
    Toml,
    /// `wrangler.json` and `wrangler.jsonc`, with comments.
    Json,
}

impl Format {
    /// The format of a file, by its name.
    pub fn of(name: &str) -> Self {
        if name.ends_with(".json") || name.ends_with(".jsonc") {
            Format::Json
        } else {
            Format::Toml
        }
    }
}

/// The findings about a configuration: about its top level first, then about each environment.
///
/// # Errors
/// When the text is not in this format; the message has the line's number, and nothing of the line.
pub fn examine(text: &str, format: Format) -> Result<Vec<Finding>> {
    let top = match format {
        Format::Toml => read_toml(text)?,
        Format::Json => read_json(text)?,
    };
    let mut findings = check(&Config::new(&top, &top));
    for (name, own) in top
        .get("env")
        .and_then(Value::as_table)
        .into_iter()
        .flatten()
    {
        let Some(own) = own.as_table() else { continue };
        let prefixed = |it| match it {
            Finding::Error(line) => Finding::Error(format!("in env.{name}: {line}")),
            Finding::Note(line) => Finding::Note(format!("in env.{name}: {line}")),
        };
        findings.extend(check(&Config::new(own, &top)).into_iter().map(prefixed));
    }
    Ok(findings)
}

/// Returns a note if the media service's key is shorter than it should be. No configuration contains the key, so the commands
/// pass the one of their environment.
pub fn check_key_length(key: &str) -> Option<Finding> {
    let is_short = key.trim().len() < RECOMMENDED_KEY_LENGTH;
    is_short.then(|| {
        Finding::Note(format!(
            "UPSTREAM_API_KEY is shorter than {RECOMMENDED_KEY_LENGTH} characters, so that it is easier to guess; have the media service issue a longer one"
        ))
    })
}

fn read_toml(text: &str) -> Result<Table> {
    toml::from_str(text).map_err(|error| syntax(text, error.span().map_or(0, |it| it.start)))
}

pub(crate) fn read_json(text: &str) -> Result<Table> {
    let value =
        jsonc_parser::parse_to_serde_value::<serde_json::Value>(text, &ParseOptions::default())
            .map_err(|error| syntax(text, error.range().start))?;
    // TOML has no null; wrangler takes it for what is not set.
    Table::try_from(without_nulls(value)).map_err(|_| anyhow!("it is no object"))
}

fn without_nulls(value: serde_json::Value) -> serde_json::Value {
    match value {
        serde_json::Value::Object(members) => members
            .into_iter()
            .filter(|it| !it.1.is_null())
            .map(|it| (it.0, without_nulls(it.1)))
            .collect(),
        other => other,
    }
}

/// Only the line's number: the parsers' own messages quote the line, which may hold a secret.
fn syntax(text: &str, at: usize) -> Error {
    let line = text.get(..at).map_or(0, |it| it.matches('\n').count() + 1);
    anyhow!("the syntax is wrong at line {line}")
}

fn check(config: &Config<'_>) -> Vec<Finding> {
    let mut findings = worker::check(config);
    findings.extend(settings::check(config));
    findings
}

#[cfg(test)]
mod tests;
