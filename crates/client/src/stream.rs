//! The stream of events by which the gateway pushes the changes of a task or a pipeline.

use alloc::string::String;
use alloc::sync::Arc;
use core::sync::atomic::Ordering;

use mediagate_core::Capability;
use mediagate_core::events::{Event, Reader};

use crate::call::Call;
use crate::error::Error;
use crate::platform::{Body, Platform, Response, ResponseBody, Wake};
use crate::response::{Received, ResponseKind, decode};
use crate::session::is_visible;
use crate::snapshot::Snapshot;
use crate::sync::{Waiters, before};
use crate::task::TaskHandle;
use crate::{Client, push_segment};

/// The longest wait for the first byte. A proxy that buffers whole responses never forwards one.
const FIRST_BYTE_MS: u32 = 10_000;
/// The time without a byte after which a stream is dead: twice the interval of the gateway's
/// heartbeats.
const MAX_SILENCE_MS: u32 = 30_000;
/// The longest wait for the first record. The gateway sends one at once.
const FIRST_RECORD_MS: f64 = 30_000.0;
/// The longest time between two records. A poll then checks that none was missed.
const MAX_PAUSE_MS: f64 = 300_000.0;
/// The lifetime of a stream after which the next stream is opened at once.
const MIN_LIFETIME_MS: f64 = 5_000.0;
/// The maximum number of open streams over HTTP/1.1. A browser opens six connections to a host for
/// all requests.
const MAX_STREAMS_HTTP1: usize = 3;
/// The maximum number of open streams if all requests share one connection.
const MAX_STREAMS: usize = 32;

/// A slot for an open stream. Dropping it frees the slot.
struct StreamSlot<P: Platform>(Client<P>);

impl<P: Platform> Client<P> {
    /// Takes a slot for a stream; `None` if all slots are taken.
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

    /// Records a stream without a byte. If no stream has ever brought one, a proxy probably buffers
    /// whole responses. Each further task would wait for a first byte before its first poll, so the
    /// client opens no stream again.
    fn note_empty_stream(&self) {
        if !self.0.has_streamed.load(Ordering::Relaxed) {
            self.0.has_empty_streams.store(true, Ordering::Relaxed);
        }
    }
}

impl<P: Platform> Drop for StreamSlot<P> {
    fn drop(&mut self) {
        self.0.0.streams.fetch_sub(1, Ordering::Relaxed);
    }
}

impl<P: Platform> TaskHandle<P> {
    /// Reads the stream until it ends, and applies the snapshot of each event. Returns true if the
    /// next stream can be opened at once, because this one brought a record and lasted. After any
    /// other end, a poll must look for a change that the stream has missed. The error is
    /// `task_unfinished`.
    pub(super) async fn read_stream(&self, waiters: &Waiters<P>) -> Result<bool, Error<P>> {
        let has_empty_streams = self.client().0.has_empty_streams.load(Ordering::Relaxed);
        if has_empty_streams || self.0.state.with(|state| state.has_no_stream) {
            return Ok(false);
        }
        let Some(_slot) = self.client().stream_slot() else {
            // The task is polled until another stream ends.
            return Ok(false);
        };
        let Some(mut stream) = self.open_stream(waiters).await else {
            return Ok(false);
        };
        let platform = self.client().platform();
        let since = platform.now();
        let mut has_bytes = false;
        let mut has_record = false;
        let mut last_record = since;
        let mut reader = Reader::default();
        loop {
            let pause = if has_record {
                MAX_PAUSE_MS
            } else {
                FIRST_RECORD_MS
            };
            if platform.now() - last_record > pause {
                return Ok(false);
            }
            let patience = if has_bytes {
                MAX_SILENCE_MS
            } else {
                FIRST_BYTE_MS
            };
            let silence = platform.sleep(patience, Wake::Never);
            let text = match before(&mut platform.read(&mut stream), silence).await {
                Some(Some(text)) => text,
                _ if !has_bytes => {
                    self.0.state.with(|state| state.has_no_stream = true);
                    self.client().note_empty_stream();
                    return Ok(false);
                }
                Some(None) => {
                    return Ok(has_record && platform.now() - since >= MIN_LIFETIME_MS);
                }
                None => return Ok(false),
            };
            has_bytes = true;
            self.client().0.has_streamed.store(true, Ordering::Relaxed);
            let Some(events) = reader.push(&text) else {
                // The stream sends an endless event.
                return Ok(false);
            };
            for event in events {
                // Any other event is an error response. A poll returns the error with its status.
                let Some(snapshot) = self.record(&event) else {
                    return Ok(false);
                };
                has_record = true;
                last_record = platform.now();
                self.0
                    .state
                    .with(|state| state.last_event_id = Some(event.id));
                self.update(snapshot, false);
                self.check_followed()?;
            }
            if self.has_ended() {
                return Ok(false);
            }
        }
    }

    /// Opens the stream; `None` if that fails. Records if a later attempt would fail, too.
    async fn open_stream(&self, waiters: &Waiters<P>) -> Option<P::Stream> {
        let path = if self.0.capability.is_some() {
            "tasks/"
        } else {
            "pipelines/"
        };
        let mut url = self.client().url(path);
        push_segment(&mut url, self.0.id.as_deref()?);
        url.push_str("/events");
        let mut call = Call::new(url, Body::Empty, ResponseKind::Events, waiters.clone());
        let last = self.0.state.with(|state| state.last_event_id.clone());
        let last: Option<String> = last.filter(|id| is_visible(id));
        call.request
            .headers
            .extend(last.map(|id| ("last-event-id", id)));
        call.request.capability = self.0.capability.map(Capability::name);
        call.request.is_stream = true;
        call.patience_ms = FIRST_BYTE_MS;
        call.on_failed_read = Some(self.failed_read_listener());
        match self.client().call(call).await {
            Ok(Received::Events(stream)) => Some(stream),
            Ok(_) => None,
            Err(failure) => {
                // If a retry may succeed, the next poll is followed by one.
                let was_sent = failure.failures > 0;
                let is_final = failure.was_late || (was_sent && !failure.error.is_retryable);
                self.0.state.with(|state| state.has_no_stream = is_final);
                if failure.was_late {
                    self.client().note_empty_stream();
                }
                None
            }
        }
    }

    /// Returns the snapshot in an event; `None` for an event of another kind.
    fn record(&self, event: &Event) -> Option<Arc<Snapshot<P::Value>>> {
        let (name, expected) = match self.0.capability {
            Some(capability) => ("task", ResponseKind::Task(capability)),
            None => ("pipeline", ResponseKind::Pipeline),
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
            Ok(Received::Snapshot(snapshot)) => Some(snapshot),
            _ => None,
        }
    }
}
