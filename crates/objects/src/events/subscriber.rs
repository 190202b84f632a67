//! A subscriber and the bytes that it has not received.

use std::cell::{Cell, RefCell};
use std::mem;
use std::rc::Rc;
use std::task::{Context, Poll};

use futures_util::task::AtomicWaker;

use super::seats::Cut;
use super::{HEARTBEAT, PREAMBLE};

/// The most bytes that the platform receives at once. It holds them until the client reads them.
const SLICE_BYTES: usize = 16 * 1024;

/// The most new events during one that is being sent. A slower stream ends, so that slow
/// subscribers can't make an object hold many old events.
const MAX_EVENTS_BEHIND: u64 = 4;

pub(crate) type Event = Rc<[u8]>;

#[derive(Clone)]
pub(crate) struct LatestEvent {
    pub(crate) version: u64,
    pub(crate) event: Event,
}

/// All streams of an object share its newest event, even after the object has ended them.
#[derive(Default)]
pub(super) struct Feed {
    newest: RefCell<Option<LatestEvent>>,
    event_count: Cell<u64>,
}

impl Feed {
    /// Replaces the newest event. It is `None` if the object's state was deleted.
    pub(super) fn replace(&self, latest: Option<LatestEvent>) {
        let mut newest = self.newest.borrow_mut();
        let version = |event: &LatestEvent| event.version;
        let is_new = newest.as_ref().map(version) != latest.as_ref().map(version);
        if is_new && latest.is_some() {
            self.event_count.set(self.event_count.get() + 1);
        }
        // Events with one number differ only in their estimates. A newer estimate is not worth
        // another copy of an event that a stream holds, since each subscriber could cause a copy.
        let is_held = |known: &LatestEvent| Rc::strong_count(&known.event) > 1;
        if is_new || !newest.as_ref().is_some_and(is_held) {
            *newest = latest;
        }
    }

    fn is_new_to(&self, last_event_id: Option<u64>) -> bool {
        self.newest
            .borrow()
            .as_ref()
            .is_some_and(|newest| last_event_id != Some(newest.version))
    }
}

/// The state of one client's stream. It has no queue of events: a client that reads late receives
/// only the newest event.
pub(super) struct Subscriber {
    feed: Rc<Feed>,
    until: i64,
    state: RefCell<SubscriberState>,
    waker: AtomicWaker,
}

struct SubscriberState {
    /// The number of the last event. `None` if the subscriber must receive the newest event in any
    /// case.
    last_event_id: Option<u64>,
    has_preamble: bool,
    is_heartbeat_due: bool,
    partial: Option<Partial>,
    phase: Phase,
}

/// An event that is sent in slices.
struct Partial {
    event: Event,
    sent: usize,
    /// The number of different events when this one began.
    begun_at: u64,
}

enum Phase {
    Open,
    /// The stream ends after the newest event, and after a last event if there is one.
    Ending {
        last: Option<Event>,
    },
    /// Ends the stream at once, also in the middle of an event. Readers of server-sent events
    /// discard an incomplete event at the end of a stream. After an error instead of an end,
    /// workerd would log a stack trace for each such stream.
    Cut,
    Over,
}

impl Subscriber {
    pub(super) fn new(feed: Rc<Feed>, last_event_id: Option<u64>, until: i64) -> Self {
        let is_heartbeat_due = !feed.is_new_to(last_event_id);
        let state = SubscriberState {
            last_event_id,
            has_preamble: false,
            is_heartbeat_due,
            partial: None,
            phase: Phase::Open,
        };
        Subscriber {
            feed,
            until,
            state: RefCell::new(state),
            waker: AtomicWaker::new(),
        }
    }

    /// Wakes the stream for the newest event, or for a heartbeat. Ends a stream that is too far
    /// behind.
    pub(super) fn notify(&self) {
        let is_behind = {
            let mut state = self.state.borrow_mut();
            state.is_heartbeat_due |= state.is_open() && !self.feed.is_new_to(state.last_event_id);
            let begun_at = state.partial.as_ref().map(|partial| partial.begun_at);
            begun_at
                .is_some_and(|begun_at| self.feed.event_count.get() - begun_at > MAX_EVENTS_BEHIND)
        };
        // Outside the block above, since `cut` borrows the state, too.
        if is_behind {
            self.cut();
        }
        self.waker.wake();
    }

