//! `cargo xtask test`: named steps, each timed; the first that fails ends the run.

mod long;
mod options;
mod steps;

use std::time::{Duration, Instant};

use anyhow::{Result, bail};

pub(crate) use self::options::Options;
use crate::checkout::Checkout;
use crate::process;
use crate::progress::{seconds, step};

/// One step of the run.
struct Step {
    name: &'static str,
    /// What it checks, for its heading.
    what: &'static str,
    /// Whether it needs the build's output, so that the build runs first even with `--only`.
    after_build: bool,
    run: fn(&Checkout, &Options) -> Result<()>,
}

/// The steps of every run.
const SHORT: [Step; 8] = [
    Step { name: "build", what: "everything that the tests drive", after_build: false, run: steps::build },
    Step { name: "rust", what: "unit and property tests", after_build: false, run: steps::rust },
    Step {
        name: "budgets",
        what: "sizes, work, and upstream calls, within their budgets",
        after_build: true,
        run: steps::budgets,
    },
    Step { name: "types", what: "the package's types, as TypeScript sees them", after_build: true, run: steps::types },
    Step { name: "wasm", what: "the client's wasm in a real browser", after_build: true, run: steps::wasm },
    Step { name: "gateway", what: "the gateway in workerd", after_build: true, run: steps::gateway },
    Step {
        name: "mcp",
        what: "the gateway as agents and the official suite see it",
        after_build: true,
        run: steps::mcp,
    },
    Step { name: "e2e", what: "the whole path, in a real browser", after_build: true, run: steps::e2e },
];

/// The steps that `--all` adds.
const LONG: [Step; 5] = [
    Step {
        name: "openapi",
        what: "gateway and emulator against their own documents",
        after_build: true,
        run: steps::openapi,
    },
    Step {
        name: "packaging",
        what: "the packed package, installed into every environment",
        after_build: true,
        run: steps::packaging,
    },
    Step { name: "docs", what: "the documentation, warnings denied", after_build: false, run: long::docs },
    Step {
        name: "deny",
        what: "licences, sources and duplicates of every dependency",
        after_build: false,
        run: long::deny,
    },
    Step { name: "fuzz", what: "every fuzz target for a while", after_build: false, run: long::fuzz },
];

/// The result of a step: its name, whether it passed, and its duration.
type Outcome = (&'static str, bool, Duration);

/// Runs the steps and prints the result of each.
///
/// # Errors
/// When a step fails, or `--only` names an unknown one.
pub(crate) fn run(checkout: &Checkout, options: &Options) -> Result<()> {
    let steps = select(options)?;
    let mut outcomes = Vec::new();
    let mut failure = None;
    for one in &steps {
        let start = Instant::now();
        let result = step(&format!("{}: {}", one.name, one.what), || (one.run)(checkout, options));
        outcomes.push((one.name, result.is_ok(), start.elapsed()));
        if let Err(error) = result {
            failure = Some(error.context(format!("the step `{}` failed", one.name)));
            break;
        }
    }
    match failure {
        Some(error) if process::is_interrupted() => Err(error),
        Some(error) => {
            eprintln!("error: {error:#}; `cargo xtask test --only {}` runs it alone", outcomes[outcomes.len() - 1].0);
            println!("{}", summary(&steps, &outcomes));
            std::process::exit(1);
        }
        None => {
            println!("{}", summary(&steps, &outcomes));
            Ok(())
        }
    }
}

fn select(options: &Options) -> Result<Vec<&'static Step>> {
    let mut all = SHORT.iter().chain(&LONG);
    let Some(only) = &options.only else {
        let count = if options.all { SHORT.len() + LONG.len() } else { SHORT.len() };
        return Ok(all.take(count).collect());
    };
    let Some(named) = all.clone().find(|it| it.name == only) else {
        let names: Vec<_> = all.map(|it| it.name).collect();
        bail!("there is no step `{only}`; the steps are {}", names.join(", "));
    };
    let build = all.find(|it| it.name == "build").filter(|_| named.after_build);
    Ok(build.into_iter().chain([named]).collect())
}

/// A table of all steps, and the line that counts them.
fn summary(steps: &[&Step], outcomes: &[Outcome]) -> String {
    let mut lines = vec![String::new()];
    for (index, one) in steps.iter().enumerate() {
        let outcome = match outcomes.get(index) {
            Some((_, true, time)) => format!("passed  {:>12}", seconds(*time)),
            Some((_, false, time)) => format!("FAILED  {:>12}", seconds(*time)),
            None => "not run".to_owned(),
        };
        lines.push(format!("{:<10}{outcome}", one.name));
    }
    let passed = outcomes.iter().filter(|(_, passed, _)| *passed).count();
    lines.push(format!("\n{passed} passed, {} failed", outcomes.len() - passed));
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(all: bool, only: Option<&str>) -> Options {
        Options { all, only: only.map(str::to_owned), fuzz_seconds: 1 }
    }

    #[test]
    fn all_adds_the_long_steps() {
        assert_eq!(select(&options(false, None)).unwrap().len(), SHORT.len());
        assert_eq!(select(&options(true, None)).unwrap().len(), SHORT.len() + LONG.len());
    }

    #[test]
    fn one_step_runs_after_the_build_where_it_needs_it() {
        let names = |only| select(&options(false, Some(only))).unwrap().iter().map(|it| it.name).collect::<Vec<_>>();
        assert_eq!(names("e2e"), ["build", "e2e"]);
        assert_eq!(names("fuzz"), ["fuzz"]);
        assert_eq!(names("build"), ["build"]);
    }

    #[test]
    fn the_error_of_an_unknown_step_lists_the_known_ones() {
        let error = select(&options(false, Some("e3e"))).map(|_| ()).unwrap_err().to_string();
        assert!(error.contains("`e3e`") && error.contains("gateway, mcp, e2e"), "{error}");
    }

    #[test]
    fn the_last_line_counts_the_steps_that_ran() {
        let steps = select(&options(false, None)).unwrap();
        let outcomes = [("build", true, Duration::from_secs(2)), ("rust", false, Duration::from_secs(3))];
        let text = summary(&steps, &outcomes);
        assert_eq!(text.lines().last().unwrap(), "1 passed, 1 failed");
        assert!(text.contains("rust      FAILED") && text.contains("e2e       not run"), "{text}");
    }
}
