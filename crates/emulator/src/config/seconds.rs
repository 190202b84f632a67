use std::time::Duration;

use serde::{Deserialize, Serialize};

/// A duration of 0 to 86,400 seconds (one day). In JSON it is a number of seconds such as `0.5`.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub(crate) struct Seconds(pub(crate) Duration);

const DAY: f64 = 86_400.0;

const OUT_OF_RANGE: &str = "give seconds from 0 to 86400, such as 0.5";

impl TryFrom<f64> for Seconds {
    type Error = &'static str;

    fn try_from(seconds: f64) -> Result<Self, Self::Error> {
        // Also excludes NaN and numbers that `from_secs_f64` panics on.
        if (0.0..=DAY).contains(&seconds) {
            Ok(Seconds(Duration::from_secs_f64(seconds)))
        } else {
            Err(OUT_OF_RANGE)
        }
    }
}

impl From<Seconds> for f64 {
    fn from(seconds: Seconds) -> Self {
        seconds.0.as_secs_f64()
    }
}

pub(crate) fn parse_seconds(text: &str) -> Result<Duration, &'static str> {
    let seconds: f64 = text.parse().map_err(|_| OUT_OF_RANGE)?;
    Seconds::try_from(seconds).map(|seconds| seconds.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_has_bounds() {
        assert_eq!(parse_seconds("0.5"), Ok(Duration::from_millis(500)));
        for text in ["-1", "NaN", "inf", "1e9", "soon", ""] {
            assert!(parse_seconds(text).is_err(), "{text}");
        }
    }
}
