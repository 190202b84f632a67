//! The engine's platform.

use std::rc::Rc;
use std::time::Duration;

use mediagate_client::{Id, Platform, Request, Snapshot, Wake};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::state::{Machine, Settled};
use super::{callbacks, files, results};
use crate::driver::Driver;
use crate::limits::Retry;
use crate::value::{Handle, Value, from_json, hold, to_json};

/// What JavaScript's `encodeURIComponent` encodes.
const COMPONENT: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'!')
    .remove(b'~')
    .remove(b'*')
    .remove(b'\'')
    .remove(b'(')
    .remove(b')');

impl Platform for Machine {
    type Value = Handle;

    fn new_id(&self) -> Id {
        self.0.ids.next()
    }

    fn now(&self) -> f64 {
        self.0.host.now()
    }

    fn random(&self) -> f64 {
        self.0.host.random()
    }

    fn is_offline(&self) -> bool {
        self.0.host.is_offline()
    }

    fn is_hidden(&self) -> bool {
        self.0.host.is_hidden()
    }

    fn is_multiplexed(&self, base: Handle) -> bool {
        self.0.host.is_multiplexed(&base.string())
    }

    fn request(&self, id: Id, request: &Request<Handle>) {
        self.send(id, request);
    }

    fn diagnose(&self, id: Id, request: &Request<Handle>) {
        self.find_block(id, request);
    }

    fn read(&self, id: Id) {
        self.read_stream(id);
    }

    fn sleep(&self, id: Id, milliseconds: u32, wake: Wake) {
        self.after(id, milliseconds, wake, move |engine| engine.fired(id));
    }

    fn invoke(&self, id: Id, function: Handle) {
        if let Value::TokenSource(source) = function.value() {
            self.fetch_token(id, source);
        }
    }

    fn abort(&self, id: Id) {
        self.end(id);
    }

    fn retries(&self, promise: Id) -> Option<u32> {
        self.0.limits.borrow().get(&promise)?.max_retries
    }

    fn notify_retry(&self, promise: Id, failures: u32, milliseconds: u32, error: Handle) {
        let subscriber = self
            .0
            .limits
            .borrow()
            .get(&promise)
            .and_then(|it| it.on_retry.clone());
        if let Some(subscriber) = subscriber {
            let delay = Duration::from_millis(milliseconds.into());
            let retry = Retry::new(failures, delay, results::error(&error.value()));
            self.later(move || callbacks::call(|| subscriber(retry)));
        }
    }

    fn resolve(&self, promise: Id, value: Option<Handle>) {
        self.settle(promise, Settled::Value(value.map(Handle::value)));
    }

    fn resolve_handle(&self, promise: Id, handle: Id) {
        self.settle(promise, Settled::Handle(handle));
    }

    fn reject(&self, promise: Id, error: Handle) {
        self.settle(promise, Settled::Error(results::error(&error.value())));
    }

    fn error(&self, code: &str, message: &str, status: u16, retryable: bool) -> Handle {
        hold(Value::object([
            ("code", Value::text(code)),
            ("message", Value::text(message)),
            ("status", Value::Number(status.into())),
            ("retryable", Value::Boolean(retryable)),
        ]))
    }

    fn text(&self, text: &str) -> Handle {
        hold(Value::text(text))
    }

    fn append(&self, text: Handle, more: &str) -> Handle {
        hold(Value::text(&[&*text.string(), more].concat()))
    }

    fn append_value(&self, text: Handle, more: Handle) -> Handle {
        self.append(text, &more.string())
    }

    fn append_segment(&self, text: Handle, segment: Handle) -> Handle {
        self.append(
            text,
            &utf8_percent_encode(&segment.string(), COMPONENT).to_string(),
        )
    }

    fn number(&self, number: f64) -> Handle {
        hold(Value::number(number))
    }

    fn list(&self) -> Handle {
        hold(Value::list(Vec::new()))
    }

    fn with_item(&self, list: Handle, item: Handle) -> Handle {
        let mut items = if let Value::List(items) = list.value() {
            items.borrow().clone()
        } else {
            Vec::new()
        };
        items.push(item.value());
        hold(Value::list(items))
    }

