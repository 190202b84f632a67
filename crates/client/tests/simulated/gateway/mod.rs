//! A simulated network: gateways, each with its ledger, tasks and streams, and a storage. Requests and responses are
//! delayed, lost, repeated and garbled at random. What must never be sent fails the simulation at once.

mod creates;
mod faults;
mod files;
mod moves;
mod pipelines;
mod streams;
mod tasks;
mod tokens;
mod watch;

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::{Rc, Weak};

use mediagate_client::Response;
use mediagate_core::{PREFIX, by_path};
use serde_json::{Value as Json, json};

use super::requests::{Sent, json_response, plain_response, stream_response};
use super::value::SimValue;
use super::world::{Event, Network, REFUSED, Ticket, World};
use creates::Ledger;
pub use faults::Faults;
use files::Grant;
use moves::Moved;
pub use pipelines::{is_last, is_pipeline};
use streams::Stream;
pub use tasks::Task;
use tokens::Tokens;
pub use tokens::{Token, lineage_of};
use watch::Watch;
pub use watch::{By, Call, Class, TaskKey};

/// The gateways. The URL of one begins with the other's.
pub const BASES: [&str; 2] = ["https://gateway.test", "https://gateway.test/media"];

/// The gateways, the storage, and the connection to them.
pub struct Gateways {
    this: Weak<Gateways>,
    world: Rc<World>,
    /// What goes wrong, and how often.
    pub faults: Faults,
    /// Whether there is no connection.
    pub is_cut: Cell<bool>,
    tokens: Tokens,
    ledger: RefCell<Ledger>,
    tasks: RefCell<Vec<Task>>,
    streams: RefCell<Vec<Stream>>,
    grants: RefCell<BTreeMap<String, Grant>>,
    stored: RefCell<Vec<String>>,
    moved: RefCell<Vec<Moved>>,
    /// The inputs of the callers by their titles, with `null` in the place of files.
    inputs: RefCell<BTreeMap<String, Json>>,
    counter: Cell<u32>,
    watch: Watch,
}

/// What a gateway does with a request that arrived.
pub enum Reply {
    /// It responds.
    Response(Response<SimValue>),
    /// It opens a stream of events of a task.
    Stream(usize, String),
}

/// A success with this `data`.
fn success(data: &Json) -> Reply {
    Reply::Response(json_response(
        200,
        &json!({ "code": 0, "message": "ok", "data": data }),
    ))
}

/// A refusal.
fn refusal(status: u16, code: i32, data: &Json) -> Reply {
    Reply::Response(json_response(
        status,
        &json!({ "code": code, "message": "refused", "data": data }),
    ))
}

impl Gateways {
    /// Gateways in a world.
    pub fn new(world: &Rc<World>, faults: Faults) -> Rc<Self> {
        Rc::new_cyclic(|this| Gateways {
            this: this.clone(),
            world: Rc::clone(world),
            faults,
            is_cut: Cell::new(false),
            tokens: Tokens::default(),
            ledger: RefCell::default(),
            tasks: RefCell::default(),
            streams: RefCell::default(),
            grants: RefCell::default(),
            stored: RefCell::default(),
            moved: RefCell::default(),
            inputs: RefCell::default(),
            counter: Cell::new(0),
            watch: Watch::default(),
        })
    }

    fn count(&self) -> u32 {
        self.counter.set(self.counter.get() + 1);
        self.counter.get()
    }

    /// Does something after a number of milliseconds.
    fn later(&self, milliseconds: f64, work: impl FnOnce(&Gateways) + 'static) {
        let this = self.this.clone();
        self.world.later(milliseconds, move || {
            if let Some(this) = this.upgrade() {
                work(&this);
            }
        });
    }

    fn respond(&self, ticket: Ticket, reply: Reply) {
        let delay = self.delay();
        match reply {
            Reply::Response(response) => {
                self.world.after(delay, Event::Responded(ticket, response))
            }
            Reply::Stream(task, last_event_id) => {
                self.world
                    .after(delay, Event::Responded(ticket, stream_response()));
                self.later(delay, move |it| {
                    it.open_stream(ticket, task, &last_event_id)
                });
            }
        }
    }

    /// The time that a request takes in one direction, in milliseconds.
    fn delay(&self) -> f64 {
        let random = &self.world.random;
        if random.chance(self.faults.slow) {
            random.milliseconds(1_000, 40_000)
        } else {
            random.milliseconds(1, 200)
        }
    }

