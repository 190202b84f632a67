//! `cargo xtask page`: serves the example of a page in Rust, which uses the gateway of
//! `cargo xtask dev`.

use anyhow::Result;

use crate::checkout::Checkout;
use crate::{build, npm, process, tools};

/// Builds the example and serves it until Ctrl-C.
pub(crate) fn run(checkout: &Checkout) -> Result<()> {
    tools::ensure(checkout)?;
    build::build_page_example(checkout)?;
    println!(
        "  the page makes its videos through the gateway of `cargo xtask dev`; Ctrl-C ends it"
    );
    let mut vite = npm::script(checkout, "vite/bin/vite.js");
    vite.args(["examples/page", "--host", "127.0.0.1"]);
    process::run("vite", vite)
}
