//! The options of `cargo xtask test`.

use clap::Args;

/// Which steps to run.
#[derive(Args, Debug, Default)]
pub(crate) struct Options {
    /// Also the other checks that every change must pass: packaging, engines, documentation, licences
    #[arg(long)]
    pub(super) all: bool,
    /// What takes too long for every change, and nothing else: see the list that it prints
    #[arg(long, conflicts_with_all = ["all", "only"])]
    pub(super) long: bool,
    /// Run one step alone, and the build before it where it needs it
    #[arg(long, value_name = "STEP")]
    pub(super) only: Option<String>,
    /// With --only: the tests of one file (`ledger` for `ledger.test.mjs`), or those whose name contains this text
    #[arg(long, value_name = "NAME")]
    pub(super) filter: Option<String>,
    /// How long the step `fuzz` runs each target
    #[arg(long, value_name = "SECONDS", default_value_t = 300)]
    pub(super) fuzz_seconds: u32,
}

impl Options {
    /// Whether the run has the steps of every run, and not only one, or the long ones.
    pub(super) fn has_usual_steps(&self) -> bool {
        self.only.is_none() && !self.long
    }
}
