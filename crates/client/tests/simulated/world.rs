//! The world of a simulation: its clock, what is due when, what is under way, and what the callers were notified of.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use mediagate_client::{Block, Id, Response, Wake};
use mediagate_core::events::Reader;

use super::error::SimError;
use super::random::Random;
use super::requests::Sent;
use super::value::{SimValue, forget_handles};

/// When a simulation begins, in milliseconds since 1970.
pub const START: f64 = 1_800_000_000_000.0;

/// Identifies one operation of the platform's. Unlike an [`Id`], it is never used twice.
pub type Ticket = u64;

/// What receives the requests, and runs the functions of the caller's.
pub trait Network {
    /// A request was sent.
    fn send(&self, ticket: Ticket, request: &Sent);
    /// A function of the caller's was called.
    fn invoke(&self, ticket: Ticket, function: &str);
    /// The engine is about to receive the response to a request.
    fn responded(&self, _ticket: Ticket, _response: &Response<SimValue>) {}
    /// The engine is about to receive a chunk of a stream.
    fn received(&self, _ticket: Ticket, _chunk: Option<&str>) {}
}

/// What a promise was settled with.
#[derive(Clone, Debug)]
pub enum Settled {
    /// Fulfilled with a value.
    Value(SimValue),
    /// Fulfilled with a client or a task.
    Kept(Id),
    /// Rejected.
    Error(Rc<SimError>),
}

/// What kind an operation is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A request without a response yet.
    Request,
    /// An open stream of events; whether a chunk of it is being read.
    Stream(bool),
    /// A wait.
    Sleep(Wake),
    /// A function of the caller's.
    Invoke,
    /// A diagnosis of what keeps a page from a gateway.
    Diagnosis,
}

/// An operation that is under way.
pub struct Operation {
    /// Its own number.
    pub ticket: Ticket,
    /// The engine's id of it.
    pub id: Id,
    /// What it is.
    pub kind: Kind,
    /// The function that was called, or the URL of the request.
    pub subject: String,
    /// Chunks of a stream that were not read yet; `None` is its end.
    chunks: VecDeque<Option<String>>,
    /// The time of the last chunk, before which no other arrives.
    last_chunk_at: f64,
    /// What parses the events of a stream.
    reader: Reader,
}

/// The cause of a request for which there was no connection.
pub const REFUSED: &str = "ECONNREFUSED";

/// What is due at a time.
pub enum Event {
    /// A response arrives.
    Responded(Ticket, Response<SimValue>),
    /// A request fails, for this cause.
    Failed(Ticket, &'static str),
    /// A diagnosis ends.
    Diagnosed(Ticket),
    /// The next chunk of a stream is read.
    Received(Ticket),
    /// A wait is over.
    Fired(Ticket),
    /// A function of the caller's returned.
    Returned(Ticket, Result<SimValue, SimValue>),
    /// A promise has reached its timeout.
    TimedOut(Id),
    /// Something happens elsewhere, such as at the gateway.
    Elsewhere(Box<dyn FnOnce()>),
}

/// The caller's limits of a promise.
#[derive(Clone, Debug)]
pub struct Limit {
    /// The promise.
    pub promise: Id,
    /// Its signal.
    pub signal: Option<SimValue>,
    /// When it is due, in microseconds since 1970 with the number of the event.
    due: Option<(u64, u64)>,
}

/// The world. What it keeps for the tests to read is public.
pub struct World {
    now: Cell<f64>,
    /// Its random numbers.
    pub random: Random,
    next_id: Cell<Id>,
    next_number: Cell<u64>,
    queue: RefCell<BTreeMap<(u64, u64), Event>>,
    operations: RefCell<Vec<Operation>>,
    promises: RefCell<BTreeMap<Id, Option<Settled>>>,
    settled: RefCell<VecDeque<Id>>,
    limits: RefCell<Vec<Limit>>,
    /// The promise whose limits the engine is notified of; 0 for none.
    pub limited: Cell<Id>,
    network: RefCell<Option<Rc<dyn Network>>>,
    /// Whether the platform reports that it is offline.
    pub is_offline: Cell<bool>,
    /// What keeps the page from its gateways.
    pub block: Cell<Option<Block>>,
    /// Whether the page is hidden.
    pub is_hidden: Cell<bool>,
    /// Whether all requests share one connection.
    pub is_multiplexed: Cell<bool>,
    /// The page's storage.
    pub stored: RefCell<BTreeMap<String, SimValue>>,
    /// The ids of files that are known: gateway, file, id.
    pub files: RefCell<Vec<(Id, SimValue, SimValue)>>,
    /// All requests, in order.
    pub requests: RefCell<Vec<Sent>>,
    /// All waits, in order: id and milliseconds.
    pub sleeps: RefCell<Vec<(Id, u32)>>,
    /// The notifications that all bytes of a file are uploaded: function and size.
    pub progress: RefCell<Vec<(String, f64)>>,
    /// The most retries of a promise, where its caller has set them.
    pub retries: RefCell<BTreeMap<Id, u32>>,
    /// The notifications of retries, in order: promise, failures, milliseconds and the error's code.
    pub notified: RefCell<Vec<(Id, u32, u32, String)>>,
    /// The operations that were aborted, in order.
    pub aborted: RefCell<Vec<Kind>>,
    trace: Option<RefCell<Vec<String>>>,
}

impl World {
    /// An empty world, with random numbers from a seed. The handles of any other world of this thread are forgotten.
    pub fn new(seed: u64, is_traced: bool) -> Rc<Self> {
        forget_handles();
        Rc::new(World {
            now: Cell::new(START),
            random: Random::new(seed),
            next_id: Cell::new(1),
            next_number: Cell::new(1),
            queue: RefCell::default(),
            operations: RefCell::default(),
            promises: RefCell::default(),
            settled: RefCell::default(),
            limits: RefCell::default(),
            limited: Cell::new(0),
            network: RefCell::default(),
            is_offline: Cell::new(false),
            block: Cell::new(None),
            is_hidden: Cell::new(false),
            is_multiplexed: Cell::new(false),
            stored: RefCell::default(),
            files: RefCell::default(),
            requests: RefCell::default(),
            sleeps: RefCell::default(),
            progress: RefCell::default(),
            retries: RefCell::default(),
            notified: RefCell::default(),
            aborted: RefCell::default(),
            trace: is_traced.then(RefCell::default),
        })
    }

