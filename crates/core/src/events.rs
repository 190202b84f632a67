//! Server-sent events, read from text as it comes (HTML standard, 9.2.6). No I/O: whoever has the bytes decodes them.

use crate::text::cut;

/// One event: something to be read in `data`, under a name.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Event {
    /// The last id that the stream has named; empty where it has named none.
    pub id: String,
    /// Its name, empty where it has none; the standard would call that one `message`.
    pub name: String,
    /// Its data lines, joined by line breaks.
    pub data: String,
}

/// The longest event that is read, in bytes: several times the longest record that a gateway is set to take.
const LONGEST: usize = 16 << 20;

/// Makes events of text, however it is cut.
#[derive(Default)]
pub struct Reader {
    line: String,
    /// A line ended with a carriage return: a line feed at once after it belongs to it.
    returned: bool,
    event: Event,
    /// Whether there was a data line, which may have been empty.
    has_data: bool,
}

impl Reader {
    /// Takes in more text and gives the events that it completes, oldest first. An event that the text ends in the middle
    /// of waits for more. `None` for an event that is too long to be one: there is no use in reading on.
    pub fn push(&mut self, mut text: &str) -> Option<Vec<Event>> {
        let mut events = Vec::new();
        while !text.is_empty() {
            // A line feed at once after a carriage return ends the same line.
            text = if self.returned { text.strip_prefix('\n').unwrap_or(text) } else { text };
            let (line, rest) = cut(text, b"\n\r");
            self.line.push_str(line);
            self.returned = rest.is_some() && text.as_bytes().get(line.len()) == Some(&b'\r');
            if rest.is_some() {
                events.extend(self.end_line());
            }
            text = rest.unwrap_or_default();
        }
        (self.line.len() + self.event.data.len() <= LONGEST).then_some(events)
    }

    fn end_line(&mut self) -> Option<Event> {
        let line = core::mem::take(&mut self.line);
        if line.is_empty() {
            let name = core::mem::take(&mut self.event.name);
            let data = core::mem::take(&mut self.event.data);
            let complete = core::mem::take(&mut self.has_data);
            return complete.then(|| Event { id: self.event.id.clone(), name, data });
        }
        let (field, value) = cut(&line, b":");
        let value = value.unwrap_or_default();
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => self.event.name = value.into(),
            "id" if !value.bytes().any(|it| it == 0) => self.event.id = value.into(),
            "data" => {
                if core::mem::replace(&mut self.has_data, true) {
                    self.event.data.push('\n');
                }
                self.event.data.push_str(value);
            }
            // A comment has no name before its colon; a time to wait is for readers that come back by themselves.
            _ => {}
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(id: &str, name: &str, data: &str) -> Event {
        Event { id: id.into(), name: name.into(), data: data.into() }
    }

    #[test]
    fn events_are_read_as_the_standard_says() {
        let cases: [(&str, &[Event]); 8] = [
            ("id: 2\nevent: task\ndata: {}\n\n", &[event("2", "task", "{}")]),
            (":\n\nretry: 1000\n\n", &[]),
            ("data: a\ndata: b\n\ndata\n\n", &[event("", "", "a\nb"), event("", "", "")]),
            ("id: 1\r\ndata:  x\r\n\r\ndata:y\r\r", &[event("1", "", " x"), event("1", "", "y")]),
            ("event: gone\n\ndata: kept: whole\n\n", &[event("", "", "kept: whole")]),
            ("data: cut off\n", &[]),
            ("id: a\0b\nid\ndata: é\n\n", &[event("", "", "é")]),
            ("other: x\ndata\ndata\n\n", &[event("", "", "\n")]),
        ];
        for (text, events) in cases {
            assert_eq!(Reader::default().push(text).as_deref(), Some(events), "{text:?}");
            let mut cut = Reader::default();
            let in_pieces: Vec<_> = text.chars().flat_map(|it| cut.push(&it.to_string()).unwrap()).collect();
            assert_eq!(in_pieces, events, "{text:?} letter by letter");
        }
    }

    #[test]
    fn what_never_ends_is_not_kept() {
        let megabyte = "x".repeat(1 << 20);
        for start in ["data: x", "data: x\ndata: ", ":"] {
            let mut reader = Reader::default();
            assert_eq!(reader.push(start), Some(Vec::new()));
            let taken = (0..100).take_while(|_| reader.push(&megabyte).is_some()).count();
            assert_eq!(taken, 15, "{start}");
        }
    }
}
