//! The stream of events of a task or a pipeline, by which the gateway pushes its changes.

use alloc::string::String;
use alloc::sync::Arc;
use core::sync::atomic::Ordering;

use futures_util::future::{Either, select};
use mediagate_core::Capability;
use mediagate_core::events::{Event, Reader};

use super::call::Call;
use super::limits::Waiters;
use super::platform::{Body, Platform, Response, ResponseBody, Wake};
use super::response::{Expected, Reply, decode};
use super::session::is_visible;
use super::task::{Snapshot, Task};
use super::{Client, push_segment};

/// The most milliseconds until the first byte of a stream. A proxy that buffers whole responses never forwards one.
const FIRST_BYTE_MS: u32 = 10_000;
/// Milliseconds without a byte after which a stream is dead: twice the interval of the gateway's heartbeats.
const MAX_SILENCE_MS: u32 = 30_000;
/// Milliseconds that a stream must have lasted for the next one to be opened at once.
const MIN_LIFETIME_MS: f64 = 5_000.0;
/// The most streams of a gateway over HTTP/1.1, where a browser opens six connections to a host for all requests.
const MAX_STREAMS_HTTP1: usize = 3;
/// The most streams of a gateway where all requests share one connection.
const MAX_STREAMS: usize = 32;

/// One of the streams that a client may have.
struct StreamSlot<P: Platform>(Client<P>);

impl<P: Platform> Client<P> {
    /// Takes one of the streams that a client may have; `None` where all are open.
    fn stream_slot(&self) -> Option<StreamSlot<P>> {
        let max = if self.platform().is_multiplexed(self.base()) {
            MAX_STREAMS
        } else {
            MAX_STREAMS_HTTP1
        };
        let take = |open| (open < max).then_some(open + 1);
        let taken = self
            .0
            .streams
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, take);
        taken.ok().map(|_| StreamSlot(self.clone()))
    }
}

impl<P: Platform> Drop for StreamSlot<P> {
    fn drop(&mut self) {
        self.0.0.streams.fetch_sub(1, Ordering::Relaxed);
    }
}

impl<P: Platform> Task<P> {
    /// Reads its stream until that ends, and sets the snapshot by each event. Returns whether another stream is opened at
    /// once: this one brought a record and lasted. After any other end a change may have been missed, which a poll finds.
    pub(super) async fn read_stream(&self, waiters: &Waiters<P>) -> bool {
        if self.0.state.with(|it| it.has_no_stream) {
            return false;
        }
        let Some(_slot) = self.client().stream_slot() else {
            return false;
        };
        let Some(mut stream) = self.open_stream(waiters).await else {
            return false;
        };
        let platform = self.client().platform();
        let since = platform.now();
        let (mut has_bytes, mut has_record) = (false, false);
        let mut reader = Reader::default();
        loop {
            let patience = if has_bytes {
                MAX_SILENCE_MS
            } else {
                FIRST_BYTE_MS
            };
            let silence = platform.sleep(patience, Wake::Never);
            let text = match select(platform.read(&mut stream), silence).await {
                Either::Left((Some(text), _)) => text,
                Either::Left((None, _)) => {
                    self.0.state.with(|it| it.has_no_stream = !has_bytes);
                    return has_record && platform.now() - since >= MIN_LIFETIME_MS;
                }
                Either::Right(_) => {
                    self.0.state.with(|it| it.has_no_stream = !has_bytes);
                    return false;
                }
            };
            has_bytes = true;
            let Some(events) = reader.push(&text) else {
                return false;
            };
            for event in events {
                // An event that is no record is an error response, and a poll returns a better reason for it.
                let Some(snapshot) = self.record(&event) else {
                    return false;
                };
                has_record = true;
                self.0.state.with(|it| it.last_event_id = Some(event.id));
                self.update(snapshot, false);
            }
            if self.has_ended() {
                return false;
            }
        }
    }

    /// Opens its stream; `None` where there is none, perhaps for ever.
    async fn open_stream(&self, waiters: &Waiters<P>) -> Option<P::Stream> {
        let path = if self.0.capability.is_some() {
            "tasks/"
        } else {
            "pipelines/"
        };
        let mut url = self.client().url(path);
        push_segment(&mut url, self.0.id.as_deref()?);
        url.push_str("/events");
        let mut call = Call::new(url, Body::Empty, Expected::Events, waiters.clone());
        let last = self.0.state.with(|it| it.last_event_id.clone());
        let last: Option<String> = last.filter(|it| is_visible(it));
        call.request
            .headers
            .extend(last.map(|it| ("last-event-id", it)));
        call.request.capability = self.0.capability.map(Capability::name);
        call.request.is_stream = true;
        call.patience_ms = FIRST_BYTE_MS;
        call.task = Some(self.clone());
        match self.client().call(call).await {
            Ok(Reply::Events(stream)) => Some(stream),
            Ok(_) => None,
            Err(failure) => {
                // Where a retry may succeed, there is one after the next poll.
                let is_final =
                    failure.was_late || (failure.was_sent && !failure.error.is_retryable);
                self.0.state.with(|it| it.has_no_stream = is_final);
                None
            }
        }
    }

    /// The snapshot that an event brings; `None` for an event of another kind.
    fn record(&self, event: &Event) -> Option<Arc<Snapshot<P::Value>>> {
        let (name, expected) = match self.0.capability {
            Some(capability) => ("task", Expected::Task(capability)),
            None => ("pipeline", Expected::Pipeline),
        };
        if event.name != name {
            return None;
        }
        let response = Response {
            status: 200,
            request_id: None,
            retry_after: None,
            body: ResponseBody::Json(self.client().platform().parse(&event.data)?),
        };
        match decode::<P>(response, expected) {
            Ok(Reply::Snapshot(snapshot)) => Some(snapshot),
            _ => None,
        }
    }
}
