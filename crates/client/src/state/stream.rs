//! The stream of a task.

use crate::platform::Id;

/// The stream of a task.
#[derive(Clone, Copy)]
pub(crate) struct Stream<V> {
    pub(crate) open: Option<Open>,
    /// The id of the last event, after which the gateway continues.
    pub(crate) last_event_id: Option<V>,
    /// Whether streams do not work here.
    pub(crate) is_unavailable: bool,
}

/// An open stream.
#[derive(Clone, Copy)]
pub(crate) struct Open {
    /// The call that opened it.
    pub(crate) id: Id,
    /// Whether a chunk was requested and has not come.
    pub(crate) is_reading: bool,
    /// Whether any text was received.
    pub(crate) has_bytes: bool,
    /// Whether a record was received.
    pub(crate) has_record: bool,
    /// When it was opened, in milliseconds since 1970.
    pub(crate) since: f64,
}

impl<V> Stream<V> {
    /// No stream yet.
    pub(crate) const NONE: Self = Stream {
        open: None,
        last_event_id: None,
        is_unavailable: false,
    };

    pub(crate) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Forgets the open stream. Returns its id, to abort it.
    pub(crate) fn close(&mut self) -> Option<Id> {
        self.open.take().map(|it| it.id)
    }
}
