//! The decoder of upstream responses.

use crate::code::Code;
use crate::envelope::Envelope;
use crate::reason::Reason;
use crate::task::DecodedTask;
use crate::value::{Type, Value};

/// The content that a request expects in its response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expects {
    /// A task record with its id: a create.
    Task,
    /// The record of a known task, which need not repeat the id.
    Status,
    /// A task record, or any other object: text-to-image, whose response is not documented (§4.2).
    TaskOrResult,
    /// Any `data`: upload URLs, models, estimates.
    Data,
}

/// A decoded response.
#[derive(Clone, Debug, PartialEq)]
pub enum DecodedResponse<V: Value> {
    /// A task that can be polled.
    Task(DecodedTask<V>),
    /// Success without a task: `data`, or the bare object of a capability that may omit the task.
    Result(V),
    /// An error response: an envelope with a code other than 0.
    Error(Envelope<V>),
    /// Not a readable response.
    Unreadable(Unreadable),
}

/// A defect that makes a response unreadable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unreadable {
    /// The body is not JSON: it is HTML, empty or truncated.
    NotJson,
    /// The body is JSON, but lacks the documented envelope.
    NotAnEnvelope,
    /// The code is success, and the expected task or its id is missing.
    NoTask,
    /// The code is success, and the expected data is missing.
    NoData,
    /// The code is success, and the HTTP status is an error.
    Contradictory,
}

impl Unreadable {
    /// Returns the reason with which the gateway refuses.
    pub const fn reason(self) -> Reason {
        match self {
            Unreadable::NotJson => Reason::NotJson,
            Unreadable::NotAnEnvelope => Reason::NotAnEnvelope,
            Unreadable::NoTask => Reason::NoTask,
            Unreadable::NoData => Reason::NoData,
            Unreadable::Contradictory => Reason::Contradictory,
        }
    }

    /// Returns the name of the reason.
    // The constants keep the table of reasons out of the wasm that a page downloads.
    pub const fn name(self) -> &'static str {
        match self {
            Unreadable::NotJson => const { Reason::NotJson.name() },
            Unreadable::NotAnEnvelope => const { Reason::NotAnEnvelope.name() },
            Unreadable::NoTask => const { Reason::NoTask.name() },
            Unreadable::NoData => const { Reason::NoData.name() },
            Unreadable::Contradictory => const { Reason::Contradictory.name() },
        }
    }
}

/// A part that a response of the gateway lacks, although its code is success. It is the reason of
/// the client's error `unreadable`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MissingPart {
    /// `data`.
    Data,
    /// The created task.
    Task,
    /// The pipeline.
    Pipeline,
    /// The session.
    Session,
    /// The stream of events.
    Stream,
    /// The upload URL, or the id of its file.
    UploadUrl,
    /// The id of a moved file, and the progress of the transfer.
    FileId,
}

impl MissingPart {
    /// All parts.
    pub const ALL: &'static [MissingPart] = &[
        MissingPart::Data,
        MissingPart::Task,
        MissingPart::Pipeline,
        MissingPart::Session,
        MissingPart::Stream,
        MissingPart::UploadUrl,
        MissingPart::FileId,
    ];

    /// Returns the name of the reason, such as `no_data`.
    pub const fn name(self) -> &'static str {
        match self {
            MissingPart::Data => Unreadable::NoData.name(),
            MissingPart::Task => Unreadable::NoTask.name(),
            MissingPart::Pipeline => "no_pipeline",
            MissingPart::Session => "no_session",
            MissingPart::Stream => "no_stream",
            MissingPart::UploadUrl => const { Reason::NoUploadUrl.name() },
            MissingPart::FileId => "no_file_id",
        }
    }
}

/// Decodes a response. `status` is the HTTP status; `body` is `None` if the body is not JSON.
///
/// The envelope decides, not the status, because §7 leaves the statuses open. There is one
/// exception: success without a task is [`Unreadable::Contradictory`] if the status is not 2xx.
pub fn decode<V: Value>(status: u16, body: Option<V>, expects: Expects) -> DecodedResponse<V> {
    let succeeded = (200..300).contains(&status);
    let Some(body) = body else {
        return DecodedResponse::Unreadable(Unreadable::NotJson);
    };
    let Some(envelope) = Envelope::decode(body.clone()) else {
        // Text-to-image may respond with a bare object (§4.2).
        let bare = expects == Expects::TaskOrResult && succeeded && body.kind() == Type::Object;
        return if bare {
            DecodedResponse::Result(body)
        } else {
            DecodedResponse::Unreadable(Unreadable::NotAnEnvelope)
        };
    };
    if envelope.code != Code::OK {
        return DecodedResponse::Error(envelope);
    }
    match (
        expects,
        task(envelope.data.as_ref(), expects == Expects::Status),
    ) {
        // Before the check of the status: a created task must not be lost.
        (Expects::Task | Expects::Status | Expects::TaskOrResult, Some(task)) => {
            DecodedResponse::Task(task)
        }
        (Expects::Task | Expects::Status, None) => DecodedResponse::Unreadable(Unreadable::NoTask),
        _ if !succeeded => DecodedResponse::Unreadable(Unreadable::Contradictory),
        (Expects::TaskOrResult, None) => DecodedResponse::Result(envelope.data.unwrap_or(body)),
        (Expects::Data, _) => envelope.data.map_or(
            DecodedResponse::Unreadable(Unreadable::NoData),
            DecodedResponse::Result,
        ),
    }
}

fn task<V: Value>(data: Option<&V>, has_known_id: bool) -> Option<DecodedTask<V>> {
    let record = data?
        .get("task")
        .filter(|task| task.kind() == Type::Object)?;
    let task = DecodedTask::decode(record);
    (has_known_id || task.id.is_some()).then_some(task)
}
