//! The summary that a run prints at its end.

use std::time::Duration;

use anyhow::Result;

use super::step::{Step, runs_in_background};
use crate::progress::seconds as in_words;

/// The result of a step.
pub(super) struct Outcome {
    pub(super) name: &'static str,
    pub(super) took: Duration,
    pub(super) result: Result<()>,
}

/// Returns a table of all steps, the duration of the run, and the numbers of passed and failed
/// steps.
pub(super) fn summary(steps: &[&Step], outcomes: &[Outcome], took: Duration) -> String {
    let row = |name: &str, result: &str, took: &str, budget: &str| {
        format!("{name:<12}{result:<8}{took:>14}{budget:>14}")
    };
    let mut lines = vec![String::new(), row("step", "", "took", "budget")];
    for step in steps {
        let budget = in_words(step.budget);
        let outcome = outcomes.iter().find(|outcome| outcome.name == step.name);
        lines.push(match outcome {
            Some(outcome) => {
                let result = if outcome.result.is_ok() {
                    "passed"
                } else {
                    "FAILED"
                };
                let mut line = row(step.name, result, &in_words(outcome.took), &budget);
                if outcome.took > step.budget {
                    line.push_str("  over its budget");
                }
                if runs_in_background(step, steps) {
                    line.push_str("  in the background");
                }
                line
            }
            None => row(step.name, "not run", "", &budget),
        });
    }
    // A step in the background takes no time of its own.
    let budget = steps
        .iter()
        .filter(|step| !runs_in_background(step, steps))
        .map(|step| step.budget)
        .sum();
    lines.push(row("in all", "", &in_words(took), &in_words(budget)));
    let passed = outcomes
        .iter()
        .filter(|outcome| outcome.result.is_ok())
        .count();
    lines.push(format!(
        "\n{passed} passed, {} failed",
        outcomes.len() - passed
    ));
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use anyhow::anyhow;

    use super::*;

    fn lines(steps: &[Step], outcomes: &[Outcome], took: u64) -> Vec<String> {
        let text = summary(
            &steps.iter().collect::<Vec<_>>(),
            outcomes,
            Duration::from_secs(took),
        );
        text.lines()
            .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
            .collect()
    }

    fn step(name: &'static str, budget: u64) -> Step {
        Step::new(name, "nothing", Duration::from_secs(budget), |_, _| Ok(()))
    }

    fn outcome(name: &'static str, has_passed: bool, seconds: u64) -> Outcome {
        Outcome {
            name,
            took: Duration::from_secs(seconds),
            result: has_passed.then_some(()).ok_or_else(|| anyhow!("it failed")),
        }
    }

    #[test]
    fn the_table_has_each_steps_time_beside_its_budget_and_counts_the_steps_that_ran() {
        let steps = [step("one", 90), step("two", 95), step("three", 15)];
        let lines = lines(
            &steps,
            &[outcome("one", true, 90), outcome("two", false, 3600)],
            3690,
        );
        assert_eq!(
            lines,
            [
                "",
                "step took budget",
                "one passed 1 min 30 s 1 min 30 s",
                "two FAILED 60 min 0 s 1 min 35 s over its budget",
                "three not run 15.0 s",
                "in all 61 min 30 s 3 min 20 s",
                "",
                "1 passed, 1 failed",
            ]
        );
    }

    #[test]
    fn a_step_in_the_background_adds_nothing_to_the_budget_of_all() {
        let steps = [step("one", 10), step("beside", 60).in_background()];
        let lines = lines(
            &steps,
            &[outcome("one", true, 9), outcome("beside", true, 61)],
            12,
        );
        assert_eq!(
            lines[3],
            "beside passed 1 min 1 s 1 min 0 s over its budget in the background"
        );
        assert_eq!(lines[4], "in all 12.0 s 10.0 s");
    }
}
