//! The work of each step.

use std::hint::black_box;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use anyhow::{Context, Result, bail};
use xshell::{Cmd, cmd};

use super::node::{self, ELSEWHERE};
use super::step::{Options, Step};
use crate::checkout::Checkout;
use crate::process::call;
use crate::progress::step;
use crate::{browser, build, commands, ffmpeg, lint, npm, python, tools, wasm};

/// The versions of cargo's tools: the latest releases that the pinned compiler can build.
const CARGO_DENY: &str = "0.20.2";
const CARGO_FUZZ: &str = "0.13.2";

pub(super) fn run(step: Step, checkout: &Checkout, options: &Options) -> Result<()> {
    let test = |folder: &str| node::test(checkout, options, folder, |node| node);
    match step {
        Step::Build => build::run(checkout, build::Options::default()),
        Step::Rust => rust(checkout, options, |test| test),
        Step::Budgets => {
            commands::measure(checkout, &["--check"])?;
            test("tests/bench")
        }
        Step::Scripts => scripts(checkout),
        Step::Pkg => test("pkg/test"),
        Step::Www => {
            let filter = &options.filter;
            let vitest = cmd!(checkout, "npm test --workspace www -- {filter...}");
            call(vitest.envs(ELSEWHERE))
        }
        Step::Upstream => test("tests/upstream"),
        Step::Gateway => test("tests/gateway"),
        Step::Mcp => test("tests/mcp"),
        Step::Selfhost => test("tests/selfhost"),
        Step::E2e => test("tests/e2e"),
        Step::Lint => lint::run(checkout, &lint::Options::default()),
        Step::Docs => docs(checkout),
        Step::Clients => clients(checkout, options),
        Step::Openapi => {
            npm::ensure_apart(checkout, "tests/openapi/generators")?;
            python::ensure(checkout, "tests/openapi/requirements.txt", "openapi")?;
            test("tests/openapi")
        }
        Step::Agents => {
            npm::ensure_apart(checkout, "tests/mcp/conformance")?;
            python::ensure(checkout, "tests/mcp/python/requirements.txt", "mcp")?;
            let early = "tests/mcp/python/requirements-early.txt";
            python::ensure(checkout, early, "mcp-early")?;
            test("tests/mcp/long")
        }
        Step::Packaging => {
            npm::ensure_apart(checkout, "tests/packaging")?;
            lint::check_types(checkout, &["tests/packaging"])?;
            test("tests/packaging")
        }
        Step::Engines => engines(checkout, options),
        Step::Videos => {
            let videos = cargo_test(checkout, &["--test", "emulator_tests", "--"])
                .args(["videos::", "limits::"])
                .env(ffmpeg::VARIABLE, ffmpeg::recent(checkout)?);
            call(videos)
        }
        // The default of proptest is 256 cases.
        Step::Properties => rust(checkout, options, |test| {
            test.env("PROPTEST_CASES", "25600")
                .env("MEDIAGATE_SEEDS", "100000")
        }),
        Step::Busy => busy(checkout, options),
        // A test that fails only here is a defect: it needs a page as fast as itself.
        Step::Slow => node::test(checkout, options, "tests/e2e", |node| {
            node.env("MEDIAGATE_SLOW_PAGE", "5")
        }),
        Step::Kills => kills(checkout, options),
        Step::Bench => commands::measure(checkout, &["--quick"]),
        Step::Deny => deny(checkout),
        Step::Fuzz => fuzz(checkout),
    }
}

fn rust(
    checkout: &Checkout,
    options: &Options,
    prepare: impl FnOnce(Cmd<'_>) -> Cmd<'_>,
) -> Result<()> {
    let filter = options.filter.as_deref();
    // `cargo test` succeeds without a single test, so a misspelt filter would go unnoticed.
    if let Some(name) = filter {
        call(cargo_test(checkout, &["--no-run"]))?;
        let list = cargo_test(checkout, &[name, "--", "--list", "--format", "terse"]).read()?;
        if !list.lines().any(|line| line.ends_with(": test")) {
            bail!("no test in Rust has `{name}` in its path");
        }
    }
    let test = cargo_test(checkout, filter.as_slice())
        .env(ffmpeg::VARIABLE, ffmpeg::for_tests(checkout)?)
        .envs(ELSEWHERE);
    call(prepare(test))
}

/// Returns `cargo test` for the whole workspace. A part of the workspace would have other features
/// of its dependencies, and cargo would compile them again.
fn cargo_test<'a>(checkout: &'a Checkout, arguments: &[&str]) -> Cmd<'a> {
    cmd!(checkout, "cargo test --quiet --workspace {arguments...}")
}

fn scripts(checkout: &Checkout) -> Result<()> {
    lint::scripts(checkout, false)?;
    // The package's types are compared with those of the gateway's document. Their generator is in
    // tests/, beside the version of TypeScript that it needs.
    call(cmd!(checkout, "node tests/types/write-openapi.mjs"))?;
    let generator = "tests/node_modules/openapi-typescript/bin/cli.js";
    let types = "tests/types/dist/openapi";
    call(cmd!(
        checkout,
        "node {generator} {types}.json -o {types}.d.ts"
    ))?;
    let projects = [
        "pkg",
        "gateway",
        "gateway/upstream",
        "tests/types",
        "tests/types/node",
        "tests/types/upstream",
        "tests",
        "www",
    ];
    lint::check_types(checkout, &projects)
}

