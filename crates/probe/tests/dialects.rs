//! The default dialect, with what the probe finds, brings every capability from its upload to its result, whatever the
//! media service's own dialect is. What no exchange shows is set by hand, and the probe names exactly that.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking; that is their job")]

mod support;

use std::panic::catch_unwind;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use mediagate_core::CAPABILITIES;
use mediagate_core::probe::Known;
use mediagate_emulator::dialect::{Dialect, NAMED};
use support::spoken::Spoken;
use support::truth;

/// How many dialects are drawn; `MEDIAGATE_DIALECTS` sets another number.
const DIALECTS: u64 = 20;

/// Probes a service, adds what it names as unknown, probes it again with that, and speaks by what is known then.
fn speak(name: &str, dialect: Dialect) {
    let spoken = Spoken::start(dialect);
    let mut known = Known { dialect: serde_json::json!({}), ..Known::default() };
    for _ in 0..2 {
        let expected = truth::unknown(&spoken.dialect, &known);
        let report = spoken.probe(known.clone());
        let named: Vec<_> = report.unknown.iter().map(|it| it.part).collect();
        let unknown = named.iter().copied().collect::<std::collections::BTreeSet<_>>();
        assert_eq!(report.stopped, None, "{name}");
        assert_eq!(unknown, expected, "{name}: {:?} {}", report.notes, serde_json::to_string(&spoken.dialect).unwrap());
        known = spoken.known(&report);
    }
    let mut caller = spoken.caller(&known);
    let tasks: Vec<_> = CAPABILITIES.iter().map(|it| caller.create(it, "")).collect();
    for task in &tasks {
        let (end, what) = (caller.follow(task), task.capability.name());
        assert_eq!(end.state, "SUCCEEDED", "{name}: {what}: {}", end.response);
        assert!(!end.outputs.is_empty(), "{name}: {what}: {}", end.response);
    }
    for state in ["FAILED", "EXPIRED"] {
        let task = caller.create(CAPABILITIES[0], &format!("emulate: state={state}"));
        let end = caller.follow(&task);
        assert_eq!(end.state, state, "{name}: {}", end.response);
    }
    if spoken.dialect.paths.models.is_some() {
        assert!(caller.models() >= Some(CAPABILITIES.len()), "{name}: {:?}", caller.models());
    }
    if spoken.dialect.paths.estimate.is_some() {
        assert!(caller.estimates(), "{name}");
    }
    spoken.stop();
}

/// Those of the dialects that are not found out, by their names; the panic of each is printed. They run side by side, since
/// they wait more than they compute.
fn failing(dialects: Vec<(String, Dialect)>) -> Vec<String> {
    let next = AtomicUsize::new(0);
    let is_spoken = |(name, dialect): &(String, Dialect)| catch_unwind(|| speak(name, dialect.clone())).is_ok();
    std::thread::scope(|scope| {
        let workers = [(); 6].map(|()| {
            scope.spawn(|| {
                let own = std::iter::from_fn(|| dialects.get(next.fetch_add(1, Relaxed)));
                own.filter(|it| !is_spoken(it)).map(|it| it.0.clone()).collect::<Vec<_>>()
            })
        });
        workers.into_iter().flat_map(|it| it.join().unwrap()).collect()
    })
}

#[test]
fn every_named_dialect_is_found_out() {
    let named = NAMED.iter().map(|it| (it.name.to_owned(), it.dialect()));
    assert_eq!(failing(named.collect()), [""; 0], "each has its reason above");
}

#[test]
fn every_seeded_dialect_is_found_out() {
    let seeds = std::env::var("MEDIAGATE_DIALECTS").ok().and_then(|it| it.parse().ok()).unwrap_or(DIALECTS);
    let drawn = (0..seeds).map(|it| (format!("seed {it}"), Dialect::seeded(it)));
    assert_eq!(failing(drawn.collect()), [""; 0], "each has its reason above");
}
