//! Relays an upload, for a storage that sends no CORS headers.

use mediagate_access::identity::Item;
use mediagate_access::refusal::Refusal;
use mediagate_core::Reason;
use mediagate_ids::MAX_SEALED_LEN;
use mediagate_platform::{Counter, now_ms};
use mediagate_upstream_client::{StorageError, StorageUpload};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::RequestContext;

const TICKET_LIFETIME_MS: f64 = 3_600_000.0;
const TICKET_KIND: &str = "ticket";

/// An upload that may be relayed. A ticket leaves the gateway only sealed.
#[derive(Serialize, Deserialize)]
pub(super) struct Ticket {
    #[serde(flatten)]
    upload: StorageUpload,
    /// In milliseconds since 1970.
    expires_at: f64,
}

impl Ticket {
    pub(super) fn new(upload: StorageUpload) -> Self {
        Ticket {
            upload,
            expires_at: now_ms() + TICKET_LIFETIME_MS,
        }
    }

    /// Seals the ticket for the caller. Returns `None` if it would be too long for a path.
    pub(super) fn seal(&self, context: &RequestContext<'_>) -> Option<String> {
        let sealed = context.seal(TICKET_KIND, &serde_json::to_string(self).ok()?);
        (sealed.len() <= MAX_SEALED_LEN).then_some(sealed)
    }

    /// Unseals a ticket of the caller. Returns `None` if it is not valid or has expired.
    fn unseal(context: &RequestContext<'_>, sealed: &str) -> Option<Self> {
        let ticket: Ticket = serde_json::from_str(&context.unseal(TICKET_KIND, sealed)?).ok()?;
        Some(ticket).filter(|ticket| now_ms() < ticket.expires_at)
    }
}

/// `PUT /api/app/v1/uploads/{ticket}`. Streams the bytes to the upload URL, without copying them
/// into wasm. A ticket may be used again, for example after a broken connection. Each use counts as
/// an upload of an anonymous caller. 4xx for a ticket or a body that is not valid; 429 if anonymous
/// callers have used up their share; 5xx if the storage does not take the file.
pub(crate) async fn relay(context: &RequestContext<'_>, ticket: &str) -> Result<Value, Refusal> {
    let Some(ticket) = Ticket::unseal(context, ticket) else {
        let message = "the upload URL is not valid or has expired; request a new one";
        return Err(Refusal::new(Reason::InvalidTicket, message));
    };
    let declared = context.incoming.header("content-length");
    let declared = declared.and_then(|length| length.parse::<u64>().ok());
    // A wrong length is refused at once, before the storage gets a file that it must discard.
    let is_expected = declared.is_none_or(|length| Some(length) == ticket.upload.size);
    let Some(body) = context.incoming.raw.body().filter(|_| is_expected) else {
        return Err(Refusal::from(Reason::WrongSize));
    };
    let max_bytes = context.settings().max_upload_bytes;
    let bytes = ticket.upload.size.unwrap_or(max_bytes);
    context.take(Item::Upload, bytes).await?;
    let sent = ticket
        .upload
        .send(context.upstream, &body, &Counter::new())
        .await;
    let reason = match sent {
        Ok(()) => return Ok(json!({})),
        Err(StorageError::Stalled) => {
            let message =
                "the upload stopped on its way; request a new upload URL and send the file again";
            return Err(Refusal::new(Reason::SlowBody, message));
        }
        Err(StorageError::Internal) => Reason::RelayFailed,
        Err(StorageError::Deadline) => Reason::Deadline,
        Err(StorageError::Unreachable) => Reason::StorageUnreachable,
        Err(StorageError::WrongSize) => Reason::WrongSize,
        // The client requests another upload URL after this refusal.
        Err(StorageError::Refused { status: 403 }) => Reason::UploadUrlExpired,
        Err(StorageError::Refused { .. }) => Reason::StorageRefused,
    };
    Err(Refusal::from(reason))
}
