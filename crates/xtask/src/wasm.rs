//! The steps from a crate to a wasm module and its JavaScript: cargo, wasm-bindgen, wasm-opt, and
//! for a Worker esbuild.

use std::env;
use std::path::{Path, PathBuf};

use anyhow::Result;
use xshell::cmd;

use crate::checkout::Checkout;
use crate::process::call;
use crate::stamp::Stamp;

pub(crate) const TARGET: &str = "wasm32-unknown-unknown";

pub(crate) fn profile(dev: bool) -> &'static str {
    if dev { "debug" } else { "release" }
}

/// What a release is optimised for. The profile in `Cargo.toml` optimises for size, which matters
/// only for the client. Builds with equal goals share their compiled dependencies.
#[derive(PartialEq)]
pub(crate) enum Goal {
    Size,
    Speed,
}

/// Compiles a crate, and returns the path of its module.
pub(crate) fn compile(
    checkout: &Checkout,
    package: &str,
    goal: &Goal,
    dev: bool,
) -> Result<PathBuf> {
    let release = (!dev).then_some("--release");
    let mut build = cmd!(
        checkout,
        "cargo build --lib --target {TARGET} --package {package} {release...}"
    );
    if !dev {
        build = build.env("CARGO_ENCODED_RUSTFLAGS", release_flags(checkout, goal)?);
    }
    if !dev && *goal == Goal::Speed {
        build = build.env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "3");
    }
    // What ships is compiled by the compiler, even where clippy takes its place for the tests.
    call(build.env_remove("RUSTC_WORKSPACE_WRAPPER"))?;
    Ok(checkout
        .target()
        .join(TARGET)
        .join(profile(dev))
        .join(package.replace('-', "_"))
        .with_extension("wasm"))
}

/// The flags remove this machine's folders from the file names in panics.
fn release_flags(checkout: &Checkout, goal: &Goal) -> Result<String> {
    let home = env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home
        .or_else(|| env::home_dir().map(|folder| folder.join(".cargo")))
        .unwrap_or_default();
    let registry = home.join("registry/src");
    // The standard library's sources may be installed. The compiled library has this name for them.
    let sysroot = cmd!(checkout, "rustc --print sysroot").read()?;
    let version = cmd!(checkout, "rustc -vV").read()?;
    let mut lines = version.lines();
    let commit = lines.find_map(|line| line.strip_prefix("commit-hash: "));
    let library = format!("/rustc/{}", commit.unwrap_or_default());
    let mut flags = vec![
        format!("--remap-path-prefix={}=", registry.display()),
        format!("--remap-path-prefix={sysroot}/lib/rustlib/src/rust={library}"),
    ];
    if *goal == Goal::Speed {
        // Less inlining than the default of `opt-level = 3`, as a smaller Worker starts faster.
        flags.push("-Cllvm-args=-inline-threshold=70".to_owned());
    }
    // In `RUSTFLAGS`, a folder could have no space in its name.
    Ok(flags.join("\u{1f}"))
}

/// Writes a module and its JavaScript into `folder`: `name_bg.wasm`, `name.js`, and types for a
/// script. `host` is one of the program's.
pub(crate) fn bind(
    checkout: &Checkout,
    host: &str,
    wasm: &Path,
    folder: &Path,
    name: &str,
    dev: bool,
) -> Result<()> {
    let binder = checkout.program("bind-wasm");
    let debug = dev.then_some("--debug");
    call(cmd!(
        checkout,
        "{binder} {host} {wasm} {folder} {name} {debug...}"
    ))
}

pub(crate) fn optimise(checkout: &Checkout, wasm: &Path, flags: &[&str]) -> Result<()> {
    // wasm-bindgen uses this feature, but does not list it in the module as the compiler does.
    let feature = "--enable-exception-handling";
    call(cmd!(
        checkout,
        "wasm-opt {feature} {flags...} -o {wasm} {wasm}"
    ))
}

/// A Cloudflare Worker, built as `index.js` and `index_bg.wasm` into the folder `build` of a crate.
pub(crate) struct Worker {
    pub(crate) package: &'static str,
    pub(crate) folder: &'static str,
    /// True if wasm-opt optimises a release. It takes long, and only a Worker that is deployed
    /// needs it.
    pub(crate) is_deployed: bool,
}

impl Worker {
    pub(crate) fn build(&self, checkout: &Checkout, dev: bool) -> Result<()> {
        let entry = "crates/entry/src/entry.js";
        let wasm = compile(checkout, self.package, &Goal::Speed, dev)?;
        let stamp = Stamp {
            name: &format!("the Worker of {}", self.folder),
            setting: profile(dev),
            inputs: &[&wasm.to_string_lossy(), entry, "package-lock.json"],
            outputs: &[&format!("{}/build/index.js", self.folder)],
        };
        stamp.unless_fresh(checkout, || {
            let shell = &checkout.shell;
            let folder = checkout.target().join("workers").join(self.package);
            bind(checkout, "worker", &wasm, &folder, "index", dev)?;
            // In workerd, an import of a wasm file without a phase is the compiled module.
            let script = folder.join("index.js");
            let text = shell.read_file(&script)?;
            shell.write_file(&script, text.replace("import source ", "import "))?;
            let wasm = folder.join("index_bg.wasm");
            if !dev && self.is_deployed {
                // The default of wasm-opt, `-O`, takes half a minute longer than `-O1`, for a
                // Worker that is 2 % smaller after compression and no faster.
                optimise(checkout, &wasm, &["-O1"])?;
            }
            let out = checkout.path(self.folder).join("build");
            shell.create_dir(&out)?;
            shell.copy_file(entry, folder.join("entry.js"))?;
            shell.copy_file(&wasm, out.join("index_bg.wasm"))?;
            let external = ["--external:./index_bg.wasm", "--external:cloudflare:*"];
            let format = ["--bundle", "--format=esm", "--minify"];
            call(cmd!(
                checkout,
                "esbuild {folder}/entry.js {format...} {external...} --outfile={out}/index.js"
            ))
        })
    }
}