    /// Connects the world to a network; `None` takes the network away, so that the two are freed.
    pub fn set_network(&self, network: Option<Rc<dyn Network>>) {
        if network.is_none() {
            self.queue.borrow_mut().clear();
        }
        *self.network.borrow_mut() = network;
    }

    /// What receives the requests.
    pub fn network(&self) -> Rc<dyn Network> {
        Rc::clone(self.network.borrow().as_ref().expect("a network"))
    }

    /// Adds a line to what a failed simulation prints.
    pub fn trace(&self, line: impl FnOnce() -> String) {
        if let Some(trace) = &self.trace {
            trace
                .borrow_mut()
                .push(format!("{:>10.1} {}", self.now.get() - START, line()));
        }
    }

    /// Prints the trace.
    pub fn print_trace(&self) {
        self.trace
            .iter()
            .flat_map(|it| it.take())
            .for_each(|it| eprintln!("{it}"));
    }
}

/// Time, and what is due.
impl World {
    /// Milliseconds since 1970.
    pub fn now(&self) -> f64 {
        self.now.get()
    }

    /// Sets the clock to a later time.
    pub fn advance_to(&self, time: f64) {
        self.now.set(self.now.get().max(time));
    }

    /// Makes an event due after a number of milliseconds.
    pub fn after(&self, milliseconds: f64, event: Event) {
        self.schedule(self.now() + milliseconds, event);
    }

    /// Does something after a number of milliseconds.
    pub fn later(&self, milliseconds: f64, work: impl FnOnce() + 'static) {
        self.after(milliseconds, Event::Elsewhere(Box::new(work)));
    }

    fn schedule(&self, at: f64, event: Event) -> (u64, u64) {
        let key = ((at.max(self.now()) * 1000.0).round() as u64, self.number());
        self.queue.borrow_mut().insert(key, event);
        key
    }

    /// The time of the next event.
    pub fn next_at(&self) -> Option<f64> {
        self.drop_ended();
        self.queue
            .borrow()
            .first_key_value()
            .map(|it| it.0.0 as f64 / 1000.0)
    }

    /// Takes the next event, and sets the clock to its time.
    pub fn next_event(&self) -> Option<Event> {
        self.drop_ended();
        let ((at, _), event) = self.queue.borrow_mut().pop_first()?;
        self.advance_to(at as f64 / 1000.0);
        Some(event)
    }

