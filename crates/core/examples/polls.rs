//! Prints figures of the poll schedule, by a task's duration: the number of polls, and the delay
//! until the end is seen. `cargo run -p mediagate-core --example polls`.

use mediagate_core::schedule::poll;

/// The number of tasks of each duration, spread over a tenth to either side of it.
const TASKS: u32 = 10_000;

fn main() {
    // A fixed seed, so that all runs print the same figures.
    let mut seed = 1_u32;
    let mut random = || {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(seed) / f64::from(u32::MAX)
    };
    println!("task takes   polls   late by, mean   nine in ten");
    for seconds in [2, 5, 10, 15, 30, 60, 120, 300, 900, 3_600] {
        let mut polls = 0;
        let mut late = Vec::new();
        for task in 0..TASKS {
            let end = seconds * (900 + 200 * task / TASKS);
            let (count, at) = follow(end, &mut random);
            polls += count;
            late.push(at - end);
        }
        late.sort_unstable();
        let mean = late.iter().map(|delay| f64::from(*delay)).sum::<f64>() / f64::from(TASKS);
        let ninth = late.get(late.len() * 9 / 10).copied().unwrap_or_default();
        let polls = f64::from(polls) / f64::from(TASKS);
        println!(
            "{seconds:>8} s {polls:>7.1} {:>13.1} s {:>11.1} s",
            mean / 1000.0,
            f64::from(ninth) / 1000.0
        );
    }
}

/// Returns the number of polls until a task has ended after `end` milliseconds, and the time of the
/// last poll in milliseconds.
fn follow(end: u32, mut random: impl FnMut() -> f64) -> (u32, u32) {
    let mut poll_count = 1;
    let mut at = 0;
    while at < end {
        at += poll::delay(poll_count, None, random());
        poll_count += 1;
    }
    (poll_count, at)
}
