//! The file with what was found.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyhow::{Context, Result, anyhow, bail, ensure};
use mediagate_dialect::Dialect;
use mediagate_probe::{Known, PATH_SETTINGS, Report};
use toml::{Table, Value};

use super::address::Address;
use crate::doctor::{Format, read_json};

/// What was found, as settings for a `wrangler.toml`, with what stayed unknown as comments.
///
/// # Errors
/// When it can't be written as TOML.
pub fn settings_file(address: &Address, report: &Report) -> Result<String> {
    let mut text = String::from(
        "# What a probe of the media service found. For a Worker, put the lines under [vars] into the section [vars] of\n\
         # wrangler.toml, and the tables after them below it; then run the doctor. On this machine and on a server of your own,\n\
         # give this file to `mediagate-gateway dev --settings` or `mediagate-gateway serve --settings`.\n",
    );
    if let Some(stopped) = &report.stopped {
        comment(&mut text, &format!("The probe ended early: {stopped}"));
    }
    if !report.unknown.is_empty() {
        comment(
            &mut text,
            "No exchange showed the following. What is not set has its default.",
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
        .map(|(name, it)| ((*name).to_owned(), it.clone().into()))
        .collect();
    vars.insert("UPSTREAM_BASE_URL".into(), address.0.clone().into());
    if !report.dialect.is_null() {
        vars.insert(
            "UPSTREAM_DIALECT".into(),
            Value::try_from(&report.dialect).context("the dialect is no table")?,
        );
    }
    let document = Table::from_iter([("vars".to_owned(), Value::Table(vars))]);
    text.push('\n');
    text.push_str(
        &toml::to_string_pretty(&document).context("the settings can't be written as TOML")?,
    );
    Ok(text)
}

/// What a file of settings says: the paths and the dialect under `[vars]`, as [`settings_file`] writes them.
///
/// # Errors
/// When it is no TOML, or has a dialect that is none.
pub fn known(text: &str) -> Result<Known> {
    let vars = vars_in(text)?;
    let path = |name: &'static str| Some((name, vars.get(name)?.as_str()?.to_owned()));
    let paths: BTreeMap<_, _> = PATH_SETTINGS.into_iter().filter_map(path).collect();
    for (name, path) in &paths {
        ensure!(
            path.is_empty() || is_path(path),
            "{name} is no path; give one such as /api/app/v1/models"
        );
    }
    let dialect = match vars.get("UPSTREAM_DIALECT") {
        None => serde_json::Value::Null,
        Some(Value::String(json)) => {
            serde_json::from_str(json).context("UPSTREAM_DIALECT is no JSON")?
        }
        Some(table) => serde_json::to_value(table).context("UPSTREAM_DIALECT is no table")?,
    };
    if !dialect.is_null() {
        Dialect::parse(&dialect.to_string()).map_err(|it| anyhow!("UPSTREAM_DIALECT: {it}"))?;
    }
    Ok(Known { paths, dialect })
}

/// Returns the table `[vars]` of a file of settings in TOML.
fn vars_in(text: &str) -> Result<Table> {
    vars_of(toml::from_str(text).context("it is no TOML")?)
}

fn vars_of(mut document: Table) -> Result<Table> {
    match document.remove("vars") {
        Some(Value::Table(vars)) => Ok(vars),
        _ => bail!("it has no table [vars]"),
    }
}

/// Returns the settings under `[vars]`, each as the text that the environment would have. A table becomes JSON.
///
/// # Errors
/// The text is not in this format, or has no table `[vars]`.
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
                .with_context(|| format!("{name} can't be written as JSON"))?,
        };
        settings.insert(name, text);
    }
    Ok(settings)
}

/// The address in a file of settings.
///
/// # Errors
/// When it is no TOML.
pub fn known_address(text: &str) -> Result<Option<String>> {
    let document: Table = toml::from_str(text).context("it is no TOML")?;
    Ok(document
        .get("vars")
        .and_then(|it| it.get("UPSTREAM_BASE_URL")?.as_str())
        .map(str::to_owned))
}

/// Whether a string is an absolute path, which cannot lead to another host.
fn is_path(text: &str) -> bool {
    let is_plain = |it: u8| it.is_ascii_graphic() && !b"?#\\\"@".contains(&it);
    text.starts_with('/') && !text.starts_with("//") && text.bytes().all(is_plain)
}

/// One comment, each of its lines marked as such.
fn comment(text: &mut String, words: &str) {
    for line in words.lines() {
        let printable: String = line.chars().filter(|it| !it.is_control()).collect();
        // A string takes everything that is written to it.
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
