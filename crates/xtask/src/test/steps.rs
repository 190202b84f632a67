//! The steps of every test run.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::options::Options;
use crate::checkout::Checkout;
use crate::{bench, browser, build as builds, generate, npm, process, python, tools};

pub(super) fn build(checkout: &Checkout, _: &Options) -> Result<()> {
    builds::run(checkout, &builds::Options::default())?;
    builds::build_program(checkout, "mediagate-emulator")
}

pub(super) fn rust(checkout: &Checkout, _: &Options) -> Result<()> {
    let mut test = tools::cargo(checkout);
    // The runner has no logic of its own, and building its tools for tests takes minutes.
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
    openapi_types(checkout)?;
    ["tests/types", "www"].iter().try_for_each(|project| {
        let mut tsc = npm::script(checkout, "typescript/bin/tsc");
        tsc.args(["--noEmit", "--project", project]);
        process::run(&format!("tsc --project {project}"), tsc)
    })
}

/// Writes the types that `openapi-typescript` generates from the gateway's document, to compare the package's with.
fn openapi_types(checkout: &Checkout) -> Result<()> {
    const FOLDER: &str = "tests/types/dist";
    let document = mediagate_worker::openapi::document().to_string();
    fs::create_dir_all(checkout.path(FOLDER))
        .and_then(|()| fs::write(checkout.path(FOLDER).join("openapi.json"), document))
        .with_context(|| format!("{FOLDER} cannot be written"))?;
    // Installed in tests/, beside the version of TypeScript that it needs.
    let mut make = npm::script(checkout, "../tests/node_modules/openapi-typescript/bin/cli.js");
    // A field with a default is still optional in a request.
    make.args(["tests/types/dist/openapi.json", "--default-non-nullable=false", "-o", "tests/types/dist/openapi.d.ts"]);
    process::run("openapi-typescript", make)
}

pub(super) fn openapi(checkout: &Checkout, _: &Options) -> Result<()> {
    python::ensure(checkout, "tests/openapi/requirements.txt", "openapi")?;
    node_tests(checkout, "tests/openapi")
}

pub(super) fn wasm(checkout: &Checkout, _: &Options) -> Result<()> {
    builds::expect(checkout, "crates/browser/tests")?;
    let browser = browser::ensure()?;
    let mut pack = tools::command(checkout, checkout.tool("wasm-pack"))?;
    pack.args(["test", "--headless", "--chrome", "--mode", "no-install", "--chromedriver"])
        .arg(&browser.driver)
        .arg("crates/browser")
        .env("WASM_BINDGEN_TEST_WEBDRIVER_JSON", browser::write_webdriver(checkout, &browser)?)
        // A browser is slow under load; the timeout still ends one that hangs.
        .env("WASM_BINDGEN_TEST_TIMEOUT", "180");
    process::run("wasm-pack test", pack)
}

pub(super) fn gateway(checkout: &Checkout, _: &Options) -> Result<()> {
    builds::build_test_workers(checkout)?;
    node_tests(checkout, "tests/gateway")
}

pub(super) fn mcp(checkout: &Checkout, _: &Options) -> Result<()> {
    npm::ensure_apart(checkout, "tests/mcp/conformance")?;
    let python = python::ensure(checkout, "tests/mcp/python/requirements.txt", "mcp")?.join("python");
    let mut node = node_test(checkout)?;
    node.env("MCP_PYTHON", python);
    run_node_tests(checkout, "tests/mcp", node)
}

pub(super) fn e2e(checkout: &Checkout, _: &Options) -> Result<()> {
    node_tests(checkout, "tests/e2e")
}

pub(super) fn packaging(checkout: &Checkout, _: &Options) -> Result<()> {
    node_tests(checkout, "tests/packaging")
}

/// Runs a folder's `*.test.mjs`; the tests read the browser's path from the environment.
fn node_tests(checkout: &Checkout, folder: &str) -> Result<()> {
    let browser = browser::ensure()?;
    let mut node = node_test(checkout)?;
    node.env("CHROME", &browser.chrome).env("CHROMEDRIVER", &browser.driver);
    run_node_tests(checkout, folder, node)
}

/// Node's test runner; the tests read the emulator's path from the environment.
fn node_test(checkout: &Checkout) -> Result<Command> {
    let mut node = tools::command(checkout, "node")?;
    node.args(["--test", "--test-concurrency=1", "--test-reporter=spec"])
        .env("MEDIAGATE_EMULATOR", checkout.program("mediagate-emulator"));
    Ok(node)
}

fn run_node_tests(checkout: &Checkout, folder: &str, mut node: Command) -> Result<()> {
    node.args(test_files(checkout, folder)?);
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
