use std::cell::RefCell;
use std::pin::Pin;
use std::rc::{Rc, Weak};
use std::task::{Context, Poll};

use futures_util::Stream;

use super::seats::{Quota, Seat};
use super::subscriber::{Event, Feed, LatestEvent, Subscriber};

/// The subscribers of one task or pipeline. Dropping them ends their streams.
#[derive(Default)]
pub(crate) struct Subscribers {
    feed: Rc<Feed>,
    /// The streams own their subscribers, so a subscriber is gone when the platform has dropped its
    /// stream. Ended streams stay while they are unread, to limit the events that they hold.
    all: RefCell<Vec<Weak<Subscriber>>>,
}

/// The stream of one subscriber: the preamble, then events and heartbeats.
///
/// `worker::Response::from_stream` makes a stream with a high-water mark of 0 (wasm-streams 0.7),
/// so the platform polls it only after its last bytes are sent. While the client does not read, the
/// platform holds one slice. Neither an end nor an error of this stream would free the slice (seen
/// with workerd 1.20260426). All other bytes are held here.
pub(crate) struct Subscription {
    subscriber: Rc<Subscriber>,
    _seat: Option<Seat>,
}

impl Subscribers {
    /// Adds a subscriber until a time in milliseconds since 1970. The subscriber receives the
    /// preamble, and the latest event unless `last_event_id` is its number. The stream may end
    /// older streams of its quotas.
    pub(crate) fn add(
        &self,
        last_event_id: Option<u64>,
        until: i64,
        latest: Option<LatestEvent>,
        quotas: Vec<Quota>,
    ) -> Subscription {
        // Replaced first, since the new stream begins with the newest event.
        self.feed.replace(latest);
        let subscriber = Rc::new(Subscriber::new(Rc::clone(&self.feed), last_event_id, until));
        let seat = (!quotas.is_empty()).then(|| Seat::take(&subscriber, quotas));
        self.sweep();
        self.all.borrow_mut().push(Rc::downgrade(&subscriber));
        Subscription {
            subscriber,
            _seat: seat,
        }
    }

    /// Ends expired streams, and removes streams that their clients have closed.
    pub(crate) fn prune(&self, now: i64) {
        self.each(|subscriber| {
            if subscriber.has_expired(now) {
                subscriber.end(None);
            }
        });
        self.sweep();
    }

    /// Wakes each subscriber for the last event, or for a heartbeat if it has received that event.
    pub(crate) fn notify(&self, latest: Option<LatestEvent>) {
        self.feed.replace(latest);
        self.each(Subscriber::notify);
        self.sweep();
    }

    pub(crate) fn end(&self, last: Option<&Event>) {
        self.each(|subscriber| subscriber.end(last));
        self.sweep();
    }

    pub(crate) fn is_empty(&self) -> bool {
        let all = self.all.borrow();
        !all.iter()
            .filter_map(Weak::upgrade)
            .any(|subscriber| subscriber.is_waiting())
    }

    fn each(&self, act: impl Fn(&Subscriber)) {
        for subscriber in self.all.borrow().iter().filter_map(Weak::upgrade) {
            act(&subscriber);
        }
    }

    /// Removes the streams that need no more events. Wakes streams that were cut, so that they end.
    fn sweep(&self) {
        let needs_more =
            |subscriber: Rc<Subscriber>| !subscriber.wake_if_cut() && !subscriber.is_over();
        self.all
            .borrow_mut()
            .retain(|subscriber| subscriber.upgrade().is_some_and(needs_more));
    }
}

impl Drop for Subscribers {
    fn drop(&mut self) {
        self.end(None);
    }
}

impl Stream for Subscription {
    type Item = Vec<u8>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.subscriber.poll_next(context)
    }
}

#[cfg(test)]
mod tests;
