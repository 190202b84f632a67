//! Installs the tools that build the wasm into `.tools/bin`. Lock files pin them, and they come
//! only from package registries.

use std::env;
use std::ffi::OsString;
use std::panic::resume_unwind;
use std::path::PathBuf;
use std::process::Command;
use std::thread;

use anyhow::{Context, Result};

use crate::checkout::Checkout;
use crate::progress::step;
use crate::stamp::Stamp;
use crate::{npm, process};

/// The target that the client and the gateway are compiled for.
pub(crate) const WASM: &str = "wasm32-unknown-unknown";

/// The emulator's program.
pub(crate) const EMULATOR: &str = "mediagate-emulator";
/// The program that writes the files that come from the catalogue.
pub(crate) const GENERATOR: &str = "mediagate-generate";
/// The program that writes the JavaScript of a wasm module.
pub(crate) const BINDER: &str = "bind-wasm";
/// The version of wasm-pack that builds the example of a page.
const WASM_PACK: &str = "0.15.1";

/// Installs the npm packages, and builds the programs of later steps.
pub(crate) fn ensure(checkout: &Checkout) -> Result<()> {
    ensure_target(WASM)?;
    // npm waits for the network and cargo for the cores, so they run at once.
    let (packages, programs) = thread::scope(|scope| {
        let packages = scope.spawn(|| npm::ensure(checkout));
        let programs = ensure_programs(checkout);
        (packages.join(), programs)
    });
    packages.unwrap_or_else(|panic| resume_unwind(panic))?;
    programs
}

/// Returns a command that finds the installed tools on its `PATH`.
pub(crate) fn command(checkout: &Checkout, program: impl Into<PathBuf>) -> Result<Command> {
    let mut command = Command::new(program.into());
    command
        .env("PATH", search_path(checkout)?)
        // A failure is in the code that the tools build, so their own stack traces do not help.
        .env("RUST_BACKTRACE", "0")
        .current_dir(checkout.root());
    forget_package(&mut command);
    Ok(command)
}

/// Returns the compiler flags of a release. They remove this machine's folders from the file names
/// in panics.
pub(crate) fn shipped_flags() -> Result<String> {
    let home = env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home
        .or_else(|| env::home_dir().map(|folder| folder.join(".cargo")))
        .unwrap_or_default();
    let remapped =
        |folder: PathBuf, to: &str| format!("--remap-path-prefix={}={to}", folder.display());
    let (library, name) = library_sources()?;
    let flags = [
        remapped(home.join("registry/src"), ""),
        remapped(library, &name),
    ];
    Ok(flags.join(SEPARATOR))
}

/// Makes the build of a release optimise for speed. The profile in `Cargo.toml` optimises for size,
/// which matters only for the client. Builds with equal flags share their compiled dependencies.
pub(crate) fn optimise_for_speed(build: &mut Command) -> Result<()> {
    let flags = [&shipped_flags()?, INLINING].join(SEPARATOR);
    build
        .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "3")
        .env("CARGO_ENCODED_RUSTFLAGS", flags);
    Ok(())
}

/// The separator of `CARGO_ENCODED_RUSTFLAGS`. In `RUSTFLAGS`, a folder could have no space in its
/// name.
const SEPARATOR: &str = "\u{1f}";

/// Less inlining than the default of `opt-level = 3`, as a smaller Worker starts faster.
const INLINING: &str = "-Cllvm-args=-inline-threshold=70";

/// Returns the folder of the standard library's sources, which may not exist, and the name of that
/// folder in the compiled standard library. With this name, the bytes of a build do not depend on
/// the sources being installed.
fn library_sources() -> Result<(PathBuf, String)> {
    let read = |arguments: &[&str]| process::read("rustc", Command::new("rustc").args(arguments));
    let version = read(&["-vV"])?;
    let commit = version
        .lines()
        .find_map(|line| line.strip_prefix("commit-hash: "))
        .unwrap_or_default();
    let sysroot = read(&["--print", "sysroot"])?;
    Ok((
        PathBuf::from(sysroot).join("lib/rustlib/src/rust"),
        format!("/rustc/{commit}"),
    ))
}

