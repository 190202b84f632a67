//! How often a task is asked after until it ends, by how long it takes: `cargo run -p mediagate-core --example polls`.

use mediagate_core::schedule::poll;

fn main() {
    println!("task takes   looks   last gap");
    for seconds in [5_u32, 30, 60, 120, 300, 900, 3_600] {
        let (mut looks, mut at, mut gap) = (1, 0, 0);
        while at < seconds * 1000 {
            gap = poll::delay(looks, None, 0.5);
            at += gap;
            looks += 1;
        }
        println!("{seconds:>8} s {looks:>7} {:>8.1} s", f64::from(gap) / 1000.0);
    }
}
