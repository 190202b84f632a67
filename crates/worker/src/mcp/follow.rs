//! Listens to the watcher of a task, from within the gateway.

use std::time::Duration;

use js_sys::{Reflect, Uint8Array};
use mediagate_core::Group;
use serde_json::Value;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;
use web_sys::ReadableStreamDefaultReader;

use super::content;
use crate::http::within;
use crate::operations::{self, Call};
use crate::platform::now_ms;
use crate::refusal::Refusal;

/// What is heard of a task.
#[derive(Debug, PartialEq)]
pub(super) enum Heard {
    /// Its record, as `data` of an answer.
    Task(Value),
    /// Somebody is there.
    Beat,
    /// It cannot be followed; the envelope says why.
    Refused(String),
    /// The time is over, or the stream is.
    End,
}

/// A task that is listened to. Dropping it ends that.
pub(super) struct Follow {
    reader: ReadableStreamDefaultReader,
    events: Events,
    /// When to stop, in milliseconds since 1970.
    until: f64,
}

impl Follow {
    /// Listens to a task of the caller's for so many seconds at most.
    pub(super) async fn of(call: &Call<'_>, group: Group, task: String, seconds: u32) -> Result<Self, Refusal> {
        let longest = f64::from(seconds) * 1000.0;
        let stream = operations::listen(call, group, task, 0, longest).await?;
        let stream = stream.ok_or_else(|| Refusal::internal("watcher"))?;
        let until = (now_ms() + longest).min(call.caller.until * 1000.0);
        Ok(Follow { reader: stream.get_reader().unchecked_into(), events: Events::default(), until })
    }

    /// Listens until the task has ended or the time is over, and gives what was heard last.
    pub(super) async fn until_it_ends(mut self, mut last: Value) -> Value {
        loop {
            match self.next().await {
                Heard::Task(data) if content::is_running(&data) => last = data,
                Heard::Task(data) => return data,
                Heard::Beat => {}
                Heard::Refused(_) | Heard::End => return last,
            }
        }
    }

    /// What is heard next.
    pub(super) async fn next(&mut self) -> Heard {
        loop {
            if let Some(heard) = self.events.next() {
                return heard;
            }
            let left = self.until - now_ms();
            if left <= 0.0 {
                return Heard::End;
            }
            let step = within(Duration::from_millis(left as u64 + 1), JsFuture::from(self.reader.read())).await;
            let Some(Ok(step)) = step else { return Heard::End };
            let chunk = Reflect::get(&step, &"value".into()).ok().and_then(|it| it.dyn_into::<Uint8Array>().ok());
            match chunk {
                Some(bytes) => self.events.push(&bytes.to_vec()),
                None => return Heard::End,
            }
        }
    }
}

impl Drop for Follow {
    fn drop(&mut self) {
        let _ = self.reader.cancel();
    }
}

/// Reads the watcher's events out of its bytes.
#[derive(Default)]
struct Events(Vec<u8>);

impl Events {
    fn push(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    fn next(&mut self) -> Option<Heard> {
        let end = self.0.windows(2).position(|it| it == b"\n\n")?;
        let event: Vec<u8> = self.0.drain(..end + 2).collect();
        Some(heard(&String::from_utf8_lossy(&event)))
    }
}

fn heard(event: &str) -> Heard {
    let field = |name: &str| event.lines().find_map(|it| it.strip_prefix(name)).unwrap_or_default();
    let envelope = field("data: ");
    match field("event: ") {
        "task" => match serde_json::from_str::<Value>(envelope) {
            Ok(mut it) => Heard::Task(it["data"].take()),
            Err(_) => Heard::Beat,
        },
        "error" => Heard::Refused(envelope.to_owned()),
        _ => Heard::Beat,
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
            Heard::Beat,
            Heard::Beat,
            Heard::Task(json!({"task": {"id": "é"}})),
            Heard::Refused("{\"code\":12}".into()),
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
