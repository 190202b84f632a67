//! The simulated platform.

use std::rc::Rc;

use mediagate_client::{Id, Platform, Request, Snapshot, Wake};
use mediagate_core::Type;
use serde_json::Value as Json;

use super::error::SimError;
use super::requests::Sent;
use super::value::{Handle, SimValue, hold};
use super::world::{Event, Kind, Settled, World};

/// A platform with a clock, a network and callers that are all simulated.
#[derive(Clone)]
pub struct SimPlatform(pub Rc<World>);

/// What a function of the caller's, or a request without a response, throws.
pub fn thrown(message: &str) -> SimValue {
    SimValue::object(&[("thrown", SimValue::text(message))])
}

/// The string that a handle must be of.
fn text_of(handle: Handle) -> String {
    let value = handle.value();
    value
        .as_text()
        .unwrap_or_else(|| panic!("{value:?} is not a string"))
        .to_owned()
}

/// The value, or `undefined`.
fn value_of(handle: Option<Handle>) -> SimValue {
    handle.map_or(SimValue::Undefined, Handle::value)
}

impl Platform for SimPlatform {
    type Value = Handle;

    fn new_id(&self) -> Id {
        self.0.new_id()
    }

    fn now(&self) -> f64 {
        self.0.now()
    }

    fn random(&self) -> f64 {
        self.0.random.share()
    }

    fn is_offline(&self) -> bool {
        self.0.is_offline.get()
    }

    fn is_hidden(&self) -> bool {
        self.0.is_hidden.get()
    }

    fn is_multiplexed(&self, base: Handle) -> bool {
        text_of(base);
        self.0.is_multiplexed.get()
    }

    fn request(&self, id: Id, request: &Request<Handle>) {
        let sent = Sent::new(self.0.now(), id, request);
        let under_way = self.0.running(|it| (it.id == id).then_some(it.kind));
        assert!(
            under_way.is_empty(),
            "{} is sent while this is under way: {under_way:?}",
            sent.url
        );
        let values = sent.headers.iter().map(|it| &it.1).chain([&sent.token]);
        let are_valid = values
            .clone()
            .all(|it| it.bytes().all(|it| matches!(it, b' '..=b'~')));
        assert!(
            are_valid,
            "a header's value is not visible ASCII: {:?}",
            values.collect::<Vec<_>>()
        );
        self.0
            .trace(|| format!("call {id}: {} {} {}", sent.line(), sent.token, sent.body));
        let ticket = self.0.start(id, Kind::Request, &sent.url);
        if request.patience_ms > 0 {
            self.0.after(
                f64::from(request.patience_ms),
                Event::Failed(ticket, "TimeoutError"),
            );
        }
        self.0.requests.borrow_mut().push(sent.clone());
        self.0.network().send(ticket, &sent);
    }

    fn diagnose(&self, id: Id, request: &Request<Handle>) {
        let ticket = self.0.start(id, Kind::Diagnosis, &text_of(request.url));
        self.0.after(20.0, Event::Diagnosed(ticket));
    }

    fn read(&self, id: Id) {
        self.0.read(id);
    }

    fn sleep(&self, id: Id, milliseconds: u32, wake: Wake) {
        self.0.end_sleep(id);
        self.0
            .trace(|| format!("{id} sleeps {milliseconds} ms, {wake:?}"));
        self.0.sleeps.borrow_mut().push((id, milliseconds));
        let ticket = self.0.start(id, Kind::Sleep(wake), "");
        self.0.after(f64::from(milliseconds), Event::Fired(ticket));
    }

    fn invoke(&self, id: Id, function: Handle) {
        let SimValue::Function(name) = function.value() else {
            panic!("{:?} is not a function", function.value())
        };
        self.0.trace(|| format!("{id} calls {name}"));
        let ticket = self.0.start(id, Kind::Invoke, &name);
        self.0.network().invoke(ticket, &name);
    }

    fn abort(&self, id: Id) {
        self.0.abort(id);
    }

    fn retries(&self, promise: Id) -> Option<u32> {
        self.0.retries.borrow().get(&promise).copied()
    }

