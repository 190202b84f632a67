//! The options of `cargo xtask test`.

use clap::Args;

/// The choice of steps.
#[derive(Args, Debug, Default)]
pub(crate) struct Options {
    /// Run only the steps that take too long for every change; prints their list
    #[arg(long, conflicts_with = "only")]
    pub(super) long: bool,
    /// Leave out the steps that would probably end later, by what the steps before took; prints
    /// which
    #[arg(long, value_name = "MINUTES")]
    pub(super) within: Option<u64>,
    /// Run one step, after the build if the step needs it
    #[arg(long, value_name = "STEP")]
    pub(super) only: Option<String>,
    /// With --only: run the tests of one file (`ledger` for `ledger.test.mjs`), or the tests whose
    /// names contain this text
    #[arg(long, value_name = "NAME")]
    pub(super) filter: Option<String>,
    /// The time that the step `fuzz` runs each target
    #[arg(long, value_name = "SECONDS", default_value_t = 300)]
    pub(super) fuzz_seconds: u32,
}

impl Options {
    /// Returns true unless the run has only one step or the long steps.
    pub(super) fn has_usual_steps(&self) -> bool {
        self.only.is_none() && !self.long
    }
}
