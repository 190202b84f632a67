//! `cargo xtask doctor`: checks a `wrangler.toml` before it is deployed.
//!
//! Prints one line for each finding, with its remedy. An error would keep the gateway from serving, or leave it open; a
//! note is about something that the file does not show. No value of a setting is printed: a secret may be among them.

mod config;
mod finding;
mod settings;
mod worker;

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use clap::Args;
use toml::{Table, Value};

use self::config::Config;
use self::finding::Finding;
use crate::checkout::Checkout;

/// Which file to check.
#[derive(Args, Debug)]
pub(crate) struct Options {
    /// The configuration to check
    #[arg(long, value_name = "FILE", default_value = "wrangler.toml")]
    config: PathBuf,
}

/// Prints the findings about a configuration.
///
/// # Errors
/// When it can't be read, or has errors.
pub(crate) fn run(checkout: &Checkout, options: &Options) -> Result<()> {
    // A path is relative to the current folder; the default, to the checkout's root.
    let file = if options.config.exists() { options.config.clone() } else { checkout.path(&options.config) };
    let name = options.config.display();
    let text = std::fs::read_to_string(&file).with_context(|| format!("{name} cannot be read"))?;
    let findings = examine(&text).with_context(|| format!("{name} is not TOML"))?;
    findings.iter().for_each(|it| println!("{it}"));
    let errors = findings.iter().filter(|it| matches!(it, Finding::Error(_))).count();
    if errors > 0 {
        bail!("{name} can't be deployed yet; each line above that begins with `error:` has the remedy");
    }
    println!("{name} can be deployed");
    Ok(())
}

/// The findings about a configuration: about its top level first, then about each environment.
fn examine(text: &str) -> Result<Vec<Finding>> {
    // Only the line's number: the parser's own message quotes the line, which may hold a secret.
    let top: Table = toml::from_str(text).map_err(|error: toml::de::Error| {
        let line = error.span().map_or(0, |it| text[..it.start].matches('\n').count() + 1);
        anyhow::anyhow!("the syntax is wrong at line {line}")
    })?;
    let mut findings = check(&Config::new(&top, &top));
    for (name, own) in top.get("env").and_then(Value::as_table).into_iter().flatten() {
        let Some(own) = own.as_table() else { continue };
        let prefixed = |it| match it {
            Finding::Error(line) => Finding::Error(format!("in env.{name}: {line}")),
            Finding::Note(line) => Finding::Note(format!("in env.{name}: {line}")),
        };
        findings.extend(check(&Config::new(own, &top)).into_iter().map(prefixed));
    }
    Ok(findings)
}

fn check(config: &Config<'_>) -> Vec<Finding> {
    let mut findings = worker::check(config);
    findings.extend(settings::check(config));
    findings
}

#[cfg(test)]
mod tests;
