//! A file on its way to the storage.

use crate::platform::Id;

/// A file on its way to the storage. The same file is uploaded once for all that wait for it.
#[derive(Clone, Copy)]
pub(crate) struct Upload<V> {
    pub(crate) gateway: Id,
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
        let file_id = if let Stage::Sending(_, it) = self.stage { Some(it) } else { None };
        [Some(self.file), self.progress, file_id]
    }
}
