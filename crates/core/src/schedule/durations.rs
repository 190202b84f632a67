//! How long tasks of one kind take, learned from those that have ended.
//!
//! The last durations themselves are the summary: a distribution of any form, which forgets by itself. Each stands for a
//! logistic distribution around it, in the logarithm of time: about as wide as the distance to its neighbours, so that two
//! narrow modes stay two. A broad one is added with half the weight of a duration, for what was never seen.

use alloc::vec::Vec;
use core::ops::RangeInclusive;

use libm::{ceil, exp, log, sqrt};

use super::logistic;
use super::poll::usual_polls;
use super::spacing::{MAX_SHARE, fitting_share};

/// The most durations that are kept.
pub const MAX_DURATIONS: usize = 48;
/// The fewest durations from which anything is concluded.
pub const MIN_DURATIONS: usize = 8;
/// The durations that are learned, in seconds. What is outside is none: a clock was set, or nothing ended the task.
pub const LEARNED_SECONDS: RangeInclusive<f64> = 0.1..=86_400.0;

/// How vague a duration may be, as a share of it, and up to how many seconds that does not matter.
const MAX_WITHIN: f64 = 0.45;
const VAGUE_SECONDS: f64 = 3.0;

/// The share is fitted each time that this number of durations was learned: at first when there are enough.
const FIT_EVERY: u32 = MIN_DURATIONS as u32;
/// How much of a task's excess of polls is corrected at the next one.
const CORRECTION: f64 = 0.08;
const EXCESS: (f64, f64) = (0.1, 20.0);
/// The polls that a task is to take, as a share of the usual ones.
const POLLS: f64 = 0.99;

/// How much a duration counts beside the next newer one: half as much after 24 of them.
const DECAY: f64 = 0.971_5;
/// The least and the greatest width of a duration, as a share of it.
const WIDTHS: (f64, f64) = (0.008, 0.5);
/// The width of a duration, as a share of the distance to the neighbour that it reaches to.
const REACH: f64 = 0.5;
/// The width of the broad distribution, and how much it counts beside the newest duration.
const BROAD: f64 = 1.0;
const BROAD_WEIGHT: f64 = 0.5;

/// One duration.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde_json", derive(serde::Serialize, serde::Deserialize))]
struct Duration {
    /// The logarithm of its seconds.
    log: f32,
    /// How exactly it is known: half of the time between the polls around its end, as a share of it.
    within: f32,
    /// How far it reaches, in the logarithm.
    width: f32,
}

/// The last durations of a kind of task, the oldest first.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde_json", derive(serde::Serialize, serde::Deserialize))]
pub struct Durations {
    last: Vec<Duration>,
    /// How many were learned.
    learned: u32,
    /// The share that fits these durations.
    share: f32,
    /// What it is multiplied by, since tasks took more polls, or fewer, than they were to take.
    excess: f32,
}

impl Durations {
    /// Learns that a task took between `after` and `until` seconds, and this number of polls: it ran at the one before the last, and
    /// had ended at the last. Nothing is learned from what can't be.
    pub fn learn(&mut self, after: f64, until: f64, polls: u32) {
        let middle = (after.max(0.0) + until) / 2.0;
        let within = (until - middle) / middle;
        // A task that was first polled long after its create tells little.
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
            let end = self.greatest() * 2.0;
            self.share = fitting_share(|at| self.running(at), end, self.usual_polls()) as f32;
        }
        self.correct(f64::from(polls) - usual_polls(middle) * POLLS);
    }

    /// Corrects the share after a task that took `more` polls than it was to take.
    fn correct(&mut self, more: f64) {
        let before = if self.learned == 1 {
            1.0
        } else {
            f64::from(self.excess)
        };
        // A few tasks with many polls weigh as much as many with few.
        let excess = before * exp(CORRECTION * (more / self.usual_polls()).min(3.0));
        self.excess = excess.clamp(EXCESS.0, EXCESS.1) as f32;
    }

    /// Whether enough was learned.
    pub fn is_known(&self) -> bool {
        self.last.len() >= MIN_DURATIONS
    }

    /// The share of the tasks that still run, from 0 to 1, which each poll is to find ended: at this one, tasks take no more
    /// polls than at the intervals of a task of which nothing is known, also where they change, or their progress misleads.
    pub(super) fn share(&self) -> f64 {
        (f64::from(self.share) * f64::from(self.excess)).min(MAX_SHARE)
    }

    /// The polls that these tasks take on average at the usual intervals.
    pub(super) fn usual_polls(&self) -> f64 {
        let (mut polls, mut total, mut weight) = (0.0, 0.0, 1.0);
        for it in self.last.iter().rev() {
            polls += weight * usual_polls(exp(f64::from(it.log)));
            total += weight;
            weight *= DECAY;
        }
        polls / total
    }

    /// The share of all tasks, from 0 to 1, that still run after some seconds.
    pub fn running(&self, seconds: f64) -> f64 {
        let at = log(seconds.max(1e-3));
        let (mut running, mut total) = (
            BROAD_WEIGHT * logistic((self.middle() - at) / BROAD),
            BROAD_WEIGHT,
        );
        let mut weight = 1.0;
        for it in self.last.iter().rev() {
            running += weight * logistic((f64::from(it.log) - at) / f64::from(it.width));
            total += weight;
            weight *= DECAY;
        }
        running / total
    }

    /// The greatest of the durations, in seconds.
    pub(super) fn greatest(&self) -> f64 {
        exp(self
            .last
            .iter()
            .map(|it| f64::from(it.log))
            .fold(0.0, f64::max))
    }

    /// The mean of the logarithms.
    fn middle(&self) -> f64 {
        let sum: f64 = self.last.iter().map(|it| f64::from(it.log)).sum();
        sum / self.last.len().max(1) as f64
    }

    /// Sets how far each duration reaches: a share of the distance to the neighbour whose rank is the root of their number.
    fn set_widths(&mut self) {
        let logs: Vec<f32> = self.last.iter().map(|it| it.log).collect();
        let rank = ceil(sqrt(logs.len() as f64)) as usize;
        for it in &mut self.last {
            let mut distances: Vec<f32> = logs.iter().map(|other| (other - it.log).abs()).collect();
            distances.sort_unstable_by(f32::total_cmp);
            let distance = distances
                .get(rank)
                .or(distances.last())
                .copied()
                .unwrap_or_default();
            let width = (f64::from(distance) * REACH).max(f64::from(it.within) / 2.0);
            it.width = width.clamp(WIDTHS.0, WIDTHS.1) as f32;
        }
    }
}
