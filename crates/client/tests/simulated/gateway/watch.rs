//! What the simulated network sees of the client, and what must never be sent to it.

use std::cell::{Cell, Ref, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use mediagate_client::{Id, Response};
use mediagate_core::by_path;
use mediagate_core::schedule::poll::MAX_WAIT_MS;
use serde_json::Value as Json;

use super::creates::path;
use super::tasks::state_of;
use super::{BASES, Gateways, Token, is_last, lineage_of, split};
use crate::simulated::requests::Sent;
use crate::simulated::value::SimValue;
use crate::simulated::world::{Ticket, World};

/// A task of a session: the session's lineage and the task's id.
pub type TaskKey = (String, String);

/// What a call is about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// `POST /session`.
    Session,
    /// The model catalogue.
    Models,
    /// The cost of a create.
    Estimate,
    /// An upload URL for the file with this name, or its bytes.
    Upload(String),
    /// The transfer of an output, by its task and its position.
    Transfer(TaskKey, u64),
    /// A create, by the title of its input.
    Create(String),
    /// A poll; whether the caller requested it.
    Poll(TaskKey, bool),
    /// A resume or a cancel of a pipeline.
    Change(TaskKey),
    /// A stream of events.
    Events(TaskKey),
}

/// A call, over all of its attempts.
#[derive(Clone, Debug)]
pub struct Call {
    /// What it is about.
    pub class: Class,
    /// The lineage of its token, also where it is not sent.
    pub lineage: String,
    /// When it was first sent.
    pub first_at: f64,
    /// The idempotency key.
    key: String,
    /// The time before which it must not be sent again.
    not_before: f64,
    /// How often its token was rejected.
    rejections: u32,
    /// How often the upstream received it and did not reject it.
    pub submissions: u32,
    /// The subjects that were charged for it.
    pub charged: Vec<String>,
}

/// A record of a task that the engine received.
#[derive(Clone, Debug)]
pub struct Delivery {
    /// The task.
    pub task: TaskKey,
    /// The number of the record.
    pub number: u64,
    /// The state in it.
    pub state: String,
    /// How it came.
    pub by: By,
}

/// How a record came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// By a stream.
    Event,
    /// By a poll.
    Poll,
    /// By a create, which may have been made before.
    Create,
}

/// What is remembered of the client's requests, and of the responses that it received.
#[derive(Default)]
pub struct Watch {
    calls: RefCell<BTreeMap<Id, Call>>,
    tickets: RefCell<BTreeMap<Ticket, Id>>,
    /// The ids of calls that the caller's own polls started.
    refreshes: RefCell<Vec<Range<Id>>>,
    is_refreshing: Cell<Option<Id>>,
    /// The pipelines that are polled next for the caller of a resume, which may have succeeded before.
    rereads: RefCell<BTreeSet<TaskKey>>,
    /// The time before which a task must not be polled by those who follow it.
    not_before: RefCell<BTreeMap<TaskKey, f64>>,
    /// The id of the last event that the engine received.
    last_events: RefCell<BTreeMap<TaskKey, String>>,
    texts: RefCell<BTreeMap<Ticket, String>>,
    deliveries: RefCell<Vec<Delivery>>,
    /// The requests that send files.
    puts: RefCell<BTreeSet<Ticket>>,
    /// The files of which the engine received that they are stored, by the engine's ids of gateways.
    uploaded: RefCell<BTreeSet<(Id, String)>>,
    /// The engine's ids of gateways.
    gateways: RefCell<BTreeMap<String, Id>>,
}

impl Gateways {
    /// What is remembered of the client.
    pub fn watch(&self) -> &Watch {
        &self.watch
    }

    /// Asserts that a request may be sent, and remembers it.
    pub(super) fn inspect(&self, ticket: Ticket, request: &Sent) {
        let (watch, now) = (&self.watch, self.world.now());
        let known = watch.call(request.id).map(|it| it.class);
        let class = known.unwrap_or_else(|| self.class(request));
        let lineage = self.lineage(request);
        assert_token(request);
        let mut calls = watch.calls.borrow_mut();
        let key = request.header("idempotency-key");
        if let Some(call) = calls.get(&request.id) {
            assert!(
                now >= call.not_before,
                "{} is repeated too soon",
                request.line()
            );
            assert!(
                call.rejections < 2,
                "{} is repeated after two tokens were rejected",
                request.line()
            );
            assert_eq!(
                call.key,
                key,
                "{} is repeated with another key",
                request.line()
            );
        }
        match &class {
            Class::Poll(task, false) => {
                let not_before = watch
                    .not_before
                    .borrow()
                    .get(task)
                    .copied()
                    .unwrap_or_default();
                assert!(
                    now >= not_before,
                    "{} is polled {} ms too soon",
                    task.1,
                    not_before - now
                );
            }
            Class::Events(task) => {
                let last = watch
                    .last_events
                    .borrow()
                    .get(task)
                    .cloned()
                    .unwrap_or_default();
                assert_eq!(request.header("last-event-id"), last, "{}", request.line());
            }
            Class::Upload(name) => {
                let known = watch.gateway_of(&lineage).map(|it| (it, name.clone()));
                assert!(
                    known.is_none_or(|it| !watch.uploaded.borrow().contains(&it)),
                    "{name} is uploaded again"
                );
            }
            _ => {}
        }
        if request.method == "PUT" {
            watch.puts.borrow_mut().insert(ticket);
        }
        let key = key.to_owned();
        let call = Call {
            class,
            lineage,
            first_at: now,
            key,
            not_before: 0.0,
            rejections: 0,
            submissions: 0,
            charged: Vec::new(),
        };
        calls.entry(request.id).or_insert(call);
        watch.tickets.borrow_mut().insert(ticket, request.id);
    }

