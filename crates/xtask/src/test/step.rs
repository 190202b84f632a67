//! The steps of the tests, and their selection by the options.

use std::fmt;
use std::time::Duration;

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};

/// A step of a run. The comments are its description in `cargo xtask test --help`.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, ValueEnum)]
pub(super) enum Step {
    /// Everything that the other steps drive, optimised
    Build,
    /// Units and properties, in the background of the other steps
    Rust,
    /// Sizes of what a page downloads, and the work and upstream calls of the gateway
    Budgets,
    /// Formatting, lints and types of packages, scripts and playground
    Scripts,
    /// The modules of the npm package, in Node: pkg/test
    Pkg,
    /// The modules of the playground, in Node: www
    Www,
    /// The library for upstream modules, in front of stand-ins of providers that the vendors' own
    /// clients can use
    Upstream,
    /// The gateway in workerd and under `wrangler dev`
    Gateway,
    /// The gateway's Model Context Protocol, with the clients that agents use
    Mcp,
    /// The gateway's own package: its commands, and the gateway on workerd alone
    Selfhost,
    /// The whole path, in Chromium
    E2e,
    /// Long: formatting, lints and types; clippy also for wasm and for the fuzz targets
    Lint,
    /// Long: the documentation of the crates
    Docs,
    /// Long: the client for Rust in Chromium, and its examples
    Clients,
    /// Long: the gateway against its own OpenAPI document. Needs Python
    Openapi,
    /// Long: the official suite of the Model Context Protocol, and the client in Python
    Agents,
    /// Long: the packed npm package in its environments
    Packaging,
    /// Long: package and playground in Firefox, and on Linux in WebKit
    Engines,
    /// Long: the emulator's videos with a recent ffmpeg. Needs Python
    Videos,
    /// Long: a hundred times the cases and seeds
    Properties,
    /// Long: the tests in workerd and in browsers while every core is busy
    Busy,
    /// Long: the whole path in pages that compute five times slower
    Slow,
    /// Long: every module of `init --provider`; the gateway on a server, killed under load, on a
    /// full disk, from a copy, behind nginx and Caddy if they are installed; the published attacks
    /// on signed tokens; panics, an embedded gateway and a published bucket. Needs Python
    Kills,
    /// Long: that every measurement runs
    Bench,
    /// Long: licences, sources and advisories of every dependency
    Deny,
    /// Long: each fuzz target for five minutes
    Fuzz,
}

pub(super) struct Outcome {
    pub(super) step: Step,
    pub(super) took: Duration,
    pub(super) result: Result<()>,
}

impl Step {
    fn is_long(self) -> bool {
        self >= Self::Lint
    }

    /// Returns true if `--filter` can choose among the step's tests.
    fn takes_filter(self) -> bool {
        !matches!(
            self,
            Self::Build
                | Self::Budgets
                | Self::Scripts
                | Self::Lint
                | Self::Docs
                | Self::Videos
                | Self::Busy
                | Self::Kills
                | Self::Bench
                | Self::Deny
                | Self::Fuzz
        )
    }

    /// Returns true if the build runs first, even with `--only`.
    fn needs_build(self) -> bool {
        !matches!(
            self,
            Self::Build
                | Self::Rust
                | Self::Lint
                | Self::Docs
                | Self::Videos
                | Self::Properties
                | Self::Deny
                | Self::Fuzz
        )
    }
}

impl fmt::Display for Step {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = self.to_possible_value();
        formatter.pad(value.as_ref().map_or("", |value| value.get_name()))
    }
}

#[derive(Args, Debug, Default)]
pub(crate) struct Options {
    /// Run only the steps that take too long for every change, or install further tools
    #[arg(long, conflicts_with = "only")]
    long: bool,
    /// Start no further step after this time, and end the one in the background
    #[arg(long, value_name = "MINUTES")]
    pub(super) within: Option<u64>,
    /// Run one step, after the build if the step needs it
    #[arg(long, value_name = "STEP")]
    pub(super) only: Option<Step>,
    /// Run the tests of one file (`ledger` for `ledger.test.mjs`), or the tests whose names match
    /// this regular expression
    #[arg(long, value_name = "NAME", requires = "only")]
    pub(super) filter: Option<String>,
}

impl Options {
    /// Returns the steps of the run, in their order.
    ///
    /// # Errors
    /// If `--filter` is given with a step that has no tests to choose among.
    pub(super) fn steps(&self) -> Result<Vec<Step>> {
        if let (Some(only), Some(_)) = (self.only, &self.filter)
            && !only.takes_filter()
        {
            bail!("the step {only} takes no --filter");
        }
        let mut steps: Vec<Step> = match self.only {
            Some(only) => vec![only],
            None => Step::value_variants()
                .iter()
                .copied()
                .filter(|step| step.is_long() == self.long)
                .collect(),
        };
        if !steps.contains(&Step::Build) && steps.iter().any(|step| step.needs_build()) {
            steps.insert(0, Step::Build);
        }
        Ok(steps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_build_runs_before_a_step_that_needs_it() {
        let steps = |only| {
            let options = Options {
                only: Some(only),
                ..Options::default()
            };
            options.steps().unwrap()
        };
        assert_eq!(steps(Step::E2e), [Step::Build, Step::E2e]);
        assert_eq!(steps(Step::Docs), [Step::Docs]);
        assert_eq!(steps(Step::Build), [Step::Build]);
    }

    #[test]
    fn a_filter_needs_a_step_that_takes_one() {
        let steps = |only| {
            let options = Options {
                only: Some(only),
                filter: Some("ledger".to_owned()),
                ..Options::default()
            };
            options.steps().is_ok()
        };
        assert!(steps(Step::Gateway) && !steps(Step::Deny));
    }
}
