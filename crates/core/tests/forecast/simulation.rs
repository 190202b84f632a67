//! A simulation of tasks that are polled to their end: at the usual intervals, at the intervals of
//! a forecast, and at the best ones for a known kind.

use mediagate_core::schedule::durations::Durations;
use mediagate_core::schedule::forecast::{self, Forecast};
use mediagate_core::schedule::pace::Pace;

use super::kinds::{Kind, Random};

/// The number of tasks at the start that only train the forecast.
pub(crate) const SEEN: usize = 20;

/// The polls of some tasks, and the delays in seconds until their ends were seen.
#[derive(Default)]
pub(crate) struct Outcome {
    delays: Vec<f64>,
    polls: f64,
}

impl Outcome {
    fn add(&mut self, followed: &Followed, duration: f64) {
        self.delays.push(followed.at - duration);
        self.polls += f64::from(followed.polls);
    }

    pub(crate) fn delay(&self, share: f64) -> f64 {
        let mut sorted = self.delays.clone();
        sorted.sort_by(f64::total_cmp);
        sorted[((sorted.len() - 1) as f64 * share) as usize]
    }

    pub(crate) fn polls(&self) -> f64 {
        self.polls / self.delays.len() as f64
    }
}

/// A task that was polled to its end: the number of polls, and the times of the last two.
struct Followed {
    polls: u32,
    at: f64,
    before: f64,
}

fn follow(duration: f64, mut wait: impl FnMut(u32, f64) -> f64) -> Followed {
    let mut followed = Followed {
        polls: 1,
        at: 0.0,
        before: 0.0,
    };
    while followed.at < duration {
        followed.before = followed.at;
        followed.at += wait(followed.polls, followed.at);
        followed.polls += 1;
    }
    followed
}

fn delay(forecast: Option<Forecast<'_>>, polls: u32, random: &mut Random) -> f64 {
    f64::from(forecast::delay(forecast, polls, None, random.unit())) / 1000.0
}

/// The progress that a task's record reports.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Reports {
    None,
    /// The share of its time that is over.
    Linear,
    /// Half, from its beginning to its end.
    Stuck,
    /// Most of it in the first tenth of its time.
    Early,
}

impl Reports {
    fn at(self, share: f64) -> Option<f64> {
        match self {
            Reports::None => None,
            Reports::Linear => Some(share),
            Reports::Stuck => Some(0.5),
            Reports::Early => Some((share * 9.0).min(0.9 + share / 100.0)),
        }
    }
}

/// The results of polling the same tasks in several ways.
pub(crate) struct Comparison {
    /// At the usual intervals, for the tasks after [`SEEN`].
    pub(crate) usual: Outcome,
    /// With a forecast, for the tasks after [`SEEN`].
    pub(crate) learned: Outcome,
    /// The first tasks, at the usual intervals, and with a forecast as soon as there is one.
    pub(crate) first: [Outcome; 2],
}

/// Polls [`SEEN`] tasks of a kind and then `tasks` more, `at_once` of them at the same time. Tasks
/// that run at the same time do not contribute to each other's forecast.
pub(crate) fn compare(
    kind: &Kind,
    reports: Reports,
    tasks: usize,
    at_once: usize,
    rounds: u64,
) -> Comparison {
    let mut comparison = Comparison {
        usual: Outcome::default(),
        learned: Outcome::default(),
        first: Default::default(),
    };
    for round in 1..=rounds {
        let mut random = Random(0x2545_F491_4F6C_DD1D * round);
        let mut durations = Durations::default();
        let mut ended = Vec::new();
        for task in 0..SEEN + tasks {
            let duration = kind.draw(&mut random, task as f64 / (SEEN + tasks) as f64);
            let usual = follow(duration, |polls, _| delay(None, polls, &mut random));
            let mut pace = Pace::default();
            let learned = follow(duration, |polls, elapsed| {
                if let Some(progress) = reports.at(elapsed / duration) {
                    pace.report(elapsed, progress);
                }
                delay(
                    Forecast::new(Some(&durations), Some(&pace), elapsed),
                    polls,
                    &mut random,
                )
            });
            let [first, first_learned] = &mut comparison.first;
            let (one, other) = if task < SEEN {
                (first, first_learned)
            } else {
                (&mut comparison.usual, &mut comparison.learned)
            };
            one.add(&usual, duration);
            other.add(&learned, duration);
            ended.push(learned);
            if ended.len() >= at_once {
                ended
                    .drain(..)
                    .for_each(|task| durations.learn(task.before, task.at, task.polls));
            }
        }
    }
    comparison
}