    /// Drops the first events as long as they are of operations that have ended.
    fn drop_ended(&self) {
        let mut queue = self.queue.borrow_mut();
        while let Some(first) = queue.first_entry() {
            let ticket = match first.get() {
                Event::Responded(it, _) | Event::Failed(it, _) | Event::Returned(it, _) => *it,
                Event::Received(it) | Event::Fired(it) | Event::Diagnosed(it) => *it,
                Event::TimedOut(_) | Event::Elsewhere(_) => return,
            };
            if self.is_running(ticket) {
                return;
            }
            first.remove();
        }
    }

    fn number(&self) -> u64 {
        self.next_number.replace(self.next_number.get() + 1)
    }

    /// An id that no other has.
    pub fn new_id(&self) -> Id {
        self.next_id.replace(self.next_id.get() + 1)
    }

    /// 32 random hexadecimal digits.
    pub fn random_key(&self) -> String {
        let [first, second] = [(); 2].map(|()| self.random.bits());
        format!("{first:016x}{second:016x}")
    }

    /// The id that [`World::new_id`] returns next.
    pub fn peek_id(&self) -> Id {
        self.next_id.get()
    }
}

/// Operations.
impl World {
    /// Starts an operation.
    pub fn start(&self, id: Id, kind: Kind, subject: &str) -> Ticket {
        let ticket = self.number();
        let (subject, chunks, last_chunk_at) = (subject.to_owned(), VecDeque::new(), 0.0);
        let reader = Reader::default();
        self.operations.borrow_mut().push(Operation {
            ticket,
            id,
            kind,
            subject,
            chunks,
            last_chunk_at,
            reader,
        });
        ticket
    }

    /// Ends an operation. Returns its id; `None` where it was aborted before.
    pub fn end(&self, ticket: Ticket) -> Option<Id> {
        let mut operations = self.operations.borrow_mut();
        let index = operations.iter().position(|it| it.ticket == ticket)?;
        Some(operations.remove(index).id)
    }

    /// Ends all operations under an id.
    pub fn abort(&self, id: Id) {
        self.operations.borrow_mut().retain(|it| {
            if it.id == id {
                self.aborted.borrow_mut().push(it.kind);
            }
            it.id != id
        });
    }

    /// Ends the waits under an id.
    pub fn end_sleep(&self, id: Id) {
        self.operations
            .borrow_mut()
            .retain(|it| it.id != id || !matches!(it.kind, Kind::Sleep(_)));
    }

    /// Whether an operation is under way.
    pub fn is_running(&self, ticket: Ticket) -> bool {
        self.operations
            .borrow()
            .iter()
            .any(|it| it.ticket == ticket)
    }

    /// What is under way, by a test of it: mapped.
    pub fn running<T>(&self, map: impl FnMut(&Operation) -> Option<T>) -> Vec<T> {
        self.operations.borrow().iter().filter_map(map).collect()
    }

    /// Ends the waits that end early.
    pub fn wake(&self, wake: Wake) {
        for ticket in self.running(|it| (it.kind == Kind::Sleep(wake)).then_some(it.ticket)) {
            self.after(0.0, Event::Fired(ticket));
        }
    }

    /// Opens the stream of a request that got its response. Returns its id; `None` where it was aborted before.
    pub fn open(&self, ticket: Ticket) -> Option<Id> {
        let mut operations = self.operations.borrow_mut();
        let operation = operations.iter_mut().find(|it| it.ticket == ticket)?;
        operation.kind = Kind::Stream(false);
        Some(operation.id)
    }

    /// Reads the next chunk of the stream under an id.
    pub fn read(&self, id: Id) {
        let mut operations = self.operations.borrow_mut();
        let stream = operations
            .iter_mut()
            .find(|it| it.id == id && it.kind == Kind::Stream(false));
        let stream = stream.expect("an open stream of which no chunk is being read");
        stream.kind = Kind::Stream(true);
        if !stream.chunks.is_empty() {
            self.after(0.0, Event::Received(stream.ticket));
        }
    }

    /// Sends a chunk of a stream, or its end, after those before it.
    pub fn push(self: &Rc<Self>, ticket: Ticket, milliseconds: f64, chunk: Option<String>) {
        let mut operations = self.operations.borrow_mut();
        let Some(stream) = operations.iter_mut().find(|it| it.ticket == ticket) else {
            return;
        };
        stream.last_chunk_at = stream.last_chunk_at.max(self.now() + milliseconds);
        let world = Rc::clone(self);
        self.schedule(
            stream.last_chunk_at,
            Event::Elsewhere(Box::new(move || world.arrived(ticket, chunk))),
        );
    }

