//! What the platform has: operations under way, promises of the caller's, and files that were uploaded.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};

use futures_util::future::{AbortHandle, Aborted, LocalBoxFuture};
use mediagate_client::Id;

use super::events::EventStream;
use crate::driver::Host;
use crate::error::Error;
use crate::file::WeakFile;
use crate::limits::Limits;
use crate::session::SessionStore;
use crate::value::Value;

/// The ids of a client, which its callers share with its engine.
#[derive(Default)]
pub(crate) struct Ids(AtomicI32);

impl Ids {
    /// An id that no other has had since the last four billion. 0 is none.
    pub(crate) fn next(&self) -> Id {
        match self.0.fetch_add(1, Ordering::Relaxed).wrapping_add(1) {
            0 => self.next(),
            id => id,
        }
    }
}

/// The engine on this platform.
pub(crate) type Engine = mediagate_client::Engine<Machine>;
/// A future that ends with an event for the engine, or with nothing where it was aborted.
pub(crate) type Operation = LocalBoxFuture<'static, Result<Event, Aborted>>;
/// Reports the end of an operation.
pub(crate) type Event = Box<dyn FnOnce(&mut Engine)>;

/// The engine's platform: a reference to what it has.
#[derive(Clone)]
pub(crate) struct Machine(pub(super) Rc<State>);

/// What a promise ended with.
pub(crate) enum Settled {
    /// A value; `None` for none.
    Value(Option<Value>),
    /// A client or a task, which the engine keeps until it is released.
    Handle(Id),
    /// An error.
    Error(Error),
}

/// What the platform has.
pub(crate) struct State {
    pub(super) host: Host,
    pub(super) ids: Arc<Ids>,
    pub(super) store: Arc<dyn SessionStore>,
    /// The operations under way, by what aborts each.
    pub(super) running: RefCell<HashMap<Id, AbortHandle>>,
    /// The streams of events that are open and are not being read.
    pub(super) streams: RefCell<HashMap<Id, EventStream>>,
    /// The ids of uploaded files at the engine's gateways, for as long as the caller has the files.
    pub(super) files: RefCell<Vec<(Id, WeakFile, Value)>>,
    /// The limits of the promises that are not settled.
    pub(crate) limits: RefCell<HashMap<Id, Limits>>,
    /// The operations that were started and are not polled yet.
    pub(crate) started: RefCell<Vec<Operation>>,
    /// The promises that the engine has settled, in this order.
    pub(crate) settled: RefCell<Vec<(Id, Settled)>>,
    /// What calls the caller's functions, once the engine does not run.
    pub(crate) afterwards: RefCell<Vec<Box<dyn FnOnce()>>>,
}

impl Machine {
    /// A platform with nothing under way.
    pub(crate) fn new(host: Host, ids: Arc<Ids>, store: Arc<dyn SessionStore>) -> Self {
        Machine(Rc::new(State {
            host,
            ids,
            store,
            running: RefCell::default(),
            streams: RefCell::default(),
            files: RefCell::default(),
            limits: RefCell::default(),
            started: RefCell::default(),
            settled: RefCell::default(),
            afterwards: RefCell::default(),
        }))
    }

    /// What it has.
    pub(crate) fn state(&self) -> &State {
        &self.0
    }

    /// Calls a function of the caller's, once the engine does not run.
    pub(super) fn later(&self, work: impl FnOnce() + 'static) {
        self.0.afterwards.borrow_mut().push(Box::new(work));
    }

    /// Settles a promise, once the engine does not run.
    pub(super) fn settle(&self, promise: Id, settled: Settled) {
        self.0.settled.borrow_mut().push((promise, settled));
    }
}
