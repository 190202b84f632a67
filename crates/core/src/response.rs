//! Decoding an upstream response.

use crate::code::Code;
use crate::envelope::Envelope;
use crate::task::Task;
use crate::value::{Type, Value};

/// What a request expects in its response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expects {
    /// A task record with its id: a create.
    Task,
    /// The record of a task whose id is known: it need not repeat the id.
    Status,
    /// A task record, or any other object: text-to-image, whose response is not documented (§4.2).
    TaskOrResult,
    /// `data`: upload URLs, models, estimates.
    Data,
}

/// A decoded response.
#[derive(Clone, Debug, PartialEq)]
pub enum Response<V: Value> {
    /// A task that can be polled.
    Task(Task<V>),
    /// Success without a task: `data`, or the bare object of a capability that may respond with one.
    Result(V),
    /// An error response: an envelope with a code other than 0.
    Error(Envelope<V>),
    /// Not a readable response; the string is the reason, one of this module's constants.
    Unreadable(&'static str),
}

/// Not JSON: HTML, an empty body, or a truncated one.
pub const NOT_JSON: &str = "not_json";
/// JSON, but not an envelope where one is documented.
pub const NOT_AN_ENVELOPE: &str = "not_an_envelope";
/// Success without the expected task, or with one that has no id.
pub const NO_TASK: &str = "no_task";
/// Success without the expected data.
pub const NO_DATA: &str = "no_data";
/// The envelope says success, but the HTTP status says failure.
pub const CONTRADICTORY: &str = "contradictory";

/// Decodes a response. `status` is the HTTP status; `body` is `None` where the body is not JSON.
///
/// The envelope decides, not the status, because §7 leaves the statuses open. There is one exception: success without a
/// task is [`CONTRADICTORY`] under a status that is not 2xx.
pub fn decode<V: Value>(status: u16, body: Option<V>, expects: Expects) -> Response<V> {
    let succeeded = (200..300).contains(&status);
    let Some(body) = body else {
        return Response::Unreadable(NOT_JSON);
    };
    let Some(envelope) = Envelope::decode(body) else {
        let bare = expects == Expects::TaskOrResult && succeeded && body.kind() == Type::Object;
        return if bare {
            Response::Result(body)
        } else {
            Response::Unreadable(NOT_AN_ENVELOPE)
        };
    };
    if envelope.code != Code::OK {
        return Response::Error(envelope);
    }
    match (expects, task(envelope.data, expects == Expects::Status)) {
        (Expects::Task | Expects::Status | Expects::TaskOrResult, Some(task)) => {
            Response::Task(task)
        }
        (Expects::Task | Expects::Status, None) => Response::Unreadable(NO_TASK),
        _ if !succeeded => Response::Unreadable(CONTRADICTORY),
        (Expects::TaskOrResult, None) => Response::Result(envelope.data.unwrap_or(body)),
        (Expects::Data, _) => envelope
            .data
            .map_or(Response::Unreadable(NO_DATA), Response::Result),
    }
}

fn task<V: Value>(data: Option<V>, has_known_id: bool) -> Option<Task<V>> {
    let record = data?.get("task").filter(|it| it.kind() == Type::Object)?;
    let task = Task::decode(record);
    (has_known_id || task.id.is_some()).then_some(task)
}
