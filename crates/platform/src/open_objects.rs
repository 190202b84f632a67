//! Bounds how many Durable Objects are open at once on a server. Times are milliseconds since 1970.
//!
//! All databases of workerd share one heap of SQLite, which about 3,000 open objects exhaust. On
//! Cloudflare there is no such limit, so nothing is refused until [`note_open_objects`] is called.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::time::Duration;

use wasm_bindgen::prelude::wasm_bindgen;

use super::now_ms;

/// The time that an object stays open after its last request.
const IDLE_MS: f64 = 10_000.0;
/// The time after which a sample no longer counts. Under load, an isolate gets none for many
/// seconds.
const SAMPLE_MS: f64 = 60_000.0;
/// The longest time from the admission of a message to the start of its object, also if many are
/// sent at once.
const START_MS: f64 = 1_000.0;
/// The shortest time between two removals of names that are no longer in use.
const PRUNE_MS: f64 = 250.0;

/// The importance of a message to an object. If many objects are open, messages that would open
/// another one, or hold one open, are refused, those of the first priorities first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Priority {
    /// A stream of events. Its client polls instead, and a pipeline asks again.
    Stream,
    /// A read, a transfer of a file, or the start of a pipeline.
    Other,
    /// A ledger's check before a create.
    Check,
    Create,
    /// The watch of a task, a count in a pool, a slot, a result to keep.
    FollowUp,
}

impl Priority {
    /// Returns the number of open objects from which messages of the priority open no other one.
    const fn max_open(self) -> usize {
        match self {
            Priority::Stream => 1_000,
            Priority::Other => 1_800,
            Priority::Check | Priority::Create => 2_200,
            Priority::FollowUp => 2_500,
        }
    }
}

/// The number of open objects from which an object with frequent alarms closes between two of them.
const CROWDED_FROM: usize = 800;
/// The number of open objects from which the creates of one subject are limited: to
/// [`MAX_CREATES`], and in its ledger to those at once.
const SHARED_FROM: usize = 1_500;
/// The most creates of one subject in ten seconds, while many objects are open.
const MAX_CREATES: u32 = 50;
/// The number of open objects from which an alarm puts its work off, since an upstream that does
/// not respond holds the objects of its polls. Streams and spaced alarms alone do not open as many.
const FULL_FROM: usize = 2_000;
/// The alarms of a second that open an object. No message is refused to an alarm, and each object
/// stays open for ten seconds, so more alarms at once would open too many.
const ALARMS_PER_SECOND: u32 = 40;

thread_local! {
    static SHARED: RefCell<Option<OpenObjects>> = const { RefCell::new(None) };
}

/// Stores the number of open objects, or `None` if it is not known. `asked_at` is the time at which
/// the platform was asked for it. Only a server calls this: from the first call on, the open
/// objects are bounded.
#[wasm_bindgen(js_name = noteOpenObjects)]
pub fn note_open_objects(count: Option<u32>, asked_at: f64) {
    SHARED.with_borrow_mut(|shared| {
        let objects = shared.get_or_insert_default();
        objects.note(count, asked_at);
    });
}

pub fn are_objects_bounded() -> bool {
    SHARED.with_borrow(Option::is_some)
}

/// Returns true if so many objects are open that an alarm puts off work for which nobody waits.
pub fn are_objects_full() -> bool {
    are_open(FULL_FROM)
}

/// Returns true if `count` objects are open. False if the open objects are not bounded.
fn are_open(count: usize) -> bool {
    SHARED.with_borrow_mut(|shared| match shared {
        Some(objects) => objects.count(now_ms()) >= count,
        None => false,
    })
}

/// A create that its ledger runs. It counts as one more open object until it is dropped: the
/// watcher of its task opens when the upstream has responded.
pub struct CreateUnderWay(());

impl CreateUnderWay {
    pub fn begin() -> Self {
        change_shared(|objects| objects.creates.running += 1);
        CreateUnderWay(())
    }
}

