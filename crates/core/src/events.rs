//! A parser of server-sent events in chunks of text (HTML standard, 9.2.6). No I/O: the caller
//! decodes the bytes.
//!
//! The crates for this format read a `Stream` of futures and need the standard library, which a
//! page does not download.

use alloc::string::String;
use alloc::vec::Vec;

use crate::text::cut;

/// One event.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Event {
    /// The last id that the stream has sent; empty if it has sent none.
    pub id: String,
    /// The name; empty if there is none. The standard's default is `message`.
    pub name: String,
    /// The data lines, joined by line breaks.
    pub data: String,
}

/// The longest event, in bytes: several times the largest record that a gateway accepts by default.
const MAX_EVENT_BYTES: usize = 16 << 20;

/// Turns text into events. The chunks may end anywhere.
#[derive(Default)]
pub struct Reader {
    line: String,
    /// True if the last line ended with a carriage return: a line feed right after it is part of
    /// that line end.
    had_carriage_return: bool,
    event: Event,
    /// True even for an empty data line.
    has_data: bool,
}

impl Reader {
    /// Appends a chunk of text and returns the events that it completes, oldest first. An
    /// incomplete event waits for the next chunk.
    ///
    /// Returns `None` if an event is longer than 16 MiB. The caller must then stop reading.
    pub fn push(&mut self, mut text: &str) -> Option<Vec<Event>> {
        let mut events = Vec::new();
        while !text.is_empty() {
            // `\r\n` is one line end, even if a chunk ends between its two characters.
            text = if self.had_carriage_return {
                text.strip_prefix('\n').unwrap_or(text)
            } else {
                text
            };
            let (line, rest) = cut(text, b"\n\r");
            self.line.push_str(line);
            self.had_carriage_return =
                rest.is_some() && text.as_bytes().get(line.len()) == Some(&b'\r');
            if rest.is_some() {
                events.extend(self.end_line());
            }
            text = rest.unwrap_or_default();
        }
        (self.line.len() + self.event.data.len() <= MAX_EVENT_BYTES).then_some(events)
    }

    fn end_line(&mut self) -> Option<Event> {
        let line = core::mem::take(&mut self.line);
        if line.is_empty() {
            let name = core::mem::take(&mut self.event.name);
            let data = core::mem::take(&mut self.event.data);
            // The standard keeps the id for the next event.
            let has_data = core::mem::take(&mut self.has_data);
            return has_data.then(|| Event {
                id: self.event.id.clone(),
                name,
                data,
            });
        }
        let (field, value) = cut(&line, b":");
        let value = value.unwrap_or_default();
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => self.event.name = value.into(),
            "id" if !value.bytes().any(|byte| byte == 0) => self.event.id = value.into(),
            "data" => {
                if core::mem::replace(&mut self.has_data, true) {
                    self.event.data.push('\n');
                }
                self.event.data.push_str(value);
            }
            // A comment has an empty field name. `retry` is for readers that reconnect by
            // themselves.
            _ => {}
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    fn event(id: &str, name: &str, data: &str) -> Event {
        Event {
            id: id.into(),
            name: name.into(),
            data: data.into(),
        }
    }

    #[test]
    fn events_are_parsed_by_the_standard() {
        let cases: [(&str, &[Event]); 9] = [
            (
                "id: 2\nevent: task\ndata: {}\n\n",
                &[event("2", "task", "{}")],
            ),
            (":\n\nretry: 1000\n\n", &[]),
            (
                "data: a\ndata: b\n\ndata\n\n",
                &[event("", "", "a\nb"), event("", "", "")],
            ),
            (
                "id: 1\r\ndata:  x\r\n\r\ndata:y\r\r",
                &[event("1", "", " x"), event("1", "", "y")],
            ),
            (
                "event: gone\n\ndata: kept: whole\n\n",
                &[event("", "", "kept: whole")],
            ),
            ("data: cut off\n", &[]),
            ("id: a\0b\nid\ndata: é\n\n", &[event("", "", "é")]),
            ("id: 1\nid: a\0b\ndata\n\n", &[event("1", "", "")]),
            ("other: x\ndata\ndata\n\n", &[event("", "", "\n")]),
        ];
        for (text, events) in cases {
            assert_eq!(
                Reader::default().push(text).as_deref(),
                Some(events),
                "{text:?}"
            );
            let mut reader = Reader::default();
            let chunked: Vec<_> = text
                .chars()
                .flat_map(|letter| reader.push(&letter.to_string()).unwrap())
                .collect();
            assert_eq!(chunked, events, "{text:?} in chunks of one character");
        }
    }

    #[test]
    fn an_endless_event_is_not_buffered() {
        let megabyte = "x".repeat(1 << 20);
        for start in ["data: x", "data: x\ndata: ", ":"] {
            let mut reader = Reader::default();
            assert_eq!(reader.push(start), Some(Vec::new()));
            let taken = (0..100)
                .take_while(|_| reader.push(&megabyte).is_some())
                .count();
            assert_eq!(taken, 15, "{start}");
        }
    }
}