    /// The lineage that a request belongs to, also where its token must not be sent.
    fn lineage(&self, request: &Sent) -> String {
        match split(&request.url) {
            Some((base, "/session")) => format!(
                "anonymous{}",
                BASES.iter().position(|it| *it == base).unwrap_or(9)
            ),
            Some(_) => lineage_of(&request.token),
            None => self.grant_lineage(&request.url),
        }
    }

    fn class(&self, request: &Sent) -> Class {
        if let Some(SimValue::File(file)) = &request.file {
            return Class::Upload(file.name.clone());
        }
        let text = |it: &Json| it.as_str().unwrap_or_default().to_owned();
        let task = |id: &str| (lineage_of(&request.token), id.replace("%2F", "/"));
        let Some((_, rest)) = split(&request.url) else {
            panic!("a request of another URL: {}", request.line())
        };
        let path = path(&request.url);
        match path.split('/').collect::<Vec<_>>().as_slice() {
            _ if rest == "/session" => Class::Session,
            ["models"] => Class::Models,
            ["credits", "estimate"] => Class::Estimate,
            ["files"] => Class::Transfer(
                task(request.body["task_id"].as_str().expect("the id of a task")),
                request.body["output"].as_u64().expect("a position"),
            ),
            ["upload_urls"] => Class::Upload(text(&request.body["file_name"])),
            ["pipelines"] => Class::Create(text(&request.body["title"])),
            ["tasks" | "pipelines", id, "events"] => Class::Events(task(id)),
            ["pipelines", id] => {
                let is_reread = self.watch.rereads.borrow_mut().remove(&task(id));
                Class::Poll(task(id), is_reread || self.watch.is_refresh(request.id))
            }
            ["pipelines", id, _] => Class::Change(task(id)),
            [_, "tasks", id] => Class::Poll(task(id), self.watch.is_refresh(request.id)),
            _ if by_path(path).is_some() => Class::Create(text(&request.body["title"])),
            _ => panic!("no such path: {}", request.line()),
        }
    }
}

/// The record of a task or a pipeline in a body.
fn record_of(body: &Json) -> Option<Json> {
    let data = body.get("data")?;
    ["task", "pipeline"]
        .iter()
        .find_map(|it| data.get(it).filter(|it| it.is_object()).cloned())
}

/// Asserts that a token is sent to its own gateway and to no other URL.
fn assert_token(request: &Sent) {
    let token = Token::read(&request.token);
    match split(&request.url) {
        None => assert!(
            request.token.is_empty(),
            "the token is sent to {}",
            request.url
        ),
        Some((base, "/session")) => assert!(token.is_none_or(|it| BASES[it.base] == base)),
        Some((base, _)) => {
            let token =
                token.unwrap_or_else(|| panic!("{} is sent without a token", request.line()));
            assert_eq!(
                BASES[token.base], base,
                "the token is sent to another gateway"
            );
        }
    }
}

impl Watch {
    fn is_refresh(&self, id: Id) -> bool {
        self.is_refreshing.get().is_some_and(|it| id >= it)
            || self.refreshes.borrow().iter().any(|it| it.contains(&id))
    }

    /// The caller polls a task: the calls that are started meanwhile are its own.
    pub fn refreshing(&self, world: &World, poll: impl FnOnce()) {
        let first = world.peek_id();
        self.is_refreshing.set(Some(first));
        poll();
        self.is_refreshing.set(None);
        self.refreshes.borrow_mut().push(first..world.peek_id());
    }

    /// Sets the engine's id of the gateway of a lineage.
    pub fn set_gateway(&self, lineage: &str, gateway: Id) {
        self.gateways
            .borrow_mut()
            .insert(lineage.to_owned(), gateway);
    }

