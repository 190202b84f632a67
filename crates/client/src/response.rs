//! Decoding a response: the reply that its request expects, or a failure.

use alloc::string::String;
use alloc::sync::Arc;

use mediagate_core::response::{DecodedResponse, decode as decode_envelope};
use mediagate_core::{Capability, Expects, MissingPart, Outcome, Value};

use crate::attempts::Reported;
use crate::error::{Error, Kind};
use crate::platform::{Hint, Platform, Response, ResponseBody};
use crate::snapshot::Snapshot;

/// The status of a server that refuses a body for its size.
const CONTENT_TOO_LARGE: u16 = 413;

/// The reply that a request expects.
#[derive(Clone, Copy)]
pub(crate) enum Expected {
    /// `data`, unchanged.
    Data,
    /// Success of an upload, without a body.
    Stored,
    /// A created task. If the capability may respond without a task, a result is a task that has
    /// already succeeded.
    CreatedTask(&'static Capability),
    /// The record of a task.
    Task(&'static Capability),
    /// The record of a pipeline.
    Pipeline,
    /// An open stream of events.
    Events,
}

/// The content of a successful response.
pub(crate) enum Reply<P: Platform> {
    /// `data`.
    Data(P::Value),
    /// Success without a body.
    Stored,
    /// The state of a task or a pipeline.
    Snapshot(Arc<Snapshot<P::Value>>),
    /// A stream of events.
    Events(P::Stream),
}

/// The failure of one attempt of a request.
pub(crate) struct Failure<P: Platform> {
    pub(crate) error: Error<P>,
    /// The outcome of a create according to the response; `None` without a response of a gateway.
    pub(crate) reported: Option<Reported>,
    /// True if no response came in time.
    pub(crate) was_late: bool,
    /// True if the platform had no connection, or refused to send the request.
    pub(crate) never_left: bool,
}

impl<P: Platform> From<Error<P>> for Failure<P> {
    fn from(error: Error<P>) -> Self {
        Failure {
            error,
            reported: None,
            was_late: false,
            never_left: false,
        }
    }
}

/// Decodes a response.
///
/// # Errors
/// Every refusal by its code; [`Kind::Unreadable`] for a response of another server;
/// [`Kind::UploadFailed`] for a refusal of a storage.
pub(crate) fn decode<P: Platform>(
    response: Response<P::Value, P::Stream>,
    expected: Expected,
) -> Result<Reply<P>, Failure<P>> {
    let Response {
        status,
        request_id,
        retry_after,
        body,
    } = response;
    let body = match (expected, body) {
        (Expected::Events, ResponseBody::Stream(stream)) => return Ok(Reply::Events(stream)),
        // A storage may send anything with its success.
        (Expected::Stored, _) if (200..300).contains(&status) => return Ok(Reply::Stored),
        (_, ResponseBody::Json(body)) => Some(body),
        _ => None,
    };
    read::<P>(status, body, expected).map_err(|mut failure| {
        let error = &mut failure.error;
        error.request_id = request_id.or(error.request_id.take());
        error.retry_after = retry_after;
        failure
    })
}

/// The content of a response that came by another transport.
pub enum Decoded<P: Platform> {
    /// The snapshot of a task.
    Snapshot(Arc<Snapshot<P::Value>>),
    /// `data`.
    Data(P::Value),
}

/// Decodes a response that came by another transport: the snapshot of a task of a capability, or
/// `data` without one.
///
/// # Errors
/// Every refusal by its code; [`Kind::Unreadable`] for a response of another server.
pub fn decode_response<P: Platform>(
    status: u16,
    body: Option<P::Value>,
    capability: Option<&'static Capability>,
) -> Result<Decoded<P>, Error<P>> {
    let expected = capability.map_or(Expected::Data, Expected::CreatedTask);
    match read::<P>(status, body, expected).map_err(|failure| failure.error)? {
        Reply::Snapshot(snapshot) => Ok(Decoded::Snapshot(snapshot)),
        Reply::Data(data) => Ok(Decoded::Data(data)),
        Reply::Stored | Reply::Events(_) => Err(Error::missing(status, MissingPart::Data)),
    }
}

fn read<P: Platform>(
    status: u16,
    body: Option<P::Value>,
    expected: Expected,
) -> Result<Reply<P>, Failure<P>> {
    let (expects, capability) = match expected {
        Expected::CreatedTask(capability) if capability.may_omit_task => {
            (Expects::TaskOrResult, Some(capability))
        }
        Expected::CreatedTask(capability) | Expected::Task(capability) => {
            (Expects::Task, Some(capability))
        }
        _ => (Expects::Data, None),
    };
    match (decode_envelope(status, body, expects), expected) {
        (DecodedResponse::Task(task), _) => Ok(Reply::Snapshot(Arc::new(Snapshot {
            id: task.id,
            capability,
            state: task.state,
            progress: task.progress,
            raw: Some(task.raw),
            unanswered_since_ms: None,
        }))),
        (DecodedResponse::Result(_), Expected::Events) => {
            Err(Error::missing(status, MissingPart::Stream).into())
        }
        (DecodedResponse::Result(data), Expected::Pipeline) => pipeline(&data)
            .map(|snapshot| Reply::Snapshot(Arc::new(snapshot)))
            .ok_or_else(|| Error::missing(status, MissingPart::Pipeline).into()),
        (DecodedResponse::Result(data), _) => Ok(match capability {
            Some(capability) => Reply::Snapshot(Arc::new(Snapshot::finished(
                capability,
                data.get("result").unwrap_or(data),
            ))),
            None => Reply::Data(data),
        }),
        (DecodedResponse::Error(envelope), _) => Err(Failure {
            reported: Some(Reported::read(&envelope)),
            ..Error::refused(status, &envelope).into()
        }),
        (DecodedResponse::Unreadable(_), _) if status == CONTENT_TOO_LARGE => {
            let kind = match expected {
                Expected::Stored => Kind::UploadFailed,
                _ => Kind::Unreadable,
            };
            let mut error = Error::too_large(kind);
            error.status = Some(status);
            Err(Failure {
                reported: reported_by_another(status),
                ..error.into()
            })
        }
        // A storage has no envelope. The upload relay of the gateway has one.
        (DecodedResponse::Unreadable(_), Expected::Stored) => {
            let message = "the storage refused the upload";
            let error = Error::of_status(Kind::UploadFailed, message, status);
            Err(error.hint(Hint::ReadStorageResponse).into())
        }
        (DecodedResponse::Unreadable(reason), _) => Err(Failure {
            reported: reported_by_another(status),
            ..Error::not_a_gateway(status, reason.name()).into()
        }),
    }
}

/// Returns the outcome of a create that another server responded to. With a status from 400 to 499,
/// a proxy has refused the request, and the gateway does not have it.
fn reported_by_another(status: u16) -> Option<Reported> {
    (400..500).contains(&status).then_some(Reported {
        outcome: Outcome::NotSent,
        is_named: false,
        is_in_ledger: false,
    })
}

/// Returns the snapshot of a pipeline from the `data` of a response; `None` if there is no pipeline
/// in it.
fn pipeline<V: Value<Text = String>>(data: &V) -> Option<Snapshot<V>> {
    let record = data.get("pipeline")?;
    Some(Snapshot {
        id: Some(record.get("id")?.identifier()?),
        capability: None,
        state: record
            .get("state")
            .and_then(|state| Some(String::from(&*state.text()?))),
        progress: None,
        raw: Some(record),
        unanswered_since_ms: None,
    })
}