    fn with_member(&self, object: Option<Handle>, name: &str, value: Option<Handle>) -> Handle {
        let mut members = object.map(members).unwrap_or_default();
        if let Some(value) = value {
            Rc::make_mut(&mut members).insert(name.into(), value.value());
        }
        hold(Value::Object(members))
    }

    fn omit(&self, object: Handle, name: &str) -> Handle {
        let mut members = members(object);
        Rc::make_mut(&mut members).remove(name);
        hold(Value::Object(members))
    }

    fn set_item(&self, list: Handle, index: usize, value: Handle) {
        let Value::List(items) = list.value() else {
            return;
        };
        if let Some(item) = items.borrow_mut().get_mut(index) {
            *item = value.value();
        }
    }

    fn is_identical(&self, one: Option<Handle>, other: Option<Handle>) -> bool {
        match (one, other) {
            (Some(one), Some(other)) => one.value().is_identical(&other.value()),
            (one, other) => one.is_none() && other.is_none(),
        }
    }

    fn starts_with(&self, text: Handle, start: Handle) -> bool {
        text.string().starts_with(&*start.string())
    }

    fn is_same(&self, one: Handle, other: Handle) -> bool {
        one.value().is_same(&other.value())
    }

    fn snapshot(&self, snapshot: &Snapshot<Handle>) -> Handle {
        let Snapshot {
            id,
            capability,
            state,
            progress,
            raw,
        } = *snapshot;
        let or_null = |it: Option<Handle>| it.map_or(Value::Null, Handle::value);
        let raw = or_null(raw);
        // For the engine, which uses the first that fits; callers get theirs from the record.
        let outputs = raw
            .member("outputs")
            .filter(|it| matches!(it, Value::List(_)));
        hold(Value::object([
            ("id", id.map_or_else(|| Value::text(""), Handle::value)),
            ("capability", Value::text(capability)),
            ("state", or_null(state)),
            ("progress", progress.map_or(Value::Null, Value::number)),
            (
                "outputs",
                outputs.unwrap_or_else(|| Value::list(Vec::new())),
            ),
            ("raw", raw),
        ]))
    }

    fn file_info(&self, file: Handle) -> Handle {
        hold(if let Value::File(file) = file.value() {
            files::info(&file)
        } else {
            Value::Null
        })
    }

    fn stored(&self, name: Handle) -> Option<Handle> {
        let stored = self.0.store.load(&name.string())?;
        serde_json::from_str(&stored)
            .ok()
            .map(|it| hold(from_json(it)))
    }

    fn store(&self, name: Handle, value: Handle) {
        self.0
            .store
            .store(&name.string(), &to_json(&value.value()).to_string());
    }

    fn file_id(&self, gateway: Id, file: Handle) -> Option<Handle> {
        let Value::File(file) = file.value() else {
            return None;
        };
        let files = self.0.files.borrow();
        let is_same = |it: &&(Id, _, _)| it.0 == gateway && is_of(&it.1, &file);
        files.iter().find(is_same).map(|it| hold(it.2.clone()))
    }

    fn remember_file(&self, gateway: Id, file: Handle, file_id: Handle) {
        let Value::File(file) = file.value() else {
            return;
        };
        let mut files = self.0.files.borrow_mut();
        files.retain(|it| it.1.upgrade().is_some());
        files.push((gateway, file.downgrade(), file_id.value()));
    }

    fn notify_done(&self, progress: Handle, file: Handle) {
        if let (Value::Progress(subscriber), Value::File(file)) = (progress.value(), file.value()) {
            self.later(move || callbacks::progress(&subscriber, file.size(), file.size()));
        }
    }
}

fn is_of(known: &crate::file::WeakFile, file: &crate::file::File) -> bool {
    known.upgrade().is_some_and(|it| it.is_same(file))
}

/// The members of an object; none of anything else.
fn members(object: Handle) -> Rc<crate::value::Members> {
    if let Value::Object(members) = object.value() {
        members
    } else {
        Rc::default()
    }
}
