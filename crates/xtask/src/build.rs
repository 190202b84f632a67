//! `cargo xtask build`: builds the npm package, the playground and the gateway, in the order of
//! their dependencies.

use std::fs::File;

use anyhow::{Context, Result};
use clap::Args;
use xshell::cmd;

use crate::checkout::Checkout;
use crate::process::{both, call};
use crate::stamp::Stamp;
use crate::tools;
use crate::wasm::{self, Goal, Worker, profile};

const GATEWAY: Worker = Worker {
    package: "mediagate-entry",
    folder: "crates/entry",
    is_deployed: true,
};
const EMBEDDED: Worker = Worker {
    package: "embedded-gateway",
    folder: "examples/embedded-gateway",
    is_deployed: false,
};
const PANICKING: Worker = Worker {
    package: "panicking-gateway",
    folder: "tests/panicking-gateway",
    is_deployed: false,
};

#[derive(Args, Debug, Clone, Copy, Default)]
pub(crate) struct Options {
    /// Skip the optimisation, as `cargo xtask dev` does; the build is quick
    #[arg(long)]
    pub(crate) dev: bool,
}

/// Installs the tools and builds every part whose inputs have changed.
pub(crate) fn run(checkout: &Checkout, options: Options) -> Result<()> {
    let _only_one = lock(checkout)?;
    tools::ensure(checkout)?;
    // The client and the gateway each end with an optimisation on one core. In parallel, they use
    // both cores of a small machine.
    both(
        checkout,
        |checkout| GATEWAY.build(checkout, options.dev),
        |checkout| {
            build_client(checkout, options)?;
            build_operator(checkout, options)?;
            build_playground(checkout)
        },
    )?;
    build_gateway_package(checkout)
}

/// Waits for another build of this checkout, and locks the checkout until the file is dropped. Two
/// builds at once would mix their files.
fn lock(checkout: &Checkout) -> Result<File> {
    let folder = checkout.shell.create_dir(".tools")?;
    let file = File::create(folder.join("build.lock"))?;
    if file.try_lock().is_err() {
        println!("waiting for another build of this checkout");
        file.lock().context("the checkout cannot be locked")?;
    }
    Ok(file)
}

fn build_client(checkout: &Checkout, options: Options) -> Result<()> {
    let built = wasm::compile(checkout, "mediagate-browser", &Goal::Size, options.dev)?;
    let stamp = Stamp {
        name: "the client",
        setting: profile(options.dev),
        inputs: &[
            &built.to_string_lossy(),
            "crates/core/src",
            "crates/generate/src",
            "pkg/src",
            "pkg/scripts",
            "pkg/tsconfig.json",
            "package-lock.json",
        ],
        outputs: &[
            "pkg/dist/index.js",
            "pkg/dist/wasm/inline.js",
            "pkg/src/generated",
        ],
    };
    stamp.unless_fresh(checkout, || {
        // The package contains the whole folder, so files of earlier builds must not stay.
        checkout.shell.remove_path("pkg/dist")?;
        generate(checkout, Some("--built"))?;
        let folder = checkout.path("pkg/dist/wasm");
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
        call(cmd!(checkout, "tsc --project pkg"))?;
        call(cmd!(checkout, "node pkg/scripts/dist.mjs"))
    })
}

fn build_playground(checkout: &Checkout) -> Result<()> {
    let stamp = Stamp {
        name: "the playground",
        setting: "",
        inputs: &["www", "pkg", "pkg/dist", "package-lock.json"],
        outputs: &["www/dist/index.html"],
    };
    stamp.unless_fresh(checkout, || {
        call(cmd!(
            checkout,
            "npm run build --workspace www --loglevel=error"
        ))
    })
}

/// The decisions of the gateway's commands.
fn build_operator(checkout: &Checkout, options: Options) -> Result<()> {
    let built = wasm::compile(checkout, "mediagate-operator", &Goal::Speed, options.dev)?;
    let stamp = Stamp {
        name: "the operator's commands",
        setting: profile(options.dev),
        inputs: &[&built.to_string_lossy()],
        outputs: &["gateway/dist/operator/operator.js"],
    };
    stamp.unless_fresh(checkout, || {
        let folder = checkout.path("gateway/dist/operator");
        // Without wasm-opt, as it runs in Node, where its bytes hardly matter.
        wasm::bind(checkout, "script", &built, &folder, "operator", options.dev)
    })
}

/// Writes the files that come from the catalogue, or with `--built` only those that Git ignores.
pub(crate) fn generate(checkout: &Checkout, option: Option<&str>) -> Result<()> {
    let generator = checkout.program("mediagate-generate");
    call(cmd!(checkout, "{generator} {option...}"))
}

/// The Worker, its front and the playground.
fn build_gateway_package(checkout: &Checkout) -> Result<()> {
    let stamp = Stamp {
        name: "the gateway's package",
        setting: "",
        inputs: &[
            "gateway/scripts",
            "gateway/src/worker",
            "gateway/upstream",
            "crates/entry/build",
            "www/dist",
            "package-lock.json",
        ],
        outputs: &["gateway/dist/files.json", "gateway/dist/worker/index.js"],
    };
    stamp.unless_fresh(checkout, || {
        call(cmd!(
            checkout,
            "npm run build --workspace gateway --loglevel=error"
        ))
    })
}

/// Builds the Workers that only tests need. They are releases like the gateway, so that cargo has
/// compiled all but these crates.
pub(crate) fn build_test_workers(checkout: &Checkout) -> Result<()> {
    EMBEDDED.build(checkout, false)?;
    PANICKING.build(checkout, false)
}
