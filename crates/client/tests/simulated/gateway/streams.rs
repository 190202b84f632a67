//! Streams of events of the simulated gateways.

use serde_json::json;

use super::{Gateways, Reply, refusal};
use crate::simulated::requests::plain_response;
use crate::simulated::world::Ticket;

/// The interval of heartbeats, in milliseconds.
const HEARTBEAT_MS: f64 = 15_000.0;

/// An open stream.
pub struct Stream {
    ticket: Ticket,
    /// The index of its task.
    task: usize,
    /// The records that are to be sent together.
    waiting: Vec<usize>,
    /// Whether a proxy keeps what is sent until the end.
    is_buffered: bool,
    /// Whether the connection is gone, of which the client is not notified.
    is_dead: bool,
}

impl Gateways {
    /// The response to the request of a stream.
    pub(super) fn events(&self, base: &str, subject: &str, id: &str, last_event_id: &str) -> Reply {
        let random = &self.world.random;
        if !self.faults.has_streams || random.chance(self.faults.stream / 5.0) {
            let none = [
                refusal(404, 12, &json!({ "reason": "unknown_path" })),
                Reply::Response(plain_response(200)),
            ];
            return none.into_iter().nth(random.below(2)).expect("one of two");
        }
        match self.find(base, subject, id) {
            Some(task) => Reply::Stream(task, last_event_id.to_owned()),
            None => refusal(404, 12, &json!({ "reason": "unknown_task" })),
        }
    }

    /// A stream is open: its first event is the present record, unless the client has that one.
    pub(super) fn open_stream(&self, ticket: Ticket, task: usize, last_event_id: &str) {
        let random = &self.world.random;
        let is_buffered = self.faults.is_buffering;
        self.streams.borrow_mut().push(Stream {
            ticket,
            task,
            waiting: Vec::new(),
            is_buffered,
            is_dead: false,
        });
        let number = self.number(task);
        if last_event_id != number.to_string() {
            self.send_later(ticket, number);
        }
        if self.has_ended(task) {
            self.later(1_000.0, move |it| it.push(ticket, None));
        }
        let lifetime = if random.chance(self.faults.stream) {
            random.milliseconds(0, 20_000)
        } else {
            300_000.0
        };
        self.later(lifetime, move |it| it.push(ticket, None));
        self.later(HEARTBEAT_MS, move |it| it.beat(ticket));
    }

    fn beat(&self, ticket: Ticket) {
        if self.world.is_running(ticket) {
            self.push(ticket, Some(":\n\n"));
            self.later(HEARTBEAT_MS, move |it| it.beat(ticket));
        } else {
            self.streams.borrow_mut().retain(|it| it.ticket != ticket);
        }
    }

    /// A task has changed: its streams get an event.
    pub(super) fn notify(&self, task: usize) {
        let number = self.number(task);
        let open = self
            .streams
            .borrow()
            .iter()
            .filter(|it| it.task == task)
            .map(|it| it.ticket)
            .collect::<Vec<_>>();
        for ticket in open {
            self.send_later(ticket, number);
            if self.has_ended(task) {
                self.later(3_000.0, move |it| it.push(ticket, None));
            }
        }
    }

    /// Sends the event of a record, at once or together with the next ones.
    fn send_later(&self, ticket: Ticket, number: usize) {
        if let Some(stream) = self
            .streams
            .borrow_mut()
            .iter_mut()
            .find(|it| it.ticket == ticket)
        {
            stream.waiting.push(number);
        }
        let random = &self.world.random;
        let delay = if random.chance(0.3) {
            random.milliseconds(0, 2_000)
        } else {
            0.0
        };
        self.later(delay, move |it| it.flush(ticket));
    }

    /// Sends all events of a stream that wait, in one text that may be cut anywhere.
    fn flush(&self, ticket: Ticket) {
        let (task, mut numbers) = {
            let mut streams = self.streams.borrow_mut();
            let Some(stream) = streams.iter_mut().find(|it| it.ticket == ticket) else {
                return;
            };
            (stream.task, std::mem::take(&mut stream.waiting))
        };
        let random = &self.world.random;
        if numbers.is_empty() {
            return;
        }
        if random.chance(self.faults.stream / 2.0) {
            numbers.push(random.below(self.number(task) + 1));
        }
        let mut text = String::new();
        for number in numbers {
            let data = self.data(task, &self.record_at(task, number));
            let body = json!({ "code": 0, "message": "ok", "data": data });
            text.push_str(&format!(
                "id: {number}\nevent: {}\ndata: {body}\n\n",
                self.kind(task)
            ));
        }
        match random.below(5) {
            _ if !random.chance(self.faults.stream) => self.push(ticket, Some(&text)),
            0 => self.push(ticket, None),
            1 => self.push(ticket, Some("event: error\ndata: {}\n\n")),
            2 => self.push(ticket, Some("id: x\nevent: task\ndata: <html>\n\n")),
            3 => self.push(ticket, Some(&text)),
            _ => {
                if let Some(stream) = self
                    .streams
                    .borrow_mut()
                    .iter_mut()
                    .find(|it| it.ticket == ticket)
                {
                    stream.is_dead = true;
                }
            }
        }
    }

    fn push(&self, ticket: Ticket, text: Option<&str>) {
        let state = {
            let streams = self.streams.borrow();
            streams
                .iter()
                .find(|it| it.ticket == ticket)
                .map(|it| (it.is_buffered, it.is_dead))
        };
        let Some((is_buffered, false)) = state else {
            return;
        };
        let Some(mut rest) = text else {
            return self.world.push(ticket, 0.0, None);
        };
        if is_buffered {
            return;
        }
        let random = &self.world.random;
        while !rest.is_empty() {
            let length = if random.chance(0.5) {
                rest.len()
            } else {
                1 + random.below(rest.len())
            };
            let (chunk, after) = rest.split_at(length);
            self.world
                .push(ticket, random.milliseconds(1, 50), Some(chunk.to_owned()));
            rest = after;
        }
    }
}
