//! The tools that build the wasm: installed into `.tools/bin`, pinned by lock
//! files, fetched from package registries alone.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::checkout::Checkout;
use crate::progress::step;
use crate::stamp::Stamp;
use crate::versions::{self, Lock};
use crate::{browser, npm, process};

/// The target that the client and the gateway are compiled for.
pub(crate) const WASM: &str = "wasm32-unknown-unknown";

/// The names under which the runner crate is each of its tools.
const RUNNER_NAMES: [&str; 3] = ["wasm-bindgen", "wasm-bindgen-test-runner", "wasm-pack"];

/// Installs whatever is missing, and checks that no two versions have drifted apart.
///
/// # Errors
/// One line for each thing that is missing and cannot be installed, with its remedy.
pub(crate) fn ensure(checkout: &Checkout) -> Result<()> {
    let lock = Lock::read(checkout)?;
    versions::check_locks(&lock)?;
    ensure_target()?;
    npm::ensure(checkout)?;
    versions::check_npm(checkout)?;
    ensure_runner(checkout)?;
    let worker = lock.version("worker")?;
    ensure_cargo_tool(checkout, "worker-build", worker, Some(["pkg-config", "libssl-dev"]))?;
    versions::check_installed(checkout, &lock)
}

/// A command that finds the installed tools, whichever of them it looks for and however.
pub(crate) fn command(checkout: &Checkout, program: impl Into<PathBuf>) -> Result<Command> {
    let mut command = Command::new(program.into());
    command
        .env("PATH", search_path(checkout)?)
        // worker-build downloads what these do not name.
        .env("WASM_BINDGEN_BIN", checkout.tool("wasm-bindgen"))
        .env("WASM_OPT_BIN", npm::bin(checkout, "wasm-opt"))
        .env("ESBUILD_BIN", npm::bin(checkout, "esbuild"))
        // What fails is the code they build, never they: their own stack traces say nothing.
        .env("RUST_BACKTRACE", "0")
        .current_dir(checkout.root());
    Ok(command)
}

/// Flags for what is shipped: the names of source files, which panics keep, without the folders of whoever built it;
/// and these.
///
/// # Errors
/// When there is no compiler.
pub(crate) fn shipped_flags(more: &[&str]) -> Result<String> {
    let home = env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| env::home_dir().map(|it| it.join(".cargo"))).unwrap_or_default();
    let nameless = |folder: PathBuf| format!("--remap-path-prefix={}=", folder.display());
    let flags = [nameless(home.join("registry/src")), nameless(library()?)];
    let flags = flags.iter().map(String::as_str).chain(more.iter().copied());
    // Cargo parts the flags by this character, so that a folder may hold a space.
    Ok(flags.collect::<Vec<_>>().join("\u{1f}"))
}

/// Where the standard library's sources are, if they are.
fn library() -> Result<PathBuf> {
    let mut rustc = Command::new("rustc");
    let sysroot = process::read("rustc", rustc.args(["--print", "sysroot"]))?;
    Ok(PathBuf::from(sysroot).join("lib/rustlib/src/rust"))
}

/// The `PATH` of this process, with the installed tools before it.
///
/// # Errors
/// When the checkout is in a folder that `PATH` cannot hold.
pub(crate) fn search_path(checkout: &Checkout) -> Result<OsString> {
    let path = env::var_os("PATH").unwrap_or_default();
    let folders = [checkout.path(".tools/bin"), checkout.path("node_modules/.bin")];
    env::join_paths(folders.into_iter().chain(env::split_paths(&path)))
        .context("the checkout's path holds a separator of PATH; move the checkout")
}

/// Cargo, the one that runs us.
pub(crate) fn cargo(checkout: &Checkout) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(checkout.root());
    command
}

fn ensure_target() -> Result<()> {
    let mut rustc = Command::new("rustc");
    let folder = process::read("rustc", rustc.args(["--print", "target-libdir", "--target", WASM]))?;
    if PathBuf::from(folder).exists() {
        return Ok(());
    }
    let mut rustup = Command::new("rustup");
    rustup.args(["target", "add", WASM]);
    step("installing the wasm target", || process::run("rustup", rustup))
        .with_context(|| format!("the target {WASM} is missing and could not be added; run `rustup target add {WASM}`"))
}

