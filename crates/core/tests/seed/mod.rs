//! The configuration of property tests: new random inputs on each run, which the printed seed
//! repeats. The gateway's property tests use this file, too.

use std::collections::hash_map::RandomState;
use std::env;
use std::hash::BuildHasher;
use std::io::{Write, stderr};
use std::sync::OnceLock;

use proptest::test_runner::{Config, RngSeed};

/// The seed of this run, shared by all properties of a test program.
static SEED: OnceLock<u64> = OnceLock::new();

/// Returns a configuration with this number of cases, and with the seed `PROPTEST_RNG_SEED` or a
/// new one. `PROPTEST_CASES` has precedence over `cases`.
pub(crate) fn config(cases: u32) -> Config {
    let config = Config::default();
    let cases = if env::var_os("PROPTEST_CASES").is_some() {
        config.cases
    } else {
        cases
    };
    let seed = *SEED.get_or_init(|| announced(config.rng_seed));
    // The printed seed repeats a failure, so no file is needed.
    Config {
        cases,
        rng_seed: RngSeed::Fixed(seed),
        failure_persistence: None,
        ..config
    }
}

fn announced(seed: RngSeed) -> u64 {
    let seed = match seed {
        RngSeed::Fixed(seed) => seed,
        RngSeed::Random => RandomState::new().hash_one(()),
    };
    let program = env!("CARGO_PKG_NAME");
    // The test harness shows the output of `eprintln!` only for failed tests.
    let _ = writeln!(
        stderr(),
        "PROPTEST_RNG_SEED={seed} repeats the random inputs of {program}"
    );
    seed
}
