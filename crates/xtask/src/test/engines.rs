//! The step `engines`: the packed package and the playground, in Firefox and WebKit.

use std::panic::resume_unwind;
use std::thread;

use anyhow::Result;

use super::options::Options;
use super::{node, output};
use crate::browser::{self, Engine};
use crate::checkout::Checkout;

const FOLDER: &str = "tests/engines";

/// Both at once: each ends with a long file alone.
pub(super) fn engines(checkout: &Checkout, options: &Options) -> Result<()> {
    let engines = browser::ensure_engines()?;
    thread::scope(|scope| {
        let start = |engine| (engine, scope.spawn(move || run_in(checkout, options, engine)));
        let running: Vec<_> = engines.iter().map(start).collect();
        let mut results = Vec::new();
        for (engine, run) in running {
            let result = run.join().unwrap_or_else(|panic| resume_unwind(panic));
            println!("\nin {}:", engine.name);
            output::show(checkout, &output_name(engine));
            results.push(result);
        }
        results.into_iter().collect()
    })
}

fn run_in(checkout: &Checkout, options: &Options, engine: &Engine) -> Result<()> {
    let [stdout, stderr] = output::open(checkout, &output_name(engine))?;
    let Engine { name, programs } = engine;
    node::test(checkout, options, FOLDER, |node| {
        node.env("ENGINE", name).envs(programs.iter().cloned()).stdout(stdout).stderr(stderr);
    })
}

fn output_name(engine: &Engine) -> String {
    format!("engines-{}", engine.name)
}