    fn notify_retry(&self, promise: Id, failures: u32, milliseconds: u32, error: Handle) {
        let error = SimError::new(error.value());
        self.0
            .notified
            .borrow_mut()
            .push((promise, failures, milliseconds, error.code.to_owned()));
    }

    fn resolve(&self, promise: Id, value: Option<Handle>) {
        self.0.settle(promise, Settled::Value(value_of(value)));
    }

    fn resolve_handle(&self, promise: Id, kept: Id) {
        self.0.settle(promise, Settled::Kept(kept));
    }

    fn reject(&self, promise: Id, error: Handle) {
        self.0.settle(
            promise,
            Settled::Error(Rc::new(SimError::new(error.value()))),
        );
    }

    fn error(&self, code: &str, message: &str, status: u16, retryable: bool) -> Handle {
        let status = if status == 0 {
            SimValue::Undefined
        } else {
            SimValue::Number(f64::from(status))
        };
        hold(SimValue::object(&[
            ("code", SimValue::text(code)),
            ("message", SimValue::text(message)),
            ("status", status),
            ("retryable", SimValue::Boolean(retryable)),
        ]))
    }

    fn text(&self, text: &str) -> Handle {
        hold(SimValue::text(text))
    }

    fn append(&self, text: Handle, more: &str) -> Handle {
        hold(SimValue::text(&(text_of(text) + more)))
    }

    fn append_value(&self, text: Handle, more: Handle) -> Handle {
        self.append(text, &text_of(more))
    }

    fn append_segment(&self, text: Handle, segment: Handle) -> Handle {
        self.append(text, &encoded(&text_of(segment)))
    }

    fn number(&self, number: f64) -> Handle {
        hold(SimValue::Number(number))
    }

    fn list(&self) -> Handle {
        hold(SimValue::list(&[]))
    }

    fn with_item(&self, list: Handle, item: Handle) -> Handle {
        let SimValue::List(items) = list.value() else {
            panic!("{:?} is not a list", list.value())
        };
        let items: Vec<_> = items
            .borrow()
            .iter()
            .cloned()
            .chain([item.value()])
            .collect();
        hold(SimValue::list(&items))
    }

    fn with_member(&self, object: Option<Handle>, name: &str, value: Option<Handle>) -> Handle {
        let copy = object.map_or_else(|| SimValue::object(&[]), |it| it.value().copied());
        if let Some(value) = value {
            copy.set(name, value.value());
        }
        hold(copy)
    }

    fn omit(&self, object: Handle, name: &str) -> Handle {
        // As `{...value}`: what has no members is an object without any.
        let SimValue::Object(members) = object.value() else {
            return hold(SimValue::object(&[]));
        };
        let members: Vec<_> = members
            .borrow()
            .iter()
            .filter(|it| it.0 != name)
            .cloned()
            .collect();
        let members: Vec<_> = members
            .iter()
            .map(|it| (it.0.as_str(), it.1.clone()))
            .collect();
        hold(SimValue::object(&members))
    }

    fn set_item(&self, list: Handle, index: usize, value: Handle) {
        let SimValue::List(items) = list.value() else {
            panic!("{:?} is not a list", list.value())
        };
        items.borrow_mut()[index] = value.value();
    }

    fn is_identical(&self, one: Option<Handle>, other: Option<Handle>) -> bool {
        value_of(one) == value_of(other)
    }

    fn starts_with(&self, text: Handle, start: Handle) -> bool {
        text_of(text).starts_with(&text_of(start))
    }

    fn is_same(&self, one: Handle, other: Handle) -> bool {
        let [mut one, mut other] = [one, other].map(|it| it.value().json());
        [&mut one, &mut other]
            .into_iter()
            .for_each(without_expected);
        one == other
    }

