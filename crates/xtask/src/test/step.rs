//! The steps of the tests, and their selection by the options.

use std::time::Duration;

use anyhow::{Result, bail};

use super::options::Options;
use super::{checks, engines, long, steps};
use crate::checkout::Checkout;

/// One step of a run.
pub(super) struct Step {
    pub(super) name: &'static str,
    /// The subject of the step, for its heading.
    pub(super) what: &'static str,
    /// The expected duration on two cores, in a checkout without any built file. It is only
    /// printed, as a busy machine is no defect of the code.
    pub(super) budget: Duration,
    pub(super) run: fn(&Checkout, &Options) -> Result<()>,
    /// True if the build runs first, even with `--only`.
    needs_build: bool,
    /// True if `--filter` can choose among the step's tests.
    has_filter: bool,
    /// True if the step may run in the background. Such a step measures no time, and writes to no
    /// folder that other steps use.
    may_run_in_background: bool,
}

impl Step {
    pub(super) const fn new(
        name: &'static str,
        what: &'static str,
        budget: Duration,
        run: fn(&Checkout, &Options) -> Result<()>,
    ) -> Self {
        Self {
            name,
            what,
            budget,
            run,
            needs_build: false,
            has_filter: false,
            may_run_in_background: false,
        }
    }

    const fn after_build(self) -> Self {
        Self {
            needs_build: true,
            ..self
        }
    }

    const fn filtered(self) -> Self {
        Self {
            has_filter: true,
            ..self
        }
    }

    pub(super) const fn in_background(self) -> Self {
        Self {
            may_run_in_background: true,
            ..self
        }
    }
}

const fn minutes(count: u64) -> Duration {
    Duration::from_secs(60 * count)
}

const fn seconds(count: u64) -> Duration {
    Duration::from_secs(count)
}

/// The steps of every run, which are those of CI.
const USUAL: &[Step] = &[
    Step::new(
        "build",
        "everything that the tests drive",
        seconds(300),
        steps::build,
    ),
    Step::new("rust", "unit and property tests", seconds(430), steps::rust)
        .filtered()
        .in_background(),
    Step::new(
        "budgets",
        "sizes, work, and upstream calls, within their budgets",
        seconds(15),
        steps::budgets,
    )
    .after_build(),
    Step::new(
        "scripts",
        "formatting, lints and types of the scripts, and the package's types",
        seconds(25),
        steps::scripts,
    )
    .after_build(),
    Step::new(
        "pkg",
        "the package's modules, in Node",
        seconds(20),
        steps::pkg,
    )
    .after_build()
    .filtered(),
    Step::new(
        "upstream",
        "the library for upstream modules, in front of providers' stand-ins",
        seconds(10),
        steps::upstream,
    )
    .after_build()
    .filtered(),
    Step::new(
        "gateway",
        "the gateway in workerd",
        seconds(140),
        steps::gateway,
    )
    .after_build()
    .filtered(),
    Step::new(
        "mcp",
        "the gateway as agents see it",
        seconds(30),
        steps::mcp,
    )
    .after_build()
    .filtered(),
    Step::new(
        "selfhost",
        "the gateway's own package: its command line, and the gateway on a server",
        seconds(70),
        steps::selfhost,
    )
    .after_build()
    .filtered(),
    Step::new(
        "e2e",
        "the whole path, in a real browser",
        seconds(260),
        steps::e2e,
    )
    .after_build()
    .filtered(),
];

/// The steps of `--long`, which take too long for every change, or install further tools.
const LONG: &[Step] = &[
    Step::new(
        "lint",
        "formatting and lints of Rust, for this machine, for wasm and of the fuzz targets",
        seconds(510),
        checks::lint,
    ),
    Step::new(
        "docs",
        "the documentation, warnings denied",
        seconds(120),
        checks::docs,
    ),
    Step::new(
        "clients",
        "the client for Rust and its examples, on a page and as a program",
        seconds(200),
        steps::clients,
    )
    .after_build()
    .filtered(),
    Step::new(
        "openapi",
        "the gateway against its own document",
        seconds(75),
        steps::openapi,
    )
    .after_build()
    .filtered(),
    Step::new(
        "agents",
        "the gateway against the official suite and the client in Python",
        seconds(40),
        steps::agents,
    )
    .after_build()
    .filtered(),
    Step::new(
        "packaging",
        "the packed package, installed into its environments",
        seconds(200),
        steps::packaging,
    )
    .after_build()
    .filtered(),
    Step::new(
        "engines",
        "the package and the playground in Firefox and WebKit",
        seconds(180),
        engines::engines,
    )
    .after_build()
    .filtered(),
    Step::new(
        "videos",
        "the emulator's videos with a recent ffmpeg",
        seconds(60),
        steps::videos,
    ),
    Step::new(
        "properties",
        "property tests with a hundred times the cases",
        minutes(25),
        long::properties,
    )
    .filtered(),
    Step::new(
        "busy",
        "the tests in workerd and in the browser, on a machine whose cores are all busy",
        minutes(30),
        long::busy,
    )
    .after_build(),
    Step::new(
        "slow",
        "the whole path, in a browser whose pages compute five times slower than their tests",
        minutes(20),
        long::slow,
    )
    .after_build()
    .filtered(),
    Step::new(
        "kills",
        "the gateway on a server, killed under load, on a full disk and from a copy, \
               with the emulator that npm distributes; attacks on signed tokens; \
               panics, an embedded gateway and a published bucket",
        minutes(15),
        long::kills,
    )
    .after_build(),
    Step::new(
        "bench",
        "that every measurement runs",
        minutes(3),
        long::bench,
    )
    .after_build(),
    Step::new(
        "deny",
        "licences, sources, duplicates and advisories of every dependency",
        minutes(3),
        checks::deny,
    ),
    Step::new(
        "fuzz",
        "every fuzz target, for five minutes unless the options say otherwise",
        minutes(35),
        long::fuzz,
    ),
];

