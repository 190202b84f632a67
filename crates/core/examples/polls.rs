//! What following a task costs and gives, by how long it takes: how often it is asked after, and how long after its end
//! that is seen. `cargo run -p mediagate-core --example polls`.

use mediagate_core::schedule::poll;

/// Tasks of each length, spread over a tenth to either side of it.
const TASKS: u32 = 10_000;
fn main() {
    // The same every time.
    let mut seed = 1_u32;
    let mut random = || {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(seed) / f64::from(u32::MAX)
    };
    println!("task takes   looks   late by, mean   nine in ten");
    for seconds in [2, 5, 10, 15, 30, 60, 120, 300, 900, 3_600] {
        let (mut looks, mut late) = (0, Vec::new());
        for task in 0..TASKS {
            let end = seconds * (900 + 200 * task / TASKS);
            let (seen, at) = follow(end, &mut random);
            looks += seen;
            late.push(at - end);
        }
        late.sort_unstable();
        let mean = late.iter().map(|it| f64::from(*it)).sum::<f64>() / f64::from(TASKS);
        let most = late.get(late.len() * 9 / 10).copied().unwrap_or_default();
        let looks = f64::from(looks) / f64::from(TASKS);
        println!("{seconds:>8} s {looks:>7.1} {:>13.1} s {:>11.1} s", mean / 1000.0, f64::from(most) / 1000.0);
    }
}

/// Looks until a task has ended, and when the last of them was, in milliseconds from the first.
fn follow(end: u32, mut random: impl FnMut() -> f64) -> (u32, u32) {
    let (mut looks, mut at) = (1, 0);
    while at < end {
        at += poll::delay(looks, None, random());
        looks += 1;
    }
    (looks, at)
}
