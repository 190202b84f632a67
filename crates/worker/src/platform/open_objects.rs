//! Bounds how many Durable Objects are open at once on a server. Times are milliseconds since 1970.
//!
//! All databases of workerd share one heap of SQLite, which about 3,000 open objects exhaust. On
//! Cloudflare there is no such limit, so nothing is refused until [`note_open_objects`] is called.

use std::cell::RefCell;
use std::collections::HashMap;

use wasm_bindgen::prelude::wasm_bindgen;

use super::now_ms;

/// The time that an object stays open after its last request.
const IDLE_MS: f64 = 10_000.0;
/// The time after which a sample no longer counts. Under load it is some seconds old when it comes.
const SAMPLE_MS: f64 = 10_000.0;
/// The longest time between the admission of a message and the start of its object, also if many
/// messages are sent at once.
const START_MS: f64 = 1_000.0;
/// The shortest time between two removals of names that are no longer in use.
const PRUNE_MS: f64 = 250.0;

/// The importance of a message to an object. If many objects are open, messages that would open
/// another one are refused, those of the first priorities first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Priority {
    /// A stream of events. Its client polls instead.
    Stream,
    /// A read, a transfer of a file, or a result to keep.
    Other,
    /// A create, or the start of a pipeline.
    Create,
    /// A consequence of a create: the watch of its task, its count in a pool, its slot.
    FollowUp,
}

impl Priority {
    /// The open objects from which messages of a priority open no other one.
    const fn max_open(self) -> usize {
        match self {
            Priority::Stream => 1_400,
            Priority::Other => 1_800,
            Priority::Create => 2_200,
            Priority::FollowUp => 2_500,
        }
    }
}

/// The open objects from which alarms put their work off, so that their objects close.
const REST_FROM: usize = 1_200;
/// The time for which an object rests, in milliseconds, and its spread to either side. It is long
/// because each object that wakes to rest again is open for ten seconds.
const REST_MS: (f64, f64) = (120_000.0, 60_000.0);

thread_local! {
    static SHARED: RefCell<Option<OpenObjects>> = const { RefCell::new(None) };
}

/// Stores the number of open objects, as the platform was asked for it at `asked_at`. `None` if it
/// is not known. From the first call on, the open objects are bounded. Only a server calls it.
#[wasm_bindgen(js_name = noteOpenObjects)]
pub fn note_open_objects(count: Option<u32>, asked_at: f64) {
    SHARED.with_borrow_mut(|shared| {
        let objects = shared.get_or_insert_default();
        objects.note(count, asked_at);
    });
}

/// Returns true if the open objects are bounded, as on a server.
pub(crate) fn are_objects_bounded() -> bool {
    SHARED.with_borrow(Option::is_some)
}

/// Returns how long an object rests after its alarm, in milliseconds. Returns `None` unless many
/// objects are open. `random` is from 0 to 1. No message is refused to an alarm, so without rests,
/// objects that wake often would keep too many open.
pub(crate) fn rest_ms(random: f64) -> Option<f64> {
    let are_many = SHARED.with_borrow_mut(|shared| {
        shared
            .as_mut()
            .is_some_and(|objects| objects.count(now_ms()) >= REST_FROM)
    });
    let (mean, spread) = REST_MS;
    are_many.then_some(mean + spread * (2.0 * random - 1.0))
}

/// Returns true if a message may be sent to an object, and counts the object as open.
pub(super) fn may_open(binding: &str, name: &str, priority: Priority) -> bool {
    SHARED.with_borrow_mut(|shared| {
        shared
            .as_mut()
            .is_none_or(|objects| objects.admit([binding, name].join(" "), priority, now_ms()))
    })
}

#[derive(Default)]
struct OpenObjects {
    /// The last use of each object, for at least as long as it stays open.
    used_at: HashMap<String, f64>,
    /// The starts of objects that the sample may lack.
    started_at: Vec<f64>,
    sample: Option<Sample>,
    pruned_at: f64,
}

/// The number of open objects at some time after `asked_at`.
struct Sample {
    count: usize,
    asked_at: f64,
}

impl OpenObjects {
    fn note(&mut self, count: Option<u32>, asked_at: f64) {
        let has_newer = self
            .sample
            .as_ref()
            .is_some_and(|sample| is_within(sample.asked_at, asked_at, SAMPLE_MS));
        let Some(count) = count.filter(|_| !has_newer) else {
            return;
        };
        self.sample = Some(Sample {
            count: count as usize,
            asked_at,
        });
        let since = asked_at - START_MS;
        self.started_at.retain(|started_at| *started_at >= since);
    }

    fn admit(&mut self, object: String, priority: Priority, now: f64) -> bool {
        if let Some(used_at) = self.used_at.get_mut(&object)
            && is_within(now, *used_at, IDLE_MS)
        {
            *used_at = now;
            return true;
        }
        if self.count(now) >= priority.max_open() {
            return false;
        }
        self.used_at.insert(object, now);
        self.started_at.push(now);
        true
    }