    fn gateway_of(&self, lineage: &str) -> Option<Id> {
        self.gateways.borrow().get(lineage).copied()
    }

    /// The engine has forgotten a task.
    pub fn forget(&self, task: &TaskKey) {
        self.not_before.borrow_mut().remove(task);
        self.last_events.borrow_mut().remove(task);
    }

    /// All records that the engine received.
    pub fn deliveries(&self) -> Vec<Delivery> {
        self.deliveries.borrow().clone()
    }

    /// The number of records that the engine received.
    pub fn delivered(&self) -> usize {
        self.deliveries.borrow().len()
    }

    /// Whether the engine received a last record of a task, after as many records.
    pub fn has_ended_since(&self, task: &TaskKey, since: usize) -> bool {
        self.deliveries.borrow()[since..]
            .iter()
            .any(|it| it.task == *task && is_last(&task.1, &it.state))
    }

    /// What was seen of a call.
    pub fn call(&self, id: Id) -> Option<Call> {
        self.calls.borrow().get(&id).cloned()
    }

    /// What was seen of the calls, by their ids.
    pub fn seen(&self) -> Ref<'_, BTreeMap<Id, Call>> {
        self.calls.borrow()
    }

    /// All calls.
    pub fn calls(&self) -> Vec<(Id, Call)> {
        self.calls
            .borrow()
            .iter()
            .map(|it| (*it.0, it.1.clone()))
            .collect()
    }

    pub(super) fn change(&self, id: Id, change: impl FnOnce(&mut Call)) {
        if let Some(call) = self.calls.borrow_mut().get_mut(&id) {
            change(call);
        }
    }

    pub(super) fn responded(&self, world: &World, ticket: Ticket, response: &Response<SimValue>) {
        let Some(id) = self.tickets.borrow().get(&ticket).copied() else {
            return;
        };
        let not_before = world.now() + response.retry_after.unwrap_or_default() * 1000.0;
        self.change(id, |it| {
            it.not_before = not_before;
            it.rejections += u32::from(response.status == 401);
        });
        let Some(call) = self.call(id) else { return };
        if let Class::Poll(task, false) | Class::Events(task) = &call.class {
            // What the schedule of polls waits for at most.
            let not_before = not_before.min(world.now() + f64::from(MAX_WAIT_MS));
            self.not_before
                .borrow_mut()
                .insert(task.clone(), not_before);
        }
        if let (Class::Upload(name), 200) = (&call.class, response.status)
            && self.puts.borrow().contains(&ticket)
            && let Some(gateway) = self.gateway_of(&call.lineage)
        {
            self.uploaded.borrow_mut().insert((gateway, name.clone()));
        }
        if let (Class::Change(task), 409) = (&call.class, response.status) {
            self.rereads.borrow_mut().insert(task.clone());
        }
        let record = response.body.as_ref().and_then(|it| record_of(&it.json()));
        let Some(record) = record else { return };
        match call.class {
            Class::Poll(task, _) | Class::Change(task) => self.deliver(task, &record, By::Poll),
            Class::Create(_) => self.deliver(
                (call.lineage, record["id"].to_string().replace('"', "")),
                &record,
                By::Create,
            ),
            _ => {}
        }
    }

    pub(super) fn received(&self, ticket: Ticket, chunk: &str) {
        let Some(id) = self.tickets.borrow().get(&ticket).copied() else {
            return;
        };
        let Some(Call {
            class: Class::Events(task),
            ..
        }) = self.call(id)
        else {
            return;
        };
        let mut texts = self.texts.borrow_mut();
        let text = texts.entry(ticket).or_default();
        text.push_str(chunk);
        while let Some((event, rest)) = text.split_once("\n\n") {
            let (event, rest) = (event.to_owned(), rest.to_owned());
            *text = rest;
            let field = |name: &str| {
                event
                    .lines()
                    .find_map(|it| it.strip_prefix(name))
                    .unwrap_or_default()
            };
            if field("data: ").is_empty() {
                continue;
            }
            // The engine closes a stream with anything else.
            let Ok(body) = serde_json::from_str::<Json>(field("data: ")) else {
                return;
            };
            if !["task", "pipeline"].contains(&field("event: ")) {
                return;
            }
            self.last_events
                .borrow_mut()
                .insert(task.clone(), field("id: ").to_owned());
            self.deliver(
                task.clone(),
                &record_of(&body).expect("a record"),
                By::Event,
            );
        }
    }

    fn deliver(&self, task: TaskKey, record: &Json, by: By) {
        let number = record["number"].as_u64().expect("a number");
        self.deliveries.borrow_mut().push(Delivery {
            task,
            number,
            state: state_of(record),
            by,
        });
    }
}
