//! The clients that receive the updates of one task, or of one pipeline.

use std::cell::RefCell;
use std::rc::Rc;

use futures_channel::mpsc::{Receiver, Sender, channel};

use super::HEARTBEAT;

/// Most subscribers at once. One more ends the stream of the first, which reconnects with `Last-Event-ID`.
const MAX_SUBSCRIBERS: usize = 2_000;
/// Events that are queued for a slow subscriber; one more ends its stream, and it reconnects for the rest.
const MAX_QUEUED: usize = 8;

/// An event, shared by all subscribers.
pub(crate) type Event = Rc<[u8]>;

/// One client's stream.
struct Subscriber {
    sender: Sender<Event>,
    /// The number of the last event it received.
    last_event_id: u64,
    until: i64,
}

/// The subscribers of one task or pipeline. Dropping one ends its stream.
#[derive(Default)]
pub(crate) struct Subscribers(RefCell<Vec<Subscriber>>);

/// The last event: its number, and the event itself where there is one.
pub(crate) struct LatestEvent {
    pub(crate) version: u64,
    pub(crate) event: Option<Event>,
}

impl Subscribers {
    /// Adds a subscriber that has received the event `last_event_id`, until a time. It receives the preamble and the
    /// last event, where that is new to it.
    pub(crate) fn add(&self, last_event_id: u64, until: i64, preamble: &str, latest: &LatestEvent) -> Receiver<Event> {
        let (sender, receiver) = channel(MAX_QUEUED);
        let mut subscriber = Subscriber { sender, last_event_id, until };
        subscriber.send(&Rc::from(preamble.as_bytes()));
        subscriber.notify(latest);
        let mut all = self.0.borrow_mut();
        if all.len() >= MAX_SUBSCRIBERS {
            all.remove(0);
        }
        all.push(subscriber);
        receiver
    }

    /// Ends the streams whose time is over, and removes those that were closed by the client.
    pub(crate) fn prune(&self, now: i64) {
        self.0.borrow_mut().retain(|it| it.until > now && !it.sender.is_closed());
    }

    /// Sends the last event to each subscriber that has not received it, and a heartbeat to the others.
    pub(crate) fn notify(&self, latest: &LatestEvent) {
        self.0.borrow_mut().retain_mut(|it| it.notify(latest));
    }

    /// Ends all streams, after a last event where there is one.
    pub(crate) fn end(&self, last: Option<&Event>) {
        for mut subscriber in self.0.take() {
            if let Some(event) = last {
                subscriber.send(event);
            }
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.borrow().is_empty()
    }
}

impl Subscriber {
    /// Whether the stream is still open. A number that was never sent, since the watcher's state was deleted meanwhile,
    /// counts as none.
    fn notify(&mut self, latest: &LatestEvent) -> bool {
        match &latest.event {
            Some(event) if self.last_event_id != latest.version => {
                self.last_event_id = latest.version;
                self.send(event)
            }
            _ => self.send(&Rc::from(HEARTBEAT.as_bytes())),
        }
    }

    fn send(&mut self, event: &Event) -> bool {
        self.sender.try_send(Rc::clone(event)).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn latest(version: u64, event: &str) -> LatestEvent {
        LatestEvent { version, event: Some(Rc::from(event.as_bytes())) }
    }

    fn received(receiver: &mut Receiver<Event>) -> Vec<String> {
        let next = || receiver.try_recv().ok();
        std::iter::from_fn(next).map(|it| String::from_utf8_lossy(&it).into_owned()).collect()
    }

    #[test]
    fn each_receives_what_is_new_to_it() {
        let all = Subscribers::default();
        let mut new = all.add(0, 10, "hello", &latest(2, "two"));
        let mut back = all.add(2, 10, "hello", &latest(2, "two"));
        let mut ahead = all.add(9, 10, "hello", &latest(2, "two"));
        all.notify(&latest(3, "three"));
        all.notify(&latest(3, "three"));
        assert_eq!(received(&mut new), ["hello", "two", "three", HEARTBEAT]);
        assert_eq!(received(&mut back), ["hello", HEARTBEAT, "three", HEARTBEAT]);
        assert_eq!(received(&mut ahead), ["hello", "two", "three", HEARTBEAT]);
        all.prune(10);
        assert!(all.is_empty());
    }

    #[test]
    fn a_stream_is_open_until_its_time_is_over() {
        let all = Subscribers::default();
        let _open = all.add(0, 10, "hello", &latest(1, "one"));
        all.prune(9);
        assert!(!all.is_empty());
        all.prune(10);
        assert!(all.is_empty());
    }

    #[test]
    fn all_streams_end_after_the_last_event() {
        let all = Subscribers::default();
        let mut streams = [0, 9].map(|it| all.add(it, 10, "hello", &latest(1, "one")));
        all.end(Some(&Rc::from(b"gone".as_slice())));
        assert!(all.is_empty());
        assert_eq!(streams.each_mut().map(received), [["hello", "one", "gone"]; 2]);
    }

    #[test]
    fn a_stream_that_is_not_read_ends() {
        let all = Subscribers::default();
        let _slow = all.add(0, 10, "hello", &latest(1, "one"));
        for version in 2..40 {
            all.notify(&latest(version, "more"));
        }
        assert!(all.is_empty());
        let streams: Vec<_> = (0..MAX_SUBSCRIBERS + 5).map(|_| all.add(0, 10, "hello", &latest(1, "one"))).collect();
        assert_eq!(all.0.borrow().len(), MAX_SUBSCRIBERS);
        drop(streams);
        all.prune(0);
        assert!(all.is_empty(), "closed");
    }
}
