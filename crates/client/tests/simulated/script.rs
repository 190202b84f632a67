//! A network with a script: each request gets the next response of a list.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use mediagate_client::{Id, Response};
use serde_json::{Value as Json, json};

use super::platform::thrown;
use super::requests::{Sent, json_response, plain_response, stream_response};
use super::sim::Sim;
use super::value::{SimValue, hold};
use super::world::{Event, Network, REFUSED, Ticket, World};

/// What happens to a request.
#[derive(Clone, Debug)]
pub struct Reply {
    content: Content,
    delay: f64,
    retry_after: Option<f64>,
}

#[derive(Clone, Debug)]
enum Content {
    Lost,
    Refused,
    Silence,
    Json(u16, Json),
    Text(u16),
    Stream(Vec<Part>),
}

/// A part of a stream of events, which ends after the last of them.
#[derive(Clone, Debug)]
pub enum Part {
    /// A chunk.
    Chunk(String),
    /// Milliseconds that pass.
    Pass(f64),
    /// Nothing more, and no end.
    Never,
}

/// The connection is lost.
pub fn lost() -> Reply {
    Reply {
        content: Content::Lost,
        delay: 0.0,
        retry_after: None,
    }
}

/// There is no connection to send the request on.
pub fn unconnected() -> Reply {
    Reply {
        content: Content::Refused,
        ..lost()
    }
}

/// There is no response, for ever.
pub fn silence() -> Reply {
    Reply {
        content: Content::Silence,
        ..lost()
    }
}

/// A response of JSON.
pub fn reply(status: u16, body: Json) -> Reply {
    Reply {
        content: Content::Json(status, body),
        ..lost()
    }
}

/// A success with this `data`.
pub fn data(data: Json) -> Reply {
    reply(200, json!({ "code": 0, "data": data }))
}

/// A response whose body is not JSON.
pub fn text(status: u16) -> Reply {
    Reply {
        content: Content::Text(status),
        ..lost()
    }
}

/// A stream of events.
pub fn stream(parts: &[Part]) -> Reply {
    Reply {
        content: Content::Stream(parts.to_vec()),
        ..lost()
    }
}

impl Reply {
    /// The same with a `Retry-After` in seconds.
    pub fn retry_after(self, seconds: f64) -> Self {
        Reply {
            retry_after: Some(seconds),
            ..self
        }
    }

    /// The same after a number of milliseconds.
    pub fn after(self, milliseconds: f64) -> Self {
        Reply {
            delay: milliseconds,
            ..self
        }
    }
}

/// What a function of the caller's returns, after a number of milliseconds.
type Returned = (f64, Result<SimValue, SimValue>);

/// The script.
pub struct Script {
    world: Rc<World>,
    replies: RefCell<VecDeque<Reply>>,
    returns: RefCell<BTreeMap<String, VecDeque<Returned>>>,
    /// How often a function of the caller's was called.
    pub calls: Cell<u32>,
}

impl Network for Script {
    fn send(&self, ticket: Ticket, request: &Sent) {
        let reply = self.replies.borrow_mut().pop_front();
        let Reply {
            content,
            delay,
            retry_after,
        } = reply.unwrap_or_else(|| panic!("no response in the script for {}", request.line()));
        let world = &self.world;
        let respond = |it: Response<SimValue>| {
            world.after(
                delay,
                Event::Responded(ticket, Response { retry_after, ..it }),
            );
        };
        match content {
            Content::Lost => world.after(delay, Event::Failed(ticket, "Failed to fetch")),
            Content::Refused => world.after(delay, Event::Failed(ticket, REFUSED)),
            Content::Silence => {}
            Content::Json(status, body) => respond(json_response(status, &body)),
            Content::Text(status) => respond(plain_response(status)),
            Content::Stream(parts) => {
                respond(stream_response());
                self.stream(ticket, delay, &parts);
            }
        }
    }

