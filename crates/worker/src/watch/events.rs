//! Server-sent events, as the HTML standard writes them.

/// What keeps the connection alive, and tells a proxy so.
pub(super) const HEARTBEAT: &str = ":\n\n";

/// How soon a browser's own reader would come back, in milliseconds.
pub(super) const HELLO: &str = "retry: 1000\n\n";

/// A task's record, or a refusal: the same envelope that a status is answered with. JSON has no line break in it, so it
/// is one line of data.
pub(super) fn event(name: &str, id: u64, envelope: &str) -> String {
    format!("id: {id}\nevent: {name}\ndata: {envelope}\n\n")
}