    /// Returns the number of open objects: those that a sample shows and those that were started
    /// since, or those that were used lately if they are more.
    fn count(&mut self, now: f64) -> usize {
        if !is_within(now, self.pruned_at, PRUNE_MS) {
            self.pruned_at = now;
            self.used_at
                .retain(|_, used_at| is_within(now, *used_at, IDLE_MS));
            self.started_at
                .retain(|started_at| is_within(now, *started_at, IDLE_MS));
        }
        let sample = self.sample.as_ref();
        let sampled = sample
            .filter(|sample| is_within(now, sample.asked_at, SAMPLE_MS))
            .map_or(0, |sample| sample.count + self.started_at.len());
        sampled.max(self.used_at.len())
    }
}

/// Returns true if `then` is at most `ms` before `now`. A clock that was set back counts as passed.
fn is_within(now: f64, then: f64, ms: f64) -> bool {
    (0.0..=ms).contains(&(now - then))
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: f64 = 1_800_000_000_000.0;

    #[test]
    fn alarms_rest_only_while_many_objects_are_open() {
        assert_eq!(rest_ms(0.5), None, "on Cloudflare");
        // Native tests have no clock, so the count is given.
        let mut objects = OpenObjects::default();
        objects.note(Some(REST_FROM as u32 - 1), START);
        assert!(objects.count(START) < REST_FROM);
        objects.note(Some(REST_FROM as u32), START + 1.0);
        assert!(objects.count(START + 1.0) >= REST_FROM);
        const { assert!(REST_FROM < Priority::Create.max_open()) };
    }

    /// Returns the number of new objects that are admitted one after the other.
    fn admitted(objects: &mut OpenObjects, prefix: &str, priority: Priority, now: f64) -> usize {
        (0..5_000)
            .take_while(|number| objects.admit(format!("{prefix}{number}"), priority, now))
            .count()
    }

    #[test]
    fn a_burst_is_refused_by_priority_and_open_objects_stay_in_reach() {
        let mut objects = OpenObjects::default();
        objects.note(None, START);
        assert_eq!(admitted(&mut objects, "s", Priority::Stream, START), 1_400);
        assert_eq!(admitted(&mut objects, "t", Priority::Other, START), 400);
        assert_eq!(admitted(&mut objects, "c", Priority::Create, START), 400);
        assert_eq!(admitted(&mut objects, "f", Priority::FollowUp, START), 300);
        assert!(objects.admit("s0".to_owned(), Priority::Stream, START));
        assert!(!objects.admit("other".to_owned(), Priority::Create, START + IDLE_MS));
    }

    #[test]
    fn an_object_counts_until_it_is_idle_for_ten_seconds() {
        let mut objects = OpenObjects::default();
        admitted(&mut objects, "c", Priority::Create, START);
        assert!(objects.admit("c0".to_owned(), Priority::Create, START + 9_000.0));
        let later = START + 10_001.0;
        assert_eq!(admitted(&mut objects, "d", Priority::Create, later), 2_199);
    }

    #[test]
    fn a_sample_counts_with_the_objects_that_were_started_since() {
        let mut objects = OpenObjects::default();
        admitted(&mut objects, "s", Priority::Stream, START);
        // Streams keep their objects open, although nobody sends them a message.
        let later = START + 60_000.0;
        objects.note(Some(1_400), later);
        assert_eq!(admitted(&mut objects, "t", Priority::Stream, later), 0);
        assert_eq!(admitted(&mut objects, "t", Priority::Other, later), 400);
        assert_eq!(admitted(&mut objects, "c", Priority::Create, later), 400);
        // The next sample has them all.
        let next = later + 1_500.0;
        objects.note(Some(2_100), next);
        assert_eq!(admitted(&mut objects, "d", Priority::Create, next), 100);
        // An object that was admitted just before the sample may not be open in it.
        objects.note(Some(2_100), next + 500.0);
        assert_eq!(
            admitted(&mut objects, "e", Priority::Create, next + 500.0),
            0
        );
    }

    #[test]
    fn a_sample_that_is_missing_or_older_changes_nothing() {
        let mut objects = OpenObjects::default();
        objects.note(Some(2_200), START + 500.0);
        objects.note(Some(10), START);
        objects.note(None, START + 600.0);
        let now = START + 700.0;
        assert_eq!(admitted(&mut objects, "c", Priority::Create, now), 0);
    }

    #[test]
    fn a_clock_that_is_set_back_does_not_lock_creates_out() {
        let mut objects = OpenObjects::default();
        admitted(&mut objects, "c", Priority::Create, START + 3_600_000.0);
        objects.note(Some(0), START + 3_600_000.0);
        objects.note(Some(0), START);
        assert_eq!(admitted(&mut objects, "d", Priority::Create, START), 2_200);
    }

    #[test]
    fn an_old_sample_no_longer_refuses() {
        let mut objects = OpenObjects::default();
        objects.note(Some(9_000), START);
        assert_eq!(admitted(&mut objects, "c", Priority::Create, START), 0);
        let later = START + SAMPLE_MS + 1.0;
        assert_eq!(admitted(&mut objects, "c", Priority::Create, later), 2_200);
    }
}
