//! Server-sent events, as the HTML standard defines them.

/// A comment, which keeps the connection open.
pub(super) const HEARTBEAT: &str = ":\n\n";

/// The first event of a stream: how soon a browser's `EventSource` would reconnect, in milliseconds.
pub(super) const PREAMBLE: &str = "retry: 1000\n\n";

/// An event with a task's record or a refusal: the same envelope as the response to a status request. JSON has no line
/// breaks, so it is one line of data.
pub(super) fn event(name: &str, id: u64, envelope: &str) -> String {
    format!("id: {id}\nevent: {name}\ndata: {envelope}\n\n")
}
