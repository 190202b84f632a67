//! What a response means: what its call expects, or an error.

use mediagate_core::response::{DecodedResponse as Decoded, decode as decode_response};
use mediagate_core::{Capability, Expects, Outcome, Value};

use crate::error::{Error, Failure, Reported, code};
use crate::platform::{Platform, Response, Snapshot};
use crate::rejection::from_envelope;

/// What a call expects of its response.
#[derive(Clone, Copy)]
pub enum Expected {
    /// `data`, as it came.
    Data,
    /// Success of a `PUT`, without a body.
    Stored,
    /// A created task; one that is already done, where the capability may respond without a task. A pipeline where there is
    /// no capability.
    Created(Option<&'static Capability>),
    /// The record of a task, or of a pipeline.
    Status(Option<&'static Capability>),
    /// An open stream of events. Such a call is never repeated: the task is polled instead.
    Events,
}

/// Decodes a response: a value, `None` for [`Expected::Stored`] and [`Expected::Events`], and the snapshot of a task where
/// one is expected.
///
/// # Errors
/// Every error response by its code; `unreadable` for a response that is not the gateway's; `upload_failed` for one of a
/// storage.
pub fn decode<P: Platform>(
    platform: &P,
    response: Response<P::Value>,
    expected: Expected,
) -> Result<Option<P::Value>, Failure<P::Value>> {
    let Response {
        status,
        body,
        request_id,
        retry_after,
        is_stream,
    } = response;
    let (expects, capability) = match expected {
        Expected::Events if is_stream => return Ok(None),
        Expected::Stored if (200..300).contains(&status) => return Ok(None),
        Expected::Data
        | Expected::Stored
        | Expected::Events
        | Expected::Created(None)
        | Expected::Status(None) => (Expects::Data, None),
        Expected::Created(Some(it)) if it.may_omit_task => (Expects::TaskOrResult, Some(it)),
        Expected::Created(it) | Expected::Status(it) => (Expects::Task, it),
    };
    let mut failure = match decode_response(status, body, expects) {
        Decoded::Task(task) => {
            let (id, capability) = (task.id, capability.map_or("", Capability::name));
            let (state, progress, raw) = (task.state, task.progress, Some(task.raw));
            return Ok(Some(platform.snapshot(&Snapshot {
                id,
                capability,
                state,
                progress,
                raw,
            })));
        }
        Decoded::Result(_) if matches!(expected, Expected::Events) => {
            unreadable(platform, status, "no_stream").into()
        }
        Decoded::Result(data)
            if matches!(expected, Expected::Created(None) | Expected::Status(None)) =>
        {
            match pipeline(platform, data) {
                Some(it) => return Ok(Some(it)),
                None => unreadable(platform, status, "no_pipeline").into(),
            }
        }
        Decoded::Result(data) => {
            return Ok(Some(
                capability.map_or(data, |it| finished(platform, it, data)),
            ));
        }
        Decoded::Error(envelope) => from_envelope(platform, status, &envelope),
        // The gateway's upload relay responds in its envelope; a storage does not.
        Decoded::Unreadable(_) if matches!(expected, Expected::Stored) => Error::from_status(
            platform,
            code::UPLOAD_FAILED,
            "the storage refused the upload",
            status,
        )
        .with_hint(platform, "the browser's network log has its response")
        .into(),
        Decoded::Unreadable(reason) => foreign(status, unreadable(platform, status, reason.name())),
    };
    failure.retry_after_ms = (retry_after.unwrap_or_default() * 1000.0) as u32;
    let error = failure.error.with(platform, "requestId", request_id);
    failure.error = error.with(
        platform,
        "retryAfter",
        retry_after.map(|it| platform.number(it)),
    );
    Err(failure)
}

/// The failure of a response that is not the gateway's: another server, or a proxy, has refused a request with a status
/// from 400 to 499, so that the gateway does not have it.
fn foreign<V>(status: u16, error: Error<V>) -> Failure<V> {
    let refused = Reported {
        outcome: Outcome::NotSent,
        is_named: false,
        is_in_ledger: false,
    };
    Failure {
        reported: (400..500).contains(&status).then_some(refused),
        ..error.into()
    }
}

/// The error of a response that is not the gateway's, with a reason such as `not_json`.
pub fn unreadable<P: Platform>(platform: &P, status: u16, reason: &str) -> Error<P::Value> {
    Error::from_status(
        platform,
        code::UNREADABLE,
        "the response is not a Mediagate gateway's",
        status,
    )
    .with_hint(platform, "check the url, and any proxy")
    .with(platform, "reason", Some(platform.text(reason)))
}

/// The snapshot of a result that came in place of a task, which is then already done (§4.2). The gateway sends it as
/// `data.result`. Its id is empty.
pub fn finished<P: Platform>(platform: &P, capability: &Capability, data: P::Value) -> P::Value {
    platform.snapshot(&Snapshot {
        id: None,
        capability: capability.name(),
        state: Some(platform.text("SUCCEEDED")),
        progress: Some(1.0),
        raw: Some(data.get("result").unwrap_or(data)),
    })
}

/// The snapshot of a pipeline, by the `data` of a response; `None` where it has none.
fn pipeline<P: Platform>(platform: &P, data: P::Value) -> Option<P::Value> {
    let record = data.get("pipeline")?;
    let id = record.get("id")?.identifier();
    let snapshot = Snapshot {
        id,
        capability: "",
        state: record.get("state"),
        progress: None,
        raw: Some(record),
    };
    id.map(|_| platform.snapshot(&snapshot))
}

/// The snapshot of a task of which only the id and the capability are known; of a pipeline where there is no capability.
pub fn unknown<P: Platform>(
    platform: &P,
    id: P::Value,
    capability: Option<&Capability>,
) -> P::Value {
    let capability = capability.map_or("", Capability::name);
    platform.snapshot(&Snapshot {
        id: Some(id),
        capability,
        state: None,
        progress: None,
        raw: None,
    })
}
