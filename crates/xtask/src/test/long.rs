//! The steps of `--long`.

use std::hint::black_box;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use anyhow::Result;

use super::options::Options;
use super::{fuzz, node, steps};
use crate::checkout::Checkout;
use crate::{browser, build, npm, python};

/// The number of cases for each property. The default of proptest is 256.
const CASES: &str = "25600";
/// The number of seeds for the client's simulation.
const SEEDS: &str = "100000";
/// The timeout of the step `properties`, which takes longer than other commands.
const PROPERTIES_TIMEOUT: Duration = Duration::from_secs(60 * 60);
/// The factor by which a page is slower than its tests.
const SLOWNESS: &str = "5";

pub(super) fn properties(checkout: &Checkout, options: &Options) -> Result<()> {
    steps::rust_within(PROPERTIES_TIMEOUT, checkout, options, |test| {
        test.env("PROPTEST_CASES", CASES)
            .env("MEDIAGATE_SEEDS", SEEDS);
    })
}

/// Runs tests while every core is busy. A test that then fails is a defect: it needs an idle
/// machine.
pub(super) fn busy(checkout: &Checkout, options: &Options) -> Result<()> {
    let is_done = AtomicBool::new(false);
    let spin = || {
        while !is_done.load(Ordering::Relaxed) {
            black_box(0);
        }
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(spin);
        }
        let steps = [steps::gateway, steps::mcp, steps::e2e, steps::packaging];
        let result = steps.iter().try_for_each(|run| run(checkout, options));
        is_done.store(true, Ordering::Relaxed);
        result
    })
}

/// Runs tests in slow pages. A test that then fails is a defect: it needs a page as fast as itself.
pub(super) fn slow(checkout: &Checkout, options: &Options) -> Result<()> {
    let browser = browser::ensure()?;
    node::test(checkout, options, "tests/e2e", |node| {
        node.env("CHROME", &browser)
            .env("MEDIAGATE_SLOW_PAGE", SLOWNESS);
    })
}

/// Runs the gateway on a server and kills it, with the emulator that npm distributes. Then attacks
/// the gateway with published vectors, and runs it in other Workers and with a published bucket.
pub(super) fn kills(checkout: &Checkout, options: &Options) -> Result<()> {
    build::build_test_workers(checkout)?;
    // Next.js, for the types of the endpoint that `init` writes.
    npm::ensure_apart(checkout, "tests/packaging")?;
    python::ensure(checkout, "tests/support/moto/requirements.txt", "moto")?;
    let program = build::build_distributed_emulator(checkout)?;
    let browser = browser::ensure()?;
    for folder in [
        "tests/selfhost",
        "tests/selfhost/long",
        "tests/gateway/long",
    ] {
        node::test(checkout, options, folder, |node| {
            node.env("CHROME", &browser)
                .env("MEDIAGATE_EMULATOR", &program);
        })?;
    }
    Ok(())
}

pub(super) fn bench(checkout: &Checkout, _: &Options) -> Result<()> {
    crate::bench::quick(checkout)
}

pub(super) fn fuzz(checkout: &Checkout, options: &Options) -> Result<()> {
    fuzz::run(checkout, options.fuzz_seconds)
}