/// Returns the `PATH` of this process, with the installed tools first.
pub(crate) fn search_path(checkout: &Checkout) -> Result<OsString> {
    let path = env::var_os("PATH").unwrap_or_default();
    let folders = [
        checkout.path(".tools/bin"),
        checkout.path("node_modules/.bin"),
    ];
    env::join_paths(folders.into_iter().chain(env::split_paths(&path)))
        .context("the checkout's path contains a separator of PATH; move the checkout")
}

/// Returns a call of the cargo that runs this program.
pub(crate) fn cargo(checkout: &Checkout) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(checkout.root());
    forget_package(&mut command);
    command
}

/// Removes the variables with which cargo describes the package of this program. Some build scripts
/// read them: their libraries would be compiled again by each call of cargo from this program, and
/// by the next call outside of it.
fn forget_package(command: &mut Command) {
    let is_of_package =
        |name: &str| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_");
    let names = env::vars_os()
        .map(|(name, _)| name)
        .filter(|name| name.to_str().is_some_and(is_of_package));
    for name in names {
        command.env_remove(name);
    }
}

/// Returns the build of a native program. Without `--package`, its dependencies have the features
/// that the whole workspace gives them, and are compiled only once.
pub(crate) fn cargo_build(checkout: &Checkout, program: &str) -> Command {
    let mut build = cargo(checkout);
    build.args(["build", "--bin", program]);
    build
}

/// Installs a target of the toolchain. rustup does so by itself only if its automatic installation
/// is on.
pub(crate) fn ensure_target(target: &str) -> Result<()> {
    let mut rustc = Command::new("rustc");
    let folder = process::read(
        "rustc",
        rustc.args(["--print", "target-libdir", "--target", target]),
    )?;
    if PathBuf::from(folder).exists() {
        return Ok(());
    }
    let mut rustup = Command::new("rustup");
    rustup.args(["target", "add", target]);
    step(&format!("installing the target {target}"), || {
        process::run("rustup", rustup)
    })
    .with_context(|| {
        format!(
            "the target {target} is missing and cannot be added; \
             run `rustup target add {target}`"
        )
    })
}

/// Builds the programs in one call of cargo, which compiles shared dependencies once and skips
/// crates that are up to date.
fn ensure_programs(checkout: &Checkout) -> Result<()> {
    const PROGRAMS: [&str; 3] = [BINDER, EMULATOR, GENERATOR];
    let mut build = cargo(checkout);
    build.arg("build");
    build.args(PROGRAMS.iter().flat_map(|name| ["--bin", name]));
    let all_exist = PROGRAMS.iter().all(|name| checkout.program(name).exists());
    if all_exist {
        return process::run("cargo build", build);
    }
    step("building the tools and the emulator", || {
        process::run("cargo build", build)
    })
}

/// Installs wasm-pack, and the command line and the test runner of wasm-bindgen, at the version of
/// the library.
pub(crate) fn ensure_wasm_pack(checkout: &Checkout) -> Result<()> {
    let library = process::read(
        "cargo pkgid",
        cargo(checkout).args(["pkgid", "wasm-bindgen"]),
    )?;
    let version = library.rsplit(['@', '#']).next().unwrap_or_default();
    ensure_cargo_tool(checkout, "wasm-bindgen-cli", "wasm-bindgen", version)?;
    ensure_cargo_tool(checkout, "wasm-pack", "wasm-pack", WASM_PACK)
}

/// Installs an exact version of a crate's programs with its published lock file. Installs them without
/// it if that fails: a registry may lack a version in the file. `program` is one of the programs.
pub(crate) fn ensure_cargo_tool(
    checkout: &Checkout,
    name: &str,
    program: &str,
    version: &str,
) -> Result<()> {
    let output = format!(".tools/bin/{program}{}", env::consts::EXE_SUFFIX);
    let stamp = Stamp::new(checkout, name, version, &[], &[&output])?;
    let install = |lock: &[&str]| {
        let mut install = cargo(checkout);
        install
            .args(["install", name, "--version", version])
            .args(lock)
            .args(["--debug", "--force", "--no-track", "--root"])
            .arg(checkout.path(".tools"))
            .env("CARGO_PROFILE_DEV_DEBUG", "0")
            // Otherwise cargo warns that .tools/bin is not on the PATH.
            .env("PATH", search_path(checkout)?);
        process::run(&format!("cargo install {name}"), install)
    };
    stamp.unless_fresh(&format!("installing {name} {version}"), || {
        install(&["--locked"]).or_else(|_| install(&[]))
    })
}