    fn invoke(&self, ticket: Ticket, function: &str) {
        self.calls.set(self.calls.get() + 1);
        let scripted = self
            .returns
            .borrow_mut()
            .get_mut(function)
            .and_then(VecDeque::pop_front);
        let default = || {
            (
                0.0,
                Ok(SimValue::text(&format!("{function}{}", self.calls.get()))),
            )
        };
        let (delay, result) = scripted.unwrap_or_else(default);
        self.world.after(delay, Event::Returned(ticket, result));
    }
}

impl Script {
    fn stream(&self, ticket: Ticket, mut at: f64, parts: &[Part]) {
        for part in parts {
            match part {
                Part::Chunk(chunk) => self.world.push(ticket, at, Some(chunk.clone())),
                Part::Pass(milliseconds) => at += milliseconds,
                Part::Never => return,
            }
        }
        self.world.push(ticket, at, None);
    }
}

/// A page with a script.
pub struct Page {
    /// The engine and its world.
    pub sim: Sim,
    script: Rc<Script>,
}

impl Page {
    /// A page whose requests get these responses, in this order.
    pub fn new(replies: impl IntoIterator<Item = Reply>) -> Self {
        let world = World::new(7, false);
        let replies = RefCell::new(replies.into_iter().collect());
        let (returns, calls) = (RefCell::default(), Cell::new(0));
        let script = Rc::new(Script {
            world: Rc::clone(&world),
            replies,
            returns,
            calls,
        });
        Page {
            sim: Sim::new(world, Rc::<Script>::clone(&script)),
            script,
        }
    }

    /// Appends responses to the script.
    pub fn then(&self, replies: impl IntoIterator<Item = Reply>) {
        self.script.replies.borrow_mut().extend(replies);
    }

    /// Sets what a function of the caller's returns next. One without results returns its name with a number.
    pub fn returns(&self, function: &str, delay: f64, result: Result<&str, &str>) {
        let result = result.map(SimValue::text).map_err(thrown);
        self.script
            .returns
            .borrow_mut()
            .entry(function.into())
            .or_default()
            .push_back((delay, result));
    }

    /// How often functions of the caller's were called.
    pub fn calls(&self) -> u32 {
        self.script.calls.get()
    }

    /// The number of responses that are left.
    pub fn left(&self) -> usize {
        self.script.replies.borrow().len()
    }

    /// All requests.
    pub fn requests(&self) -> Vec<Sent> {
        self.sim.world.requests.borrow().clone()
    }

    /// All requests as lines, such as `GET https://gateway.test/api/app/v1/models`.
    pub fn lines(&self) -> Vec<String> {
        self.requests().iter().map(Sent::line).collect()
    }

    /// The milliseconds of all waits, in order.
    pub fn delays(&self) -> Vec<u32> {
        self.sim
            .world
            .sleeps
            .borrow()
            .iter()
            .map(|it| it.1)
            .collect()
    }

    /// The number of requests and of streams that were aborted.
    pub fn aborted(&self) -> usize {
        use super::world::Kind::{Request, Stream};
        self.sim
            .world
            .aborted
            .borrow()
            .iter()
            .filter(|it| matches!(it, Request | Stream(_)))
            .count()
    }

    /// Starts to connect with these options.
    pub fn connecting(&mut self, options: &SimValue) -> Id {
        let promise = self.sim.world.promise();
        self.sim.connect(promise, options);
        promise
    }

    /// A client of `https://gateway.test` with this token, once it is connected.
    pub fn client(&mut self, token: SimValue) -> Id {
        let promise = self.connecting(&options(token));
        self.sim.run();
        self.sim.handle(promise)
    }

    /// Starts a create with the key `once`.
    pub fn create(&mut self, client: Id, name: &str, input: SimValue) -> Id {
        self.create_with(
            client,
            name,
            input,
            &SimValue::from(json!({ "idempotencyKey": "once" })),
        )
    }