    /// A request arrived, perhaps after it was aborted.
    fn arrived(&self, request: &Sent) -> Reply {
        let Some((base, path)) = split(&request.url) else {
            return self.put(request, None);
        };
        if path == "/session" {
            return self.open_session(base, request);
        }
        if let Some(reply) = self.shed() {
            return reply;
        }
        let Some(subject) = self.tokens.verify(&self.world, base, &request.token) else {
            let outcome = if self.world.random.chance(0.5) {
                json!({ "outcome": "not_sent" })
            } else {
                json!({})
            };
            return refusal(401, 13, &outcome);
        };
        let path = path.strip_prefix(PREFIX).unwrap_or_default();
        let segments: Vec<&str> = path.split('/').collect();
        match (request.method, segments.as_slice()) {
            ("GET", ["models"]) => success(&json!([{ "id": "model" }])),
            ("POST", ["credits", "estimate"]) => {
                let refused = self.check_files(
                    &subject,
                    request,
                    &request.body["input"],
                    request.capability,
                    "",
                );
                refused
                    .err()
                    .unwrap_or_else(|| success(&json!({ "credits": 3 })))
            }
            ("POST", ["files"]) => self.move_output(base, &subject, request),
            ("POST", ["upload_urls"]) => self.grant(base, request),
            ("PUT", ["uploads", _]) => self.put(request, Some(base)),
            ("GET", ["tasks", id, "events"]) => {
                self.events(base, &subject, id, request.header("last-event-id"))
            }
            ("POST", ["pipelines"]) => self.create(base, &subject, request),
            ("GET", ["pipelines", id]) => self.status(base, &subject, id),
            ("GET", ["pipelines", id, "events"]) => {
                self.events(base, &subject, id, request.header("last-event-id"))
            }
            ("POST", ["pipelines", id, action]) => self.change_pipeline(base, &subject, id, action),
            ("GET", [_, "tasks", id]) => self.status(base, &subject, id),
            ("POST", _) if by_path(path).is_some() => self.create(base, &subject, request),
            _ => panic!("no such path: {}", request.line()),
        }
    }

    /// Whether the gateway sheds a request, or a proxy before it does.
    fn shed(&self) -> Option<Reply> {
        let random = &self.world.random;
        let mut response = if random.chance(self.faults.shed) {
            let refusals = [
                (
                    429,
                    json!({ "code": 16, "message": "", "data": { "reason": "rate_limit", "outcome": "not_sent" } }),
                ),
                (
                    429,
                    json!({ "code": 16, "message": "", "data": { "reason": "budget", "outcome": "not_sent" } }),
                ),
                (
                    503,
                    json!({ "code": 99, "message": "", "data": { "outcome": "not_sent" } }),
                ),
            ];
            let (status, body) = random.one_of(&refusals);
            json_response(*status, body)
        } else if random.chance(self.faults.proxy) {
            plain_response(*random.one_of(&[429, 502, 503]))
        } else {
            return None;
        };
        if random.chance(0.6) {
            response.retry_after = Some(*random.one_of(&[0.0, 1.0, 3.0, 20.0, 60.0, 90.0]));
        }
        Some(Reply::Response(response))
    }
}

/// The gateway that a URL belongs to, and the rest of the URL; `None` for one of a storage.
pub fn split(url: &str) -> Option<(&'static str, &str)> {
    BASES.into_iter().find_map(|base| {
        let rest = url.strip_prefix(base)?;
        let is_own = rest == "/session" || rest.starts_with(PREFIX);
        is_own.then_some((base, rest))
    })
}

impl Network for Gateways {
    fn send(&self, ticket: Ticket, request: &Sent) {
        self.inspect(ticket, request);
        let random = &self.world.random;
        if self.is_cut.get() {
            return self
                .world
                .after(random.milliseconds(1, 50), Event::Failed(ticket, "offline"));
        }
        if random.chance(self.faults.lost_request) {
            let cause = if random.chance(0.5) {
                REFUSED
            } else {
                "lost request"
            };
            return self.world.after(self.delay(), Event::Failed(ticket, cause));
        }
        let (lost_response, proxy) = (
            random.chance(self.faults.lost_response),
            random.chance(self.faults.proxy),
        );
        let request = request.clone();
        self.later(self.delay(), move |it| {
            let reply = it.arrived(&request);
            if lost_response {
                it.world
                    .after(it.delay(), Event::Failed(ticket, "lost response"));
            } else if proxy {
                it.respond(ticket, Reply::Response(plain_response(502)));
            } else {
                it.respond(ticket, reply);
            }
        });
    }

    fn invoke(&self, ticket: Ticket, function: &str) {
        let (delay, result) = self
            .tokens
            .call(&self.world, &self.faults, function, self.count());
        self.world.after(delay, Event::Returned(ticket, result));
    }

    fn responded(&self, ticket: Ticket, response: &Response<SimValue>) {
        self.watch.responded(&self.world, ticket, response);
    }

    fn received(&self, ticket: Ticket, chunk: Option<&str>) {
        self.watch.received(ticket, chunk.unwrap_or_default());
    }
}

impl Gateways {
    /// The tasks of a gateway, as `{id, capability}`.
    pub fn saved_tasks(&self, base: &str) -> Vec<Json> {
        let tasks = self.tasks.borrow();
        let own = tasks
            .iter()
            .filter(|it| it.base == base && !is_pipeline(&it.id));
        own.map(|it| json!({ "id": it.id, "capability": it.capability }))
            .collect()
    }

    /// The ids of the pipelines of a gateway.
    pub fn pipeline_ids(&self, base: &str) -> Vec<String> {
        let tasks = self.tasks.borrow();
        tasks
            .iter()
            .filter(|it| it.base == base && is_pipeline(&it.id))
            .map(|it| it.id.clone())
            .collect()
    }

    /// The outputs of all tasks of a gateway that have any, as callers see them.
    pub fn outputs_of_tasks(&self, base: &str) -> Vec<Json> {
        let count = self.tasks.borrow().len();
        let mut all = Vec::new();
        for index in (0..count).filter(|it| self.tasks.borrow()[*it].base == base) {
            let (task, record) = (self.tasks.borrow()[index].id.clone(), self.record(index));
            for (position, output) in record["outputs"]
                .as_array()
                .into_iter()
                .flatten()
                .enumerate()
            {
                let mut output = output.clone();
                output["task_id"] = task.clone().into();
                output["output"] = position.into();
                all.push(output);
            }
        }
        all
    }
}
