//! The file of settings that a probe writes and reads.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyhow::{Context, Result, anyhow, bail, ensure};
use mediagate_dialect::Dialect;
use mediagate_probe::{Known, PATH_SETTINGS, Report};
use toml::{Table, Value};

use super::address::Address;
use crate::doctor::{Format, read_json};

/// Returns the findings as settings for a `wrangler.toml`. Unknown parts are comments.
///
/// # Errors
/// If the settings cannot be written as TOML.
pub fn settings_file(address: &Address, report: &Report) -> Result<String> {
    let mut text = String::from(
        "# The findings of a probe of the media service. For a Worker, put the lines under [vars]\n\
         # into the section [vars] of wrangler.toml, and the tables after them below it; then run\n\
         # the doctor. On this machine and on a server of your own, give this file to\n\
         # `mediagate-gateway dev --settings` or `mediagate-gateway serve --settings`.\n",
    );
    if let Some(stopped) = &report.stopped {
        comment(&mut text, &format!("The probe ended early: {stopped}"));
    }
    if !report.unknown.is_empty() {
        comment(
            &mut text,
            "No exchange showed the following parts. A part that is not set has its default.",
        );
    }
    for unknown in &report.unknown {
        let need = if unknown.is_needed() { " (needed)" } else { "" };
        comment(
            &mut text,
            &format!("- {}{need}: {}", unknown.part, unknown.why),
        );
    }
    for task in &report.tasks {
        comment(&mut text, &format!("It created the task {task}."));
    }
    for note in &report.notes {
        comment(&mut text, note);
    }
    let mut vars: Table = report
        .settings
        .iter()
        .map(|(name, value)| ((*name).to_owned(), value.clone().into()))
        .collect();
    vars.insert("UPSTREAM_BASE_URL".into(), address.0.clone().into());
    if !report.dialect.is_null() {
        vars.insert(
            "UPSTREAM_DIALECT".into(),
            Value::try_from(&report.dialect).context("the dialect is not a table")?,
        );
    }
    let document = Table::from_iter([("vars".to_owned(), Value::Table(vars))]);
    text.push('\n');
    text.push_str(
        &toml::to_string_pretty(&document).context("the settings cannot be written as TOML")?,
    );
    Ok(text)
}

/// Reads the paths and the dialect under `[vars]` of a file that [`settings_file`] wrote.
///
/// # Errors
/// If the text is no TOML, or if a path or the dialect is invalid.
pub fn known(text: &str) -> Result<Known> {
    let vars = vars_in(text)?;
    let path = |name: &'static str| Some((name, vars.get(name)?.as_str()?.to_owned()));
    let paths: BTreeMap<_, _> = PATH_SETTINGS.into_iter().filter_map(path).collect();
    for (name, path) in &paths {
        // An empty path states that the service has no such endpoint.
        ensure!(
            path.is_empty() || is_path(path),
            "{name} is not a path; give one such as /api/app/v1/models"
        );
    }
    let dialect = match vars.get("UPSTREAM_DIALECT") {
        None => serde_json::Value::Null,
        Some(Value::String(json)) => {
            serde_json::from_str(json).context("UPSTREAM_DIALECT is not valid JSON")?
        }
        Some(table) => serde_json::to_value(table).context("UPSTREAM_DIALECT is not a table")?,
    };
    if !dialect.is_null() {
        Dialect::parse(&dialect.to_string())
            .map_err(|error| anyhow!("UPSTREAM_DIALECT: {error}"))?;
    }
    Ok(Known { paths, dialect })
}

/// Returns the table `[vars]` of a file of settings in TOML.
fn vars_in(text: &str) -> Result<Table> {
    vars_of(toml::from_str(text).context("it is not valid TOML")?)
}

fn vars_of(mut document: Table) -> Result<Table> {
    match document.remove("vars") {
        Some(Value::Table(vars)) => Ok(vars),
        _ => bail!("it has no table [vars]"),
    }
}

/// Returns the settings under `[vars]`, each as the text that the environment would have. A table
/// becomes JSON.
///
/// # Errors
/// If the text is not in this format, or has no table `[vars]`.
pub fn settings_in(text: &str, format: Format) -> Result<BTreeMap<String, String>> {
    let vars = match format {
        Format::Toml => vars_in(text)?,
        Format::Json => vars_of(read_json(text)?)?,
    };
    let mut settings = BTreeMap::new();
    for (name, value) in vars {
        let text = match value {
            Value::String(text) => text,
            other => serde_json::to_string(&other)
                .with_context(|| format!("{name} cannot be written as JSON"))?,
        };
        settings.insert(name, text);
    }
    Ok(settings)
}

/// Returns the address in a file of settings.
///
/// # Errors
/// If the text is no TOML.
pub fn known_address(text: &str) -> Result<Option<String>> {
    let document: Table = toml::from_str(text).context("it is not valid TOML")?;
    Ok(document
        .get("vars")
        .and_then(|vars| vars.get("UPSTREAM_BASE_URL")?.as_str())
        .map(str::to_owned))
}

/// Returns true if a text is an absolute path that cannot lead to another host.
fn is_path(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_graphic() && !b"?#\\\"@".contains(&byte);
    text.starts_with('/') && !text.starts_with("//") && text.bytes().all(is_plain)
}

/// Adds a comment, which may have several lines.
fn comment(text: &mut String, words: &str) {
    for line in words.lines() {
        // The words may be from the media service. A control character could end the comment.
        let printable: String = line.chars().filter(|letter| !letter.is_control()).collect();
        // Writing to a string cannot fail.
        let _ = writeln!(text, "# {printable}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_read_as_the_environment_would_have_them() {
        let text =
            "a = 1\n[vars]\nX = \"text\"\nN = 5\nB = true\n[vars.D.states]\nFAILED = [\"no\"]\n";
        let settings = settings_in(text, Format::Toml).expect("settings");
        let expected = [
            ("B", "true"),
            ("D", r#"{"states":{"FAILED":["no"]}}"#),
            ("N", "5"),
            ("X", "text"),
        ];
        let expected = expected.map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(settings, BTreeMap::from(expected));
        assert!(settings_in("[vars", Format::Toml).is_err());
        assert!(settings_in("a = 1", Format::Toml).is_err());
    }
}
