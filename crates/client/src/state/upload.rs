//! A file, or a result of a task, on its way to the storage.

use crate::platform::Id;

/// A file on its way to the storage, which is uploaded once for all that wait for it; or a result, which the gateway moves.
#[derive(Clone, Copy)]
pub(crate) struct Upload<V> {
    pub(crate) gateway: Id,
    /// A file; a task or an output for a result.
    pub(crate) file: V,
    pub(crate) progress: Option<V>,
    pub(crate) stage: Stage<V>,
    /// Whether a stale upload URL was replaced, which is done once.
    pub(crate) has_renewed: bool,
}

/// How far an upload is.
#[derive(Clone, Copy)]
pub(crate) enum Stage<V> {
    /// It waits for its turn.
    Queued,
    /// Its upload URL is requested.
    Signing(Id),
    /// Its bytes are sent; the file id is known.
    Sending(Id, V),
    /// A result of which nothing has begun.
    New,
    /// A result whose task has not ended.
    Waiting(Id),
    /// A result that the gateway is requested to move, by this call with this body.
    Moving(Id, V),
    /// A result that the gateway is still moving, or whose turn has not come. The same request again waits on.
    Pausing(V),
}

/// An upload that was started.
pub(crate) enum Started<V> {
    /// The file was uploaded before: its file id.
    Done(V),
    /// It is under way.
    Running(Id),
}

impl<V: Copy> Upload<V> {
    /// The values that it refers to.
    pub(crate) fn values(&self) -> [Option<V>; 3] {
        let more = match self.stage {
            Stage::Sending(_, it) | Stage::Moving(_, it) | Stage::Pausing(it) => Some(it),
            _ => None,
        };
        [Some(self.file), self.progress, more]
    }
}
