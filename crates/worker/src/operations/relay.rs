//! Relays an upload, for a storage that sends no CORS headers.

use mediagate_core::Reason;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::RequestContext;
use crate::ids::MAX_SEALED_LEN;
use crate::platform::{Counter, now_ms};
use crate::refusal::Refusal;
use crate::reply::Reply;
use crate::upstream::{StorageError, StorageUpload};

/// How long a ticket is valid, in milliseconds.
const TICKET_LIFETIME_MS: f64 = 3_600_000.0;
/// The kind that a ticket is sealed as.
const TICKET_KIND: &str = "ticket";

/// An upload that may be relayed. It leaves the gateway sealed.
#[derive(Serialize, Deserialize)]
pub(super) struct Ticket {
    #[serde(flatten)]
    upload: StorageUpload,
    /// In milliseconds since 1970.
    expires_at: f64,
}

impl Ticket {
    /// A ticket for an upload.
    pub(super) fn new(upload: StorageUpload) -> Self {
        Ticket {
            upload,
            expires_at: now_ms() + TICKET_LIFETIME_MS,
        }
    }

    /// The ticket, sealed for the caller; `None` where it would be too long for a path.
    pub(super) fn seal(&self, context: &RequestContext<'_>) -> Option<String> {
        let sealed = context.seal(TICKET_KIND, &serde_json::to_string(self).ok()?);
        (sealed.len() <= MAX_SEALED_LEN).then_some(sealed)
    }

    /// A valid ticket of the caller's.
    fn unseal(context: &RequestContext<'_>, sealed: &str) -> Option<Self> {
        let ticket: Ticket = serde_json::from_str(&context.unseal(TICKET_KIND, sealed)?).ok()?;
        Some(ticket).filter(|it| now_ms() < it.expires_at)
    }
}

/// `PUT /api/app/v1/uploads/{ticket}`: the bytes are streamed to the upload URL, outside wasm.
pub(crate) async fn relay(context: &RequestContext<'_>, ticket: &str) -> Result<Reply, Refusal> {
    let Some(ticket) = Ticket::unseal(context, ticket) else {
        let message = "the upload URL is not valid or has expired; request a new one";
        return Err(Refusal::new(Reason::InvalidTicket, message));
    };
    let declared = context
        .incoming
        .header("content-length")
        .and_then(|it| it.parse::<u64>().ok());
    let Some(body) = context
        .incoming
        .raw
        .body()
        .filter(|_| declared.is_none_or(|it| Some(it) == ticket.upload.size))
    else {
        return Err(wrong_size());
    };
    let sent = ticket
        .upload
        .send(context.settings(), &body, &Counter::new())
        .await;
    sent.map(|()| Reply::ok(json!({}))).map_err(|it| match it {
        StorageError::Internal => Refusal::from(Reason::RelayFailed),
        StorageError::Deadline => Refusal::from(Reason::Deadline),
        StorageError::Stalled => stalled(),
        StorageError::Unreachable => Refusal::from(Reason::StorageUnreachable),
        StorageError::WrongSize => wrong_size(),
        StorageError::Refused => Refusal::from(Reason::StorageRefused),
        // The upload URL in the ticket: the client requests a new one.
        StorageError::Expired => Refusal::from(Reason::UploadUrlExpired),
    })
}

fn wrong_size() -> Refusal {
    Refusal::from(Reason::WrongSize)
}

fn stalled() -> Refusal {
    let message = "the upload stopped on its way; request a new upload URL and send the file again";
    Refusal::new(Reason::SlowBody, message)
}