impl Drop for CreateUnderWay {
    fn drop(&mut self) {
        change_shared(|objects| {
            objects.creates.running = objects.creates.running.saturating_sub(1);
        });
    }
}

/// Notes that a create that was admitted has arrived at its ledger.
pub fn note_create_arrival() {
    change_shared(|objects| objects.creates.sent.pop_front());
}

fn change_shared<T>(change: impl FnOnce(&mut OpenObjects) -> T) {
    SHARED.with_borrow_mut(|shared| {
        if let Some(objects) = shared {
            change(objects);
        }
    });
}

/// Returns true if so many objects are open that one subject may not take many more.
pub fn are_objects_shared() -> bool {
    are_open(SHARED_FROM)
}

/// The time until an alarm for which nobody waits: `after`, or longer if its second has no room for
/// another alarm, or if so many objects are open that this one is to close.
pub fn spaced(after: Duration) -> Duration {
    SHARED.with_borrow_mut(|shared| match shared {
        Some(objects) => objects.place(after, now_ms()),
        None => after,
    })
}

/// Returns true if a message may be sent to an object, and counts the object as open.
pub(super) fn may_open(binding: &str, name: &str, priority: Priority) -> bool {
    SHARED.with_borrow_mut(|shared| match shared {
        Some(objects) => objects.admit([binding, name].join(" "), priority, now_ms()),
        None => true,
    })
}

#[derive(Default)]
struct OpenObjects {
    /// The use of each object, for at least as long as it stays open.
    used: HashMap<String, Use>,
    /// The starts of objects, and of streams, that the sample may lack.
    started: Vec<Start>,
    sample: Option<Sample>,
    creates: Creates,
    pruned_at: f64,
    /// The number of alarms, by their second since 1970.
    alarms: BTreeMap<i64, u32>,
}

/// Creates whose tasks have no watcher yet.
#[derive(Default)]
struct Creates {
    /// The times at which creates were sent that have not arrived at their ledgers.
    sent: VecDeque<f64>,
    running: usize,
}

impl Creates {
    /// The watchers that are about to open.
    fn watchers(&mut self, now: f64) -> usize {
        while let Some(sent) = self.sent.front()
            && !is_within(now, *sent, IDLE_MS)
        {
            // If the client has left, its create may never arrive.
            self.sent.pop_front();
        }
        self.sent.len() + self.running
    }
}

#[derive(Clone, Copy, Default)]
struct Use {
    at: f64,
    /// The creates since `counted_from`.
    creates: u32,
    counted_from: f64,
}

struct Start {
    at: f64,
    is_stream: bool,
}

/// The number of open objects at some time after `asked_at`.
struct Sample {
    count: usize,
    asked_at: f64,
}

impl Start {
    fn may_be_open(&self, now: f64) -> bool {
        self.is_stream || is_within(now, self.at, IDLE_MS)
    }
}

impl OpenObjects {
    fn note(&mut self, count: Option<u32>, asked_at: f64) {
        let Some(count) = count else {
            return; // the number is not known
        };
        if let Some(sample) = &self.sample
            && is_within(sample.asked_at, asked_at, SAMPLE_MS)
        {
            return; // the sample is newer
        }
        self.sample = Some(Sample {
            count: count as usize,
            asked_at,
        });
        let since = asked_at - START_MS;
        self.started.retain(|start| start.at >= since);
    }

    fn admit(&mut self, object: String, priority: Priority, now: f64) -> bool {
        let last = self.used.get(&object).copied();
        let is_open = last.is_some_and(|last| is_within(now, last.at, IDLE_MS));
        let is_stream = priority == Priority::Stream;
        let is_create = priority == Priority::Create;
        let counted = last.filter(|last| is_within(now, last.counted_from, IDLE_MS));
        let counted = counted.unwrap_or(Use {
            counted_from: now,
            ..Use::default()
        });
        // A stream would hold an open object for minutes, and a create opens another: its watcher.
        if !is_open || is_stream || is_create {
            let open = self.count(now);
            let has_share = !is_create || open < SHARED_FROM || counted.creates < MAX_CREATES;
            if open >= priority.max_open() || !has_share {
                return false;
            }
        }
        if is_create {
            self.creates.sent.push_back(now);
        }
        let creates = counted.creates + u32::from(is_create);
        let used = Use {
            at: now,
            creates,
            ..counted
        };
        self.used.insert(object, used);
        if !is_open || is_stream {
            self.started.push(Start { at: now, is_stream });
        }
        true
    }