    /// Starts a create with these options. Without an `idempotencyKey` it has a random one.
    pub fn create_with(
        &mut self,
        client: Id,
        name: &str,
        input: SimValue,
        options: &SimValue,
    ) -> Id {
        let name = SimValue::text(name);
        let key = options
            .get("idempotencyKey")
            .unwrap_or_else(|| SimValue::text(&self.sim.world.random_key()));
        self.sim.promise(options, |it, promise| {
            it.create(promise, client, hold(name), hold(input), hold(key))
        })
    }

    /// Starts to estimate the cost of a create.
    pub fn estimate(&mut self, client: Id, name: &str, input: SimValue, options: &SimValue) -> Id {
        let name = SimValue::text(name);
        self.sim.promise(options, |it, promise| {
            it.estimate(promise, client, hold(name), hold(input))
        })
    }

    /// Starts to request the model catalogue.
    pub fn models(&mut self, client: Id, options: &SimValue) -> Id {
        self.sim
            .promise(options, |it, promise| it.models(promise, client))
    }

    /// Starts an upload, with `{onProgress, signal, timeout}`.
    pub fn upload(&mut self, client: Id, file: &SimValue, options: &SimValue) -> Id {
        let progress = options.get("onProgress");
        self.sim.promise(options, |it, promise| {
            it.upload(promise, client, hold(file.clone()), progress.map(hold))
        })
    }

    /// A task of `split_video` with this id.
    pub fn task(&mut self, client: Id, id: &str) -> Id {
        let saved = SimValue::from(json!({ "id": id, "capability": "split_video" }));
        self.sim.restore(client, &saved).expect("a saved task")
    }

    /// Starts to wait for the end of a task.
    pub fn done(&mut self, task: Id, options: &SimValue) -> Id {
        self.sim
            .promise(options, |it, promise| it.done(promise, task))
    }

    /// Starts to poll a task.
    pub fn refresh(&mut self, task: Id, options: &SimValue) -> Id {
        self.sim
            .promise(options, |it, promise| it.refresh(promise, task))
    }

    /// A new subscription to a task.
    pub fn subscribe(&mut self, task: Id) -> Id {
        let subscription = self.sim.world.new_id();
        self.sim.subscribe(task, subscription);
        subscription
    }

    /// Starts to wait for the next snapshot of a subscription.
    pub fn next(&mut self, task: Id, subscription: Id) -> Id {
        self.next_with(task, subscription, &SimValue::Undefined)
    }

    /// Starts to wait for the next snapshot of a subscription, with these options.
    pub fn next_with(&mut self, task: Id, subscription: Id, options: &SimValue) -> Id {
        self.sim
            .promise(options, |it, promise| it.next(promise, task, subscription))
    }

    /// The state of the task that a promise was fulfilled with; empty where that is `undefined`.
    pub fn state(&self, promise: Id) -> String {
        self.sim.value(promise).string("state")
    }

    /// The code and the status of the error that a promise was rejected with.
    pub fn code(&self, promise: Id) -> (&'static str, u16) {
        let error = self.sim.error(promise);
        (error.code, error.status)
    }

    /// Whether a promise is pending.
    pub fn is_pending(&self, promise: Id) -> bool {
        self.sim.world.is_pending(promise)
    }
}

/// The options of `connect` for `https://gateway.test` with this token.
pub fn options(token: SimValue) -> SimValue {
    SimValue::object(&[
        ("url", SimValue::text("https://gateway.test/")),
        ("token", token),
    ])
}

/// Options with a timeout.
pub fn timeout(milliseconds: u32) -> SimValue {
    SimValue::from(json!({ "timeout": milliseconds }))
}

/// Options with a signal.
pub fn with_signal(signal: &SimValue) -> SimValue {
    SimValue::object(&[("signal", signal.clone())])
}

/// A new signal.
pub fn signal() -> SimValue {
    SimValue::Signal(Rc::default())
}

/// The codes and paths of an error's issues, in order.
pub fn issues(error: &super::error::SimError) -> Vec<(String, String)> {
    let issues = super::error::member(error, "issues").items();
    issues
        .iter()
        .map(|it| (it.string("path"), it.string("reason")))
        .collect()
}
