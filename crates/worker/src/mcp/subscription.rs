//! Follows a task through its watcher, from within the gateway.

use std::time::Duration;

use js_sys::{Reflect, Uint8Array};
use serde_json::Value;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;
use web_sys::ReadableStreamDefaultReader;

use super::content;
use crate::ids::TaskRef;
use crate::operations::{self, Call};
use crate::platform::http::within;
use crate::platform::now_ms;
use crate::refusal::Refusal;

/// An event of a task's stream.
#[derive(Debug, PartialEq)]
pub(super) enum TaskEvent {
    /// The task's record, as the `data` of a reply.
    Task(Value),
    /// The stream is alive, and the task unchanged.
    Heartbeat,
    /// The wait has timed out, the stream has ended, or the task cannot be read now. The task itself may still run.
    End,
}

/// A subscription to a task. Dropping it ends the stream.
pub(super) struct TaskSubscription {
    reader: ReadableStreamDefaultReader,
    events: Events,
    /// When to stop, in milliseconds since 1970.
    until: f64,
}

impl TaskSubscription {
    /// Subscribes to one of the caller's tasks for at most `seconds`, and until the token expires.
    ///
    /// # Errors
    /// Those of the subscription.
    pub(super) async fn start(call: &Call<'_>, task: TaskRef, seconds: u32) -> Result<Self, Refusal> {
        let max_ms = f64::from(seconds) * 1000.0;
        let stream = operations::subscribe(call, task, 0, max_ms).await?;
        let stream = stream.ok_or_else(|| Refusal::internal("watcher"))?;
        let until = (now_ms() + max_ms).min(call.caller.until * 1000.0);
        Ok(TaskSubscription { reader: stream.get_reader().unchecked_into(), events: Events::default(), until })
    }

    /// The task's last record, once the task has ended or the wait has timed out; `last` if there is no newer one.
    pub(super) async fn until_it_ends(mut self, mut last: Value) -> Value {
        loop {
            match self.next().await {
                TaskEvent::Task(data) if content::is_running(&data) => last = data,
                TaskEvent::Task(data) => return data,
                TaskEvent::Heartbeat => {}
                TaskEvent::End => return last,
            }
        }
    }

    /// The next event.
    pub(super) async fn next(&mut self) -> TaskEvent {
        loop {
            if let Some(event) = self.events.next() {
                return event;
            }
            let remaining = self.until - now_ms();
            if remaining <= 0.0 {
                return TaskEvent::End;
            }
            let step = within(Duration::from_millis(remaining as u64 + 1), JsFuture::from(self.reader.read())).await;
            let Some(Ok(step)) = step else { return TaskEvent::End };
            let chunk = Reflect::get(&step, &"value".into()).ok().and_then(|it| it.dyn_into::<Uint8Array>().ok());
            match chunk {
                Some(bytes) => self.events.push(&bytes.to_vec()),
                None => return TaskEvent::End,
            }
        }
    }
}

impl Drop for TaskSubscription {
    fn drop(&mut self) {
        let _ = self.reader.cancel();
    }
}

/// Parses the watcher's events.
#[derive(Default)]
struct Events(Vec<u8>);

impl Events {
    fn push(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    fn next(&mut self) -> Option<TaskEvent> {
        let end = self.0.windows(2).position(|it| it == b"\n\n")?;
        let event: Vec<u8> = self.0.drain(..end + 2).collect();
        Some(parse(&String::from_utf8_lossy(&event)))
    }
}

fn parse(event: &str) -> TaskEvent {
    let field = |name: &str| event.lines().find_map(|it| it.strip_prefix(name)).unwrap_or_default();
    match field("event: ") {
        "task" => match serde_json::from_str::<Value>(field("data: ")) {
            Ok(mut it) => TaskEvent::Task(it["data"].take()),
            Err(_) => TaskEvent::Heartbeat,
        },
        "error" => TaskEvent::End,
        _ => TaskEvent::Heartbeat,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn events_are_parsed_at_any_chunk_boundary() {
        let text = "retry: 1000\n\n:\n\nid: 2\nevent: task\ndata: {\"code\":0,\"data\":{\"task\":{\"id\":\"é\"}}}\n\n\
                    id: 3\nevent: error\ndata: {\"code\":12}\n\nid: 4\nevent: ta";
        let expected =
            [TaskEvent::Heartbeat, TaskEvent::Heartbeat, TaskEvent::Task(json!({"task": {"id": "é"}})), TaskEvent::End];
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
