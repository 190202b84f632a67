//! Reads the event stream of a watcher.

use std::collections::VecDeque;
use std::time::Duration;

use js_sys::{Reflect, Uint8Array};
use mediagate_core::events::{Event, Reader};
use mediagate_platform::http::within;
use mediagate_platform::now_ms;
use serde_json::Value;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;
use web_sys::{ReadableStream, ReadableStreamDefaultReader};

#[derive(Debug, PartialEq)]
pub enum TaskEvent {
    /// The task's record, as the `data` of a reply.
    Task(Value),
    /// The stream is alive, and the task unchanged.
    Heartbeat,
    /// The task cannot be read. Contains the envelope of the refusal. The task itself may still
    /// run.
    Refused(Value),
    /// The wait timed out, or the stream ended. The task itself may still run.
    End,
}

/// Dropping it ends the stream.
pub struct TaskEvents {
    reader: ReadableStreamDefaultReader,
    events: Events,
}

impl TaskEvents {
    pub fn new(stream: &ReadableStream) -> Self {
        TaskEvents {
            reader: stream.get_reader().unchecked_into(),
            events: Events::default(),
        }
    }

    /// Waits for the next event, at most until a time in milliseconds since 1970.
    pub async fn next(&mut self, until: f64) -> TaskEvent {
        loop {
            if let Some(event) = self.events.next() {
                return event;
            }
            let remaining = until - now_ms();
            if remaining <= 0.0 {
                return TaskEvent::End;
            }
            let step = within(
                Duration::from_millis(remaining as u64 + 1),
                JsFuture::from(self.reader.read()),
            )
            .await;
            let Some(Ok(step)) = step else {
                // The time is over, or the watcher's object has died.
                return TaskEvent::End;
            };
            let chunk = Reflect::get(&step, &"value".into())
                .ok()
                .and_then(|value| value.dyn_into::<Uint8Array>().ok());
            match chunk {
                Some(bytes) => self.events.push(&bytes.to_vec()),
                None => return TaskEvent::End,
            }
        }
    }
}

impl Drop for TaskEvents {
    fn drop(&mut self) {
        let _ = self.reader.cancel();
    }
}

#[derive(Default)]
struct Events {
    /// The bytes after the last complete line.
    rest: Vec<u8>,
    reader: Reader,
    parsed: VecDeque<TaskEvent>,
}

impl Events {
    /// Adds a chunk. A chunk without an event is a heartbeat.
    fn push(&mut self, chunk: &[u8]) {
        self.rest.extend_from_slice(chunk);
        let end = self.rest.iter().rposition(|byte| *byte == b'\n');
        let lines: Vec<u8> = self.rest.drain(..end.map_or(0, |end| end + 1)).collect();
        let events = self.reader.push(&String::from_utf8_lossy(&lines));
        match events {
            Some(events) if events.is_empty() => self.parsed.push_back(TaskEvent::Heartbeat),
            Some(events) => self.parsed.extend(events.iter().map(parse)),
            None => self.parsed.push_back(TaskEvent::End),
        }
    }

    fn next(&mut self) -> Option<TaskEvent> {
        self.parsed.pop_front()
    }
}

fn parse(event: &Event) -> TaskEvent {
    match event.name.as_str() {
        "task" => match serde_json::from_str::<Value>(&event.data) {
            Ok(mut envelope) => TaskEvent::Task(envelope["data"].take()),
            Err(_) => TaskEvent::Heartbeat,
        },
        "error" => TaskEvent::Refused(serde_json::from_str(&event.data).unwrap_or_default()),
        _ => TaskEvent::Heartbeat,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_chunk_without_an_event_is_a_heartbeat() {
        let mut events = Events::default();
        events.push(b":\n\n");
        assert_eq!(events.next(), Some(TaskEvent::Heartbeat));
        assert_eq!(events.next(), None);
    }

    #[test]
    fn events_are_parsed_at_any_chunk_boundary() {
        let text = "retry: 1000\n\n:\n\n\
                    id: 2\nevent: task\ndata: {\"code\":0,\"data\":{\"task\":{\"id\":\"é\"}}}\n\n\
                    id: 3\nevent: error\ndata: {\"code\":12}\n\nid: 4\nevent: ta";
        let expected = [
            TaskEvent::Task(json!({"task": {"id": "é"}})),
            TaskEvent::Refused(json!({"code": 12})),
        ];
        for size in 1..text.len() {
            let mut events = Events::default();
            let mut all = Vec::new();
            for chunk in text.as_bytes().chunks(size) {
                events.push(chunk);
                all.extend(std::iter::from_fn(|| events.next()));
            }
            all.retain(|event| *event != TaskEvent::Heartbeat);
            assert_eq!(all, expected, "{size}");
        }
    }
}
