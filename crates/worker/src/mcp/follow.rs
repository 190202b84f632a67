//! Follows a task through its watcher, from within the gateway.

use std::time::Duration;

use js_sys::{Reflect, Uint8Array};
use mediagate_core::Group;
use serde_json::Value;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;
use web_sys::ReadableStreamDefaultReader;

use super::content;
use crate::operations::{self, Call};
use crate::platform::http::within;
use crate::platform::now_ms;
use crate::refusal::Refusal;

/// An event of a task's stream.
#[derive(Debug, PartialEq)]
pub(super) enum FollowEvent {
    /// Its record, as the `data` of a reply.
    Task(Value),
    /// The stream is alive.
    Heartbeat,
    /// The time is over, the stream has ended, or the task can't be read now. The task itself may go on.
    End,
}

/// A subscription to a task. Dropping it ends the stream.
pub(super) struct Follow {
    reader: ReadableStreamDefaultReader,
    events: Events,
    /// When to stop, in milliseconds since 1970.
    until: f64,
}

impl Follow {
    /// Subscribes to one of the caller's tasks for at most `seconds`.
    pub(super) async fn of(call: &Call<'_>, group: Group, task: String, seconds: u32) -> Result<Self, Refusal> {
        let max_ms = f64::from(seconds) * 1000.0;
        let stream = operations::subscribe(call, group, task, 0, max_ms).await?;
        let stream = stream.ok_or_else(|| Refusal::internal("watcher"))?;
        let until = (now_ms() + max_ms).min(call.caller.until * 1000.0);
        Ok(Follow { reader: stream.get_reader().unchecked_into(), events: Events::default(), until })
    }

    /// The task's last record, once it has ended or the time is over.
    pub(super) async fn until_it_ends(mut self, mut last: Value) -> Value {
        loop {
            match self.next().await {
                FollowEvent::Task(data) if content::is_running(&data) => last = data,
                FollowEvent::Task(data) => return data,
                FollowEvent::Heartbeat => {}
                FollowEvent::End => return last,
            }
        }
    }

    /// The next event.
    pub(super) async fn next(&mut self) -> FollowEvent {
        loop {
            if let Some(event) = self.events.next() {
                return event;
            }
            let remaining = self.until - now_ms();
            if remaining <= 0.0 {
                return FollowEvent::End;
            }
            let step = within(Duration::from_millis(remaining as u64 + 1), JsFuture::from(self.reader.read())).await;
            let Some(Ok(step)) = step else { return FollowEvent::End };
            let chunk = Reflect::get(&step, &"value".into()).ok().and_then(|it| it.dyn_into::<Uint8Array>().ok());
            match chunk {
                Some(bytes) => self.events.push(&bytes.to_vec()),
                None => return FollowEvent::End,
            }
        }
    }
}

impl Drop for Follow {
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

    fn next(&mut self) -> Option<FollowEvent> {
        let end = self.0.windows(2).position(|it| it == b"\n\n")?;
        let event: Vec<u8> = self.0.drain(..end + 2).collect();
        Some(parse(&String::from_utf8_lossy(&event)))
    }
}

fn parse(event: &str) -> FollowEvent {
    let field = |name: &str| event.lines().find_map(|it| it.strip_prefix(name)).unwrap_or_default();
    match field("event: ") {
        "task" => match serde_json::from_str::<Value>(field("data: ")) {
            Ok(mut it) => FollowEvent::Task(it["data"].take()),
            Err(_) => FollowEvent::Heartbeat,
        },
        "error" => FollowEvent::End,
        _ => FollowEvent::Heartbeat,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn events_are_read_however_they_are_cut() {
        let text = "retry: 1000\n\n:\n\nid: 2\nevent: task\ndata: {\"code\":0,\"data\":{\"task\":{\"id\":\"é\"}}}\n\n\
                    id: 3\nevent: error\ndata: {\"code\":12}\n\nid: 4\nevent: ta";
        let expected = [
            FollowEvent::Heartbeat,
            FollowEvent::Heartbeat,
            FollowEvent::Task(json!({"task": {"id": "é"}})),
            FollowEvent::End,
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
