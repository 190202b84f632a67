//! The owner of an engine, and the loop that it lives in.

use std::collections::HashMap;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use mediagate_client::error::code;
use mediagate_client::{Error as EngineError, Id, Wake};
use tokio::sync::mpsc::{UnboundedReceiver, WeakUnboundedSender};

use super::command::{Command, Lease, Reply, Settle};
use super::published::Tasks;
use crate::platform::{Engine, Machine, Operation, Settled};
use crate::value::{Handle, Table, Value, entered, hold, sweep};

/// An engine with what is under way for it.
pub(super) struct Owner {
    engine: Engine,
    machine: Machine,
    table: Table,
    operations: FuturesUnordered<Operation>,
    promises: HashMap<Id, Settle>,
    tasks: Tasks,
    commands: WeakUnboundedSender<Command>,
}

impl Owner {
    /// An owner of a new engine.
    pub(super) fn new(machine: Machine, commands: WeakUnboundedSender<Command>) -> Self {
        Owner {
            engine: Engine::new(machine.clone()),
            machine,
            table: Table::default(),
            operations: FuturesUnordered::new(),
            promises: HashMap::new(),
            tasks: Tasks::default(),
            commands,
        }
    }

    /// Runs until no caller is left.
    pub(super) async fn run(mut self, mut commands: UnboundedReceiver<Command>) {
        loop {
            tokio::select! {
                command = commands.recv() => match command {
                    Some(command) => self.step(|it| it.command(command)),
                    None => return,
                },
                Some(ended) = self.operations.next() => if let Ok(event) = ended {
                    self.step(|it| event(&mut it.engine));
                },
            }
        }
    }

    /// Does something with the engine, and then what follows from it.
    fn step(&mut self, work: impl FnOnce(&mut Self)) {
        let mut table = std::mem::take(&mut self.table);
        entered(&mut table, || {
            work(self);
            self.tidy();
        });
        self.table = table;
    }

    fn command(&mut self, command: Command) {
        match command {
            Command::Begin {
                promise,
                limits,
                begin,
                settle,
            } => {
                if let Some(milliseconds) = limits.timeout_ms() {
                    let late = move |engine: &mut Engine| limited(engine, promise, &TIMED_OUT);
                    self.machine.after(promise, milliseconds, Wake::Never, late);
                }
                self.machine
                    .state()
                    .limits
                    .borrow_mut()
                    .insert(promise, limits);
                self.promises.insert(promise, settle);
                begin(&mut self.engine, &self.machine, promise);
            }
            Command::Cancel(promise) if self.promises.contains_key(&promise) => {
                limited(&mut self.engine, promise, &ABORTED);
            }
            Command::Cancel(_) => {}
            Command::Release(id) => self.engine.release(id),
        }
    }

    /// Does what may not be done while the engine runs.
    fn tidy(&mut self) {
        self.tasks.publish(&mut self.engine);
        // Before the promises: a caller that has its result has been notified of all that came before it.
        let afterwards = self.machine.state().afterwards.take();
        afterwards.into_iter().for_each(|it| it());
        let settled = self.machine.state().settled.take();
        settled
            .into_iter()
            .for_each(|(promise, settled)| self.settle(promise, settled));
        self.operations.extend(self.machine.state().started.take());
        sweep(|visit| self.engine.referenced(visit));
    }

    fn settle(&mut self, promise: Id, settled: Settled) {
        self.machine.end(promise);
        self.machine.state().limits.borrow_mut().remove(&promise);
        let result = match settled {
            Settled::Value(value) => Ok(Reply::Value(value)),
            Settled::Handle(id) => {
                let task = self.tasks.get(&mut self.engine, id);
                Ok(Reply::Lease(Lease::new(id, task, self.commands.clone())))
            }
            Settled::Error(error) => Err(error),
        };
        if let Some(settle) = self.promises.remove(&promise) {
            settle(result);
        }
    }
}

/// What ends a promise early.
struct Limit {
    code: &'static str,
    message: &'static str,
    hint: &'static str,
    retryable: bool,
}

const TIMED_OUT: Limit = Limit {
    code: code::TIMEOUT,
    message: "not done in time",
    hint: "the timeout of the call, or of the client, has passed; give it more time",
    retryable: true,
};
const ABORTED: Limit = Limit {
    code: code::ABORTED,
    message: "the future was dropped",
    hint: "await it",
    retryable: false,
};

fn limited(engine: &mut Engine, promise: Id, limit: &Limit) {
    let Limit {
        code,
        message,
        hint,
        retryable,
    } = *limit;
    let value: Handle = hold(Value::object([
        ("code", Value::text(code)),
        ("message", Value::text(message)),
        ("hint", Value::text(hint)),
        ("retryable", Value::Boolean(retryable)),
    ]));
    engine.limited(
        promise,
        EngineError {
            value,
            status: 0,
            retryable,
        },
    );
}
