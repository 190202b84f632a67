//! What a run prints at its end.

use std::time::Duration;

use super::step::{Step, is_beside};
use crate::progress::seconds as in_words;

/// The result of a step.
pub(super) struct Outcome {
    pub(super) name: &'static str,
    pub(super) has_passed: bool,
    pub(super) took: Duration,
}

/// A table of all steps, how long the run took, and the line that counts them.
pub(super) fn summary(steps: &[&Step], outcomes: &[Outcome], took: Duration) -> String {
    let row =
        |name: &str, result: &str, took: &str, budget: &str| format!("{name:<12}{result:<8}{took:>14}{budget:>14}");
    let mut lines = vec![String::new(), row("step", "", "took", "budget")];
    for one in steps {
        let budget = in_words(one.budget);
        lines.push(match outcomes.iter().find(|it| it.name == one.name) {
            Some(Outcome { has_passed, took, .. }) => {
                let result = if *has_passed { "passed" } else { "FAILED" };
                let line = row(one.name, result, &in_words(*took), &budget);
                if is_beside(one, steps) {
                    line + "  beside the others"
                } else if *took > one.budget {
                    line + "  over its budget"
                } else {
                    line
                }
            }
            None => row(one.name, "not run", "", &budget),
        });
    }
    let budget = steps.iter().filter(|it| !is_beside(it, steps)).map(|it| it.budget).sum();
    lines.push(row("in all", "", &in_words(took), &in_words(budget)));
    let passed = outcomes.iter().filter(|it| it.has_passed).count();
    lines.push(format!("\n{passed} passed, {} failed", outcomes.len() - passed));
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::options::Options;
    use crate::test::step;

    #[test]
    fn the_table_has_each_steps_time_beside_its_budget_and_counts_the_steps_that_ran() {
        let steps = step::select(&Options::default()).unwrap();
        let outcome = |name, has_passed, seconds| Outcome { name, has_passed, took: Duration::from_secs(seconds) };
        let outcomes = [outcome("build", true, 2), outcome("rust", false, 3600)];
        let text = summary(&steps, &outcomes, Duration::from_secs(3602));
        let lines: Vec<_> = text.lines().map(|it| it.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
        assert!(lines.contains(&"build passed 2.0 s 7 min 45 s".to_owned()), "{text}");
        assert!(lines.contains(&"rust FAILED 60 min 0 s 1 min 35 s over its budget".to_owned()), "{text}");
        assert!(lines.iter().any(|it| it.starts_with("e2e not run")), "{text}");
        assert_eq!(lines.last().unwrap(), "1 passed, 1 failed");
    }
}
