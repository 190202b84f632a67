//! The steps of `cargo xtask test` and of `--all`.

use std::env;
use std::panic::resume_unwind;
use std::path::PathBuf;
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
            // A failure is ignored here: the step that needs the tool reports it.
            scope.spawn(|| install(checkout, options));
        }
        // The tools come first, since every further build uses them.
        tools::ensure(checkout)?;
        // Cargo compiles these while the optimisations of the client and the gateway leave cores
        // free.
        let programs = scope.spawn(|| build_programs(checkout, options));
        let workers = || {
            if options.has_usual_steps() {
                builds::build_test_workers(checkout)
            } else {
                Ok(())
            }
        };
        let all = builds::run_beside_gateway(checkout, builds::Options::default(), workers);
        all.and(programs.join().unwrap_or_else(|panic| resume_unwind(panic)))
    })
}

/// Builds the tests in Rust. They have the lowest priority, as no other build waits for them.
fn build_programs(checkout: &Checkout, options: &Options) -> Result<()> {
    if options.has_usual_steps() {
        process::run(
            "cargo test",
            process::with_niceness(process::BACKGROUND, &cargo_test(checkout, &["--no-run"])),
        )?;
    }
    Ok(())
}

/// Installs the tools of later steps. The network is idle during the build.
fn install(checkout: &Checkout, options: &Options) -> Result<()> {
    browser::ensure()?;
    ffmpeg::recent(checkout)?;
    mcp_tools(checkout)?;
    bucket_server(checkout)?;
    if options.all {
        openapi_tools(checkout)?;
        browser::ensure_engines()?;
    }
    Ok(())
}

/// Runs all tests with the old ffmpeg, then the tests of videos with a recent ffmpeg. If the
/// environment names an ffmpeg, all tests run only with that.
pub(super) fn rust(checkout: &Checkout, options: &Options) -> Result<()> {
    rust_within(process::TIMEOUT, checkout, options, |_| ())?;
    if options.filter.is_some() || env::var_os(ffmpeg::VARIABLE).is_some() {
        return Ok(());
    }
    let mut videos = cargo_test(
        checkout,
        &["--test", "emulator_tests", "--", "videos::", "limits::"],
    );
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

pub(super) fn types(checkout: &Checkout, _: &Options) -> Result<()> {
    builds::generate(checkout, &["--check"])?;
    builds::expect(checkout, "tests/types/tsconfig.json")?;
    openapi_types(checkout)?;
    lint::check_types(
        checkout,
        &[
            "pkg",
            "gateway",
            "tests/types",
            "tests/types/node",
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
    openapi_tools(checkout)?;
    node::test_in_browser(checkout, options, "tests/openapi")
}

/// Installs published tools for OpenAPI documents, and returns the folder of the programs in
/// Python.
fn openapi_tools(checkout: &Checkout) -> Result<PathBuf> {
    npm::ensure_apart(checkout, "tests/openapi/generators")?;
    python::ensure(checkout, "tests/openapi/requirements.txt", "openapi")
}

pub(super) fn gateway(checkout: &Checkout, options: &Options) -> Result<()> {
    builds::build_test_workers(checkout)?;
    bucket_server(checkout)?;
    node::test_in_browser(checkout, options, "tests/gateway")
}

/// Installs a published server of S3's protocol, and returns the folder of its programs.
fn bucket_server(checkout: &Checkout) -> Result<PathBuf> {
    python::ensure(checkout, "tests/support/moto/requirements.txt", "moto")
}

pub(super) fn mcp(checkout: &Checkout, options: &Options) -> Result<()> {
    let python = mcp_tools(checkout)?.join("python");
    node::test(checkout, options, "tests/mcp", |node| {
        node.env("MCP_PYTHON", python);
    })
}

/// Installs the official suite and the client in Python, and returns the folder of the client's
/// programs.
fn mcp_tools(checkout: &Checkout) -> Result<PathBuf> {
    npm::ensure_apart(checkout, "tests/mcp/conformance")?;
    python::ensure(checkout, "tests/mcp/python/requirements.txt", "mcp")
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

pub(super) fn packaging(checkout: &Checkout, options: &Options) -> Result<()> {
    node::test_in_browser(checkout, options, "tests/packaging")
}

pub(super) fn selfhost(checkout: &Checkout, options: &Options) -> Result<()> {
    bucket_server(checkout)?;
    node::test_in_browser(checkout, options, "tests/selfhost")
}
