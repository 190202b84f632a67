//! Kinds of tasks with different distributions of durations.

use libm::{erf, exp, log, sqrt};

pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// Returns a number from 0 to 1.
    pub(crate) fn unit(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        let length = self.unit().max(1e-12);
        let angle = self.unit();
        sqrt(-2.0 * log(length)) * libm::cos(core::f64::consts::TAU * angle)
    }
}

/// Durations with one or two log-normal modes, which may drift.
#[derive(Clone, Debug)]
pub(crate) struct Kind {
    /// The middles of the modes in seconds, each as likely.
    pub(crate) middles: Vec<f64>,
    /// The deviation of the logarithm.
    pub(crate) sigma: f64,
    /// The factor of the middles from the first task to the last.
    pub(crate) drift: f64,
}

impl Kind {
    pub(crate) fn narrow(middle: f64, sigma: f64) -> Self {
        Kind {
            middles: vec![middle],
            sigma,
            drift: 1.0,
        }
    }

    pub(crate) fn bimodal(one: f64, other: f64, sigma: f64) -> Self {
        Kind {
            middles: vec![one, other],
            ..Kind::narrow(one, sigma)
        }
    }

    pub(crate) fn drifting(from: f64, to: f64, sigma: f64) -> Self {
        Kind {
            drift: to / from,
            ..Kind::narrow(from, sigma)
        }
    }

    /// Draws the duration of a task, in seconds. `progress` is the share of the tasks before it.
    pub(crate) fn draw(&self, random: &mut Random, progress: f64) -> f64 {
        let mode = (random.unit() * self.middles.len() as f64) as usize;
        let middle = self.middles[mode.min(self.middles.len() - 1)];
        middle * exp(progress * log(self.drift)) * exp(self.sigma * random.normal())
    }

    /// Returns the share of tasks that still run after some seconds, without drift.
    pub(crate) fn running(&self, seconds: f64) -> f64 {
        let of_mode = |middle: &f64| {
            0.5 - erf(log(seconds / middle) / self.sigma / core::f64::consts::SQRT_2) / 2.0
        };
        self.middles.iter().map(of_mode).sum::<f64>() / self.middles.len() as f64
    }
}
