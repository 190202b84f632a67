//! The steps of `cargo xtask test` and of `--all`.

use std::process::Command;
use std::thread;
use std::time::Duration;

use anyhow::{Result, bail};

use super::node;
use super::options::Options;
use crate::checkout::Checkout;
use crate::{bench, browser, build as builds, ffmpeg, lint, npm, process, python, tools};

pub(super) fn build(checkout: &Checkout, options: &Options) -> Result<()> {
    thread::scope(|scope| {
        if options.has_usual_steps() {
            // A failure is ignored here: the step that needs the browser reports it.
            scope.spawn(browser::ensure);
        }
        builds::run(checkout, builds::Options::default())
    })
}

/// Runs the Rust tests with the old ffmpeg. If the environment names an ffmpeg, they run with that.
pub(super) fn rust(checkout: &Checkout, options: &Options) -> Result<()> {
    rust_within(process::TIMEOUT, checkout, options, |_| ())
}

/// Runs the emulator's tests of videos with a recent ffmpeg.
pub(super) fn videos(checkout: &Checkout, _: &Options) -> Result<()> {
    let names = ["--test", "emulator_tests", "--", "videos::", "limits::"];
    let mut videos = cargo_test(checkout, &names);
    videos.env(ffmpeg::VARIABLE, ffmpeg::recent(checkout)?);
    process::run("cargo test with a recent ffmpeg", videos)
}

/// Runs the Rust tests, in an environment that `prepare` may add to.
///
/// # Errors
/// If a test fails, if the filter matches no test, or if the tests take longer than `timeout`.
pub(super) fn rust_within(
    timeout: Duration,
    checkout: &Checkout,
    options: &Options,
    prepare: impl FnOnce(&mut Command),
) -> Result<()> {
    let filter = options
        .filter
        .as_slice()
        .iter()
        .map(String::as_str)
        .collect::<Vec<_>>();
    // `cargo test` succeeds without a single test, so a misspelt filter would go unnoticed.
    if let [name] = filter[..] {
        process::run("cargo test", cargo_test(checkout, &["--no-run"]))?;
        let list = process::read(
            "cargo test",
            &mut cargo_test(checkout, &[name, "--", "--list", "--format", "terse"]),
        )?;
        if !list.lines().any(|line| line.ends_with(": test")) {
            bail!("no test in Rust has `{name}` in its path");
        }
    }
    let mut test = cargo_test(checkout, &filter);
    test.env(ffmpeg::VARIABLE, ffmpeg::for_tests(checkout)?)
        .envs(node::ELSEWHERE);
    prepare(&mut test);
    process::run_within("cargo test", test, timeout)
}

/// Returns `cargo test` for the whole workspace. A part of the workspace would have other features
/// of its dependencies, and cargo would compile them again.
fn cargo_test(checkout: &Checkout, arguments: &[&str]) -> Command {
    let mut test = tools::cargo(checkout);
    test.args(["test", "--quiet", "--workspace"])
        .args(arguments);
    test
}

pub(super) fn budgets(checkout: &Checkout, options: &Options) -> Result<()> {
    bench::check(checkout)?;
    node::test_in_browser(checkout, options, "tests/bench")
}

pub(super) fn scripts(checkout: &Checkout, _: &Options) -> Result<()> {
    lint::scripts(checkout, false)?;
    builds::generate(checkout, &["--check"])?;
    builds::expect(checkout, "tests/types/tsconfig.json")?;
    openapi_types(checkout)?;
    lint::check_types(
        checkout,
        &[
            "pkg",
            "gateway",
            "gateway/upstream",
            "tests/types",
            "tests/types/node",
            "tests/types/upstream",
            "tests",
            "www",
        ],
    )
}

/// Writes the types that `openapi-typescript` generates from the gateway's document. The step
/// compares the package's types with them.
fn openapi_types(checkout: &Checkout) -> Result<()> {
    let mut write = tools::command(checkout, "node")?;
    write.arg("tests/types/write-openapi.mjs");
    process::run("node tests/types/write-openapi.mjs", write)?;
    // The generator is installed in tests/, beside the version of TypeScript that it needs.
    let mut make = npm::script(
        checkout,
        "../tests/node_modules/openapi-typescript/bin/cli.js",
    );
    make.args([
        "tests/types/dist/openapi.json",
        "-o",
        "tests/types/dist/openapi.d.ts",
    ]);
    process::run("openapi-typescript", make)
}

pub(super) fn openapi(checkout: &Checkout, options: &Options) -> Result<()> {
    npm::ensure_apart(checkout, "tests/openapi/generators")?;
    python::ensure(checkout, "tests/openapi/requirements.txt", "openapi")?;
    node::test_in_browser(checkout, options, "tests/openapi")
}

pub(super) fn gateway(checkout: &Checkout, options: &Options) -> Result<()> {
    node::test_in_browser(checkout, options, "tests/gateway")
}

pub(super) fn mcp(checkout: &Checkout, options: &Options) -> Result<()> {
    node::test(checkout, options, "tests/mcp", |_| ())
}

/// Runs the official suite and the client in Python.
pub(super) fn agents(checkout: &Checkout, options: &Options) -> Result<()> {
    npm::ensure_apart(checkout, "tests/mcp/conformance")?;
    let programs = python::ensure(checkout, "tests/mcp/python/requirements.txt", "mcp")?;
    let early = python::ensure(
        checkout,
        "tests/mcp/python/requirements-early.txt",
        "mcp-early",
    )?;
    node::test(checkout, options, "tests/mcp/long", |node| {
        node.env("MCP_PYTHON", programs.join("python"))
            .env("MCP_EARLY_PYTHON", early.join("python"));
    })
}

pub(super) fn e2e(checkout: &Checkout, options: &Options) -> Result<()> {
    node::test_in_browser(checkout, options, "tests/e2e")
}

pub(super) fn clients(checkout: &Checkout, options: &Options) -> Result<()> {
    builds::build_page_example(checkout)?;
    builds::build_program(checkout, "media-cli")?;
    let browser = browser::ensure()?;
    node::test(checkout, options, "tests/rust", |node| {
        node.env("CHROME", browser)
            .env("MEDIA_CLI", checkout.program("media-cli"));
    })
}

pub(super) fn pkg(checkout: &Checkout, options: &Options) -> Result<()> {
    node::test_in_browser(checkout, options, "pkg/test")
}

pub(super) fn upstream(checkout: &Checkout, options: &Options) -> Result<()> {
    node::test(checkout, options, "tests/upstream", |_| ())
}

pub(super) fn packaging(checkout: &Checkout, options: &Options) -> Result<()> {
    npm::ensure_apart(checkout, "tests/packaging")?;
    lint::check_types(checkout, &["tests/packaging"])?;
    node::test_in_browser(checkout, options, "tests/packaging")
}

pub(super) fn selfhost(checkout: &Checkout, options: &Options) -> Result<()> {
    node::test_in_browser(checkout, options, "tests/selfhost")
}
