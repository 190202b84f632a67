//! What a response means: what its request expects, or a failure.

use alloc::string::String;
use alloc::sync::Arc;

use mediagate_core::response::{DecodedResponse, decode as decode_envelope};
use mediagate_core::{Capability, Expects, Outcome, Value};

use super::error::{Error, Failure, Hint, Kind, Reported};
use super::platform::{Platform, Response, ResponseBody};
use super::task::Snapshot;

/// What a request expects in its response.
#[derive(Clone, Copy)]
pub(crate) enum Expected {
    /// `data`, as it came.
    Data,
    /// Success of an upload, without a body.
    Stored,
    /// A created task; one that is already done, where the capability may respond without a task.
    CreatedTask(&'static Capability),
    /// The record of a task.
    Task(&'static Capability),
    /// The record of a pipeline.
    Pipeline,
    /// An open stream of events.
    Events,
}

/// What a response brings.
pub(crate) enum Reply<P: Platform> {
    /// `data`.
    Data(P::Value),
    /// Nothing.
    Stored,
    /// The state of a task or a pipeline.
    Snapshot(Arc<Snapshot<P::Value>>),
    /// A stream of events.
    Events(P::Stream),
}

/// Decodes a response.
///
/// # Errors
/// Every refusal by its code; [`Kind::Unreadable`] for a response that is not the gateway's; [`Kind::UploadFailed`] for one of
/// a storage.
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
        (Expected::Stored, _) if (200..300).contains(&status) => return Ok(Reply::Stored),
        (_, ResponseBody::Json(body)) => Some(body),
        _ => None,
    };
    let failure = match read::<P>(status, body, expected) {
        Ok(reply) => return Ok(reply),
        Err(failure) => failure,
    };
    Err(Failure {
        error: failure.error.edit(|it| {
            it.request_id = request_id.or(it.request_id.take());
            it.retry_after = retry_after;
        }),
        ..failure
    })
}

/// What a response that came by another transport means.
pub enum Decoded<P: Platform> {
    /// The snapshot of a task.
    Snapshot(Arc<Snapshot<P::Value>>),
    /// `data`.
    Data(P::Value),
}

/// Decodes a response that came by another transport: the snapshot of a task of a capability, or `data` without one.
///
/// # Errors
/// Every refusal by its code; [`Kind::Unreadable`] for a response that is not the gateway's.
pub fn decode_response<P: Platform>(
    status: u16,
    body: Option<P::Value>,
    capability: Option<&'static Capability>,
) -> Result<Decoded<P>, Error<P>> {
    let expected = capability.map_or(Expected::Data, Expected::CreatedTask);
    match read::<P>(status, body, expected).map_err(|it| it.error)? {
        Reply::Snapshot(snapshot) => Ok(Decoded::Snapshot(snapshot)),
        Reply::Data(data) => Ok(Decoded::Data(data)),
        Reply::Stored | Reply::Events(_) => Err(Error::unreadable(status, "no_data")),
    }
}

fn read<P: Platform>(
    status: u16,
    body: Option<P::Value>,
    expected: Expected,
) -> Result<Reply<P>, Failure<P>> {
    let (expects, capability) = match expected {
        Expected::CreatedTask(it) if it.may_omit_task => (Expects::TaskOrResult, Some(it)),
        Expected::CreatedTask(it) | Expected::Task(it) => (Expects::Task, Some(it)),
        _ => (Expects::Data, None),
    };
    match (decode_envelope(status, body, expects), expected) {
        (DecodedResponse::Task(task), _) => Ok(Reply::Snapshot(Arc::new(Snapshot {
            id: task.id,
            capability,
            state: task.state,
            progress: task.progress,
            raw: Some(task.raw),
        }))),
        (DecodedResponse::Result(_), Expected::Events) => {
            Err(Error::unreadable(status, "no_stream").into())
        }
        (DecodedResponse::Result(data), Expected::Pipeline) => pipeline(&data)
            .map(|it| Reply::Snapshot(Arc::new(it)))
            .ok_or_else(|| Error::unreadable(status, "no_pipeline").into()),
        (DecodedResponse::Result(data), _) => Ok(match capability {
            Some(it) => Reply::Snapshot(Arc::new(Snapshot::finished(
                it,
                data.get("result").unwrap_or(data),
            ))),
            None => Reply::Data(data),
        }),
        (DecodedResponse::Error(envelope), _) => Err(Failure {
            error: Error::refused(status, &envelope),
            reported: Some(Reported::read(&envelope)),
        }),
        // The gateway's upload relay responds in its envelope; a storage does not.
        (DecodedResponse::Unreadable(_), Expected::Stored) => {
            let message = "the storage refused the upload";
            let error = Error::of_status(Kind::UploadFailed, message, status);
            Err(error.hint(Hint::ReadStorageResponse).into())
        }
        (DecodedResponse::Unreadable(reason), _) => Err(Failure {
            error: Error::unreadable(status, reason.name()),
            reported: reported_by_another(status),
        }),
    }
}

/// Another server, or a proxy, has refused a request with a status from 400 to 499: the gateway does not have it.
fn reported_by_another(status: u16) -> Option<Reported> {
    (400..500).contains(&status).then_some(Reported {
        outcome: Outcome::NotSent,
        is_named: false,
        is_in_ledger: false,
    })
}

/// The state of a pipeline in the `data` of a response; `None` where it has none.
fn pipeline<V: Value<Text = String>>(data: &V) -> Option<Snapshot<V>> {
    let record = data.get("pipeline")?;
    Some(Snapshot {
        id: Some(record.get("id")?.identifier()?),
        capability: None,
        state: record
            .get("state")
            .and_then(|it| Some(String::from(&*it.text()?))),
        progress: None,
        raw: Some(record),
    })
}