/// Installs the standard library's sources: the client brings one of its own make (docs/decisions/0013).
///
/// # Errors
/// When they are missing and rustup cannot add them.
pub(crate) fn ensure_sources() -> Result<()> {
    if library()?.join("library/std").exists() {
        return Ok(());
    }
    let mut rustup = Command::new("rustup");
    rustup.args(["component", "add", "rust-src"]);
    step("installing the standard library's sources", || process::run("rustup", rustup)).context(
        "the standard library's sources are missing and could not be added; run `rustup component add rust-src`",
    )
}

fn ensure_runner(checkout: &Checkout) -> Result<()> {
    let inputs = ["crates/wasm-tools-runner", "Cargo.lock", "rust-toolchain.toml"];
    let outputs = RUNNER_NAMES.map(|name| format!(".tools/bin/{name}{}", env::consts::EXE_SUFFIX));
    let outputs = outputs.each_ref().map(String::as_str);
    let stamp = Stamp::new(checkout, "wasm-tools-runner", "", &inputs, &outputs)?;
    if stamp.is_fresh() {
        return Ok(());
    }
    step("building wasm-bindgen and wasm-pack", || {
        let mut build = cargo(checkout);
        build.args(["build", "--package", "wasm-tools-runner"]);
        process::run("building wasm-bindgen and wasm-pack", build)?;
        RUNNER_NAMES.iter().try_for_each(|name| link_runner(checkout, name))
    })?;
    stamp.record()
}

/// Puts the runner into `.tools/bin` under one of its names.
fn link_runner(checkout: &Checkout, name: &str) -> Result<()> {
    let (built, tool) = (checkout.program("wasm-tools-runner"), checkout.tool(name));
    fs::create_dir_all(checkout.path(".tools/bin"))
        .and_then(|()| if tool.exists() { fs::remove_file(&tool) } else { Ok(()) })
        // Across file systems there are no hard links.
        .and_then(|()| fs::hard_link(&built, &tool).or_else(|_| fs::copy(&built, &tool).map(drop)))
        .with_context(|| format!("{} cannot be written", tool.display()))
}

/// Installs one exact version of a cargo tool with the lock file it was published with; `libraries` are the Debian
/// packages that it is linked with on Linux.
///
/// # Errors
/// When cargo cannot install it.
pub(crate) fn ensure_cargo_tool(
    checkout: &Checkout,
    name: &str,
    version: &str,
    libraries: Option<[&str; 2]>,
) -> Result<()> {
    let output = format!(".tools/bin/{name}{}", env::consts::EXE_SUFFIX);
    let stamp = Stamp::new(checkout, name, version, &[], &[&output])?;
    if stamp.is_fresh() {
        return Ok(());
    }
    if let Some(libraries) = libraries {
        ensure_libraries(&libraries)?;
    }
    step(&format!("installing {name} {version}"), || {
        let mut install = cargo(checkout);
        install
            .args(["install", name, "--version", version, "--locked", "--debug", "--force", "--no-track", "--root"])
            .arg(checkout.path(".tools"))
            // Its own target folder: `install` would otherwise throw the built libraries away.
            .env("CARGO_TARGET_DIR", checkout.target().join("tools"))
            .env("CARGO_PROFILE_DEV_DEBUG", "0")
            // Without .tools/bin in it, cargo warns that the folder is not.
            .env("PATH", search_path(checkout)?);
        process::run(&format!("cargo install {name}"), install)
    })?;
    stamp.record()
}

/// OpenSSL's headers, which worker-build is compiled with on Linux; other systems bring their own TLS.
fn ensure_libraries(packages: &[&str]) -> Result<()> {
    let found = || process::read("pkg-config", Command::new("pkg-config").args(["--exists", "openssl"])).is_ok();
    if !cfg!(target_os = "linux") || found() {
        return Ok(());
    }
    browser::apt_install(packages)?;
    if !found() {
        bail!("worker-build needs OpenSSL's headers; install them (Debian: `apt-get install {}`)", packages.join(" "));
    }
    Ok(())
}
