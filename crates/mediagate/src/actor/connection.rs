//! The callers' side of an actor.

use std::sync::Arc;

use mediagate_client::Id;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;

use super::command::{Begin, Command, Lease, Reply, Settle};
use super::owner::Owner;
use crate::driver::{self, Driver, Host};
use crate::error::Error;
use crate::limits::Limits;
use crate::platform::{Ids, Machine};
use crate::session::SessionStore;

/// A connection to an actor, which ends when the last clone of it is gone.
#[derive(Clone)]
pub(crate) struct Connection {
    commands: UnboundedSender<Command>,
    ids: Arc<Ids>,
}

impl Connection {
    /// Starts an actor.
    ///
    /// # Errors
    /// `crashed` where the machine has not what the driver needs.
    pub(crate) fn start(store: Arc<dyn SessionStore>) -> Result<Self, Error> {
        let (commands, received) = unbounded_channel();
        let (ids, host) = (Arc::new(Ids::default()), Host::new()?);
        let connection = Connection {
            commands: commands.clone(),
            ids: ids.clone(),
        };
        let weak = commands.downgrade();
        driver::run(move || Owner::new(Machine::new(host, ids, store), weak).run(received))?;
        Ok(connection)
    }

    /// An id for something that the engine is to have.
    pub(crate) fn new_id(&self) -> Id {
        self.ids.next()
    }

    /// Begins something and waits for its end, of which `read` makes the result on the actor's thread. Dropping the future
    /// ends what it began.
    ///
    /// # Errors
    /// Those of what it began; `crashed` where the actor is gone.
    pub(crate) async fn call<T: Send + 'static>(
        &self,
        limits: Limits,
        begin: Begin,
        read: fn(Reply) -> Option<T>,
    ) -> Result<T, Error> {
        let (sender, receiver) = oneshot::channel();
        let settle: Settle = Box::new(move |result| {
            let result = result.and_then(|it| read(it).ok_or_else(Error::crashed));
            // A caller who has dropped the future needs no result.
            sender.send(result).ok();
        });
        let promise = self.ids.next();
        let _pending = Pending {
            promise,
            commands: &self.commands,
        };
        let sent = self.commands.send(Command::Begin {
            promise,
            limits,
            begin,
            settle,
        });
        sent.map_err(|_| Error::crashed())?;
        receiver.await.unwrap_or_else(|_| Err(Error::crashed()))
    }

    /// What the engine keeps under an id of [`Connection::new_id`].
    pub(crate) fn lease(&self, id: Id) -> Lease {
        Lease::new(id, None, self.commands.downgrade())
    }
}

/// A promise that a caller waits for. The actor ignores the end of one that is settled.
struct Pending<'a> {
    promise: Id,
    commands: &'a UnboundedSender<Command>,
}

impl Drop for Pending<'_> {
    fn drop(&mut self) {
        self.commands.send(Command::Cancel(self.promise)).ok();
    }
}
