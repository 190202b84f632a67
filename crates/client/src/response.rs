use alloc::string::String;
use alloc::sync::Arc;

use mediagate_core::response::{DecodedResponse, decode as decode_envelope};
use mediagate_core::{Capability, Expects, MissingPart, Outcome, Value};

use crate::attempts::Reported;
use crate::error::{Error, Kind};
use crate::platform::{Hint, Platform, Response, ResponseBody};
use crate::snapshot::Snapshot;

const CONTENT_TOO_LARGE: u16 = 413;

#[derive(Clone, Copy)]
pub(crate) enum ResponseKind {
    /// `data`, unchanged.
    Data,
    /// Success of an upload, without a body.
    Stored,
    /// A created task. If the capability may respond without a task, a result is a task that has
    /// already succeeded.
    CreatedTask(&'static Capability),
    Task(&'static Capability),
    Pipeline,
    Events,
}

pub(crate) enum Received<P: Platform> {
    Data(P::Value),
    Stored,
    Snapshot(Arc<Snapshot<P::Value>>),
    Events(P::Stream),
}

pub(crate) struct FailedAttempt<P: Platform> {
    pub(crate) error: Error<P>,
    /// The outcome of a create according to the response; `None` without a response of a gateway.
    pub(crate) reported: Option<Reported>,
    pub(crate) was_late: bool,
    /// True if the platform had no connection, or refused to send the request.
    pub(crate) never_left: bool,
}

impl<P: Platform> From<Error<P>> for FailedAttempt<P> {
    fn from(error: Error<P>) -> Self {
        FailedAttempt {
            error,
            reported: None,
            was_late: false,
            never_left: false,
        }
    }
}

/// Decodes a response. Every refusal is an error by its code. [`Kind::Unreadable`] is a response of
/// another server, and [`Kind::UploadFailed`] a refusal of a storage.
pub(crate) fn decode<P: Platform>(
    response: Response<P::Value, P::Stream>,
    expected: ResponseKind,
) -> Result<Received<P>, FailedAttempt<P>> {
    let Response {
        status,
        request_id,
        retry_after,
        body,
    } = response;
    let body = match (expected, body) {
        (ResponseKind::Events, ResponseBody::Stream(stream)) => {
            return Ok(Received::Events(stream));
        }
        // A storage may send anything with its success.
        (ResponseKind::Stored, _) if (200..300).contains(&status) => return Ok(Received::Stored),
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

/// Decodes the snapshot of a task from a response that came by another transport.
///
/// # Errors
/// Every refusal by its code; [`Kind::Unreadable`] for a response of another server.
pub fn decode_snapshot<P: Platform>(
    status: u16,
    body: Option<P::Value>,
    capability: &'static Capability,
) -> Result<Arc<Snapshot<P::Value>>, Error<P>> {
    match read::<P>(status, body, ResponseKind::CreatedTask(capability)) {
        Ok(Received::Snapshot(snapshot)) => Ok(snapshot),
        Ok(_) => Err(Error::missing(status, MissingPart::Task)),
        Err(failure) => Err(failure.error),
    }
}

/// Decodes `data` from a response that came by another transport.
///
/// # Errors
/// Those of [`decode_snapshot`].
pub fn decode_data<P: Platform>(status: u16, body: Option<P::Value>) -> Result<P::Value, Error<P>> {
    match read::<P>(status, body, ResponseKind::Data) {
        Ok(Received::Data(data)) => Ok(data),
        Ok(_) => Err(Error::missing(status, MissingPart::Data)),
        Err(failure) => Err(failure.error),
    }
}

fn read<P: Platform>(
    status: u16,
    body: Option<P::Value>,
    expected: ResponseKind,
) -> Result<Received<P>, FailedAttempt<P>> {
    let (expects, capability) = match expected {
        ResponseKind::CreatedTask(capability) if capability.may_omit_task => {
            (Expects::TaskOrResult, Some(capability))
        }
        ResponseKind::CreatedTask(capability) | ResponseKind::Task(capability) => {
            (Expects::Task, Some(capability))
        }
        _ => (Expects::Data, None),
    };
    match (decode_envelope(status, body, expects), expected) {
        (DecodedResponse::Task(task), _) => Ok(Received::Snapshot(Arc::new(Snapshot {
            id: task.id,
            capability,
            state: task.state,
            progress: task.progress,
            raw: Some(task.raw),
            unanswered_since_ms: None,
        }))),
        (DecodedResponse::Result(_), ResponseKind::Events) => {
            Err(Error::missing(status, MissingPart::Stream).into())
        }
        (DecodedResponse::Result(data), ResponseKind::Pipeline) => pipeline(&data)
            .map(|snapshot| Received::Snapshot(Arc::new(snapshot)))
            .ok_or_else(|| Error::missing(status, MissingPart::Pipeline).into()),
        (DecodedResponse::Result(data), _) => Ok(match capability {
            Some(capability) => Received::Snapshot(Arc::new(Snapshot::finished(
                capability,
                data.get("result").unwrap_or(data),
            ))),
            None => Received::Data(data),
        }),
        (DecodedResponse::Error(envelope), _) => Err(FailedAttempt {
            reported: Some(Reported::read(&envelope)),
            ..Error::refused(status, &envelope).into()
        }),
        (DecodedResponse::Unreadable(_), _) if status == CONTENT_TOO_LARGE => {
            let kind = match expected {
                ResponseKind::Stored => Kind::UploadFailed,
                _ => Kind::Unreadable,
            };
            let mut error = Error::too_large(kind);
            error.status = Some(status);
            Err(FailedAttempt {
                reported: reported_by_another(status),
                ..error.into()
            })
        }
        // A storage has no envelope. The upload relay of the gateway has one.
        (DecodedResponse::Unreadable(_), ResponseKind::Stored) => {
            let message = "the storage refused the upload";
            let error = Error::of_status(Kind::UploadFailed, message, status);
            Err(error.hint(Hint::ReadStorageResponse).into())
        }
        (DecodedResponse::Unreadable(reason), _) => Err(FailedAttempt {
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
