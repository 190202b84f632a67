//! The steps of every test run.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};

use super::Options;
use crate::checkout::Checkout;
use crate::{bench, browser, build as builds, generate, npm, process, tools};

pub(super) fn build(checkout: &Checkout, _: &Options) -> Result<()> {
    builds::run(checkout, &builds::Options::default())?;
    builds::build_program(checkout, "mediagate-emulator")
}

pub(super) fn rust(checkout: &Checkout, _: &Options) -> Result<()> {
    let mut test = tools::cargo(checkout);
    // The runner has no logic of its own, and its tools take minutes to build for tests.
    test.args(["test", "--quiet", "--workspace", "--exclude", "wasm-tools-runner"]);
    process::run("cargo test", test)
}

pub(super) fn budgets(checkout: &Checkout, _: &Options) -> Result<()> {
    bench::check(checkout)?;
    node_tests(checkout, "tests/bench")
}

pub(super) fn types(checkout: &Checkout, _: &Options) -> Result<()> {
    generate::check(checkout)?;
    builds::expect(checkout, "tests/types/tsconfig.json")?;
    ["tests/types", "www"].iter().try_for_each(|project| {
        let mut tsc = npm::script(checkout, "typescript/bin/tsc");
        tsc.args(["--noEmit", "--project", project]);
        process::run(&format!("tsc --project {project}"), tsc)
    })
}

pub(super) fn wasm(checkout: &Checkout, _: &Options) -> Result<()> {
    builds::expect(checkout, "crates/browser/tests")?;
    let browser = browser::ensure()?;
    let mut pack = tools::command(checkout, checkout.tool("wasm-pack"))?;
    pack.args(["test", "--headless", "--chrome", "--mode", "no-install", "--chromedriver"])
        .arg(&browser.driver)
        .arg("crates/browser")
        .env("WASM_BINDGEN_TEST_WEBDRIVER_JSON", browser::write_webdriver(checkout, &browser)?)
        // Under load a browser takes its time; what hangs still ends.
        .env("WASM_BINDGEN_TEST_TIMEOUT", "180");
    process::run("wasm-pack test", pack)
}

pub(super) fn gateway(checkout: &Checkout, _: &Options) -> Result<()> {
    builds::build_test_workers(checkout)?;
    node_tests(checkout, "tests/gateway")
}

pub(super) fn e2e(checkout: &Checkout, _: &Options) -> Result<()> {
    node_tests(checkout, "tests/e2e")
}

pub(super) fn packaging(checkout: &Checkout, _: &Options) -> Result<()> {
    node_tests(checkout, "tests/packaging")
}

/// Runs a folder's `*.test.mjs` with Node's own runner; the tests find the browser and the emulator by environment.
fn node_tests(checkout: &Checkout, folder: &str) -> Result<()> {
    let files = test_files(checkout, folder)?;
    let browser = browser::ensure()?;
    let mut node = tools::command(checkout, "node")?;
    node.args(["--test", "--test-concurrency=1", "--test-reporter=spec"])
        .args(files)
        .env("CHROME", &browser.chrome)
        .env("CHROMEDRIVER", &browser.driver)
        .env("MEDIAGATE_EMULATOR", checkout.program("mediagate-emulator"));
    process::run(&format!("node --test {folder}"), node)
}

fn test_files(checkout: &Checkout, folder: &str) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(checkout.path(folder)).with_context(|| format!("{folder} cannot be read"))?;
    let paths = entries.map(|entry| entry.map(|it| it.path())).collect::<Result<Vec<_>, _>>()?;
    let is_test = |path: &PathBuf| path.to_string_lossy().ends_with(".test.mjs");
    let mut files: Vec<_> = paths.into_iter().filter(is_test).collect();
    files.sort();
    if files.is_empty() {
        bail!("{folder} has no *.test.mjs; a step without tests proves nothing");
    }
    Ok(files)
}
