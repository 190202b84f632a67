//! The poll schedule in figures, by a task's duration: the number of polls, and the delay until its end is seen. `cargo run -p mediagate-core --example polls`.

use mediagate_core::schedule::poll;

/// Tasks of each duration, spread over a tenth to either side of it.
const TASKS: u32 = 10_000;
fn main() {
    // A fixed seed, so that every run prints the same.
    let mut seed = 1_u32;
    let mut random = || {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(seed) / f64::from(u32::MAX)
    };
    println!("task takes   polls   late by, mean   nine in ten");
    for seconds in [2, 5, 10, 15, 30, 60, 120, 300, 900, 3_600] {
        let (mut polls, mut late) = (0, Vec::new());
        for task in 0..TASKS {
            let end = seconds * (900 + 200 * task / TASKS);
            let (count, at) = follow(end, &mut random);
            polls += count;
            late.push(at - end);
        }
        late.sort_unstable();
        let mean = late.iter().map(|it| f64::from(*it)).sum::<f64>() / f64::from(TASKS);
        let ninth = late.get(late.len() * 9 / 10).copied().unwrap_or_default();
        let polls = f64::from(polls) / f64::from(TASKS);
        println!(
            "{seconds:>8} s {polls:>7.1} {:>13.1} s {:>11.1} s",
            mean / 1000.0,
            f64::from(ninth) / 1000.0
        );
    }
}

/// The number of polls until a task has ended, and the time of the last one, in milliseconds from the first.
fn follow(end: u32, mut random: impl FnMut() -> f64) -> (u32, u32) {
    let (mut poll_count, mut at) = (1, 0);
    while at < end {
        at += poll::delay(poll_count, None, random());
        poll_count += 1;
    }
    (poll_count, at)
}
