//! The changes of one task, as the gateway pushes them: one stream for all who wait for it.

use std::cell::{Cell, RefCell};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};

use js_sys::Date;
use mediagate_core::Capability;
use mediagate_core::events::{Event, Reader};
use mediagate_core::text::concat;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

use super::error::Error;
use super::gateway::{Gateway, Wants, decode};
use super::host::{self, Exchange};
use super::limits::{online, within};
use super::transport::{Reply, Underway};
use crate::value::Js;

/// Milliseconds in which a stream must begin. A proxy that keeps answers back until they are whole never lets it.
const BEGIN_MS: u32 = 10_000;
/// Milliseconds without a byte after which a stream is dead: twice what the gateway leaves between two.
const SILENCE_MS: u32 = 30_000;
/// Milliseconds that a stream must have lasted to be opened again at once.
const WORTHWHILE_MS: f64 = 5_000.0;
/// Most streams of one client where a browser has six connections to a host for everything, which is over HTTP/1.1.
const MOST_PLAIN: u32 = 3;
/// Most streams where all share one connection.
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
            match within(if begun { SILENCE_MS } else { BEGIN_MS }, chunk).await {
                Some(Some(events)) => match self.read(events, capability) {
                    Ok(None) => {}
                    Ok(record) => return record,
                    Err(_) => {
                        self.end();
                        return None;
                    }
                },
                ended => {
                    let stream = self.open.take()?;
                    self.off.set(!stream.begun);
                    // One that told something and ended in peace goes on; any other may hide what a look would tell.
                    let in_peace = ended.is_some() && stream.told && Date::now() - stream.since >= WORTHWHILE_MS;
                    if !in_peace {
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
            let body = Some(Js(host::parsed(&host::text(&event.data))))
                .filter(|it| event.name == "task" && !it.0.is_undefined());
            record = Some(decode(Reply { status: 200, body, ..Reply::default() }, Wants::Status(capability))?);
            *self.last.borrow_mut() = event.id;
        }
        if let (Some(_), Some(stream)) = (&record, &mut *self.open.borrow_mut()) {
            stream.told = true;
        }
        Ok(record)
    }

    async fn begin(&self, gateway: &Rc<Gateway>, capability: &'static Capability, id: &str) -> bool {
        let most = if host::multiplexed(&gateway.base) { MOST } else { MOST_PLAIN };
        if self.off.get() || gateway.streams.get() >= most {
            return false;
        }
        let place = Place::new(gateway);
        online().await;
        // Whoever gives the token may take their time, and is not asked twice at once.
        if gateway.session.token().await.is_err() {
            return false;
        }
        let mut call = gateway.call(&concat(&["tasks/", id, "/events"]), JsValue::UNDEFINED, Wants::Events);
        call.request.headers[0] = ("last-event-id", self.last.borrow().clone());
        call.request.capability = capability.name();
        call.request.events = true;
        let mut answer = Box::pin(call.send());
        match within(BEGIN_MS, |context| answer.as_mut().poll(context)).await {
            Some(Ok(events)) => {
                *self.open.borrow_mut() = Some(Stream::new(events.unchecked_into(), place));
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

/// An open stream; dropped, it is ended.
struct Stream {
    bytes: Underway,
    /// The chunk that is waited for: who stops waiting must not lose it for the others.
    chunk: Option<JsFuture>,
    events: Reader,
    /// Whether anything came.
    begun: bool,
    /// Whether a record came.
    told: bool,
    since: f64,
    _place: Place,
}

impl Stream {
    fn new(bytes: Exchange, place: Place) -> Self {
        let (bytes, events, since) = (Underway(bytes), Reader::default(), Date::now());
        Stream { bytes, chunk: None, events, begun: false, told: false, since, _place: place }
    }

    /// The events of the next text, which may be none; `None` at the end, however it came.
    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Option<Vec<Event>>> {
        let chunk = self.chunk.get_or_insert_with(|| self.bytes.0.read().into());
        let chunk = ready!(Pin::new(chunk).poll(context));
        self.chunk = None;
        let text = chunk.ok().and_then(|it| it.as_string());
        self.begun = self.begun || text.is_some();
        Poll::Ready(text.and_then(|it| self.events.push(&it)))
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
