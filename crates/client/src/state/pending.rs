//! What a promise of the caller's waits for.

use super::create::Preparation;
use crate::platform::Id;

/// What a promise of the caller's waits for.
#[derive(Clone, Copy)]
pub(crate) enum Pending<V> {
    /// The session of a client's gateway.
    Connect(Id),
    /// The uploads of an input's files, and the transfers of its results.
    Prepare(Preparation<V>),
    /// A call.
    Call(Id),
    /// The poll of a task, or a pipeline's resume or cancel, by a call that was started when it had changed this many times.
    Refresh { call: Id, task: Id, changes: u32 },
    /// An upload, with the subscriber to its progress.
    Upload { upload: Id, progress: Option<V> },
    /// The end of a task.
    End { task: Id },
    /// The end of a task, for the transfer of this id and no caller.
    Result { task: Id },
    /// The next snapshot of a subscription to a task.
    Next { task: Id, subscription: Id },
}

impl<V: Copy> Pending<V> {
    /// Whether it waits for a change of this task.
    pub(crate) fn waits_for(&self, id: Id) -> bool {
        matches!(self, Pending::End { task } | Pending::Result { task } | Pending::Next { task, .. } if *task == id)
    }

    /// The values that it refers to.
    pub(crate) fn values(&self) -> [Option<V>; 3] {
        match self {
            Pending::Prepare(it) => [Some(it.input), it.title, it.create.map(|it| it.key)],
            Pending::Upload { progress, .. } => [*progress, None, None],
            _ => [None; 3],
        }
    }
}
