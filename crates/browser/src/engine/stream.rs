//! A task's stream of events, by which the gateway pushes its changes: one stream for all subscribers.

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
use super::gateway::Gateway;
use super::limits::{online, within};
use super::response::{Expected, decode};
use super::transport::{AbortOnDrop, HttpResponse};
use crate::host::{self, Exchange};
use crate::value::Js;

/// Most milliseconds until the first byte of a stream. A proxy that buffers whole responses never forwards one.
const FIRST_BYTE_MS: u32 = 10_000;
/// Milliseconds without a byte after which a stream is dead: twice the interval of the gateway's heartbeats.
const MAX_SILENCE_MS: u32 = 30_000;
/// Milliseconds that a stream must have lasted for the next one to be opened at once.
const MIN_LIFETIME_MS: f64 = 5_000.0;
/// Most streams of one client over HTTP/1.1, where a browser opens six connections to a host for all requests.
const MAX_STREAMS_HTTP1: u32 = 3;
/// Most streams of one client where all requests share one connection.
const MAX_STREAMS: u32 = 32;

/// A task's changes from its stream. Where there is no stream, the task must be polled.
#[derive(Default)]
pub struct Feed {
    open: RefCell<Option<Stream>>,
    /// The id of the last event, after which the gateway continues.
    last_event_id: RefCell<String>,
    /// Whether streams do not work here.
    unavailable: Cell<bool>,
}

impl Feed {
    /// The next record, as a snapshot; `None` where the task must be polled instead.
    pub async fn next(&self, gateway: &Rc<Gateway>, capability: &'static Capability, id: &str) -> Option<JsValue> {
        loop {
            let has_bytes = self.open.borrow().as_ref().is_some_and(|it| it.has_bytes);
            if self.open.borrow().is_none() && !self.connect(gateway, capability, id).await {
                return None;
            }
            // Borrowed for each poll alone: between two, the last subscriber may close the stream.
            let chunk = |context: &mut Context<'_>| match &mut *self.open.borrow_mut() {
                Some(stream) => stream.poll(context),
                None => Poll::Ready(None),
            };
            match within(if has_bytes { MAX_SILENCE_MS } else { FIRST_BYTE_MS }, chunk).await {
                Some(Some(events)) => match self.read(events, capability) {
                    Ok(None) => {}
                    Ok(record) => return record,
                    Err(_) => {
                        self.close();
                        return None;
                    }
                },
                ended => {
                    let stream = self.open.take()?;
                    self.unavailable.set(!stream.has_bytes);
                    // Reopened at once where it brought a record and ended normally. After any other end a change may
                    // have been missed, which a poll finds.
                    let reopen = ended.is_some() && stream.has_record && Date::now() - stream.since >= MIN_LIFETIME_MS;
                    if !reopen {
                        return None;
                    }
                }
            }
        }
    }

    /// Closes the stream. The next call of [`Feed::next`] opens another.
    pub fn close(&self) {
        self.open.take();
    }

    /// The last record of some events; `None` without one. An event of another name is an error response, and a poll
    /// returns a better reason for it.
    fn read(&self, events: Vec<Event>, capability: &'static Capability) -> Result<Option<JsValue>, Error> {
        let mut record = None;
        for event in events {
            let body = Some(Js(host::parse_json(&host::string(&event.data))))
                .filter(|it| event.name == "task" && !it.0.is_undefined());
            let response = HttpResponse { status: 200, body, ..HttpResponse::default() };
            record = Some(decode(response, Expected::Status(capability))?);
            *self.last_event_id.borrow_mut() = event.id;
        }
        if let (Some(_), Some(stream)) = (&record, &mut *self.open.borrow_mut()) {
            stream.has_record = true;
        }
        Ok(record)
    }

    /// Opens a stream; whether that succeeded.
    async fn connect(&self, gateway: &Rc<Gateway>, capability: &'static Capability, id: &str) -> bool {
        let max = if host::multiplexed(&gateway.base) { MAX_STREAMS } else { MAX_STREAMS_HTTP1 };
        if self.unavailable.get() || gateway.streams.get() >= max {
            return false;
        }
        let count = StreamCount::new(gateway);
        online().await;
        // Fetching a token may take longer than the time for the first byte, so it is not part of that time.
        if gateway.session.token().await.is_err() {
            return false;
        }
        let mut call = gateway.call(&concat(&["tasks/", id, "/events"]), JsValue::UNDEFINED, Expected::Events);
        call.request.headers[0] = ("last-event-id", self.last_event_id.borrow().clone());
        call.request.capability = capability.name();
        call.request.events = true;
        let mut response = Box::pin(call.send());
        match within(FIRST_BYTE_MS, |context| response.as_mut().poll(context)).await {
            Some(Ok(events)) => {
                *self.open.borrow_mut() = Some(Stream::new(events.unchecked_into(), count));
                true
            }
            failed => {
                // Where a retry may succeed, there is one after the next poll.
                self.unavailable.set(failed.is_none_or(|it| it.is_err_and(|it| !it.is_retryable())));
                false
            }
        }
    }
}

/// An open stream. Dropping it closes it.
struct Stream {
    bytes: AbortOnDrop,
    /// The chunk that is being read: a subscriber that leaves must not take it from the others.
    chunk: Option<JsFuture>,
    events: Reader,
    /// Whether any text was received.
    has_bytes: bool,
    /// Whether a record was received.
    has_record: bool,
    /// When it was opened, in milliseconds since 1970.
    since: f64,
    _count: StreamCount,
}

impl Stream {
    fn new(bytes: Exchange, count: StreamCount) -> Self {
        let (bytes, events, since) = (AbortOnDrop(bytes), Reader::default(), Date::now());
        Stream { bytes, chunk: None, events, has_bytes: false, has_record: false, since, _count: count }
    }

    /// The events of the next text, which may be none; `None` where the stream ended or broke.
    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Option<Vec<Event>>> {
        let chunk = self.chunk.get_or_insert_with(|| self.bytes.0.read().into());
        let chunk = ready!(Pin::new(chunk).poll(context));
        self.chunk = None;
        let text = chunk.ok().and_then(|it| it.as_string());
        self.has_bytes = self.has_bytes || text.is_some();
        Poll::Ready(text.and_then(|it| self.events.push(&it)))
    }
}

/// Counts one open stream of a client until it is dropped.
struct StreamCount(Rc<Gateway>);

impl StreamCount {
    fn new(gateway: &Rc<Gateway>) -> Self {
        gateway.streams.set(gateway.streams.get() + 1);
        StreamCount(Rc::clone(gateway))
    }
}

impl Drop for StreamCount {
    fn drop(&mut self) {
        self.0.streams.set(self.0.streams.get() - 1);
    }
}
