//! A result of a task on its way into an input.

use crate::input::Source;
use crate::platform::Id;

/// A task, or an output of one, in the input of a create.
#[derive(Clone, Copy)]
pub(crate) struct Transfer<V> {
    /// The promise of the create.
    pub(crate) promise: Id,
    pub(crate) gateway: Id,
    pub(crate) source: Source<V>,
    pub(crate) stage: Stage<V>,
}

/// How far a transfer is.
#[derive(Clone, Copy)]
pub(crate) enum Stage<V> {
    /// It has not begun.
    New,
    /// Its task has not ended.
    Waiting(Id),
    /// The gateway is requested to move the output, by this call with this body.
    Moving(Id, V),
    /// The gateway is still moving it. The same request again waits on.
    Pausing(V),
}

impl<V: Copy> Transfer<V> {
    /// The values that it refers to.
    pub(crate) fn values(&self) -> [Option<V>; 2] {
        let body = if let Stage::Moving(_, it) | Stage::Pausing(it) = self.stage { Some(it) } else { None };
        [Some(self.source.value), body]
    }
}