    fn snapshot(&self, snapshot: &Snapshot<Handle>) -> Handle {
        let Snapshot {
            id,
            capability,
            state,
            progress,
            raw,
        } = *snapshot;
        let raw = value_of(raw);
        if capability.is_empty() {
            return pipeline(&raw, id);
        }
        let outputs = raw.get("outputs").filter(|it| it.kind() == Type::List);
        let eta = raw.get("eta").filter(|it| it.kind() == Type::Object);
        hold(SimValue::object(&[
            (
                "id",
                id.map_or_else(|| SimValue::text(""), |it| SimValue::text(&text_of(it))),
            ),
            ("capability", SimValue::text(capability)),
            (
                "state",
                state.map_or(SimValue::Undefined, |it| SimValue::text(&text_of(it))),
            ),
            (
                "progress",
                progress.map_or(SimValue::Undefined, SimValue::Number),
            ),
            ("eta", eta.unwrap_or(SimValue::Undefined)),
            ("outputs", outputs.unwrap_or_else(|| SimValue::list(&[]))),
            ("raw", raw),
        ]))
    }

    fn file_info(&self, file: Handle) -> Handle {
        const BINARY: &str = "application/octet-stream";
        let SimValue::File(file) = file.value() else {
            panic!("{:?} is not a file", file.value())
        };
        let media_type = file.media_type.as_str();
        let is_valid =
            !media_type.is_empty() && media_type.bytes().all(|it| matches!(it, b' '..=b'~'));
        let content_type = if is_valid { media_type } else { BINARY };
        let subtype = content_type.split_once('/').map_or("bin", |it| it.1);
        let extension = if content_type == BINARY {
            "bin"
        } else {
            subtype.split(['+', ';']).next().unwrap_or("bin")
        };
        let name = if file.name.trim().is_empty() {
            format!("file.{extension}")
        } else {
            file.name.clone()
        };
        hold(SimValue::object(&[
            ("file_name", SimValue::text(&name)),
            ("content_type", SimValue::text(content_type)),
            ("size", SimValue::Number(file.size)),
        ]))
    }

    fn stored(&self, name: Handle) -> Option<Handle> {
        self.0
            .stored
            .borrow()
            .get(&text_of(name))
            .cloned()
            .map(hold)
    }

    fn store(&self, name: Handle, value: Handle) {
        self.0
            .stored
            .borrow_mut()
            .insert(text_of(name), value.value());
    }

    fn file_id(&self, gateway: Id, file: Handle) -> Option<Handle> {
        let file = file.value();
        let files = self.0.files.borrow();
        files
            .iter()
            .find(|it| it.0 == gateway && it.1 == file)
            .map(|it| hold(it.2.clone()))
    }

    fn remember_file(&self, gateway: Id, file: Handle, file_id: Handle) {
        self.0
            .files
            .borrow_mut()
            .push((gateway, file.value(), file_id.value()));
    }

    fn notify_done(&self, progress: Handle, file: Handle) {
        let SimValue::Function(name) = progress.value() else {
            panic!("{:?} is not a function", progress.value())
        };
        let SimValue::File(file) = file.value() else {
            panic!("{:?} is not a file", file.value())
        };
        self.0
            .progress
            .borrow_mut()
            .push((name.to_string(), file.size));
    }
}

/// A pipeline as the caller sees it: its record, which has all that the tests read.
fn pipeline(record: &SimValue, id: Option<Handle>) -> Handle {
    let steps = record.get("steps").unwrap_or_else(|| SimValue::list(&[]));
    let state = record.get("state").unwrap_or(SimValue::Undefined);
    let number = record.get("number").unwrap_or(SimValue::Undefined);
    hold(SimValue::object(&[
        ("id", value_of(id)),
        ("state", state),
        ("number", number),
        ("steps", steps),
    ]))
}

/// A string as a part of a path.
fn encoded(text: &str) -> String {
    let encode = |it: u8| match it {
        b'A'..=b'Z'
        | b'a'..=b'z'
        | b'0'..=b'9'
        | b'-'
        | b'_'
        | b'.'
        | b'!'
        | b'~'
        | b'*'
        | b'\''
        | b'('
        | b')' => char::from(it).to_string(),
        other => format!("%{other:02X}"),
    };
    text.bytes().map(encode).collect()
}

/// Removes the numbers that the gateway expects of a task.
fn without_expected(value: &mut Json) {
    match value {
        Json::Object(members) => {
            members.remove("poll_after");
            members
                .get_mut("eta")
                .into_iter()
                .for_each(|it| *it = Json::Bool(true));
            members.values_mut().for_each(without_expected);
        }
        Json::Array(items) => items.iter_mut().for_each(without_expected),
        _ => {}
    }
}