    fn arrived(&self, ticket: Ticket, chunk: Option<String>) {
        let mut operations = self.operations.borrow_mut();
        let Some(stream) = operations.iter_mut().find(|it| it.ticket == ticket) else {
            return;
        };
        stream.chunks.push_back(chunk);
        if stream.kind == Kind::Stream(true) && stream.chunks.len() == 1 {
            self.after(0.0, Event::Received(ticket));
        }
    }

    /// The list of the events that a chunk of a stream completes, each `{id, name, data}`; `None` where one is too long.
    pub fn events(&self, ticket: Ticket, chunk: &str) -> Option<SimValue> {
        let mut operations = self.operations.borrow_mut();
        let events = operations
            .iter_mut()
            .find(|it| it.ticket == ticket)?
            .reader
            .push(chunk)?;
        let data = |it: &str| {
            serde_json::from_str::<serde_json::Value>(it)
                .map_or(SimValue::Undefined, SimValue::from)
        };
        let value = |it: &mediagate_core::events::Event| {
            SimValue::object(&[
                ("id", SimValue::text(&it.id)),
                ("name", SimValue::text(&it.name)),
                ("data", data(&it.data)),
            ])
        };
        Some(SimValue::list(
            &events.iter().map(value).collect::<Vec<_>>(),
        ))
    }

    /// Takes the chunk of a stream that is being read. A stream is over after its end.
    pub fn take_chunk(&self, ticket: Ticket) -> Option<(Id, Option<String>)> {
        let mut operations = self.operations.borrow_mut();
        let stream = operations.iter_mut().find(|it| it.ticket == ticket)?;
        let (id, chunk) = (stream.id, stream.chunks.pop_front()?);
        stream.kind = Kind::Stream(false);
        drop(operations);
        if chunk.is_none() {
            self.end(ticket);
        }
        Some((id, chunk))
    }
}

/// Promises.
impl World {
    /// A new promise.
    pub fn promise(&self) -> Id {
        let promise = self.new_id();
        self.promises.borrow_mut().insert(promise, None);
        promise
    }

    /// Settles a promise, which ends its limits.
    ///
    /// # Panics
    /// Where it was settled before, unless its limits have come too late.
    pub fn settle(&self, promise: Id, with: Settled) {
        if self.limited.get() == promise && self.outcome(promise).is_some() {
            return;
        }
        self.trace(|| format!("promise {promise}: {}", describe(&with)));
        let before = self.promises.borrow_mut().insert(promise, Some(with));
        assert!(
            matches!(before, Some(None)),
            "promise {promise} is settled twice, or unknown"
        );
        self.settled.borrow_mut().push_back(promise);
        let mut limits = self.limits.borrow_mut();
        if let Some(index) = limits.iter().position(|it| it.promise == promise)
            && let Some(due) = limits.remove(index).due
        {
            self.queue.borrow_mut().remove(&due);
        }
    }

    /// Watches the limits of a promise.
    pub fn limit(&self, promise: Id, signal: Option<&SimValue>, timeout_ms: Option<u32>) {
        assert!(
            self.is_pending(promise),
            "a limit of promise {promise}, which is settled"
        );
        let due = timeout_ms
            .map(|it| self.schedule(self.now() + f64::from(it), Event::TimedOut(promise)));
        self.limits.borrow_mut().push(Limit {
            promise,
            signal: signal.cloned(),
            due,
        });
    }

    /// The limits that are watched.
    pub fn limits(&self) -> Vec<Limit> {
        self.limits.borrow().clone()
    }

    /// Whether a promise is pending.
    pub fn is_pending(&self, promise: Id) -> bool {
        matches!(self.promises.borrow().get(&promise), Some(None))
    }

    /// The promises that are pending.
    pub fn pending(&self) -> Vec<Id> {
        self.promises
            .borrow()
            .iter()
            .filter(|it| it.1.is_none())
            .map(|it| *it.0)
            .collect()
    }

    /// What a promise was settled with.
    pub fn outcome(&self, promise: Id) -> Option<Settled> {
        self.promises.borrow().get(&promise).cloned().flatten()
    }

    /// Takes the promise that was settled first of those that were not taken yet.
    pub fn next_settled(&self) -> Option<Id> {
        self.settled.borrow_mut().pop_front()
    }
}

fn describe(with: &Settled) -> String {
    match with {
        Settled::Value(it) => format!("fulfilled with {}", it.json()),
        Settled::Kept(it) => format!("fulfilled with {it}"),
        Settled::Error(it) => {
            format!(
                "rejected: {} {} ({}): {}",
                it.code,
                it.status,
                it.message,
                it.members.json()
            )
        }
    }
}
