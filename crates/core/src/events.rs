//! Server-sent events, read from bytes as they come (HTML standard, 9.2.6). No I/O: whoever has the bytes gives them.

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

/// Makes events of bytes, however they are cut.
#[derive(Default)]
pub struct Reader {
    line: Vec<u8>,
    /// A line ended with a carriage return: a line feed at once after it belongs to it.
    returned: bool,
    event: Event,
    /// Whether there was a data line, which may have been empty.
    has_data: bool,
}

impl Reader {
    /// Takes in more bytes and gives the events that they complete, oldest first. An event that the bytes end in the
    /// middle of waits for more; what is no UTF-8 is replaced. `None` for an event that is too long to be one: there is
    /// no use in reading on.
    pub fn push(&mut self, bytes: &[u8]) -> Option<Vec<Event>> {
        let mut events = Vec::new();
        for &byte in bytes {
            match byte {
                b'\n' if self.returned => self.returned = false,
                b'\n' | b'\r' => {
                    self.returned = byte == b'\r';
                    events.extend(self.end_line());
                }
                _ => {
                    self.returned = false;
                    self.line.push(byte);
                }
            }
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
        let line = String::from_utf8_lossy(&line);
        let (field, value) = cut(&line, b":");
        let value = value.unwrap_or_default();
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => self.event.name = value.into(),
            "id" if !value.contains('\0') => self.event.id = value.into(),
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
            assert_eq!(Reader::default().push(text.as_bytes()).as_deref(), Some(events), "{text:?}");
            let mut cut = Reader::default();
            let in_pieces: Vec<_> = text.as_bytes().iter().flat_map(|it| cut.push(&[*it]).unwrap()).collect();
            assert_eq!(in_pieces, events, "{text:?} byte by byte");
        }
    }

    #[test]
    fn what_is_no_utf8_is_replaced() {
        assert_eq!(Reader::default().push(b"data: \xff\n\n"), Some(vec![event("", "", "\u{fffd}")]));
    }

    #[test]
    fn what_never_ends_is_not_kept() {
        let megabyte = vec![b'x'; 1 << 20];
        for start in ["data: x", "data: x\ndata: ", ":"] {
            let mut reader = Reader::default();
            assert_eq!(reader.push(start.as_bytes()), Some(Vec::new()));
            let taken = (0..100).take_while(|_| reader.push(&megabyte).is_some()).count();
            assert_eq!(taken, 15, "{start}");
        }
    }
}
