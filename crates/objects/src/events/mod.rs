//! Server-sent events, as the HTML standard defines them.

mod quotas;
mod seats;
mod subscriber;
mod subscribers;

pub(crate) use quotas::{open, output_quotas, quotas_of};
pub(crate) use seats::{Cut, Seat};
pub(crate) use subscriber::LatestEvent;
pub(crate) use subscribers::Subscribers;

/// A comment, which keeps the connection open.
pub(crate) const HEARTBEAT: &str = ":\n\n";

/// The milliseconds after which a browser's `EventSource` reconnects.
const PREAMBLE: &str = "retry: 1000\n\n";

#[cfg(test)]
mod tests {
    use super::*;
    use mediagate_core::events::{Event, Reader};
    use mediagate_messages::envelope::event;

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