    pub(super) fn end(&self, last: Option<&Event>) {
        let mut state = self.state.borrow_mut();
        if state.is_open() {
            state.phase = Phase::Ending {
                last: last.map(Rc::clone),
            };
            state.is_heartbeat_due = false;
        }
        self.waker.wake();
    }

    /// Wakes the stream if it was cut. Returns true if it was.
    pub(super) fn wake_if_cut(&self) -> bool {
        let is_cut = matches!(self.state.borrow().phase, Phase::Cut);
        if is_cut {
            self.waker.wake();
        }
        is_cut
    }

    /// Returns true if the object must still notify the stream of events, or of its end.
    pub(super) fn is_waiting(&self) -> bool {
        // A stream that was cut is still to be woken, or its client waits forever.
        matches!(self.state.borrow().phase, Phase::Open | Phase::Cut)
    }

    pub(super) fn is_over(&self) -> bool {
        matches!(self.state.borrow().phase, Phase::Over)
    }

    pub(super) fn has_expired(&self, now: i64) -> bool {
        self.until <= now
    }

    pub(super) fn poll_next(&self, context: &Context<'_>) -> Poll<Option<Vec<u8>>> {
        self.waker.register(context.waker());
        let mut state = self.state.borrow_mut();
        let bytes = match state.phase {
            Phase::Open | Phase::Ending { .. } => state.next_bytes(&self.feed),
            Phase::Cut | Phase::Over => None,
        };
        if bytes.is_some() {
            return Poll::Ready(bytes);
        }
        if state.is_open() {
            return Poll::Pending;
        }
        state.phase = Phase::Over;
        Poll::Ready(None)
    }
}

impl Cut for Subscriber {
    /// Ends the stream at once, and drops the events that it holds. The stream's own object wakes
    /// it within a heartbeat ([`Subscriber::wake_if_cut`]).
    fn cut(&self) {
        let mut state = self.state.borrow_mut();
        if !matches!(state.phase, Phase::Over) {
            state.phase = Phase::Cut;
            state.partial = None;
        }
    }
}

impl SubscriberState {
    fn is_open(&self) -> bool {
        matches!(self.phase, Phase::Open)
    }

    fn next_bytes(&mut self, feed: &Feed) -> Option<Vec<u8>> {
        if !mem::replace(&mut self.has_preamble, true) {
            return Some(PREAMBLE.into());
        }
        let partial = self.partial.take().or_else(|| self.next_event(feed));
        if let Some(mut partial) = partial {
            let slice = partial.next_slice();
            self.partial = Some(partial).filter(|partial| partial.sent < partial.event.len());
            return Some(slice);
        }
        mem::take(&mut self.is_heartbeat_due).then(|| HEARTBEAT.into())
    }

    /// Returns the newest event if it is new to the subscriber, and else the last event of a stream
    /// that ends. A `Last-Event-ID` above the newest number counts as new, too: the state of the
    /// task may have been deleted since, and numbers begin again.
    fn next_event(&mut self, feed: &Feed) -> Option<Partial> {
        let event = if feed.is_new_to(self.last_event_id) {
            let newest = feed.newest.borrow();
            let LatestEvent { version, event } = newest.as_ref()?;
            self.last_event_id = Some(*version);
            self.is_heartbeat_due = false;
            Rc::clone(event)
        } else if let Phase::Ending { last } = &mut self.phase {
            last.take()?
        } else {
            return None;
        };
        Some(Partial {
            event,
            sent: 0,
            begun_at: feed.event_count.get(),
        })
    }
}

impl Partial {
    fn next_slice(&mut self) -> Vec<u8> {
        let end = self.event.len().min(self.sent + SLICE_BYTES);
        let slice = self.event[self.sent..end].to_vec();
        self.sent = end;
        slice
    }
}
