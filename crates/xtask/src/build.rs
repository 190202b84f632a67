//! `cargo xtask build`: builds the npm package, the playground and the gateway, in the order of
//! their dependencies.

use std::fs::{self, File};
use std::panic::resume_unwind;
use std::path::PathBuf;
use std::thread;

use anyhow::{Context, Result, bail};
use clap::Args;

use crate::checkout::Checkout;
use crate::progress::step;
use crate::stamp::Stamp;
use crate::{npm, process, tools, wasm, worker};

/// The folders of the crates that the gateway is built from.
const SERVER_CRATES: [&str; 13] = [
    "crates/access",
    "crates/core",
    "crates/entry",
    "crates/ids",
    "crates/messages",
    "crates/objects",
    "crates/pipeline",
    "crates/platform",
    "crates/schema",
    "crates/settings",
    "crates/upstream",
    "crates/upstream-client",
    "crates/worker",
];

/// The inputs of every Rust build, apart from the crates themselves.
const RUST_INPUTS: [&str; 5] = [
    "Cargo.toml",
    "Cargo.lock",
    "rust-toolchain.toml",
    ".cargo/config.toml",
    "package-lock.json",
];

/// The options of `cargo xtask build`.
#[derive(Args, Debug, Clone, Copy, Default)]
pub(crate) struct Options {
    /// Skip the optimisation, as `cargo xtask dev` does; the build is quick
    #[arg(long)]
    pub(crate) dev: bool,
}

impl Options {
    /// Returns the name of the build, for its stamps.
    fn flag(self) -> &'static str {
        if self.dev { "--dev" } else { "--release" }
    }
}

/// Installs the tools and builds every part whose inputs have changed.
///
/// # Errors
/// If a tool is missing, or a part does not build.
pub(crate) fn run(checkout: &Checkout, options: Options) -> Result<()> {
    let _only_one = lock(checkout)?;
    tools::ensure(checkout)?;
    // The client and the gateway each end with an optimisation on one core. In parallel, they use
    // both cores of a small machine.
    let (others, gateway) = thread::scope(|scope| {
        let gateway = scope.spawn(|| build_gateway(checkout, options));
        let others = build_client(checkout, options)
            .and_then(|()| build_operator(checkout, options))
            .and_then(|()| generate(checkout, &[]))
            .and_then(|()| build_playground(checkout));
        (others, gateway.join())
    });
    others?;
    gateway.unwrap_or_else(|panic| resume_unwind(panic))?;
    build_gateway_package(checkout)
}

/// Waits for another build of this checkout, and locks the checkout until the file is dropped. Two
/// builds at once would mix their files.
fn lock(checkout: &Checkout) -> Result<File> {
    const LOCK: &str = ".tools/build.lock";
    let path = checkout.path(LOCK);
    let open = || fs::create_dir_all(checkout.path(".tools")).and_then(|()| File::create(path));
    let file = open().with_context(|| format!("{LOCK} cannot be written"))?;
    if file.try_lock().is_err() {
        println!("waiting for another build of this checkout");
        file.lock()
            .with_context(|| format!("{LOCK} cannot be locked"))?;
    }
    Ok(file)
}

/// Builds the package in `pkg/dist`: the wasm with its glue and types in `wasm`, and the compiled
/// TypeScript.
fn build_client(checkout: &Checkout, options: Options) -> Result<()> {
    let inputs = [
        &[
            "crates/core",
            "crates/client",
            "crates/browser",
            "pkg/src",
            "pkg/scripts",
            "pkg/tsconfig.json",
        ],
        RUST_INPUTS.as_slice(),
    ]
    .concat();
    let outputs = [
        "index.js",
        "index.d.ts",
        "wasm/mediagate.js",
        "wasm/mediagate_bg.wasm",
        "wasm/inline.js",
    ]
    .map(|file| format!("pkg/dist/{file}"));
    let outputs = outputs.each_ref().map(String::as_str);
    let stamp = Stamp::new(checkout, "client", options.flag(), &inputs, &outputs)?;
    unless_fresh(&stamp, "building the client", || {
        // The package contains the whole folder, so files of earlier builds must not stay.
        let dist = checkout.path("pkg/dist");
        if dist.exists() {
            fs::remove_dir_all(&dist).context("pkg/dist cannot be removed")?;
        }
        let built = wasm::compile(checkout, "mediagate-browser", options.dev, |build| {
            // The published wasm must not contain folders of this machine.
            build.env("CARGO_ENCODED_RUSTFLAGS", tools::shipped_flags()?);
            Ok(())
        })?;
        let folder = dist.join("wasm");
        wasm::bind(
            checkout,
            "script",
            &built,
            &folder,
            "mediagate",
            options.dev,
        )?;
        if !options.dev {
            let flags = ["-Oz", "--strip-producers", "--strip-target-features"];
            wasm::optimise(checkout, &folder.join("mediagate_bg.wasm"), &flags)?;
        }
        let mut compile = tools::command(checkout, "node")?;
        compile.args(["node_modules/typescript/bin/tsc", "-p", "pkg"]);
        process::run("tsc -p pkg", compile)?;
        let mut complete = tools::command(checkout, "node")?;
        complete.arg("pkg/scripts/dist.mjs");
        process::run("node pkg/scripts/dist.mjs", complete)
    })
}

