//! When to ask again. Pure functions: time and randomness are given to them.

pub mod poll;
pub mod retry;

/// Spreads a delay by a quarter to either side, so that many callers don't ask in step. `random` is from 0 to 1; what
/// is outside is taken as the nearer bound.
pub fn jitter(delay_ms: u32, random: f64) -> u32 {
    let random = if random.is_nan() { 0.5 } else { random.clamp(0.0, 1.0) };
    (f64::from(delay_ms) * (0.75 + random / 2.0)) as u32
}
