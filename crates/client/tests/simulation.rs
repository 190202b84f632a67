//! Random scenarios on the simulated platform, each from a seed, with what must hold in all of them.
//!
//! `MEDIAGATE_SEEDS` is the number of scenarios, `MEDIAGATE_SEED` the first seed.

mod actions;
mod checks;
mod outcomes;
mod scenario;

use std::env;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::time::{SystemTime, UNIX_EPOCH};

use scenario::Scenario;

/// The number of scenarios where the environment names none.
const SEEDS: u64 = 1_000;

fn number(name: &str) -> Option<u64> {
    env::var(name).ok()?.parse().ok()
}

#[test]
fn every_scenario_ends_with_nothing_left() {
    let clock = || {
        SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |it| it.as_micros() as u64)
    };
    let first = number("MEDIAGATE_SEED").unwrap_or_else(clock);
    let count = number("MEDIAGATE_SEEDS").unwrap_or(SEEDS);
    for seed in first..first + count {
        let scenario = AssertUnwindSafe(|| Scenario::new(seed, count == 1).run());
        if let Err(failure) = catch_unwind(scenario) {
            eprintln!("seed {seed} failed; to repeat it with its trace:");
            eprintln!(
                "MEDIAGATE_SEED={seed} MEDIAGATE_SEEDS=1 cargo test -p mediagate-client simulation::"
            );
            resume_unwind(failure);
        }
    }
}
