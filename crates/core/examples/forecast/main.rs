//! Polls around the expected end, in figures: `cargo run --release -p mediagate-core --example forecast`.
//!
//! For each kind of tasks: the median and the 95th percentile of the delay until an end is seen, in seconds, and the polls of
//! a task: at the usual intervals, with what was learned from the tasks before, and at the best intervals for the kind.

mod kinds;
mod simulation;

use kinds::Kind;
use simulation::{Comparison, Outcome, Reports, best, compare};

const TASKS: usize = 100;
const ROUNDS: u64 = 4;

fn main() {
    println!(
        "| Durations | usual | learned | best known | learned / usual | learned / best | the first 20: usual | learned |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for middle in [5.0, 15.0, 30.0, 60.0, 120.0, 300.0, 600.0] {
        for sigma in [0.02, 0.05, 0.15, 0.5] {
            show(&Kind::narrow(middle, sigma), Reports::None, 1);
        }
    }
    show(&Kind::bimodal(5.0, 60.0, 0.1), Reports::None, 1);
    show(&Kind::bimodal(20.0, 240.0, 0.1), Reports::None, 1);
    show(&Kind::bimodal(60.0, 120.0, 0.15), Reports::None, 1);
    show(&Kind::drifting(30.0, 90.0, 0.1), Reports::None, 1);
    show(&Kind::drifting(90.0, 30.0, 0.1), Reports::None, 1);
    show(&Kind::narrow(60.0, 0.15), Reports::None, 10);
    for reports in [Reports::Linear, Reports::Stuck, Reports::Early] {
        for sigma in [0.15, 0.5] {
            show(&Kind::narrow(60.0, sigma), reports, 1);
        }
    }
}

fn show(kind: &Kind, reports: Reports, at_once: usize) {
    let Comparison {
        usual,
        learned,
        first,
    } = compare(kind, reports, TASKS, at_once, ROUNDS);
    let known = (kind.drift == 1.0).then(|| best(kind, &usual, TASKS * ROUNDS as usize));
    let cell = |it: &Outcome| {
        format!(
            "{:.2}, {:.1}, {:.1}",
            it.delay(0.5),
            it.delay(0.95),
            it.polls()
        )
    };
    let more = match (at_once, reports) {
        (1, Reports::None) => String::new(),
        (1, reports) => format!(", progress {reports:?}").to_lowercase(),
        (count, _) => format!(", {count} at once"),
    };
    let ratio = |other: &Outcome| format!("{:.2}", learned.delay(0.5) / other.delay(0.5));
    println!(
        "| {}{more} | {} | {} | {} | {} | {} | {} | {} |",
        kind.name(),
        cell(&usual),
        cell(&learned),
        known.as_ref().map(cell).unwrap_or_default(),
        ratio(&usual),
        known.as_ref().map(ratio).unwrap_or_default(),
        cell(&first[0]),
        cell(&first[1]),
    );
}
