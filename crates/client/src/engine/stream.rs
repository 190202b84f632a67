//! The stream of events of a task or a pipeline, by which the gateway pushes its changes: one stream for all who follow it.

use mediagate_core::{Capability, Value};

use super::machine::{Engine, Outcome};
use crate::platform::{Body, Id, Platform, Response, Wake};
use crate::response::{Expected, decode};
use crate::state::call::{Call, Owner};
use crate::state::follow::Follow;
use crate::state::gateway::is_visible;
use crate::state::stream::Open;
use crate::state::task::Task;

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

impl<P: Platform> Engine<P> {
    /// Whether a task may have a stream of its own.
    pub(super) fn may_open_stream(&mut self, id: Id) -> bool {
        let Some(task) = self.tasks.get(id) else {
            return false;
        };
        let (id, is_unavailable) = (task.gateway, task.stream.is_unavailable);
        let Some(gateway) = self.gateways.get(id) else {
            return false;
        };
        let max = if self.platform.is_multiplexed(gateway.base) {
            MAX_STREAMS
        } else {
            MAX_STREAMS_HTTP1
        };
        let has_stream = |it: &Task<P::Value>| {
            it.gateway == id && (it.stream.is_open() || matches!(it.follow, Follow::Connecting(_)))
        };
        !is_unavailable && self.tasks.iter().filter(|it| has_stream(it.1)).count() < max
    }

    pub(super) fn open_stream(&mut self, id: Id) {
        let Some(task) = self.tasks.get(id) else {
            return;
        };
        let (Some(gateway), Some(task_id)) = (self.gateways.get(task.gateway), task.id) else {
            return;
        };
        let platform = &self.platform;
        let path = if task.capability.is_some() {
            "tasks/"
        } else {
            "pipelines/"
        };
        let url = platform.append_segment(gateway.url(platform, path), task_id);
        let url = platform.append(url, "/events");
        let mut call = Call::new(
            task.gateway,
            gateway,
            Owner::Stream(id),
            url,
            Body::Empty,
            Expected::Events,
        );
        let last = task.stream.last_event_id.filter(|it| is_visible(*it));
        call.request.headers = last.map(|it| platform.with_member(None, "last-event-id", Some(it)));
        call.request.capability = task.capability.map_or("", Capability::name);
        call.request.events = true;
        // The task watches its stream itself.
        call.request.patience_ms = 0;
        let call = self.start(call);
        if let Some(task) = self.tasks.get(id) {
            task.follow = Follow::Connecting(call);
        }
    }

    /// The request for a stream was sent. Fetching a token may take longer than the time for the first byte, so it is not
    /// part of that time.
    pub(super) fn stream_requested(&mut self, id: Id) {
        self.platform.sleep(id, FIRST_BYTE_MS, Wake::Never);
    }

    /// The call that opens a stream ended. Without a token it was not sent.
    pub(super) fn stream_opened(&mut self, id: Id, call: Id, was_sent: bool, outcome: Outcome<P>) {
        let Some(task) = self.tasks.get(id) else {
            return;
        };
        match outcome {
            Ok(_) => {
                let since = self.platform.now();
                let open = Open {
                    id: call,
                    is_reading: false,
                    has_bytes: false,
                    has_record: false,
                    since,
                };
                task.stream.open = Some(open);
                self.read_stream(id);
            }
            // Where a retry may succeed, there is one after the next poll.
            Err(error) => self.stream_failed(id, was_sent && !error.retryable),
        }
    }

    /// There is no stream, perhaps for ever.
    pub(super) fn stream_failed(&mut self, id: Id, is_unavailable: bool) {
        if let Some(task) = self.tasks.get(id) {
            task.stream.is_unavailable = is_unavailable;
            self.wait_to_poll(id);
        }
    }

    /// Reads on in the open stream of a task.
    pub(super) fn read_stream(&mut self, id: Id) {
        let Some(task) = self.tasks.get(id) else {
            return;
        };
        let Some(open) = &mut task.stream.open else {
            return;
        };
        task.follow = Follow::Reading;
        if !open.is_reading {
            open.is_reading = true;
            self.platform.read(open.id);
        }
        let silence = if open.has_bytes {
            MAX_SILENCE_MS
        } else {
            FIRST_BYTE_MS
        };
        self.platform.sleep(id, silence, Wake::Never);
    }

    /// The next bytes of a stream came, with a list of the events that they complete, each `{id, name, data}` with its data
    /// as JSON; `None` where the stream ended or broke.
    pub fn received(&mut self, stream: Id, events: Option<P::Value>) {
        let is_open = |it: &Task<P::Value>| it.stream.open.is_some_and(|it| it.id == stream);
        let Some(id) = self.tasks.find(&|_, it| is_open(it)) else {
            return;
        };
        let Some(task) = self.tasks.get(id) else {
            return;
        };
        let Some(open) = &mut task.stream.open else {
            return;
        };
        open.is_reading = false;
        let Some(events) = events else {
            return self.stream_ended(id, true);
        };
        open.has_bytes = true;
        let capability = task.capability;
        let name = if capability.is_some() {
            "task"
        } else {
            "pipeline"
        };
        for event in events.items() {
            // An event of another name is an error response, and a poll returns a better reason for it.
            let body = event
                .get("data")
                .filter(|_| event.get("name").is_some_and(|it| it.is(name)));
            let response = Response {
                status: 200,
                body,
                request_id: None,
                retry_after: None,
                is_stream: false,
            };
            let Ok(Some(snapshot)) = decode(&self.platform, response, Expected::Status(capability))
            else {
                self.platform.abort(stream);
                return self.stream_failed_open(id);
            };
            self.event_received(id, event.get("id"), snapshot);
        }
        self.go_on(id);
    }

    fn event_received(&mut self, id: Id, event_id: Option<P::Value>, snapshot: P::Value) {
        if let Some(task) = self.tasks.get(id) {
            task.stream.last_event_id = event_id;
            if let Some(open) = &mut task.stream.open {
                open.has_record = true;
            }
            self.update(id, snapshot, false);
        }
    }

    /// A stream brought something else than records: the task is polled.
    fn stream_failed_open(&mut self, id: Id) {
        if let Some(task) = self.tasks.get(id) {
            task.stream.close();
            self.wait_to_poll(id);
        }
    }

    /// A stream ended or broke, or, where `has_end` is false, nothing came for too long. Reopened at once where it brought
    /// a record and ended. After any other end a change may have been missed, which a poll finds.
    pub(super) fn stream_ended(&mut self, id: Id, has_end: bool) {
        let Some(task) = self.tasks.get(id) else {
            return;
        };
        let Some(open) = task.stream.open.take() else {
            return;
        };
        self.platform.abort(open.id);
        task.stream.is_unavailable = !open.has_bytes;
        if has_end && open.has_record && self.platform.now() - open.since >= MIN_LIFETIME_MS {
            self.go_on(id);
        } else {
            self.wait_to_poll(id);
        }
    }
}
