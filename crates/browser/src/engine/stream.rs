//! The changes of one task, as the gateway pushes them: one stream for all who wait for it.

use std::cell::{Cell, RefCell};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};

use js_sys::{Array, Date, Promise, Uint8Array};
use mediagate_core::Capability;
use mediagate_core::events::{Event, Reader};
use mediagate_core::text::concat;
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::JsFuture;

use super::error::Error;
use super::gateway::{Gateway, Wants, decode};
use super::host;
use super::limits::{online, within};
use super::transport::{Reply, Request};
use crate::value::Js;

/// Milliseconds in which a stream must begin. A proxy that keeps answers back until they are whole never lets it.
const BEGIN_MS: u32 = 10_000;
/// Milliseconds without a byte after which a stream is dead: twice what the gateway leaves between two.
const SILENCE_MS: u32 = 30_000;
/// Milliseconds that a stream must have lasted to be opened again at once.
const WORTHWHILE_MS: f64 = 5_000.0;
/// Most streams of one client over plain http, where a browser has six connections to a host for everything; over
/// https all share one connection.
const MOST_PLAIN: u32 = 3;
const MOST: u32 = 32;

/// A task's changes. Where no stream can be had, whoever wants to know must look.
#[derive(Default)]
pub struct Feed {
    open: RefCell<Option<Stream>>,
    /// The id of the last event: the gateway goes on after it.
    last: RefCell<String>,
    /// Whether streams do not work here.
    off: Cell<bool>,
}

impl Feed {
    /// The next record that comes, as a snapshot; `None` where it is time to look instead.
    pub async fn next(&self, gateway: &Rc<Gateway>, capability: &'static Capability, id: &str) -> Option<JsValue> {
        loop {
            let begun = self.open.borrow().as_ref().is_some_and(|it| it.begun);
            if self.open.borrow().is_none() && !self.begin(gateway, capability, id).await {
                return None;
            }
            // Borrowed for a moment at a time: whoever lets go of the task in between ends its stream.
            let chunk = |context: &mut Context<'_>| match &mut *self.open.borrow_mut() {
                Some(stream) => stream.poll(context),
                None => Poll::Ready(None),
            };
            match within(if begun { SILENCE_MS } else { BEGIN_MS }, chunk).await.flatten() {
                Some(events) => match self.read(events, capability) {
                    Ok(None) => {}
                    Ok(record) => return record,
                    Err(_) => {
                        self.end();
                        return None;
                    }
                },
                None => {
                    let ended = self.open.take()?;
                    self.off.set(!ended.begun);
                    if Date::now() - ended.since < WORTHWHILE_MS {
                        return None;
                    }
                }
            }
        }
    }

    /// Ends the stream; the next who waits begins another.
    pub fn end(&self) {
        self.open.take();
    }

    /// The last record of some events, where there is one. An event of another name refuses, and a look tells better
    /// why.
    fn read(&self, events: Vec<Event>, capability: &'static Capability) -> Result<Option<JsValue>, Error> {
        let mut record = None;
        for event in events {
            let body = host::parse(&host::text(&event.data)).ok().filter(|_| event.name == "task").map(Js);
            record = Some(decode(Reply { status: 200, body, ..Reply::default() }, Wants::Status(capability))?);
            *self.last.borrow_mut() = event.id;
        }
        Ok(record)
    }

    async fn begin(&self, gateway: &Rc<Gateway>, capability: &'static Capability, id: &str) -> bool {
        let most = if gateway.base.starts_with("https:") { MOST } else { MOST_PLAIN };
        if self.off.get() || gateway.streams.get() >= most {
            return false;
        }
        let place = Place::new(gateway);
        online().await;
        let mut call = gateway.call(&concat(&["tasks/", id, "/events"]), JsValue::UNDEFINED, Wants::Events);
        let headers = [("last-event-id", self.last.borrow().clone()), Default::default()];
        call.request = Request { capability: capability.name(), headers, ..call.request };
        let mut answer = Box::pin(call.send());
        match within(BEGIN_MS, |context| answer.as_mut().poll(context)).await {
            Some(Ok(reader)) => {
                *self.open.borrow_mut() = Some(Stream::new(reader, place));
                true
            }
            answer => {
                // What may go better later is tried again after the next look.
                self.off.set(answer.is_none_or(|it| it.is_err_and(|it| !it.is_retryable())));
                false
            }
        }
    }
}

/// An open stream; dropped, it is cancelled.
struct Stream {
    reader: JsValue,
    /// The chunk that is waited for: who stops waiting must not lose it for the others.
    chunk: Option<JsFuture>,
    events: Reader,
    /// Whether anything came.
    begun: bool,
    since: f64,
    _place: Place,
}

impl Stream {
    fn new(reader: JsValue, place: Place) -> Self {
        Stream { reader, chunk: None, events: Reader::default(), begun: false, since: Date::now(), _place: place }
    }

    /// The events of the next bytes, which may be none; `None` at the end, however it came.
    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Option<Vec<Event>>> {
        let chunk = self.chunk.get_or_insert_with(|| {
            let chunk = host::call(&self.reader, "read", &Array::new());
            Promise::resolve(&chunk.unwrap_or(JsValue::UNDEFINED)).into()
        });
        let chunk = ready!(Pin::new(chunk).poll(context));
        self.chunk = None;
        let bytes = chunk.map_or(JsValue::UNDEFINED, |it| Js(it).member("value"));
        if bytes.is_undefined() {
            return Poll::Ready(None);
        }
        self.begun = true;
        Poll::Ready(Some(self.events.push(&Uint8Array::new(&bytes).to_vec())))
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        let cancelled = host::call(&self.reader, "cancel", &Array::new()).unwrap_or(JsValue::UNDEFINED);
        // A stream that broke by itself refuses to be cancelled: that is nobody's unhandled rejection.
        let _ = Promise::all_settled(&Array::of1(&cancelled));
    }
}

/// One of the streams that a client may have open.
struct Place(Rc<Gateway>);

impl Place {
    fn new(gateway: &Rc<Gateway>) -> Self {
        gateway.streams.set(gateway.streams.get() + 1);
        Place(Rc::clone(gateway))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.0.streams.set(self.0.streams.get() - 1);
    }
}
