//! What callers and an actor send each other.

use std::fmt;
use std::sync::Arc;

use mediagate_client::{Error as EngineError, Id, Platform};
use tokio::sync::mpsc::WeakUnboundedSender;

use super::published::Published;
use crate::error::Error;
use crate::limits::Limits;
use crate::platform::{Engine, Machine};
use crate::value::{Handle, Value};

/// What a caller sends to the actor.
pub(crate) enum Command {
    /// Begins what a promise waits for.
    Begin {
        /// The promise.
        promise: Id,
        /// Its limits.
        limits: Limits,
        /// Calls the engine.
        begin: Begin,
        /// Receives what the promise ends with.
        settle: Settle,
    },
    /// The caller has dropped the future of a promise.
    Cancel(Id),
    /// The caller has dropped a client, a task or a subscription.
    Release(Id),
}

/// Calls the engine for a promise.
pub(crate) type Begin = Box<dyn FnOnce(&mut Engine, &Machine, Id) + Send>;
/// Receives what a promise ends with.
pub(crate) type Settle = Box<dyn FnOnce(Result<Reply, Error>) + Send>;

/// What a promise ends with.
pub(crate) enum Reply {
    /// A value; `None` for none.
    Value(Option<Value>),
    /// A client or a task.
    Lease(Lease),
}

/// What the engine keeps for a caller: a client, a task or a subscription. It is released when this is dropped.
pub(crate) struct Lease {
    id: Id,
    task: Option<Arc<Published>>,
    commands: WeakUnboundedSender<Command>,
}

impl Lease {
    /// What has this id, with what is published of it where it is a task.
    pub(super) fn new(
        id: Id,
        task: Option<Arc<Published>>,
        commands: WeakUnboundedSender<Command>,
    ) -> Self {
        Lease { id, task, commands }
    }

    /// Its id.
    pub(crate) fn id(&self) -> Id {
        self.id
    }

    /// What is published of it; `None` for anything but a task.
    pub(crate) fn task(&self) -> Option<&Published> {
        self.task.as_deref()
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        if let Some(commands) = self.commands.upgrade() {
            commands.send(Command::Release(self.id)).ok();
        }
    }
}

impl fmt::Debug for Lease {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Lease").field(&self.id).finish()
    }
}

/// Settles a promise with a task that was restored, or with why it was not.
pub(crate) fn settle_restored(
    machine: &Machine,
    promise: Id,
    restored: Result<Id, EngineError<Handle>>,
) {
    match restored {
        Ok(task) => machine.resolve_handle(promise, task),
        Err(error) => machine.reject(promise, error.value),
    }
}
