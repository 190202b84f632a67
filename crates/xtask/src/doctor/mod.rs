//! `cargo xtask doctor`: whether a `wrangler.toml` can be deployed, found out before it is.
//!
//! One line for each finding, with its remedy; an error is what would keep the gateway from serving or leave it open, a
//! note is what this file can't show. No value of a setting is printed: a secret may stand where none belongs.

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

/// Which file to look at.
#[derive(Args, Debug)]
pub(crate) struct Options {
    /// The configuration to check
    #[arg(long, value_name = "FILE", default_value = "wrangler.toml")]
    config: PathBuf,
}

/// Prints what there is to say about a configuration.
///
/// # Errors
/// When it can't be read, or has errors.
pub(crate) fn run(checkout: &Checkout, options: &Options) -> Result<()> {
    // A path is meant from where the person is; the default from the checkout's root.
    let file = if options.config.exists() { options.config.clone() } else { checkout.path(&options.config) };
    let name = options.config.display();
    let text = std::fs::read_to_string(&file).with_context(|| format!("{name} cannot be read"))?;
    let findings = examine(&text).with_context(|| format!("{name} is no TOML"))?;
    findings.iter().for_each(|it| println!("{it}"));
    let errors = findings.iter().filter(|it| matches!(it, Finding::Error(_))).count();
    if errors > 0 {
        bail!("{name} can't be deployed yet; each line above that begins with `error:` says what to do");
    }
    println!("{name} can be deployed");
    Ok(())
}

/// What there is to say about a configuration: about what every environment shares, then about each of them.
fn examine(text: &str) -> Result<Vec<Finding>> {
    // Of the parser's words only the place: it would quote the line, and a secret in it.
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
