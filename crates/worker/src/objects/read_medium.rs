//! Reads a medium that the gateway serves.

use mediagate_core::Reason;
use worker::Env;

use super::polling::poll_medium;
use super::{LedgerClient, Turn};
use crate::ids::MediumRef;
use crate::refusal::Refusal;
use crate::upstream::{Medium, UpstreamClient};

/// The most milliseconds that a read of a task waits for its turn, if the rate of polls is limited.
const MAX_TURN_MS: f64 = 2_000.0;

/// Reads a medium: from the ledger, or from the record of its task.
///
/// # Errors
/// 404 if the medium is gone; 500 if the ledger does not respond; for a task also those of
/// [`poll_task`](super::poll_task).
pub(crate) async fn read_medium(
    env: &Env,
    client: UpstreamClient<'_>,
    medium: &MediumRef,
) -> Result<Medium, Refusal> {
    let found = match medium {
        MediumRef::Create {
            owner,
            entry,
            position,
        } => {
            let ledgers = LedgerClient::new(env, &client.upstream.settings);
            ledgers.medium(owner, *entry, *position).await?
        }
        MediumRef::Task { task, position } => {
            poll_medium(env, client, task, *position, Turn::Within(MAX_TURN_MS)).await?
        }
    };
    found.ok_or_else(|| Refusal::from(Reason::UnknownOutput))
}
