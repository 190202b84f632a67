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
    /// The step's requirement.
    needs: Needs,
    /// True if `--filter` can choose among the step's tests.
    has_filter: bool,
    /// True if the step may run in the background. Such a step measures no time, and writes to no
    /// folder that other steps use.
    pub(super) may_run_in_background: bool,
    /// The expected duration on two cores, in a checkout without any built file. It is only
    /// printed, as a busy machine is no defect of the code.
    pub(super) budget: Duration,
    pub(super) run: fn(&Checkout, &Options) -> Result<()>,
}

#[cfg(test)]
impl Step {
    /// Returns a step that does nothing, with a budget in seconds.
    pub(super) const fn of(name: &'static str, budget: u64, may_run_in_background: bool) -> Self {
        Self {
            name,
            what: "nothing",
            needs: Needs::Nothing,
            has_filter: false,
            may_run_in_background,
            budget: seconds(budget),
            run: |_, _| Ok(()),
        }
    }
}

#[derive(PartialEq)]
enum Needs {
    Nothing,
    /// The output of the build, so that the build runs first even with `--only`.
    Build,
}

const fn minutes(count: u64) -> Duration {
    Duration::from_secs(60 * count)
}

const fn seconds(count: u64) -> Duration {
    Duration::from_secs(count)
}

/// The steps of every run.
const SHORT: &[Step] = &[
    Step {
        name: "build",
        what: "everything that the tests drive",
        needs: Needs::Nothing,
        has_filter: false,
        may_run_in_background: false,
        budget: seconds(430),
        run: steps::build,
    },
    Step {
        name: "rust",
        what: "unit and property tests",
        needs: Needs::Nothing,
        has_filter: true,
        may_run_in_background: true,
        budget: seconds(430),
        run: steps::rust,
    },
    Step {
        name: "budgets",
        what: "sizes, work, and upstream calls, within their budgets",
        needs: Needs::Build,
        has_filter: false,
        may_run_in_background: false,
        budget: seconds(15),
        run: steps::budgets,
    },
    Step {
        name: "types",
        what: "the package's types, as TypeScript sees them",
        needs: Needs::Build,
        has_filter: false,
        may_run_in_background: false,
        budget: seconds(15),
        run: steps::types,
    },
    Step {
        name: "gateway",
        what: "the gateway in workerd",
        needs: Needs::Build,
        has_filter: true,
        may_run_in_background: false,
        budget: seconds(145),
        run: steps::gateway,
    },
    Step {
        name: "mcp",
        what: "the gateway as agents and the official suite see it",
        needs: Needs::Build,
        has_filter: true,
        may_run_in_background: false,
        budget: seconds(40),
        run: steps::mcp,
    },
    Step {
        name: "e2e",
        what: "the whole path, in a real browser",
        needs: Needs::Build,
        has_filter: true,
        may_run_in_background: false,
        budget: seconds(260),
        run: steps::e2e,
    },
];

/// The steps that `--all` adds.
const ALL: &[Step] = &[
    Step {
        name: "openapi",
        what: "the gateway against its own document",
        needs: Needs::Build,
        has_filter: true,
        may_run_in_background: false,
        budget: seconds(75),
        run: steps::openapi,
    },
    Step {
        name: "clients",
        what: "the client for Rust and its examples, on a page and as a program",
        needs: Needs::Build,
        has_filter: true,
        may_run_in_background: false,
        budget: seconds(75),
        run: steps::clients,
    },
    Step {
        name: "pkg",
        what: "the package's modules, in Node",
        needs: Needs::Build,
        has_filter: true,
        may_run_in_background: false,
        budget: seconds(20),
        run: steps::pkg,
    },
    Step {
        name: "packaging",
        what: "the packed package, installed into its environments",
        needs: Needs::Build,
        has_filter: true,
        may_run_in_background: false,
        budget: seconds(85),
        run: steps::packaging,
    },
    Step {
        name: "selfhost",
        what: "the gateway's own package: its command line, and the gateway on a server",
        needs: Needs::Build,
        has_filter: true,
        may_run_in_background: false,
        budget: seconds(60),
        run: steps::selfhost,
    },
    Step {
        name: "engines",
        what: "the package and the playground in Firefox and WebKit",
        needs: Needs::Build,
        has_filter: true,
        may_run_in_background: false,
        budget: seconds(110),
        run: engines::engines,
    },
    Step {
        name: "docs",
        what: "the documentation, warnings denied",
        needs: Needs::Nothing,
        has_filter: false,
        may_run_in_background: true,
        budget: seconds(90),
        run: checks::docs,
    },
];

