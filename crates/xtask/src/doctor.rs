//! `cargo xtask doctor`: checks wrangler's configuration before it is deployed.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use clap::Args;
use mediagate_operator::doctor::{Finding, Format, check_key_length, examine};

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
    let mut findings =
        examine(&text, Format::of(&name.to_string())).with_context(|| format!("{name} cannot be read"))?;
    findings.extend(std::env::var("UPSTREAM_API_KEY").ok().and_then(|key| check_key_length(&key)));
    findings.iter().for_each(|it| println!("{it}"));
    let errors = findings.iter().filter(|it| matches!(it, Finding::Error(_))).count();
    if errors > 0 {
        bail!("{name} can't be deployed yet; each line above that begins with `error:` has the remedy");
    }
    println!("{name} can be deployed");
    Ok(())
}
