use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use futures_util::{FutureExt, StreamExt};

use super::super::seats::Holder;
use super::super::{HEARTBEAT, PREAMBLE};
use super::*;

/// A size of an event that is sent in several slices.
const LARGE: usize = 900_000;

fn numbered(version: u64, event: Rc<[u8]>) -> Option<LatestEvent> {
    Some(LatestEvent { version, event })
}

fn latest(version: u64, event: &str) -> Option<LatestEvent> {
    numbered(version, Rc::from(event.as_bytes()))
}

fn large(version: u64, letter: u8) -> Option<LatestEvent> {
    numbered(version, Rc::from(vec![letter; LARGE]))
}

fn quota(holder: Holder, max_streams: usize) -> Quota {
    Quota {
        holder,
        max_streams,
    }
}

fn of_subject(name: &str) -> Vec<Quota> {
    vec![quota(Holder::Subject(name.to_owned()), 2)]
}

fn add(all: &Subscribers, last_event_id: u64, latest: Option<LatestEvent>) -> Subscription {
    all.add(Some(last_event_id), 10, latest, Vec::new())
}

/// Returns the next bytes. `None` if there are none for now.
fn next(stream: &mut Subscription) -> Option<Option<Vec<u8>>> {
    stream.next().now_or_never()
}

fn next_bytes(stream: &mut Subscription) -> Vec<u8> {
    next(stream).flatten().expect("there are bytes")
}

/// All that there is for now: each part as text, and "end" at the end.
fn received(stream: &mut Subscription) -> Vec<String> {
    let mut parts = Vec::new();
    loop {
        match next(stream) {
            Some(Some(bytes)) => parts.push(String::from_utf8_lossy(&bytes).into_owned()),
            Some(None) => {
                parts.push("end".to_owned());
                return parts;
            }
            None => return parts,
        }
    }
}

#[derive(Default)]
struct Wakes(AtomicUsize);

