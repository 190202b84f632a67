//! `cargo xtask test`: named steps, each with a time budget; the first that fails ends the run.

mod checks;
mod engines;
mod long;
mod node;
mod options;
mod publish;
mod step;
mod steps;
mod upgrades;

use std::time::{Duration, Instant};

use anyhow::Result;

pub(crate) use self::options::Options;
use self::step::Step;
use crate::checkout::Checkout;
use crate::process;
use crate::progress::{seconds as in_words, step as timed};

/// The result of a step: its name, whether it passed, and its duration.
type Outcome = (&'static str, bool, Duration);

/// Runs the steps and prints the result of each.
///
/// # Errors
/// When a step fails, or `--only` names an unknown one.
pub(crate) fn run(checkout: &Checkout, options: &Options) -> Result<()> {
    let steps = step::select(options)?;
    if options.long {
        let covers = steps.iter().map(|it| format!("  {:<12}{}, up to {}", it.name, it.what, in_words(it.budget)));
        println!("this covers:\n{}\n", covers.collect::<Vec<_>>().join("\n"));
    }
    let mut outcomes = Vec::new();
    let mut failure = None;
    for one in &steps {
        let start = Instant::now();
        let result = timed(&format!("{}: {}", one.name, one.what), || (one.run)(checkout, options));
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

/// A table of all steps, and the line that counts them.
fn summary(steps: &[&Step], outcomes: &[Outcome]) -> String {
    let row =
        |name: &str, result: &str, took: &str, budget: &str| format!("{name:<12}{result:<8}{took:>14}{budget:>14}");
    let mut lines = vec![String::new(), row("step", "", "took", "budget")];
    for (index, one) in steps.iter().enumerate() {
        lines.push(match outcomes.get(index) {
            Some((_, passed, took)) => {
                let result = if *passed { "passed" } else { "FAILED" };
                let line = row(one.name, result, &in_words(*took), &in_words(one.budget));
                if *took > one.budget { line + "  over its budget" } else { line }
            }
            None => row(one.name, "not run", "", &in_words(one.budget)),
        });
    }
    let took = outcomes.iter().map(|it| it.2).sum();
    let budget = steps.iter().map(|it| it.budget).sum();
    lines.push(row("in all", "", &in_words(took), &in_words(budget)));
    let passed = outcomes.iter().filter(|(_, passed, _)| *passed).count();
    lines.push(format!("\n{passed} passed, {} failed", outcomes.len() - passed));
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_each_steps_time_beside_its_budget_and_counts_the_steps_that_ran() {
        let steps = step::select(&Options::default()).unwrap();
        let outcomes = [("build", true, Duration::from_secs(2)), ("rust", false, Duration::from_secs(3600))];
        let text = summary(&steps, &outcomes);
        let lines: Vec<_> = text.lines().map(|it| it.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
        assert!(lines.contains(&"build passed 2.0 s 5 min 0 s".to_owned()), "{text}");
        assert!(lines.contains(&"rust FAILED 60 min 0 s 3 min 0 s over its budget".to_owned()), "{text}");
        assert!(lines.iter().any(|it| it.starts_with("e2e not run")), "{text}");
        assert_eq!(lines.last().unwrap(), "1 passed, 1 failed");
    }
}
