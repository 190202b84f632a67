//! The times of polls and retries. Pure functions: the caller passes the number of attempts or the
//! elapsed seconds, and a random number.

pub mod durations;
pub mod forecast;
pub mod pace;
pub mod poll;
pub mod retry;
mod spacing;

/// Spreads a delay in milliseconds by up to a quarter in either direction, so that callers do not
/// send in step. `random` is from 0 to 1; a value outside is clamped, and NaN counts as 0.5.
pub fn jitter(delay_ms: u32, random: f64) -> u32 {
    let random = if random.is_nan() {
        0.5
    } else {
        random.clamp(0.0, 1.0)
    };
    (f64::from(delay_ms) * (0.75 + random / 2.0)) as u32
}

fn logistic(at: f64) -> f64 {
    // Beyond this, the share differs from 0 or 1 by less than 1e-13.
    if at.abs() > 30.0 {
        return if at > 0.0 { 1.0 } else { 0.0 };
    }
    1.0 / (1.0 + libm::exp(-at))
}
