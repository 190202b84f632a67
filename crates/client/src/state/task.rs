//! A task or a pipeline of the caller's: its last snapshot, and those who subscribe to the next ones.

use mediagate_core::{Capability, TERMINAL, Value, schedule};

use super::follow::Follow;
use super::stream::Stream;
use crate::platform::Id;

/// A task, or a pipeline, which is followed as a task is. One that is created or restored again is the same, so that all who follow it share a stream.
#[derive(Clone, Copy)]
pub(crate) struct Task<V> {
    pub(crate) gateway: Id,
    /// `None` for a pipeline.
    pub(crate) capability: Option<&'static Capability>,
    /// Its id; `None` for a task that was already done when it was created, and cannot be polled.
    pub(crate) id: Option<V>,
    pub(crate) snapshot: V,
    /// Whether the snapshot comes from a record, and not only from what the caller had saved.
    pub(crate) has_record: bool,
    /// How often its snapshot has changed.
    pub(crate) changes: u32,
    /// How often it was polled, which decides the interval of the next poll.
    pub(crate) polls: u32,
    /// The time before which the gateway wants no other poll, in milliseconds since 1970.
    pub(crate) not_before: f64,
    /// The number of handles that the caller has.
    pub(crate) handles: u32,
    pub(crate) follow: Follow,
    pub(crate) stream: Stream<V>,
}

/// The last states of a pipeline.
const PIPELINE_TERMINAL: [&str; 3] = ["SUCCEEDED", "FAILED", "CANCELLED"];

/// The most snapshots that wait for a slow subscriber: more than a task has states.
pub(crate) const MAX_QUEUED: usize = 16;

/// A subscription to the snapshots of a task, one after the other.
#[derive(Clone, Copy)]
pub(crate) struct Subscription {
    pub(crate) task: Id,
}

/// A snapshot that a subscriber has not taken yet.
#[derive(Clone, Copy)]
pub(crate) struct Unread<V> {
    /// The subscription; 0 for one that was taken.
    pub(crate) subscription: Id,
    pub(crate) snapshot: V,
}

impl<V: Value + Copy> Task<V> {
    /// Whether nothing of it is under way.
    pub(crate) fn is_resting(&self) -> bool {
        matches!(self.follow, Follow::Resting) && !self.stream.is_open()
    }

    /// Milliseconds before which the gateway wants no other poll.
    pub(crate) fn requested_ms(&self, now: f64) -> u32 {
        (self.not_before - now).max(0.0) as u32
    }

    /// Whether it is in a last state.
    pub(crate) fn has_ended(&self) -> bool {
        self.is_last(self.snapshot)
    }

    /// Whether a snapshot of it is in a last state. A pipeline leaves it again by a resume.
    pub(crate) fn is_last(&self, snapshot: V) -> bool {
        let states = if self.capability.is_some() {
            TERMINAL
        } else {
            PIPELINE_TERMINAL
        };
        state(snapshot).is_some_and(|it| states.iter().any(|last| it.is(last)))
    }

    /// The values that it refers to.
    pub(crate) fn values(&self) -> [Option<V>; 3] {
        [self.id, Some(self.snapshot), self.stream.last_event_id]
    }
}

/// The state of a snapshot.
pub(crate) fn state<V: Value + Copy>(snapshot: V) -> Option<V> {
    snapshot.get("state")
}

/// The milliseconds after which the gateway expects that a poll is worth it, where it said so.
pub(crate) fn poll_after_ms<V: Value + Copy>(snapshot: V) -> Option<u32> {
    let seconds = snapshot
        .get("raw")?
        .get("poll_after")?
        .number()
        .filter(|it| *it > 0.0)?;
    Some(((seconds * 1000.0) as u32).clamp(MIN_POLL_MS, schedule::poll::MAX_WAIT_MS))
}

/// The shortest interval between two polls, whatever the gateway expects.
const MIN_POLL_MS: u32 = 150;
