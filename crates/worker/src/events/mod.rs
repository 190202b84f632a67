//! Server-sent events, as the HTML standard defines them: written, and sent to subscribers.

mod seats;
mod subscriber;
mod subscribers;

pub(crate) use seats::{Holder, Quota};
pub(crate) use subscriber::LatestEvent;
pub(crate) use subscribers::Subscribers;

/// A comment, which keeps the connection open.
pub(crate) const HEARTBEAT: &str = ":\n\n";

/// The first event of a stream: how soon a browser's `EventSource` would reconnect, in milliseconds.
const PREAMBLE: &str = "retry: 1000\n\n";

/// An event with a task's record or a refusal: the same envelope as the response to a status request. JSON has no line
/// breaks, so it is one line of data.
pub(crate) fn event(name: &str, id: u64, envelope: &str) -> String {
    format!("id: {id}\nevent: {name}\ndata: {envelope}\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use mediagate_core::events::{Event, Reader};

    #[test]
    fn a_client_reads_the_event_and_neither_preamble_nor_heartbeat() {
        let stream = [PREAMBLE, HEARTBEAT, &event("task", 7, "{}"), HEARTBEAT].concat();
        let expected = Event {
            id: "7".into(),
            name: "task".into(),
            data: "{}".into(),
        };
        assert_eq!(Reader::default().push(&stream), Some(vec![expected]));
    }
}