    fn place(&mut self, after: Duration, now: f64) -> Duration {
        let wait_ms = after.as_secs_f64() * 1_000.0;
        let wait_ms = if self.count(now) >= CROWDED_FROM {
            wait_ms.max(IDLE_MS + START_MS)
        } else if wait_ms < IDLE_MS {
            // The object stays open until then.
            return after;
        } else {
            wait_ms
        };
        self.alarms = self.alarms.split_off(&second_of(now));
        let mut at = now + wait_ms;
        loop {
            let second = second_of(at);
            let alarms = self.alarms.entry(second).or_default();
            if *alarms < ALARMS_PER_SECOND {
                *alarms += 1;
                return Duration::from_millis((at - now) as u64);
            }
            // At the same time within the next second.
            at += 1_000.0;
        }
    }

    /// The open objects that a sample shows and those that were started since, or those that were
    /// used lately if they are more; and the watchers of creates under way. Without a sample, a
    /// stream counts for a minute.
    fn count(&mut self, now: f64) -> usize {
        if !is_within(now, self.pruned_at, PRUNE_MS) {
            self.pruned_at = now;
            self.used.retain(|_, used| is_within(now, used.at, IDLE_MS));
            // A stream keeps its object open, so a start counts until a sample has it.
            self.started
                .retain(|start| is_within(now, start.at, SAMPLE_MS));
        }
        let sampled = match &self.sample {
            Some(sample) if is_within(now, sample.asked_at, SAMPLE_MS) => {
                sample.count + self.started.len()
            }
            _ => {
                let started = self.started.iter();
                started.filter(|start| start.may_be_open(now)).count()
            }
        };
        sampled.max(self.used.len()) + self.creates.watchers(now)
    }
}