/// Returns the steps that the options choose, in their order.
///
/// # Errors
/// If `--only` names no step, or if `--filter` is given without a step that accepts it.
pub(super) fn select(options: &Options) -> Result<Vec<&'static Step>> {
    let Some(only) = &options.only else {
        return if options.filter.is_some() {
            bail!(
                "--filter needs --only with the step whose tests it chooses among: {}",
                filtered().join(", ")
            )
        } else if options.long {
            Ok(after_build(LONG.iter().collect()))
        } else {
            Ok(USUAL.iter().collect())
        };
    };
    let Some(named) = every().find(|step| step.name == only) else {
        let names: Vec<_> = every().map(|step| step.name).collect();
        bail!(
            "there is no step `{only}`; the steps are {}",
            names.join(", ")
        );
    };
    if options.filter.is_some() && !named.has_filter {
        bail!(
            "the step `{only}` takes no --filter; these do: {}",
            filtered().join(", ")
        );
    }
    Ok(after_build(vec![named]))
}

/// Returns true if `step` runs in the background of these steps. A single step does not.
pub(super) fn runs_in_background(step: &Step, steps: &[&Step]) -> bool {
    step.may_run_in_background && steps.len() > 1
}

fn every() -> impl Iterator<Item = &'static Step> {
    USUAL.iter().chain(LONG)
}

fn filtered() -> Vec<&'static str> {
    every()
        .filter(|step| step.has_filter)
        .map(|step| step.name)
        .collect()
}

/// Returns these steps, after the build if one of them needs it.
fn after_build(mut steps: Vec<&'static Step>) -> Vec<&'static Step> {
    if steps.iter().any(|step| step.needs_build) {
        steps.insert(0, &USUAL[0]);
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(options: &Options) -> Vec<&'static str> {
        select(options)
            .unwrap()
            .iter()
            .map(|step| step.name)
            .collect()
    }

    fn only(step: &str, filter: Option<&str>) -> Options {
        Options {
            only: Some(step.to_owned()),
            filter: filter.map(str::to_owned),
            ..Options::default()
        }
    }

    #[test]
    fn long_has_other_steps() {
        let usual = names(&Options::default());
        let long = names(&Options {
            long: true,
            ..Options::default()
        });
        assert_eq!(long[0], "build");
        assert!(
            long[1..].iter().all(|name| !usual.contains(name)),
            "{long:?}"
        );
    }

    #[test]
    fn one_step_runs_after_the_build_if_it_needs_it() {
        assert_eq!(names(&only("e2e", None)), ["build", "e2e"]);
        assert_eq!(names(&only("docs", None)), ["docs"]);
        assert_eq!(names(&only("build", None)), ["build"]);
        assert_eq!(names(&only("busy", None)), ["build", "busy"]);
    }

    #[test]
    fn the_error_of_an_unknown_step_lists_the_known_ones() {
        let error = select(&only("e3e", None))
            .map(|_| ())
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("`e3e`") && error.contains("gateway, mcp, selfhost, e2e"),
            "{error}"
        );
    }

    #[test]
    fn a_filter_needs_a_step_that_takes_one() {
        assert_eq!(
            names(&only("gateway", Some("ledger"))),
            ["build", "gateway"]
        );
        for options in [
            only("deny", Some("x")),
            Options {
                filter: Some("x".into()),
                ..Options::default()
            },
        ] {
            let error = select(&options).map(|_| ()).unwrap_err().to_string();
            assert!(
                error.contains("gateway, mcp, selfhost, e2e") && !error.contains("deny,"),
                "{error}"
            );
        }
    }
}
