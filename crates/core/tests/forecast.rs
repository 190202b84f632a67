//! Polls around the expected end, from durations and from progress.

mod kinds;
mod simulation;

use kinds::Kind;
use mediagate_core::schedule::durations::{Durations, MAX_DURATIONS, MIN_DURATIONS};
use mediagate_core::schedule::forecast::{Forecast, delay};
use mediagate_core::schedule::pace::Pace;
use mediagate_core::schedule::poll;
use proptest::prelude::*;
use simulation::{Comparison, Reports, best, compare};

/// The bounds of every interval, in seconds.
const BOUNDS: std::ops::RangeInclusive<f64> = 0.15..=60.0;

fn learned(all: impl IntoIterator<Item = f64>) -> Durations {
    let mut durations = Durations::default();
    all.into_iter()
        .for_each(|seconds| durations.learn(seconds * 0.99, seconds * 1.01, 10));
    durations
}

fn forecast(durations: &Durations, elapsed: f64) -> Forecast<'_> {
    Forecast::new(Some(durations), None, elapsed).expect("enough is known")
}

#[test]
fn until_enough_is_known_nothing_changes() {
    let few = learned(vec![30.0; MIN_DURATIONS - 1]);
    assert!(Forecast::new(Some(&few), Some(&Pace::default()), 20.0).is_none());
    for polls in 1..50 {
        assert_eq!(
            delay(None, polls, Some(3_000), 0.3),
            poll::delay(polls, Some(3_000), 0.3)
        );
    }
    assert!(Forecast::new(Some(&learned(vec![30.0; MIN_DURATIONS])), None, 20.0).is_some());
}

#[test]
fn polls_come_close_together_where_the_end_is_likely_and_are_rare_before_and_after() {
    let durations = learned((0..30).map(|number| 58.0 + f64::from(number % 5)));
    let wait = |elapsed: f64| forecast(&durations, elapsed).wait(0.5);
    assert!(
        (8.0..=20.0).contains(&wait(0.0)) && wait(20.0) > 15.0,
        "{} {}",
        wait(0.0),
        wait(20.0)
    );
    assert!(wait(59.5) < 1.0, "{}", wait(59.5));
    assert!(wait(200.0) > 10.0, "{}", wait(200.0));
    assert!(wait(5.0) + 5.0 < 58.0, "and one comes before it");
}

#[test]
fn what_upstream_requests_is_obeyed_up_to_a_minute() {
    let durations = learned(vec![5.0; 20]);
    let near = || Some(forecast(&durations, 5.0));
    assert!(delay(near(), 9, None, 0.5) < 2_000);
    assert_eq!(delay(near(), 9, Some(7_000), 0.5), 7_000);
    assert_eq!(delay(near(), 9, Some(u32::MAX), 0.5), 60_000);
}

#[test]
fn an_eta_has_a_range_shrinks_with_time_and_ends_where_a_task_is_overdue() {
    let durations = learned((0..40).map(|number| 40.0 + f64::from(number)));
    let eta = |elapsed: f64| forecast(&durations, elapsed).eta();
    let first = eta(0.0).expect("known");
    assert!(
        first.low < first.seconds && first.seconds < first.high,
        "{first:?}"
    );
    assert!(
        (50.0..70.0).contains(&first.seconds) && first.low > 35.0 && first.high < 90.0,
        "{first:?}"
    );
    let later = eta(30.0).expect("known");
    assert!(
        (later.seconds - (first.seconds - 30.0)).abs() < 3.0,
        "{later:?}"
    );
    assert!(
        eta(50.0).expect("known").seconds > first.seconds - 50.0,
        "it has run for long already"
    );
    assert_eq!(eta(300.0), None);
}

#[test]
fn one_task_of_a_day_does_not_blur_what_is_known_of_the_others() {
    let mut all = [30.0; 41];
    all[30] = 86_000.0;
    let durations = learned(all);
    let eta = forecast(&durations, 0.0).eta().expect("known");
    assert!(
        (29.0..31.0).contains(&eta.seconds) && eta.low > 28.0 && eta.high < 40.0,
        "{eta:?}"
    );
}

#[test]
fn nonsense_teaches_nothing() {
    let mut durations = learned(vec![10.0; 12]);
    let before = durations.clone();
    let impossible = [
        (f64::NAN, 5.0),
        (1.0, f64::NAN),
        (9.0, 5.0),
        (-5.0, 0.0),
        (0.0, f64::INFINITY),
        (0.0, 0.01),
        (1e9, 1e9 + 1.0),
        (0.0, 4_000.0),
    ];
    impossible
        .into_iter()
        .for_each(|(after, until)| durations.learn(after, until, 5));
    assert_eq!(durations, before);
    for elapsed in [f64::NAN, f64::INFINITY, -1e9, 1e12] {
        assert!(
            BOUNDS.contains(&forecast(&durations, elapsed).wait(f64::NAN)),
            "{elapsed}"
        );
    }
    let mut pace = Pace::default();
    for (elapsed, progress) in [(f64::NAN, 0.5), (1.0, f64::NAN), (1.0, 7.0), (2.0, -1.0)] {
        pace.report(elapsed, progress);
    }
    assert!(Forecast::new(None, Some(&pace), 5.0).is_none());
}