/// Returns the outcome of the best intervals for a known kind.
///
/// The rate of polls is a power of the chance that a running task ends. For each power, `scale` is
/// chosen so that tasks take as many polls as usual. The best power has the least median delay and
/// a 95th percentile that is no worse than usual.
pub(crate) fn best(kind: &Kind, usual: &Outcome, tasks: usize) -> Outcome {
    let known = |power: f64| {
        let mut low = 1e-4;
        let mut high = 1e4;
        let mut outcome = Outcome::default();
        for _ in 0..18 {
            let scale = f64::sqrt(low * high);
            let times = times(kind, power, scale);
            let mut random = Random(7);
            outcome = Outcome::default();
            for _ in 0..tasks {
                let duration = kind.draw(&mut random, 0.0);
                let phase = random.unit();
                outcome.add(&follow_at(&times, duration, phase), duration);
            }
            if outcome.polls() > usual.polls() {
                high = scale;
            } else {
                low = scale;
            }
        }
        outcome
    };
    let all = [0.5, 0.75, 1.0, 1.25, 1.5].map(known).into_iter();
    let valid = all.filter(|outcome| outcome.delay(0.95) <= usual.delay(0.95) * 1.02);
    valid
        .min_by(|one, other| one.delay(0.5).total_cmp(&other.delay(0.5)))
        .unwrap_or_default()
}

/// Returns times in seconds, each with the number of polls that are due until then. The intervals
/// have the bounds of a forecast's.
fn times(kind: &Kind, power: f64, scale: f64) -> Vec<(f64, f64)> {
    let mut at = 0.05;
    let mut due = 0.0;
    let mut times = vec![(0.0, 0.0)];
    let longest = kind.middles.iter().copied().fold(0.0, f64::max);
    while at < longest * 20.0 {
        let step = at * 0.004;
        let running = kind.running(at).max(1e-9);
        let chance = (running - kind.running(at + step)).max(0.0) / running / step;
        let max = if running > 0.965 {
            at.clamp(8.0, 60.0)
        } else {
            (1.0 + at / 8.0).min(12.0)
        };
        due += step * (scale * chance.powf(power)).clamp(1.0 / max, 1.0 / 0.15);
        at += step;
        times.push((at, due));
    }
    times
}

fn follow_at(times: &[(f64, f64)], duration: f64, phase: f64) -> Followed {
    let due = between(
        times.iter().copied(),
        times.partition_point(|row| row.0 < duration),
        duration,
    );
    let polls = (due - phase).ceil().max(0.0);
    let index = times.partition_point(|row| row.1 < polls + phase);
    let at = between(times.iter().map(|row| (row.1, row.0)), index, polls + phase);
    Followed {
        polls: polls as u32 + 2,
        at: at.max(duration),
        before: 0.0,
    }
}

/// Interpolates the second value for the first value `at`, which lies between the pair before this
/// index and the pair at it.
fn between(pairs: impl ExactSizeIterator<Item = (f64, f64)>, index: usize, at: f64) -> f64 {
    let last = pairs.len() - 1;
    let mut pairs = pairs.skip(index.saturating_sub(1));
    let one = pairs.next().unwrap_or_default();
    let other = pairs.next().unwrap_or_default();
    if index > last || other.0 <= one.0 {
        one.1
    } else {
        one.1 + (other.1 - one.1) * (at - one.0) / (other.0 - one.0)
    }
}
