//! What an answer means, whatever it looks like.

use crate::code::Code;
use crate::envelope::Envelope;
use crate::task::Task;
use crate::value::{Type, Value};

/// What a caller asked for, and so what it can read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expects {
    /// A task record with its id: a create.
    Task,
    /// The record of a task whose id is known: it need not repeat the id.
    Status,
    /// A task record or whatever else came: text-to-image, whose response is not documented (§4.2).
    TaskOrResult,
    /// Some `data`: upload URLs, models, estimates.
    Data,
}

/// A decoded answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Response<V> {
    /// A task that can be polled.
    Task(Task<V>),
    /// Success without a task.
    Result(V),
    /// The service said no, with a code other than 0.
    Error(Envelope<V>),
    /// Nothing that can be understood; the word says why.
    Unreadable(&'static str),
}

/// No JSON at all: HTML, nothing, or a body that was cut off.
pub const NOT_JSON: &str = "not_json";
/// JSON, but no envelope where one is documented.
pub const NOT_AN_ENVELOPE: &str = "not_an_envelope";
/// Success without the task that was asked for, or with one that has no id.
pub const NO_TASK: &str = "no_task";
/// Success without the data that was asked for.
pub const NO_DATA: &str = "no_data";
/// The envelope says success and the HTTP status says the opposite.
pub const CONTRADICTORY: &str = "contradictory";

/// Reads an answer. `body` is `None` where it was no JSON; `status` is the HTTP status.
///
/// The envelope decides, not the status (§7 leaves the statuses open), with one exception: success that brings no task
/// is not believed of a status that says failure.
pub fn decode<V: Value>(status: u16, body: Option<V>, expects: Expects) -> Response<V> {
    let succeeded = (200..300).contains(&status);
    let Some(body) = body else { return Response::Unreadable(NOT_JSON) };
    let Some(envelope) = Envelope::decode(&body) else {
        let bare = expects == Expects::TaskOrResult && succeeded && body.kind() == Type::Object;
        return if bare { Response::Result(body) } else { Response::Unreadable(NOT_AN_ENVELOPE) };
    };
    if envelope.code != Code::OK {
        return Response::Error(envelope);
    }
    match (expects, task(envelope.data.as_ref(), expects == Expects::Status)) {
        (Expects::Task | Expects::Status | Expects::TaskOrResult, Some(task)) => Response::Task(task),
        (Expects::Task | Expects::Status, None) => Response::Unreadable(NO_TASK),
        _ if !succeeded => Response::Unreadable(CONTRADICTORY),
        (Expects::TaskOrResult, None) => Response::Result(envelope.data.unwrap_or(body)),
        (Expects::Data, _) => envelope.data.map_or(Response::Unreadable(NO_DATA), Response::Result),
    }
}

fn task<V: Value>(data: Option<&V>, has_known_id: bool) -> Option<Task<V>> {
    let record = data?.get("task").filter(|it| it.kind() == Type::Object)?;
    let task = Task::decode(&record);
    (has_known_id || !task.id.is_empty()).then_some(task)
}