#[test]
fn it_forgets() {
    let mut durations = learned(vec![10.0; 200]);
    assert!(durations.running(12.0) < 0.1);
    (0..MAX_DURATIONS).for_each(|_| durations.learn(99.0, 101.0, 20));
    assert!(durations.running(50.0) > 0.9 && durations.running(120.0) < 0.1);
}

#[test]
fn progress_that_moves_predicts_the_end_and_one_that_falls_begins_again() {
    let mut pace = Pace::default();
    for step in 0..=5 {
        pace.report(f64::from(step) * 10.0, f64::from(step) / 10.0);
    }
    let eta = |pace: &Pace, at: f64| {
        Forecast::new(None, Some(pace), at).and_then(|forecast| forecast.eta())
    };
    assert!((45.0..55.0).contains(&eta(&pace, 50.0).expect("known").seconds));
    pace.report(60.0, 0.1);
    assert_eq!(eta(&pace, 60.0), None);
    pace.report(70.0, 0.5);
    assert!((8.0..15.0).contains(&eta(&pace, 70.0).expect("known").seconds));
}

/// With a forecast, ends are seen earlier with no more polls, except by chance. The first tasks of
/// a kind are seen no later.
fn assert_better(kind: &Kind, reports: Reports, at_once: usize, share: f64) {
    let Comparison {
        usual,
        learned,
        first: [first, first_learned],
    } = compare(kind, reports, 60, at_once, 3);
    let before = usual.delay(0.5);
    let after = learned.delay(0.5);
    assert!(after <= before * share, "{kind:?}: {after} of {before}");
    assert!(
        learned.delay(0.95) <= usual.delay(0.95),
        "{kind:?}: {} of {}",
        learned.delay(0.95),
        usual.delay(0.95)
    );
    assert!(
        learned.polls() <= usual.polls() * 1.06,
        "{kind:?}: {} polls of {}",
        learned.polls(),
        usual.polls()
    );
    assert!(
        first_learned.delay(0.5) <= first.delay(0.5),
        "{kind:?}, the first"
    );
    assert!(
        first_learned.delay(0.95) <= first.delay(0.95) * 1.05,
        "{kind:?}, the first"
    );
}

#[test]
fn narrow_kinds_are_seen_five_times_as_early() {
    assert_better(&Kind::narrow(5.0, 0.1), Reports::None, 1, 0.2);
    assert_better(&Kind::narrow(30.0, 0.15), Reports::None, 1, 0.2);
    assert_better(&Kind::narrow(120.0, 0.05), Reports::None, 1, 0.2);
    // The shortest intervals are a fifth of the kind's usual delay.
    assert_better(&Kind::narrow(5.0, 0.15), Reports::None, 1, 0.25);
}

#[test]
fn ten_tasks_at_once_two_modes_and_a_drift_are_seen_earlier_too() {
    assert_better(&Kind::narrow(60.0, 0.15), Reports::None, 10, 0.25);
    assert_better(&Kind::bimodal(60.0, 120.0, 0.1), Reports::None, 1, 0.3);
    assert_better(&Kind::drifting(90.0, 60.0, 0.1), Reports::None, 1, 0.5);
}

#[test]
fn progress_helps_where_it_is_true_and_does_no_harm_where_it_misleads() {
    assert_better(&Kind::narrow(30.0, 0.5), Reports::Linear, 1, 0.2);
    assert_better(&Kind::narrow(30.0, 0.15), Reports::Stuck, 1, 0.3);
    assert_better(&Kind::narrow(30.0, 0.15), Reports::Early, 1, 0.9);
}

#[test]
fn wide_kinds_are_seen_nearly_as_early_as_by_the_best_schedule() {
    let kind = Kind::narrow(60.0, 0.5);
    let Comparison { usual, learned, .. } = compare(&kind, Reports::None, 400, 1, 3);
    let best = best(&kind, &usual, 1200);
    let learned = learned.delay(0.5);
    let best = best.delay(0.5);
    assert!(learned <= best * 1.3, "{learned} of {best}");
}

proptest! {
    #![proptest_config(crate::seed::config(50))]
    #[test]
    fn every_interval_is_bounded_and_an_eta_is_ordered(
        // The recorded duration is the middle of two times, at least 0.1 seconds.
        all in proptest::collection::vec(0.11_f64..80_000.0, 8..60),
        elapsed in 0.0_f64..200_000.0,
        random in 0.0_f64..1.0,
        polls in 0_u32..5_000,
    ) {
        let mut durations = Durations::default();
        for seconds in all {
            durations.learn(seconds * 0.95, seconds, polls);
        }
        let forecast = forecast(&durations, elapsed);
        let wait = forecast.wait(random);
        prop_assert!(BOUNDS.contains(&wait), "{wait}");
        if let Some(eta) = forecast.eta() {
            prop_assert!(0.0 <= eta.low && eta.low <= eta.seconds && eta.seconds <= eta.high, "{eta:?}");
        }
    }
}
