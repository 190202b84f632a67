//! Counts the open streams of this isolate, by their readers.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::{Rc, Weak};

thread_local! {
    /// Shared by all objects of the isolate, since a subject reads the streams of many tasks.
    static SEATS: RefCell<Seats> = RefCell::default();
}

pub(crate) trait Cut {
    /// Ends the stream as soon as possible. The caller may be another Durable Object. The platform
    /// ties a stream to its own object, so this must not touch an object of the platform.
    fn cut(&self);
}

/// A party that streams are counted for. Streams of events and of outputs are counted apart:
/// whoever has the URL of an output can read it, and must not end the event streams of its owner.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Holder {
    Subject(String),
    Network(String),
    OutputOwner(String),
    OutputNetwork(String),
}

pub(crate) struct Quota {
    pub(crate) holder: Holder,
    pub(crate) max_streams: usize,
}

/// The place of a stream in its holders' counts, until it is dropped.
pub(crate) struct Seat(SeatId);

/// A number that rises from seat to seat. The oldest seat has the smallest.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
struct SeatId(u64);

#[derive(Default)]
struct Seats {
    last_id: SeatId,
    taken: BTreeMap<SeatId, Taken>,
    by_holder: HashMap<Holder, BTreeSet<SeatId>>,
}

struct Taken {
    /// Weak, since the stream owns the seat.
    stream: Weak<dyn Cut>,
    holders: Vec<Holder>,
}

impl Seat {
    /// Counts a stream for its holders. A holder without a free place loses its oldest stream: a
    /// disconnected client may leave its stream open until it expires. If the oldest stream has a
    /// reader, that client reconnects.
    pub(crate) fn take<S: Cut + 'static>(stream: &Rc<S>, quotas: Vec<Quota>) -> Self {
        let stream: Weak<S> = Rc::downgrade(stream);
        SEATS.with_borrow_mut(|seats| seats.take(stream, quotas))
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        // While the thread ends, the seats may be gone already.
        let _ = SEATS.try_with(|seats| seats.borrow_mut().free(self.0));
    }
}

impl Seats {
    fn take(&mut self, stream: Weak<dyn Cut>, quotas: Vec<Quota>) -> Seat {
        for quota in &quotas {
            while let Some(oldest) = self.oldest_beyond(quota) {
                if let Some(stream) = self.free(oldest).and_then(|taken| taken.stream.upgrade()) {
                    stream.cut();
                }
            }
        }
        self.last_id.0 += 1;
        let id = self.last_id;
        let holders: Vec<Holder> = quotas.into_iter().map(|quota| quota.holder).collect();
        for holder in &holders {
            self.by_holder.entry(holder.clone()).or_default().insert(id);
        }
        self.taken.insert(id, Taken { stream, holders });
        Seat(id)
    }

    /// Returns the oldest stream of a holder. `None` if the holder has room for one more.
    fn oldest_beyond(&self, quota: &Quota) -> Option<SeatId> {
        let taken = self.by_holder.get(&quota.holder)?;
        taken
            .first()
            .copied()
            .filter(|_| taken.len() >= quota.max_streams)
    }

    fn free(&mut self, id: SeatId) -> Option<Taken> {
        let taken = self.taken.remove(&id)?;
        for holder in &taken.holders {
            if let Some(ids) = self.by_holder.get_mut(holder) {
                ids.remove(&id);
                if ids.is_empty() {
                    self.by_holder.remove(holder);
                }
            }
        }
        Some(taken)
    }
}
