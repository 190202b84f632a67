//! Runs steps in the background of a test run. Each is a process of its own with a lower priority,
//! so that it uses the time that the other steps leave. Its output is shown at the end.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use anyhow::{Context, Result};

use super::step::Step;
use super::summary::Outcome;
use crate::checkout::Checkout;
use crate::process;

/// The folder of the steps' outputs.
const FOLDER: &str = ".tools/beside";

/// The niceness of a step in the background. It leaves most of the cores to the rest. The
/// lowest priority would keep tests from meeting their deadlines.
const NICENESS: u32 = 5;

/// Runs the steps in turn, until `has_failed` is set, and sets it if a step fails. A step that ends
/// because of another step's failure has no outcome.
pub(super) fn run(
    checkout: &Checkout,
    steps: &[&'static Step],
    has_failed: &AtomicBool,
) -> Vec<Outcome> {
    let folder = checkout.path(FOLDER);
    run_each(&folder, steps, has_failed, || {
        let mut command =
            process::with_niceness(NICENESS, &Command::new(checkout.program("xtask")));
        command
            .args(["test", "--only"])
            .current_dir(checkout.root());
        command
    })
}

/// Prints the output of a step.
pub(super) fn show_output(checkout: &Checkout, name: &str) {
    let output = fs::read_to_string(output_of(&checkout.path(FOLDER), name)).unwrap_or_default();
    println!("\n{}", output.trim_end());
}

/// Runs each step by a command with the step's name as its last argument. The output goes to
/// `folder`.
fn run_each(
    folder: &Path,
    steps: &[&'static Step],
    has_failed: &AtomicBool,
    command: impl Fn() -> Command,
) -> Vec<Outcome> {
    let mut done = Vec::new();
    for step in steps {
        let start = Instant::now();
        let result = run_step(folder, step, command(), has_failed);
        let is_failure = result.is_err();
        if is_failure && has_failed.swap(true, Ordering::SeqCst) {
            // Another step failed first and ended this one.
            break;
        }
        done.push(Outcome {
            name: step.name,
            took: start.elapsed(),
            result,
        });
        if is_failure {
            println!(
                "✗ {}, in the background: its output is shown after the current step",
                step.name
            );
            break;
        }
    }
    done
}

fn run_step(
    folder: &Path,
    step: &Step,
    mut command: Command,
    has_failed: &AtomicBool,
) -> Result<()> {
    let path = output_of(folder, step.name);
    let open = || fs::create_dir_all(folder).and_then(|()| File::create(&path));
    let output = open().with_context(|| format!("{} cannot be written", path.display()))?;
    command
        .arg(step.name)
        .stderr(
            output
                .try_clone()
                .context("the file of the output cannot be opened twice")?,
        )
        .stdout(output);
    process::run_while_wanted(step.name, command, has_failed)
}

fn output_of(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{name}.log"))
}

#[cfg(all(test, unix))]
mod tests {
    use std::time::Duration;

    use super::*;

    const FIRST: &Step = &Step::new("first", "nothing", Duration::ZERO, |_, _| Ok(()));
    const SECOND: &Step = &Step::new("second", "nothing", Duration::ZERO, |_, _| Ok(()));

    /// Runs both steps by a script. Returns the steps with an outcome, each with true if it has
    /// passed, and true if a step has failed.
    fn run(script: &str, has_failed: bool) -> (Vec<(&'static str, bool)>, bool) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let has_failed = AtomicBool::new(has_failed);
        let done = run_each(folder.path(), &[FIRST, SECOND], &has_failed, || {
            let mut command = Command::new("sh");
            command.args(["-c", script, "sh"]);
            command
        });
        let outcomes = done
            .iter()
            .map(|outcome| (outcome.name, outcome.result.is_ok()));
        (outcomes.collect(), has_failed.into_inner())
    }

    #[test]
    fn steps_run_in_turn_until_one_fails() {
        assert_eq!(
            run("exit 0", false),
            (vec![("first", true), ("second", true)], false)
        );
        assert_eq!(
            run("test $1 = first", false),
            (vec![("first", true), ("second", false)], true)
        );
        assert_eq!(run("exit 1", false), (vec![("first", false)], true));
    }

    #[test]
    fn a_step_that_anothers_failure_ends_has_no_outcome() {
        let start = Instant::now();
        assert_eq!(run("sleep 60", true), (vec![], true));
        assert!(start.elapsed().as_secs() < 60);
    }
}