/// The steps of `--long`, which take too long for every change.
const LONG: &[Step] = &[
    Step {
        name: "properties",
        what: "property tests with a hundred times the cases",
        needs: Needs::Nothing,
        has_filter: true,
        may_run_in_background: false,
        budget: minutes(25),
        run: long::properties,
    },
    Step {
        name: "busy",
        what: "the tests in workerd and in the browser, on a machine whose cores are all busy",
        needs: Needs::Build,
        has_filter: false,
        may_run_in_background: false,
        budget: minutes(30),
        run: long::busy,
    },
    Step {
        name: "slow",
        what: "the whole path, in a browser whose pages compute five times slower than their tests",
        needs: Needs::Build,
        has_filter: true,
        may_run_in_background: false,
        budget: minutes(20),
        run: long::slow,
    },
    Step {
        name: "kills",
        what: "the gateway on a server, killed under load, on a full disk and from a copy, \
               with the emulator that npm distributes",
        needs: Needs::Build,
        has_filter: false,
        may_run_in_background: false,
        budget: minutes(15),
        run: long::kills,
    },
    Step {
        name: "bench",
        what: "that every measurement runs",
        needs: Needs::Build,
        has_filter: false,
        may_run_in_background: false,
        budget: minutes(3),
        run: long::bench,
    },
    Step {
        name: "platforms",
        what: "the packed package in Next.js with webpack and in development, \
               and its hooks in Firefox and WebKit",
        needs: Needs::Build,
        has_filter: false,
        may_run_in_background: false,
        budget: seconds(90),
        run: long::platforms,
    },
    Step {
        name: "deny",
        what: "licences, sources, duplicates and advisories of every dependency",
        needs: Needs::Nothing,
        has_filter: false,
        may_run_in_background: false,
        budget: minutes(3),
        run: checks::deny,
    },
    Step {
        name: "fuzz",
        what: "every fuzz target, for five minutes unless the options say otherwise",
        needs: Needs::Nothing,
        has_filter: false,
        may_run_in_background: false,
        budget: minutes(35),
        run: long::fuzz,
    },
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
            Ok(SHORT
                .iter()
                .chain(if options.all { ALL } else { &[] })
                .collect())
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
    SHORT.iter().chain(ALL).chain(LONG)
}

fn filtered() -> Vec<&'static str> {
    every()
        .filter(|step| step.has_filter)
        .map(|step| step.name)
        .collect()
}

/// Returns these steps, after the build if one of them needs it.
fn after_build(mut steps: Vec<&'static Step>) -> Vec<&'static Step> {
    if steps.iter().any(|step| step.needs == Needs::Build) {
        steps.insert(0, &SHORT[0]);
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
    fn all_adds_steps_and_long_has_others() {
        let short = names(&Options::default());
        let all = names(&Options {
            all: true,
            ..Options::default()
        });
        let long = names(&Options {
            long: true,
            ..Options::default()
        });
        assert!(all.starts_with(&short) && all.len() > short.len());
        assert_eq!(long[0], "build");
        assert!(long[1..].iter().all(|name| !all.contains(name)), "{long:?}");
    }

    #[test]
    fn one_step_runs_after_the_build_where_it_needs_it() {
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
            error.contains("`e3e`") && error.contains("gateway, mcp, e2e"),
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
                error.contains("gateway, mcp, e2e") && !error.contains("deny,"),
                "{error}"
            );
        }
    }
}
