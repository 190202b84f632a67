//! The options of `cargo xtask test`.

use clap::Args;

/// Which steps to run.
#[derive(Args, Debug)]
pub(crate) struct Options {
    /// Also the steps that take long: documentation, licences, fuzzing
    #[arg(long)]
    pub(super) all: bool,
    /// Run one step alone, and the build before it where it needs it
    #[arg(long, value_name = "STEP")]
    pub(super) only: Option<String>,
    /// How long each fuzz target runs with `--all`
    #[arg(long, value_name = "SECONDS", default_value_t = 15)]
    pub(super) fuzz_seconds: u32,
}
