//! Tasks that are polled to their end: at the usual intervals, at those of a forecast, and at the best for a known kind.

use mediagate_core::schedule::durations::Durations;
use mediagate_core::schedule::forecast::{self, Forecast};
use mediagate_core::schedule::pace::Pace;

use super::kinds::{Kind, Random};

/// The tasks that are learned from before others count.
pub(crate) const SEEN: usize = 20;

/// The delays until the ends were seen, in seconds, and the polls, of some tasks.
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

    /// The delay that this share of the tasks has at most.
    pub(crate) fn delay(&self, share: f64) -> f64 {
        let mut sorted = self.delays.clone();
        sorted.sort_by(f64::total_cmp);
        sorted[((sorted.len() - 1) as f64 * share) as usize]
    }

    /// The mean of the polls of a task.
    pub(crate) fn polls(&self) -> f64 {
        self.polls / self.delays.len() as f64
    }
}

/// A task that was polled to its end: the polls, and the times of the last and of the one before.
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

/// What a record reports of its progress.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Reports {
    /// Nothing.
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

/// The same tasks, polled in several ways.
pub(crate) struct Comparison {
    /// At the usual intervals, those after [`SEEN`].
    pub(crate) usual: Outcome,
    /// With a forecast, those after [`SEEN`].
    pub(crate) learned: Outcome,
    /// The first, at the usual intervals, and with a forecast as soon as there is one.
    pub(crate) first: [Outcome; 2],
}

/// Polls `tasks` tasks of a kind after the first [`SEEN`], `at_once` of them at the same time: none of these has learned from
/// another.
pub(crate) fn compare(
    kind: &Kind,
    reports: Reports,
    tasks: usize,
    at_once: usize,
    rounds: u64,
) -> Comparison {
    let mut it = Comparison {
        usual: Outcome::default(),
        learned: Outcome::default(),
        first: Default::default(),
    };
    for round in 1..=rounds {
        let mut random = Random(0x2545_F491_4F6C_DD1D * round);
        let (mut durations, mut ended) = (Durations::default(), Vec::new());
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
            let [first, first_learned] = &mut it.first;
            let (one, other) = if task < SEEN {
                (first, first_learned)
            } else {
                (&mut it.usual, &mut it.learned)
            };
            one.add(&usual, duration);
            other.add(&learned, duration);
            ended.push(learned);
            if ended.len() >= at_once {
                ended
                    .drain(..)
                    .for_each(|it| durations.learn(it.before, it.at, it.polls));
            }
        }
    }
    it
}

/// The best intervals for a known kind: of those where the rate is a power of the chance that a running task ends, with as
/// many polls as usual, the ones with the least median delay whose 95th percentile is no worse.
pub(crate) fn best(kind: &Kind, usual: &Outcome, tasks: usize) -> Outcome {
    let known = |power: f64| {
        let (mut low, mut high) = (1e-4, 1e4);
        let mut outcome = Outcome::default();
        for _ in 0..18 {
            let scale = f64::sqrt(low * high);
            let times = times(kind, power, scale);
            let mut random = Random(7);
            outcome = Outcome::default();
            for _ in 0..tasks {
                let (duration, phase) = (kind.draw(&mut random, 0.0), random.unit());
                outcome.add(&follow_at(&times, duration, phase), duration);
            }
            match outcome.polls() > usual.polls() {
                true => high = scale,
                false => low = scale,
            }
        }
        outcome
    };
    let all = [0.5, 0.75, 1.0, 1.25, 1.5].map(known).into_iter();
    let valid = all.filter(|it| it.delay(0.95) <= usual.delay(0.95) * 1.02);
    valid
        .min_by(|one, other| one.delay(0.5).total_cmp(&other.delay(0.5)))
        .unwrap_or_default()
}

/// Times in seconds, and how many polls are due until each; within the bounds that the intervals of a forecast have.
fn times(kind: &Kind, power: f64, scale: f64) -> Vec<(f64, f64)> {
    let (mut at, mut due, mut times) = (0.05, 0.0, vec![(0.0, 0.0)]);
    while at
        < kind
            .middles
            .iter()
            .fold(0.0, |one, other| f64::max(one, *other))
            * 20.0
    {
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
        times.partition_point(|it| it.0 < duration),
        duration,
    );
    let polls = (due - phase).ceil().max(0.0);
    let index = times.partition_point(|it| it.1 < polls + phase);
    let at = between(times.iter().map(|it| (it.1, it.0)), index, polls + phase);
    Followed {
        polls: polls as u32 + 2,
        at: at.max(duration),
        before: 0.0,
    }
}

/// The second value at a first one, which lies between the pair before this index and the pair there.
fn between(pairs: impl ExactSizeIterator<Item = (f64, f64)>, index: usize, at: f64) -> f64 {
    let (last, mut pairs) = (pairs.len() - 1, pairs.skip(index.saturating_sub(1)));
    let (one, other) = (
        pairs.next().unwrap_or_default(),
        pairs.next().unwrap_or_default(),
    );
    if index > last || other.0 <= one.0 {
        one.1
    } else {
        one.1 + (other.1 - one.1) * (at - one.0) / (other.0 - one.0)
    }
}