fn docs(checkout: &Checkout) -> Result<()> {
    let all = ["--workspace", "--document-private-items"].as_slice();
    // The parts that exist only on a page.
    let page = ["--package", "mediagate", "--target", wasm::TARGET].as_slice();
    for packages in [all, page] {
        let doc = cmd!(checkout, "cargo doc --quiet --no-deps {packages...}");
        call(doc.env("RUSTDOCFLAGS", "--deny warnings"))?;
    }
    Ok(())
}

fn clients(checkout: &Checkout, options: &Options) -> Result<()> {
    tools::build_page_example(checkout)?;
    call(cmd!(checkout, "cargo build --bin media-cli"))?;
    node::test(checkout, options, "tests/rust", |node| {
        node.env("MEDIA_CLI", checkout.program("media-cli"))
    })
}

/// Runs tests in Firefox, and on Linux in WebKitGTK's small browser, which has no headless mode.
/// Both play H.264 with a decoder that Debian's packages of the browsers only recommend.
fn engines(checkout: &Checkout, options: &Options) -> Result<()> {
    let packages = [
        "firefox-esr",
        "webkit2gtk-driver",
        "xvfb",
        "gstreamer1.0-libav",
    ];
    let installed = cmd!(checkout, "dpkg-query -W {packages...}").ignore_stderr();
    if installed.read().is_err() {
        browser::apt_install(checkout, &packages)?;
    }
    let is_linux = cfg!(target_os = "linux");
    for engine in ["firefox"].into_iter().chain(is_linux.then_some("webkit")) {
        println!("in {engine}:");
        node::test(checkout, options, "tests/engines", |node| {
            node.env("ENGINE", engine)
        })
        .context("FIREFOX, WEBKIT_DRIVER, MINIBROWSER and XVFB may name the programs")?;
    }
    Ok(())
}

/// Runs tests while every core is busy. A test that then fails is a defect: it needs an idle
/// machine.
fn busy(checkout: &Checkout, options: &Options) -> Result<()> {
    let is_done = AtomicBool::new(false);
    let spin = || {
        while !is_done.load(Ordering::Relaxed) {
            black_box(0);
        }
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(spin);
        }
        let steps = [Step::Gateway, Step::Mcp, Step::E2e, Step::Packaging];
        let result = steps
            .iter()
            .try_for_each(|step| run(*step, checkout, options));
        is_done.store(true, Ordering::Relaxed);
        result
    })
}

fn kills(checkout: &Checkout, options: &Options) -> Result<()> {
    build::build_test_workers(checkout)?;
    // Next.js, for the types of the endpoint that `init` writes.
    npm::ensure_apart(checkout, "tests/packaging")?;
    python::ensure(checkout, "tests/support/moto/requirements.txt", "moto")?;
    // The emulator as npm distributes it for Linux on x64.
    let target = "x86_64-unknown-linux-musl";
    call(cmd!(checkout, "rustup target add {target}"))?;
    let emulator = tools::EMULATOR;
    call(cmd!(
        checkout,
        "cargo build --package {emulator} --bins --profile program --target {target}"
    ))?;
    let program = checkout
        .target()
        .join(target)
        .join("program")
        .join(emulator);
    // Load needs the machine for itself, so its file is in a folder of its own.
    for folder in ["selfhost", "selfhost/long", "gateway/long", "selfhost/load"] {
        node::test(checkout, options, &format!("tests/{folder}"), |node| {
            node.env("MEDIAGATE_EMULATOR", &program)
        })?;
    }
    Ok(())
}

fn deny(checkout: &Checkout) -> Result<()> {
    tools::ensure_cargo_tool(checkout, "cargo-deny", CARGO_DENY)?;
    call(cmd!(
        checkout,
        "cargo-deny --log-level error check bans licenses sources"
    ))?;
    // The advisories are in a Git repository. If it cannot be fetched, all further checks still
    // count.
    let fetch = cmd!(checkout, "cargo-deny --log-level off fetch db").ignore_stderr();
    if fetch.read().is_err() {
        println!("  advisories not checked: their database cannot be fetched here");
        return Ok(());
    }
    call(cmd!(
        checkout,
        "cargo-deny check --disable-fetch advisories"
    ))
}

/// Fuzzes the parsers of core, each target for five minutes. New inputs go to `.tools/fuzz`. The
/// corpus in the repository is only read.
fn fuzz(checkout: &Checkout) -> Result<()> {
    tools::ensure_cargo_tool(checkout, "cargo-fuzz", CARGO_FUZZ)?;
    let folder = "crates/core/fuzz";
    let options = ["--sanitizer", "none", "--fuzz-dir", folder];
    let output = checkout.target().join("fuzz");
    let limits = [
        "-max_total_time=300",
        "-rss_limit_mb=2048",
        "-timeout=10",
        "-verbosity=0",
    ];
    for source in checkout.shell.read_dir(format!("{folder}/fuzz_targets"))? {
        let target = source.file_stem().unwrap_or_default();
        let found = checkout
            .shell
            .create_dir(Path::new(".tools/fuzz").join(target))?;
        let corpus = checkout.path(folder).join("corpus").join(target);
        let corpus = corpus.exists().then_some(corpus);
        let fuzz = cmd!(
            checkout,
            "cargo-fuzz run {options...} --target-dir {output} {target}"
        );
        let fuzz = fuzz.arg(found).args(corpus).arg("--").args(limits);
        // Coverage needs an unstable flag, which this variable enables in the stable compiler.
        step(&format!("fuzzing {}", target.display()), || {
            call(fuzz.env("RUSTC_BOOTSTRAP", "1"))
        })?;
    }
    Ok(())
}