/// Builds the playground in `www/dist`.
fn build_playground(checkout: &Checkout) -> Result<()> {
    let inputs = ["www", "pkg", "pkg/dist", "package-lock.json"];
    let stamp = Stamp::new(
        checkout,
        "playground",
        "",
        &inputs,
        &["www/dist/index.html"],
    )?;
    unless_fresh(&stamp, "building the playground", || {
        let mut build = npm::npm(checkout.root())?;
        build.args(["run", "build", "--workspace", "www", "--loglevel=error"]);
        process::run("vite build", build)
    })
}

/// Builds the decisions of the gateway's commands, in `gateway/dist/operator`.
fn build_operator(checkout: &Checkout, options: Options) -> Result<()> {
    let inputs = [
        SERVER_CRATES.as_slice(),
        &["crates/operator"],
        RUST_INPUTS.as_slice(),
    ]
    .concat();
    let stamp = Stamp::new(
        checkout,
        "operator",
        options.flag(),
        &inputs,
        &["gateway/dist/operator/operator.js"],
    )?;
    unless_fresh(&stamp, "building the operator's commands", || {
        let release = tools::optimise_for_speed;
        let built = wasm::compile(checkout, "mediagate-operator", options.dev, release)?;
        let folder = checkout.path("gateway/dist/operator");
        // Without wasm-opt: it runs in Node, where its bytes hardly matter.
        wasm::bind(checkout, "script", &built, &folder, "operator", options.dev)
    })
}

/// Writes the files that come from the catalogue, or with `--check` compares them.
///
/// # Errors
/// If a file cannot be written. With `--check`, if a file is missing or stale.
pub(crate) fn generate(checkout: &Checkout, arguments: &[&str]) -> Result<()> {
    let mut generate = tools::command(checkout, checkout.program(tools::GENERATOR))?;
    generate.args(arguments);
    process::run(tools::GENERATOR, generate)
}

/// Puts the gateway's npm package together in `gateway/dist`: the Worker, its front and the
/// playground.
fn build_gateway_package(checkout: &Checkout) -> Result<()> {
    let inputs = [
        "gateway/scripts",
        "gateway/src/worker",
        "gateway/upstream",
        "crates/entry/build",
        "www/dist",
        "package-lock.json",
    ];
    let outputs = [
        "gateway/dist/files.json",
        "gateway/dist/upstream/index.js",
        "gateway/dist/worker/front.js",
        "gateway/dist/worker/index.js",
    ];
    let stamp = Stamp::new(checkout, "gateway package", "", &inputs, &outputs)?;
    unless_fresh(&stamp, "putting the gateway's package together", || {
        let mut build = npm::npm(checkout.root())?;
        build.args(["run", "build", "--workspace", "gateway", "--loglevel=error"]);
        process::run("the build of the gateway's package", build)
    })
}

/// Builds the gateway's Worker in `crates/entry/build`.
fn build_gateway(checkout: &Checkout, options: Options) -> Result<()> {
    let gateway = worker::Worker {
        name: "gateway",
        package: "mediagate-entry",
        folder: "crates/entry",
        is_deployed: true,
        out: "crates/entry/build",
    };
    build_worker(checkout, &gateway, options)
}