impl Wake for Wakes {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn each_receives_what_is_new_to_it() {
    let all = Subscribers::default();
    let mut new = add(&all, 0, latest(2, "two"));
    let mut back = add(&all, 2, latest(2, "two"));
    let mut ahead = add(&all, 9, latest(2, "two"));
    assert_eq!(received(&mut new), [PREAMBLE, "two"]);
    assert_eq!(received(&mut back), [PREAMBLE, HEARTBEAT]);
    assert_eq!(received(&mut ahead), [PREAMBLE, "two"]);
    for expected in ["three", HEARTBEAT] {
        all.notify(latest(3, "three"));
        for stream in [&mut new, &mut back, &mut ahead] {
            assert_eq!(received(stream), [expected]);
        }
    }
    all.prune(9);
    assert!(!all.is_empty(), "streams are open until their time is over");
    all.prune(10);
    assert!(all.is_empty());
    assert_eq!(received(&mut new), ["end"]);
}

#[test]
fn a_subscriber_without_a_last_event_receives_the_newest_whatever_its_number() {
    let all = Subscribers::default();
    let mut stream = all.add(None, 10, latest(0, "zero"), Vec::new());
    all.end(None);
    assert_eq!(received(&mut stream), [PREAMBLE, "zero", "end"]);
}

#[test]
fn before_the_first_event_and_after_a_deletion_there_are_only_heartbeats() {
    let all = Subscribers::default();
    let mut stream = add(&all, 0, None);
    assert_eq!(received(&mut stream), [PREAMBLE, HEARTBEAT]);
    all.notify(None);
    assert_eq!(received(&mut stream), [HEARTBEAT]);
    all.notify(latest(1, "one"));
    all.notify(None);
    assert_eq!(received(&mut add(&all, 0, None)), [PREAMBLE, HEARTBEAT]);
}

#[test]
fn a_stream_that_the_client_has_closed_is_removed() {
    let all = Subscribers::default();
    drop(add(&all, 0, latest(1, "one")));
    assert!(all.is_empty());
    all.prune(0);
    assert!(all.all.borrow().is_empty());
}

#[test]
fn all_streams_end_after_the_last_event() {
    let all = Subscribers::default();
    let mut streams = [0, 9].map(|id| add(&all, id, latest(1, "one")));
    all.end(Some(&Rc::from(b"gone".as_slice())));
    assert!(all.is_empty());
    assert_eq!(
        streams.each_mut().map(received),
        [[PREAMBLE, "one", "gone", "end"]; 2]
    );
}

#[test]
fn a_slow_subscriber_receives_the_end_after_the_object_is_gone() {
    let all = Subscribers::default();
    let mut slow = add(&all, 0, large(1, b'a'));
    let mut text = next_bytes(&mut slow);
    text.extend(next_bytes(&mut slow));
    all.notify(large(2, b'b'));
    all.notify(latest(3, "three"));
    all.end(Some(&Rc::from(b"gone".as_slice())));
    drop(all);
    while let Some(Some(bytes)) = next(&mut slow) {
        text.extend(bytes);
    }
    let expected = [PREAMBLE.as_bytes(), &[b'a'; LARGE], b"threegone"].concat();
    assert!(
        text == expected,
        "it reads the event to its end, misses one, and receives the newest and the last"
    );
}

#[test]
fn streams_end_with_the_object() {
    let all = Subscribers::default();
    let mut stream = add(&all, 0, latest(1, "one"));
    drop(all);
    assert_eq!(received(&mut stream), [PREAMBLE, "one", "end"]);
}

#[test]
fn what_is_not_read_does_not_pile_up() {
    let all = Subscribers::default();
    let mut unread = add(&all, 0, latest(1, "one"));
    for version in 2..40 {
        all.notify(latest(version, "more"));
        all.notify(latest(version, "more"));
    }
    assert!(!all.is_empty(), "a stream that is in no event may be late");
    assert_eq!(received(&mut unread), [PREAMBLE, "more"]);
    for _ in 0..40 {
        all.notify(latest(39, "more"));
    }
    assert_eq!(received(&mut unread), [HEARTBEAT]);
}

#[test]
fn a_large_event_is_sent_in_slices_and_whole() {
    let all = Subscribers::default();
    let event: Vec<u8> = (0..LARGE).map(|index| (index % 251) as u8).collect();
    let mut stream = add(&all, 0, numbered(1, Rc::from(event.as_slice())));
    assert_eq!(next_bytes(&mut stream), PREAMBLE.as_bytes());
    let mut text = Vec::new();
    while let Some(Some(slice)) = next(&mut stream) {
        assert!((1..=16 * 1024).contains(&slice.len()), "{}", slice.len());
        text.extend(slice);
    }
    assert!(text == event);
}

#[test]
fn a_stream_that_is_far_behind_in_an_event_ends_and_lets_the_event_go() {
    let all = Subscribers::default();
    let event: Rc<[u8]> = Rc::from(vec![b'a'; LARGE]);
    let held = Rc::downgrade(&event);
    let mut slow = add(&all, 0, numbered(1, Rc::clone(&event)));
    let mut unread = add(&all, 0, numbered(1, event));
    for _ in 0..2 {
        next_bytes(&mut slow);
    }
    for version in 2..6 {
        all.notify(latest(version, "more"));
        // A heartbeat makes no event older.
        all.notify(latest(version, "more"));
    }
    assert_eq!(next_bytes(&mut slow), [b'a'; 16 * 1024]);
    assert!(held.upgrade().is_some());
    all.notify(latest(6, "six"));
    assert!(held.upgrade().is_none());
    assert_eq!(received(&mut slow), ["end"]);
    assert_eq!(received(&mut unread), [PREAMBLE, "six"]);
}

#[test]
fn an_object_holds_few_events_whatever_its_subscribers_do() {
    let all = Subscribers::default();
    let mut events = Vec::new();
    let mut streams = Vec::new();
    for round in 0..60 {
        let event: Rc<[u8]> = Rc::from(vec![b'a'; LARGE]);
        events.push(Rc::downgrade(&event));
        // An object formats each version again for each of three subscribers.
        let latest = numbered(round / 3, event);
        let mut stream = add(&all, 99, latest.clone());
        next_bytes(&mut stream);
        next_bytes(&mut stream);
        streams.push(stream);
        all.notify(latest);
        if round % 7 == 0 {
            all.end(None);
        }
    }
    let held = events
        .iter()
        .filter(|event| event.upgrade().is_some())
        .count();
    assert!(held <= 6, "{held} of {} events", events.len());
}

#[test]
fn a_stream_is_woken_for_an_event_a_heartbeat_and_its_end() {
    let all = Subscribers::default();
    let mut stream = add(&all, 0, latest(1, "one"));
    received(&mut stream);
    let wakes = Arc::new(Wakes::default());
    let waker = Waker::from(Arc::clone(&wakes));
    let mut wait = || {
        assert!(
            stream
                .poll_next_unpin(&mut Context::from_waker(&waker))
                .is_pending()
        )
    };
    wait();
    all.notify(latest(1, "one"));
    assert_eq!(wakes.0.load(Ordering::Relaxed), 1);
    assert_eq!(received(&mut stream), [HEARTBEAT]);
    let mut poll = || stream.poll_next_unpin(&mut Context::from_waker(&waker));
    assert!(poll().is_pending());
    all.notify(latest(2, "two"));
    assert_eq!(wakes.0.load(Ordering::Relaxed), 2);
    assert!(matches!(poll(), Poll::Ready(Some(bytes)) if bytes == b"two"));
    assert!(poll().is_pending());
    all.end(None);
    assert_eq!(wakes.0.load(Ordering::Relaxed), 3);
    assert!(matches!(poll(), Poll::Ready(None)));
}

#[test]
fn one_stream_too_many_ends_the_oldest_of_its_subject() {
    let first_task = Subscribers::default();
    let second_task = Subscribers::default();
    let one = latest(1, "one");
    let mut oldest = first_task.add(Some(0), 10, one.clone(), of_subject("alice"));
    let mut of_bob = first_task.add(Some(0), 10, one.clone(), of_subject("bob"));
    let mut uncounted = first_task.add(Some(0), 10, one.clone(), Vec::new());
    let mut second = first_task.add(Some(0), 10, one.clone(), of_subject("alice"));
    let wakes = Arc::new(Wakes::default());
    let waker = Waker::from(Arc::clone(&wakes));
    for _ in ["preamble", "event", "nothing more"] {
        let _ = oldest.poll_next_unpin(&mut Context::from_waker(&waker));
    }
    let mut third = second_task.add(Some(0), 10, one.clone(), of_subject("alice"));
    assert_eq!(
        wakes.0.load(Ordering::Relaxed),
        0,
        "another object does not wake it"
    );
    first_task.prune(0);
    assert_eq!(wakes.0.load(Ordering::Relaxed), 1, "its own does");
    assert_eq!(received(&mut oldest), ["end"]);
    for stream in [&mut of_bob, &mut uncounted, &mut second, &mut third] {
        assert_eq!(received(stream), [PREAMBLE, "one"]);
    }
}

#[test]
fn an_object_is_not_empty_before_it_has_woken_a_stream_that_was_ended_elsewhere() {
    let first_task = Subscribers::default();
    let second_task = Subscribers::default();
    let one = latest(1, "one");
    let _oldest = first_task.add(Some(0), 10, one.clone(), of_subject("alice"));
    let _others = [0, 0].map(|id| second_task.add(Some(id), 10, one.clone(), of_subject("alice")));
    assert!(!first_task.is_empty());
    first_task.prune(0);
    assert!(first_task.is_empty());
}

#[test]
fn an_unread_stream_too_many_lets_its_event_go() {
    let all = Subscribers::default();
    let event: Rc<[u8]> = Rc::from(vec![b'a'; LARGE]);
    let held = Rc::downgrade(&event);
    let mut unread = all.add(Some(0), 10, numbered(1, event), of_subject("alice"));
    next_bytes(&mut unread);
    next_bytes(&mut unread);
    let _others = [0, 0].map(|id| all.add(Some(id), 10, latest(2, "two"), of_subject("alice")));
    assert!(held.upgrade().is_none());
    assert_eq!(received(&mut unread), ["end"]);
}

#[test]
fn a_stream_that_is_closed_frees_its_place() {
    let all = Subscribers::default();
    let one = latest(1, "one");
    let mut first = all.add(Some(0), 10, one.clone(), of_subject("alice"));
    for _ in 0..10 {
        drop(all.add(Some(0), 10, one.clone(), of_subject("alice")));
    }
    assert_eq!(received(&mut first), [PREAMBLE, "one"]);
}

#[test]
fn subjects_of_one_network_share_its_places() {
    let all = Subscribers::default();
    let one = latest(1, "one");
    let quotas = |subject: &str, network: &str| {
        let of_network = quota(Holder::Network(network.to_owned()), 3);
        of_subject(subject)
            .into_iter()
            .chain([of_network])
            .collect::<Vec<Quota>>()
    };
    let mut oldest = all.add(Some(0), 10, one.clone(), quotas("a", "n"));
    // A subject and a network of one name are counted apart.
    let mut elsewhere = all.add(Some(0), 10, one.clone(), quotas("n", "m"));
    let mut others =
        ["b", "c", "d"].map(|subject| all.add(Some(0), 10, one.clone(), quotas(subject, "n")));
    assert_eq!(received(&mut oldest), ["end"]);
    assert_eq!(received(&mut elsewhere), [PREAMBLE, "one"]);
    for stream in &mut others {
        assert_eq!(received(stream), [PREAMBLE, "one"]);
    }
}
