//! The durations of one kind of task, collected from tasks that have ended.
//!
//! The last durations estimate the distribution. Each one contributes a logistic distribution in
//! the logarithm of time, about as wide as the distance to its neighbours, so that two narrow modes
//! stay separate. A broad distribution with half the weight of a duration is added for durations
//! that were never seen.

use alloc::vec::Vec;
use core::ops::RangeInclusive;

use libm::{ceil, exp, log, sqrt};

use super::logistic;
use super::poll::usual_polls;
use super::spacing::{MAX_SHARE, fitting_share};

/// The largest number of durations that are kept.
pub const MAX_DURATIONS: usize = 48;
/// The smallest number of durations that allows a forecast.
pub const MIN_DURATIONS: usize = 8;
/// The accepted durations, in seconds. Any other is an error: the clock was set, or nobody saw the
/// task's end.
pub const LEARNED_SECONDS: RangeInclusive<f64> = 0.1..=86_400.0;

/// The largest uncertainty of a duration, as a share of it.
const MAX_WITHIN: f64 = 0.45;
/// Up to this many seconds, the uncertainty does not matter.
const VAGUE_SECONDS: f64 = 3.0;

const FIT_EVERY: u32 = MIN_DURATIONS as u32;
/// The part of a task's excess of polls that the next task corrects.
const CORRECTION: f64 = 0.08;
const EXCESS: RangeInclusive<f64> = 0.1..=20.0;
/// The intended number of polls, as a share of the polls at the usual intervals.
const POLLS: f64 = 0.99;

/// The weight of a duration relative to the next newer one. It halves after 24 durations.
const DECAY: f64 = 0.971_5;
/// The least and the greatest width of a duration's distribution, in the logarithm of time.
const WIDTHS: RangeInclusive<f64> = 0.008..=0.5;
/// The width of a duration's distribution, as a share of the distance to its chosen neighbour.
const REACH: f64 = 0.5;
/// The width of the broad distribution, in the logarithm of time.
const BROAD: f64 = 1.0;
/// The weight of the broad distribution relative to the newest duration.
const BROAD_WEIGHT: f64 = 0.5;

#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde_json", derive(serde::Serialize, serde::Deserialize))]
struct Duration {
    log: f32,
    /// Its uncertainty: half of the time between the polls around the end, as a share of it.
    within: f32,
    /// The width of its distribution, in the logarithm of time.
    width: f32,
}

/// The last durations of a kind of task, the oldest first.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde_json", derive(serde::Serialize, serde::Deserialize))]
pub struct Durations {
    last: Vec<Duration>,
    learned: u32,
    /// The fitted share of the running tasks that each poll finds ended.
    share: f32,
    /// The factor that corrects the share, because tasks took more or fewer polls than intended.
    excess: f32,
}

impl Durations {
    /// Adds a task that still ran after `after` seconds, at the poll before the last, and had ended
    /// after `until` seconds, at the last of its `polls`. Ignores an impossible or vague duration.
    pub fn learn(&mut self, after: f64, until: f64, polls: u32) {
        let middle = (after.max(0.0) + until) / 2.0;
        let within = (until - middle) / middle;
        // The end of a task that was first polled long after its create is hardly known.
        let is_vague = within > MAX_WITHIN && until > VAGUE_SECONDS;
        if !LEARNED_SECONDS.contains(&middle) || after > until || is_vague {
            return;
        }
        if self.last.len() >= MAX_DURATIONS {
            self.last.remove(0);
        }
        self.last.push(Duration {
            log: log(middle) as f32,
            within: within as f32,
            width: 0.0,
        });
        self.set_widths();
        self.learned = self.learned.saturating_add(1);
        if self.learned.is_multiple_of(FIT_EVERY) {
            // No task is expected to take longer than twice the longest, as in a forecast.
            let end = self.greatest() * 2.0;
            self.share = fitting_share(|at| self.running(at), end, self.usual_polls()) as f32;
        }
        self.correct(f64::from(polls) - usual_polls(middle) * POLLS);
    }

    fn correct(&mut self, more: f64) {
        let before = if self.learned == 1 {
            1.0
        } else {
            f64::from(self.excess)
        };
        // A few tasks with many polls weigh as much as many with few.
        let excess = before * exp(CORRECTION * (more / self.usual_polls()).min(3.0));
        self.excess = excess.clamp(*EXCESS.start(), *EXCESS.end()) as f32;
    }

    /// Returns true if there are enough durations for a forecast.
    pub fn is_known(&self) -> bool {
        self.last.len() >= MIN_DURATIONS
    }

    /// Returns the share of the still running tasks, from 0 to 1, that the next poll should find
    /// ended. With this share, tasks take no more polls than at the usual intervals, even if the
    /// durations change or the progress misleads.
    pub(super) fn share(&self) -> f64 {
        (f64::from(self.share) * f64::from(self.excess)).min(MAX_SHARE)
    }

    pub(super) fn usual_polls(&self) -> f64 {
        let mut polls = 0.0;
        let mut total = 0.0;
        let mut weight = 1.0;
        for duration in self.last.iter().rev() {
            polls += weight * usual_polls(exp(f64::from(duration.log)));
            total += weight;
            weight *= DECAY;
        }
        polls / total
    }

    /// Returns the share of all tasks, from 0 to 1, that still run after some seconds.
    pub fn running(&self, seconds: f64) -> f64 {
        // The logarithm of 0 is infinite.
        let at = log(seconds.max(1e-3));
        let mut running = BROAD_WEIGHT * logistic((self.middle() - at) / BROAD);
        let mut total = BROAD_WEIGHT;
        let mut weight = 1.0;
        for duration in self.last.iter().rev() {
            let width = f64::from(duration.width);
            running += weight * logistic((f64::from(duration.log) - at) / width);
            total += weight;
            weight *= DECAY;
        }
        running / total
    }

    /// Returns the greatest duration, in seconds.
    pub(super) fn greatest(&self) -> f64 {
        exp(self
            .last
            .iter()
            .map(|duration| f64::from(duration.log))
            .fold(0.0, f64::max))
    }

    fn middle(&self) -> f64 {
        let sum: f64 = self
            .last
            .iter()
            .map(|duration| f64::from(duration.log))
            .sum();
        sum / self.last.len().max(1) as f64
    }

    /// Sets the width of each duration: a share of the distance to its k-th nearest neighbour, with
    /// the square root of their number as k. This is the usual choice for such an estimate.
    fn set_widths(&mut self) {
        let logs: Vec<f32> = self.last.iter().map(|duration| duration.log).collect();
        let rank = ceil(sqrt(logs.len() as f64)) as usize;
        for duration in &mut self.last {
            let mut distances: Vec<f32> = logs
                .iter()
                .map(|other| (other - duration.log).abs())
                .collect();
            distances.sort_unstable_by(f32::total_cmp);
            let distance = distances
                .get(rank)
                .or(distances.last())
                .copied()
                .unwrap_or_default();
            let width = (f64::from(distance) * REACH).max(f64::from(duration.within) / 2.0);
            // Equal durations have no distance, and a distribution needs a width.
            duration.width = width.clamp(*WIDTHS.start(), *WIDTHS.end()) as f32;
        }
    }
}
