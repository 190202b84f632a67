//! Streams of events (`text/event-stream`).

use mediagate_core::events::{Event, Reader};
use serde_json::Value as Json;

use crate::driver::{Driver, Host};
use crate::value::{Value, from_json};

/// An open stream of events.
pub(crate) struct EventStream {
    body: <Host as Driver>::Body,
    decoder: Decoder,
    reader: Reader,
}

impl EventStream {
    /// The events in the body of a response.
    pub(super) fn new(body: <Host as Driver>::Body) -> Self {
        EventStream {
            body,
            decoder: Decoder::default(),
            reader: Reader::default(),
        }
    }

    /// The events that the next bytes complete, perhaps none; `None` where it ended or broke, or an event is too long.
    pub(super) async fn next(&mut self) -> Option<Vec<Event>> {
        let bytes = Host::read(&mut self.body).await.ok()??;
        self.reader.push(&self.decoder.decode(&bytes))
    }
}

/// The events as the engine reads them: a list of `{id, name, data}`, the data as JSON.
pub(super) fn list(events: Vec<Event>) -> Value {
    let event = |it: Event| {
        let data = serde_json::from_str::<Json>(&it.data).map_or(Value::Null, from_json);
        Value::object([
            ("id", Value::text(&it.id)),
            ("name", Value::text(&it.name)),
            ("data", data),
        ])
    };
    Value::list(events.into_iter().map(event).collect())
}

/// Decodes UTF-8 whose chunks may end within a character.
#[derive(Default)]
struct Decoder {
    rest: Vec<u8>,
}

impl Decoder {
    fn decode(&mut self, bytes: &[u8]) -> String {
        self.rest.extend_from_slice(bytes);
        let mut text = String::with_capacity(self.rest.len());
        let mut incomplete = Vec::new();
        let mut chunks = self.rest.utf8_chunks().peekable();
        while let Some(chunk) = chunks.next() {
            text.push_str(chunk.valid());
            if chunks.peek().is_none() && is_incomplete(chunk.invalid()) {
                incomplete = chunk.invalid().to_vec();
            } else if !chunk.invalid().is_empty() {
                text.push(char::REPLACEMENT_CHARACTER);
            }
        }
        self.rest = incomplete;
        text
    }
}

/// Whether these bytes begin a character whose end may come.
fn is_incomplete(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_err_and(|it| it.error_len().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_are_decoded_across_chunks() {
        let text = "a é € 𝄞 z";
        for size in 1..=text.len() {
            let mut decoder = Decoder::default();
            let decoded: String = text
                .as_bytes()
                .chunks(size)
                .map(|it| decoder.decode(it))
                .collect();
            assert_eq!(decoded, text, "in chunks of {size} bytes");
        }
    }

    #[test]
    fn what_is_not_utf8_is_replaced() {
        let mut decoder = Decoder::default();
        assert_eq!(decoder.decode(b"a\xff\xe2\x82"), "a\u{fffd}");
        assert_eq!(decoder.decode(b"\xacb"), "€b");
    }
}