fn second_of(at_ms: f64) -> i64 {
    (at_ms / 1_000.0) as i64
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
    fn alarms_of_one_instant_are_spread_over_seconds() {
        let minute = Duration::from_secs(60);
        assert_eq!(spaced(minute), minute, "on Cloudflare");
        let mut objects = OpenObjects::default();
        let mut of_second = HashMap::new();
        for _ in 0..4_000 {
            let wait = objects.place(minute, START);
            assert!(wait >= minute);
            *of_second.entry(wait.as_secs()).or_insert(0) += 1;
        }
        assert_eq!(of_second.len(), 100);
        assert!(of_second.values().all(|alarms| *alarms == 40));
        // Seconds that are over have no alarms any more.
        let later = START + 200_000.0;
        assert_eq!(objects.place(minute, later), minute);
        assert_eq!(objects.alarms.len(), 1);
    }

    #[test]
    fn an_object_that_wakes_often_closes_only_while_many_are_open() {
        // Streams and alarms leave room for creates, and never put the work of alarms off.
        const BY_ALARMS: usize = ALARMS_PER_SECOND as usize * 10;
        const { assert!(CROWDED_FROM > BY_ALARMS) };
        const { assert!(Priority::Stream.max_open() + BY_ALARMS < FULL_FROM) };
        const { assert!(FULL_FROM < Priority::Create.max_open()) };
        let often = Duration::from_secs(2);
        let mut objects = OpenObjects::default();
        objects.note(Some(CROWDED_FROM as u32 - 1), START);
        for _ in 0..1_000 {
            assert_eq!(objects.place(often, START), often);
        }
        objects.note(Some(CROWDED_FROM as u32), START + 1.0);
        let wait = objects.place(often, START + 1.0);
        assert!(wait > Duration::from_millis(IDLE_MS as u64), "{wait:?}");
    }

    /// New objects that are admitted one after the other. Creates have their responses at once.
    fn admitted(objects: &mut OpenObjects, prefix: &str, priority: Priority, now: f64) -> usize {
        let mut admit = |number: &i32| {
            let is_admitted = objects.admit(format!("{prefix}{number}"), priority, now);
            objects.creates.sent.clear();
            is_admitted
        };
        (0..5_000).take_while(|number| admit(number)).count()
    }

    #[test]
    fn the_watchers_of_creates_count_before_they_open() {
        let mut objects = OpenObjects::default();
        let mut sent = 0;
        let mut burst = |objects: &mut OpenObjects, now: f64| {
            let numbers = sent..sent + 3_000;
            sent += 3_000;
            let is_admitted =
                |number: &i32| objects.admit(format!("c{number}"), Priority::Create, now);
            numbers.filter(is_admitted).count()
        };
        // Each opens its ledger now, and a watcher when the upstream has responded.
        assert_eq!(burst(&mut objects, START), 1_100);
        // Their ledgers run them, for as long as the upstream takes.
        objects.creates.sent.clear();
        objects.creates.running = 1_100;
        let later = START + IDLE_MS + 1.0;
        assert_eq!(burst(&mut objects, later), 550);
        // Clients that left before their creates arrived keep nobody away for long.
        objects.creates.running = 0;
        assert_eq!(burst(&mut objects, later + IDLE_MS + 1.0), 1_100);
    }

    #[test]
    fn a_burst_is_refused_by_priority_and_open_objects_stay_in_reach() {
        let mut objects = OpenObjects::default();
        objects.note(None, START);
        assert_eq!(admitted(&mut objects, "s", Priority::Stream, START), 1_000);
        assert_eq!(admitted(&mut objects, "t", Priority::Other, START), 800);
        assert_eq!(admitted(&mut objects, "c", Priority::Create, START), 400);
        assert_eq!(admitted(&mut objects, "f", Priority::FollowUp, START), 300);
        assert!(objects.admit("s0".to_owned(), Priority::Other, START));
        assert!(!objects.admit("other".to_owned(), Priority::Create, START + IDLE_MS));
    }

    #[test]
    fn a_stream_holds_no_object_that_a_create_has_just_opened_beyond_its_limit() {
        let mut objects = OpenObjects::default();
        assert_eq!(
            admitted(&mut objects, "w", Priority::FollowUp, START),
            2_500
        );
        assert!(!objects.admit("w0".to_owned(), Priority::Stream, START));
        let later = START + 10_001.0;
        assert_eq!(admitted(&mut objects, "w", Priority::Stream, later), 1_000);
        // Without a sample, too.
        assert!(!objects.admit("w0".to_owned(), Priority::Stream, later + 20_000.0));
    }

    #[test]
    fn the_creates_of_one_subject_leave_room_for_those_of_others() {
        let mut objects = OpenObjects::default();
        let mut create = |ledger: &str, now| {
            let is_admitted = objects.admit(ledger.to_owned(), Priority::Create, now);
            objects.creates.sent.clear();
            // Its watcher.
            let number = objects.used.len();
            is_admitted && objects.admit(format!("w{number}"), Priority::FollowUp, now)
        };
        let made = (0..5_000).take_while(|_| create("one", START)).count();
        assert_eq!(made, SHARED_FROM - 1);
        assert!(create("another", START));
        assert!(create("one", START + 10_001.0));
        let others = (0..5_000).take_while(|number| create(&format!("{number}"), START + 1.0));
        assert!(others.count() < 500);
        assert!(
            !create("another", START + 1.0),
            "nothing is left for anybody"
        );
    }

    #[test]
    fn an_object_counts_until_it_is_idle_for_ten_seconds() {
        let mut objects = OpenObjects::default();
        admitted(&mut objects, "c", Priority::Create, START);
        assert!(objects.admit("c0".to_owned(), Priority::Other, START + 9_000.0));
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
