//! How the next change of a task is waited for.

use crate::platform::Id;

/// What a task is doing to learn of its next change.
#[derive(Clone, Copy)]
pub(crate) enum Follow {
    /// Nothing: no caller waits for a change.
    Resting,
    /// It opens its stream, by a call.
    Connecting(Id),
    /// It reads its stream.
    Reading,
    /// It waits until the next poll.
    Waiting,
    /// It is polled, by a call that was started when it had changed this many times.
    Polling { call: Id, changes: u32 },
}
