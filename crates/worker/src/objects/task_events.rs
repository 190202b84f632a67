//! Reads the event stream of a watcher.

use std::time::Duration;

use js_sys::{Reflect, Uint8Array};
use serde_json::Value;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;
use web_sys::{ReadableStream, ReadableStreamDefaultReader};

use crate::platform::http::within;
use crate::platform::now_ms;

#[derive(Debug, PartialEq)]
pub(crate) enum TaskEvent {
    /// The task's record, as the `data` of a reply.
    Task(Value),
    /// The stream is alive, and the task unchanged.
    Heartbeat,
    /// The task cannot be read: the envelope of the refusal. The task itself may still run.
    Refused(Value),
    /// The wait has timed out, or the stream has ended. The task itself may still run.
    End,
}

/// The events of a task. Dropping them ends the stream.
pub(crate) struct TaskEvents {
    reader: ReadableStreamDefaultReader,
    events: Events,
}

impl TaskEvents {
    pub(crate) fn new(stream: &ReadableStream) -> Self {
        TaskEvents {
            reader: stream.get_reader().unchecked_into(),
            events: Events::default(),
        }
    }

    /// Waits for the next event, at most until a time in milliseconds since 1970.
    pub(crate) async fn next(&mut self, until: f64) -> TaskEvent {
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

/// Parses the watcher's events. [`Reader`](mediagate_core::events::Reader) skips comments, which
/// are the heartbeats here.
#[derive(Default)]
struct Events(Vec<u8>);

impl Events {
    fn push(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    fn next(&mut self) -> Option<TaskEvent> {
        let end = self.0.windows(2).position(|pair| pair == b"\n\n")?;
        let event: Vec<u8> = self.0.drain(..end + 2).collect();
        Some(parse(&String::from_utf8_lossy(&event)))
    }
}

fn parse(event: &str) -> TaskEvent {
    let field = |name: &str| {
        event
            .lines()
            .find_map(|line| line.strip_prefix(name))
            .unwrap_or_default()
    };
    match field("event: ") {
        "task" => match serde_json::from_str::<Value>(field("data: ")) {
            Ok(mut envelope) => TaskEvent::Task(envelope["data"].take()),
            Err(_) => TaskEvent::Heartbeat,
        },
        "error" => TaskEvent::Refused(serde_json::from_str(field("data: ")).unwrap_or_default()),
        _ => TaskEvent::Heartbeat,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn events_are_parsed_at_any_chunk_boundary() {
        let text = "retry: 1000\n\n:\n\n\
                    id: 2\nevent: task\ndata: {\"code\":0,\"data\":{\"task\":{\"id\":\"é\"}}}\n\n\
                    id: 3\nevent: error\ndata: {\"code\":12}\n\nid: 4\nevent: ta";
        let expected = [
            TaskEvent::Heartbeat,
            TaskEvent::Heartbeat,
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
            assert_eq!(all, expected, "{size}");
        }
    }
}