/// Builds the Workers that only tests need: the example that embeds the gateway, and a gateway that
/// panics on request.
///
/// # Errors
/// If a Worker does not compile.
pub(crate) fn build_test_workers(checkout: &Checkout) -> Result<()> {
    let example = worker::Worker {
        name: "embedded gateway",
        package: "embedded-gateway",
        folder: "examples/embedded-gateway",
        is_deployed: false,
        out: "examples/embedded-gateway/build",
    };
    let panicking = worker::Worker {
        name: "gateway that can panic",
        package: "panicking-gateway",
        folder: "tests/panicking-gateway",
        is_deployed: false,
        out: "tests/panicking-gateway/build",
    };
    // A release like the gateway's, so that cargo has compiled all but these crates.
    [example, panicking]
        .iter()
        .try_for_each(|worker| build_worker(checkout, worker, Options::default()))
}

fn build_worker(checkout: &Checkout, worker: &worker::Worker, options: Options) -> Result<()> {
    let inputs = [
        SERVER_CRATES.as_slice(),
        &[worker.folder],
        RUST_INPUTS.as_slice(),
    ]
    .concat();
    let output = format!("{}/index.js", worker.out);
    let stamp = Stamp::new(checkout, worker.name, options.flag(), &inputs, &[&output])?;
    unless_fresh(&stamp, &format!("building the {}", worker.name), || {
        worker.build(checkout, options.dev)
    })
}

/// Builds the example of a page in Rust by wasm-pack, in `examples/page/pkg`. Cargo itself skips
/// crates that are up to date.
///
/// # Errors
/// If the example does not compile.
pub(crate) fn build_page_example(checkout: &Checkout) -> Result<()> {
    tools::ensure_wasm_pack(checkout)?;
    let mut pack = tools::command(checkout, checkout.tool("wasm-pack"))?;
    pack.args(["build", "examples/page", "--target", "web", "--dev"]);
    pack.args([
        "--out-name",
        "media_page",
        "--no-typescript",
        "--out-dir",
        "pkg",
    ]);
    pack.args(["--no-pack", "--no-gitignore", "--mode", "no-install"]);
    step("building the example of a page", || {
        process::run("wasm-pack build", pack)
    })
}

/// Builds a native program. Cargo itself skips crates that are up to date.
///
/// # Errors
/// If the program does not compile.
pub(crate) fn build_program(checkout: &Checkout, package: &str) -> Result<()> {
    let build = |quiet: bool| {
        let mut command = tools::cargo_build(checkout, package);
        if quiet {
            command.arg("--quiet");
        }
        process::run(&format!("cargo build --bin {package}"), command)
    };
    // A first build takes minutes and shows its progress. Later builds print only their errors.
    if checkout.program(package).exists() {
        build(true)
    } else {
        step(&format!("building {package}"), || build(false))
    }
}

/// Builds the emulator as npm distributes it for Linux on x64, statically linked, and returns its
/// path.
///
/// # Errors
/// If the target cannot be installed, or the emulator does not compile.
pub(crate) fn build_distributed_emulator(checkout: &Checkout) -> Result<PathBuf> {
    const TARGET: &str = "x86_64-unknown-linux-musl";
    tools::ensure_target(TARGET)?;
    let mut build = tools::cargo(checkout);
    build.args([
        "build",
        "--package",
        tools::EMULATOR,
        "--bins",
        "--profile",
        "program",
        "--target",
        TARGET,
    ]);
    step("building the emulator as npm has it", || {
        process::run("cargo build", build)
    })?;
    Ok(checkout
        .path("target")
        .join(TARGET)
        .join("program")
        .join(tools::EMULATOR))
}

fn unless_fresh(stamp: &Stamp, what: &str, work: impl FnOnce() -> Result<()>) -> Result<()> {
    if stamp.is_fresh() {
        return Ok(());
    }
    step(what, work)?;
    stamp.record()
}

/// Checks that a part of the checkout exists.
///
/// # Errors
/// If the part is missing. The message has the remedy.
pub(crate) fn expect(checkout: &Checkout, part: &str) -> Result<()> {
    if !checkout.path(part).exists() {
        bail!(
            "{part} is missing; the checkout is incomplete: `git status` shows the deleted files"
        );
    }
    Ok(())
}
