//! `cargo xtask build`: the npm package, the playground and the gateway, in
//! the order in which each needs the one before.

use std::process::Command;

use anyhow::{Result, bail};
use clap::Args;

use crate::checkout::Checkout;
use crate::progress::step;
use crate::stamp::Stamp;
use crate::{client_dist, generate, npm, playground_package, process, tools};

/// What every build of Rust depends on, besides the crates themselves.
const RUST: [&str; 5] = ["Cargo.toml", "Cargo.lock", "rust-toolchain.toml", ".cargo/config.toml", "package-lock.json"];

/// The flag of an optimised build.
const RELEASE: &str = "--release";

/// How to build.
#[derive(Args, Debug, Clone, Copy, Default)]
pub(crate) struct Options {
    /// Optimised, as it ships (the default)
    #[arg(long, conflicts_with = "dev")]
    release: bool,
    /// Not optimised, with names a debugger can read
    #[arg(long)]
    dev: bool,
}

impl Options {
    /// The flag that wasm-pack and worker-build share.
    fn flag(self) -> &'static str {
        if self.dev && !self.release { "--dev" } else { RELEASE }
    }
}

/// Installs what is missing and builds what is not fresh.
///
/// # Errors
/// When a tool is missing, or a part does not build.
pub(crate) fn run(checkout: &Checkout, options: &Options) -> Result<()> {
    tools::ensure(checkout)?;
    build_client(checkout, *options)?;
    generate::write(checkout)?;
    build_playground(checkout)?;
    build_gateway(checkout, *options)
}

/// The client's wasm with its glue and types, and once more as text, in `pkg/dist`.
fn build_client(checkout: &Checkout, options: Options) -> Result<()> {
    let inputs = [&["crates/core", "crates/browser"], RUST.as_slice()].concat();
    let outputs = [client_dist::GLUE, client_dist::WASM, client_dist::TEXT, client_dist::TYPES];
    let stamp = Stamp::new(checkout, "client", options.flag(), &inputs, &outputs)?;
    unless_fresh(&stamp, "building the client", || {
        expect(checkout, "crates/browser/Cargo.toml")?;
        client_dist::clear(checkout)?;
        let mut pack = tools::command(checkout, checkout.tool("wasm-pack"))?;
        pack.args(["build", "crates/browser", "--target", "web", "--out-name", "mediagate", options.flag()])
            // No package.json and no .gitignore: pkg/ has its own, and a nested one would empty the npm package.
            .args(["--no-pack", "--no-gitignore", "--mode", "no-install", "--out-dir"])
            .arg(checkout.path("pkg/dist"));
        if options.flag() == RELEASE {
            shrink(checkout, &mut pack)?;
        }
        process::run("wasm-pack build", pack)?;
        client_dist::finish(checkout)
    })
}

/// Makes the build bring a standard library without the words of its panics, which nobody reads in a page and which the
/// one that comes with the compiler holds. It takes what only a nightly compiler does unless it is told to.
fn shrink(checkout: &Checkout, pack: &mut Command) -> Result<()> {
    tools::ensure_sources()?;
    let flags = ["-Zunstable-options", "-Cpanic=immediate-abort", "-Zlocation-detail=none", "-Zfmt-debug=none"];
    pack.args(["--", "-Zbuild-std=std,panic_abort", "-Zbuild-std-features=optimize_for_size"])
        .env("RUSTC_BOOTSTRAP", "1")
        .env("CARGO_ENCODED_RUSTFLAGS", tools::shipped_flags(&flags)?)
        // What the two kinds of build share would be built anew each time the other had it.
        .env("CARGO_TARGET_DIR", checkout.path("target/client"));
    Ok(())
}

/// The playground's files, in `www/dist`, from the package as it is packed.
fn build_playground(checkout: &Checkout) -> Result<()> {
    let inputs = ["www", "pkg", "pkg/dist", "package-lock.json"];
    let stamp =
        Stamp::new(checkout, "playground", "", &inputs, &["www/dist/index.html", playground_package::MANIFEST])?;
    unless_fresh(&stamp, "building the playground", || {
        expect(checkout, "www/package.json")?;
        playground_package::install(checkout)?;
        let mut build = npm::npm(checkout.root())?;
        build.args(["run", "build", "--workspace", "www", "--loglevel=error"]);
        process::run("vite build", build)
    })
}

/// The gateway's Worker, in `crates/worker/build`.
fn build_gateway(checkout: &Checkout, options: Options) -> Result<()> {
    build_worker(checkout, &Worker { name: "gateway", folder: "crates/worker", out: "build", features: "" }, options)
}

/// The Workers that are there to be tested: the example of one that embeds the gateway, and a gateway that can be asked
/// to panic.
///
/// # Errors
/// When one does not compile.
pub(crate) fn build_test_workers(checkout: &Checkout) -> Result<()> {
    let example = Worker { name: "embedded gateway", folder: "examples/embedded-gateway", out: "build", features: "" };
    let panicking = Worker {
        name: "gateway that can panic",
        folder: "crates/worker",
        out: "build-forced-panic",
        features: "forced-panic",
    };
    [example, panicking].iter().try_for_each(|it| build_worker(checkout, it, Options::default()))
}

/// A Worker, in folder `out` of its own folder.
struct Worker {
    name: &'static str,
    folder: &'static str,
    out: &'static str,
    features: &'static str,
}

fn build_worker(checkout: &Checkout, worker: &Worker, options: Options) -> Result<()> {
    let Worker { name, folder, out, features } = *worker;
    let inputs = [&["crates/core", "crates/worker", folder], RUST.as_slice()].concat();
    let output = format!("{folder}/{out}/index.js");
    let stamp = Stamp::new(checkout, name, options.flag(), &inputs, &[&output])?;
    unless_fresh(&stamp, &format!("building the {name}"), || {
        expect(checkout, &format!("{folder}/Cargo.toml"))?;
        let mut build = tools::command(checkout, checkout.tool("worker-build"))?;
        build.args([options.flag(), "--out-dir", out, ".", "--features", features]).current_dir(checkout.path(folder));
        // Nobody downloads it, and each request pays for its time: Cargo.toml's profile is the client's.
        build.env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "3").env("CARGO_ENCODED_RUSTFLAGS", tools::shipped_flags(&[])?);
        process::run("worker-build", build)
    })
}

/// Builds a program for this machine; cargo knows whether it is fresh.
///
/// # Errors
/// When it does not compile.
pub(crate) fn build_program(checkout: &Checkout, package: &str) -> Result<()> {
    let build = |quiet: bool| {
        let mut command: Command = tools::cargo(checkout);
        command.args(["build", "--package", package, "--bins"]);
        if quiet {
            command.arg("--quiet");
        }
        process::run(&format!("cargo build --package {package}"), command)
    };
    if checkout.program(package).exists() { build(true) } else { step(&format!("building {package}"), || build(false)) }
}

fn unless_fresh(stamp: &Stamp, what: &str, work: impl FnOnce() -> Result<()>) -> Result<()> {
    if stamp.is_fresh() {
        return Ok(());
    }
    step(what, work)?;
    stamp.record()
}

/// Fails with one line where a part of the checkout is missing.
///
/// # Errors
/// When it is.
pub(crate) fn expect(checkout: &Checkout, part: &str) -> Result<()> {
    if !checkout.path(part).exists() {
        bail!("{part} is missing; the checkout is not whole: `git status` shows what is deleted");
    }
    Ok(())
}
