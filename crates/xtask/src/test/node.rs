//! Runs Node's test runner on a folder of `*.test.mjs`, or on the tests that a filter names.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

use anyhow::{Context, Result, bail};

use super::options::Options;
use crate::checkout::Checkout;
use crate::{browser, ffmpeg, process, tools};

/// The suffix of a test file's name.
const SUFFIX: &str = ".test.mjs";
/// The file that the run's number of tests is written to.
const COUNT: &str = ".tools/tests-run";
/// The time zone and the language of every test. Code that assumes the usual ones fails here: the
/// Chatham Islands are 12:45 ahead, and in Turkish `i` is not the lower case of `I`.
pub(super) const ELSEWHERE: [(&str, &str); 2] =
    [("TZ", "Pacific/Chatham"), ("LC_ALL", "tr_TR.UTF-8")];

/// Runs a folder's tests, which read the browser's path from `CHROME`.
pub(super) fn test_in_browser(checkout: &Checkout, options: &Options, folder: &str) -> Result<()> {
    let browser = browser::ensure()?;
    test(checkout, options, folder, |node| {
        node.env("CHROME", &browser);
    })
}

/// Runs a folder's tests, in an environment that `prepare` may add to.
pub(super) fn test(
    checkout: &Checkout,
    options: &Options,
    folder: &str,
    prepare: impl FnOnce(&mut Command),
) -> Result<()> {
    let selection = Selection::new(test_files(checkout, folder)?, options.filter.as_deref());
    let count = checkout.path(COUNT);
    let mut node = tools::command(checkout, "node")?;
    // A test that fails may leave its servers open, and the run would not end without
    // --test-force-exit. The timeout also applies to each file. A file that hangs then fails by its
    // name, before the timeout of the whole run.
    node.args(["--test", "--test-timeout=2700000", "--test-force-exit"]);
    node.args(["--test-reporter=spec", "--test-reporter-destination=stdout"])
        .arg(format!("--test-concurrency={}", files_at_once()))
        // The runner succeeds without a single test, so a reporter counts the tests.
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

/// Refuses a run without a test, as Node's test runner accepts it.
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

/// Returns the number of files that run at once. Their tests spend half of their time waiting, for
/// timers, tasks and restarts, and each file has a browser or a gateway of its own.
fn files_at_once() -> usize {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    (2 * cores).min(8)
}

/// Files, and the pattern that the names of their tests must match.
#[derive(Debug, PartialEq)]
struct Selection {
    files: Vec<PathBuf>,
    pattern: Option<String>,
}

impl Selection {
    /// Returns the file that the filter names, or else the tests whose names contain the filter.
    fn new(files: Vec<PathBuf>, filter: Option<&str>) -> Self {
        let Some(filter) = filter else {
            return Self {
                files,
                pattern: None,
            };
        };
        let name = filter.strip_suffix(SUFFIX).unwrap_or(filter);
        match files.iter().find(|file| stem(file) == Some(name)) {
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

/// Returns a regular expression that matches only this text.
fn escape(text: &str) -> String {
    let escaped = |letter: char| {
        if letter.is_alphanumeric() || letter == ' ' {
            letter.to_string()
        } else {
            format!("\\u{{{:x}}}", u32::from(letter))
        }
    };
    format!("/{}/u", text.chars().map(escaped).collect::<String>())
}

fn test_files(checkout: &Checkout, folder: &str) -> Result<Vec<PathBuf>> {
    let mut files = checkout.entries(folder)?;
    files.retain(|path| stem(path).is_some());
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
