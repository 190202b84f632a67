//! Runs Node's test runner on a folder of `*.test.mjs`, or on the tests that a filter names.

use std::fs;
use std::path::PathBuf;
use std::thread;

use anyhow::{Result, bail};
use xshell::{Cmd, cmd};

use super::step::Options;
use crate::checkout::Checkout;
use crate::{browser, ffmpeg, process, tools};

const SUFFIX: &str = ".test.mjs";
/// The time zone and the language of every test. Code that assumes the usual ones fails here: the
/// Chatham Islands are 12:45 ahead, and in Turkish `i` is not the lower case of `I`.
pub(super) const ELSEWHERE: [(&str, &str); 2] =
    [("TZ", "Pacific/Chatham"), ("LC_ALL", "tr_TR.UTF-8")];

/// Runs a folder's tests, in an environment that `prepare` may add to.
pub(super) fn test<'a>(
    checkout: &'a Checkout,
    options: &Options,
    folder: &str,
    prepare: impl FnOnce(Cmd<'a>) -> Cmd<'a>,
) -> Result<()> {
    let mut files = checkout.shell.read_dir(folder)?;
    files.retain(|path| path.to_string_lossy().ends_with(SUFFIX));
    if files.is_empty() {
        bail!("{folder} has no *{SUFFIX}");
    }
    let (files, pattern) = select(files, options.filter.as_deref());
    let count = checkout.path(".tools/tests-run");
    // The tests spend half of their time waiting, for timers, tasks and restarts.
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let runner = [
        "--test",
        // A test that fails may leave its servers open, and the run would not end otherwise.
        "--test-force-exit",
        // Applies to each file. A file that hangs fails by its name, before the timeout of the run.
        "--test-timeout=2700000",
        &format!("--test-concurrency={}", (2 * cores).min(8)),
        "--test-reporter=spec",
        "--test-reporter-destination=stdout",
        // The runner succeeds without a single test, so a reporter counts the tests.
        "--test-reporter=./tests/support/count.mjs",
        "--test-reporter-destination=stdout",
    ];
    let node = cmd!(checkout, "node {runner...} {pattern...} {files...}")
        .env("CHROME", browser::ensure(checkout)?)
        .env("MEDIAGATE_TEST_COUNT", &count)
        .env("MEDIAGATE_EMULATOR", checkout.program(tools::EMULATOR))
        .env(ffmpeg::VARIABLE, ffmpeg::for_tests(checkout)?)
        .envs(ELSEWHERE);
    process::call(prepare(node))?;
    if fs::read_to_string(count)?.trim() == "0" {
        bail!("{folder} has no such test; a step without tests proves nothing");
    }
    Ok(())
}

/// Returns the file that the filter names, or else all files with the option that chooses the tests
/// whose names match it.
fn select(files: Vec<PathBuf>, filter: Option<&str>) -> (Vec<PathBuf>, Option<String>) {
    let Some(filter) = filter else {
        return (files, None);
    };
    let name = format!("{filter}{SUFFIX}");
    match files.iter().find(|file| file.ends_with(&name)) {
        Some(file) => (vec![file.clone()], None),
        None => (files, Some(format!("--test-name-pattern={filter}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_names_a_file_or_a_part_of_a_tests_name() {
        let files = ["tests/keys.test.mjs", "tests/ledger.test.mjs"];
        let files = files.map(PathBuf::from).to_vec();
        let ledger = vec![files[1].clone()];
        assert_eq!(select(files.clone(), Some("ledger")), (ledger, None));
        let pattern = Some("--test-name-pattern=one key".to_owned());
        assert_eq!(select(files.clone(), Some("one key")), (files, pattern));
    }
}
