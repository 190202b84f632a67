//! Node's test runner on a folder of `*.test.mjs`, or on those that a filter names.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

use anyhow::{Context, Result, bail};

use super::options::Options;
use crate::checkout::Checkout;
use crate::{browser, ffmpeg, process, tools};

/// The end of a test file's name.
const SUFFIX: &str = ".test.mjs";
/// Where the run's count of tests is written.
const COUNT: &str = ".tools/tests-run";
/// The tests' time zone and language, whatever the machine's are. Code that takes the usual ones for granted fails here: the
/// Chatham Islands are 12:45 ahead, and in Turkish `i` is no small `I`.
pub(super) const ELSEWHERE: [(&str, &str); 2] =
    [("TZ", "Pacific/Chatham"), ("LC_ALL", "tr_TR.UTF-8")];

/// Runs a folder's tests; they read the browser's path from the environment.
///
/// # Errors
/// When a test fails, or there is none of that name.
pub(super) fn test_in_browser(checkout: &Checkout, options: &Options, folder: &str) -> Result<()> {
    let browser = browser::ensure()?;
    test(checkout, options, folder, |node| {
        node.env("CHROME", &browser);
    })
}

/// Runs a folder's tests, in an environment that `prepare` may add to.
///
/// # Errors
/// When a test fails, or there is none of that name.
pub(super) fn test(
    checkout: &Checkout,
    options: &Options,
    folder: &str,
    prepare: impl FnOnce(&mut Command),
) -> Result<()> {
    let selection = Selection::new(test_files(checkout, folder)?, options.filter.as_deref());
    let count = checkout.path(COUNT);
    let mut node = tools::command(checkout, "node")?;
    // Without --test-force-exit, a test that fails before it closes its servers would keep the run from ending.
    // The timeout is for each file too: one that hangs fails by its name, long before the whole run would be ended.
    node.args(["--test", "--test-timeout=1200000", "--test-force-exit"]);
    node.args(["--test-reporter=spec", "--test-reporter-destination=stdout"])
        .arg(format!("--test-concurrency={}", files_at_once()))
        .args([
            "--test-reporter=./tests/support/count.mjs",
            "--test-reporter-destination=stdout",
        ])
        .env("MEDIAGATE_TEST_COUNT", &count)
        .env("MEDIAGATE_EMULATOR", checkout.program(tools::EMULATOR))
        .env(ffmpeg::VARIABLE, ffmpeg::for_tests(checkout)?)
        .envs(ELSEWHERE);
    if let Some(pattern) = &selection.pattern {
        node.arg(format!("--test-name-pattern={pattern}"));
    }
    node.args(&selection.files);
    prepare(&mut node);
    process::run(&format!("node --test {folder}"), node)?;
    let count = fs::read_to_string(count)
        .context("Node's test runner has written no count of its tests")?;
    require_tests(folder, options.filter.as_deref(), &count)
}

/// Refuses a run without a test, where the runner itself succeeds.
fn require_tests(folder: &str, filter: Option<&str>, count: &str) -> Result<()> {
    let count: u32 = count
        .trim()
        .parse()
        .context("Node's test runner has written no count of its tests")?;
    match (filter, count) {
        (Some(filter), 0) => bail!("{folder} has no file and no test whose name has `{filter}`"),
        (None, 0) => bail!("{folder} ran no test; a step without tests proves nothing"),
        _ => Ok(()),
    }
}

/// How many files run side by side. Their tests wait for half of their time, for timers, tasks and restarts; each has a
/// browser or a gateway of its own.
fn files_at_once() -> usize {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    (3 * cores).min(8)
}

/// Files, and the pattern that the names of their tests must match.
#[derive(Debug, PartialEq)]
struct Selection {
    files: Vec<PathBuf>,
    pattern: Option<String>,
}

impl Selection {
    /// The file that the filter names, or else the tests of all files whose names contain it.
    fn new(files: Vec<PathBuf>, filter: Option<&str>) -> Self {
        let Some(filter) = filter else {
            return Self {
                files,
                pattern: None,
            };
        };
        let wanted = filter.strip_suffix(SUFFIX).unwrap_or(filter);
        match files.iter().find(|it| stem(it) == Some(wanted)) {
            Some(file) => Self {
                files: vec![file.clone()],
                pattern: None,
            },
            None => Self {
                files,
                pattern: Some(escape(filter)),
            },
        }
    }
}

fn stem(file: &Path) -> Option<&str> {
    file.file_name()?.to_str()?.strip_suffix(SUFFIX)
}

/// The text as a regular expression that matches it alone.
fn escape(text: &str) -> String {
    let escaped = |it: char| {
        if it.is_alphanumeric() || it == ' ' {
            it.to_string()
        } else {
            format!("\\u{{{:x}}}", u32::from(it))
        }
    };
    format!("/{}/u", text.chars().map(escaped).collect::<String>())
}

fn test_files(checkout: &Checkout, folder: &str) -> Result<Vec<PathBuf>> {
    let entries =
        fs::read_dir(checkout.path(folder)).with_context(|| format!("{folder} cannot be read"))?;
    let paths = entries
        .map(|entry| entry.map(|it| it.path()))
        .collect::<Result<Vec<_>, _>>()?;
    // Node runs them in the order of their names.
    let files: Vec<_> = paths
        .into_iter()
        .filter(|path| stem(path).is_some())
        .collect();
    if files.is_empty() {
        bail!("{folder} has no *{SUFFIX}; a step without tests proves nothing");
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_without_a_test_is_an_error() {
        let message = |filter, count| {
            require_tests("tests/e2e", filter, count)
                .unwrap_err()
                .to_string()
        };
        assert!(message(None, "0\n").contains("tests/e2e ran no test"));
        assert!(message(Some("undo"), "0\n").contains("`undo`"));
        assert!(message(None, "").contains("no count"));
        assert!(require_tests("tests/e2e", Some("undo"), "1\n").is_ok());
    }

    #[test]
    fn a_filter_names_a_file_or_a_part_of_a_tests_name() {
        let files = || {
            vec![
                PathBuf::from("tests/gateway/keys.test.mjs"),
                PathBuf::from("tests/gateway/ledger.test.mjs"),
            ]
        };
        let file = Selection {
            files: vec![files()[1].clone()],
            pattern: None,
        };
        assert_eq!(
            Selection::new(files(), None),
            Selection {
                files: files(),
                pattern: None
            }
        );
        assert_eq!(Selection::new(files(), Some("ledger")), file);
        assert_eq!(Selection::new(files(), Some("ledger.test.mjs")), file);
        let pattern = Some("/one key\\u{2c} 2\\u{d7}/u".to_owned());
        assert_eq!(
            Selection::new(files(), Some("one key, 2×")),
            Selection {
                files: files(),
                pattern
            }
        );
    }
}
