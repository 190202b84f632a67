//! All polls of the gateway are sent here, so that `UPSTREAM_POLLS_PER_SECOND` limits all of them.

use std::time::Duration;

use mediagate_access::refusal::Refusal;
use mediagate_ids::TaskRef;
use mediagate_upstream::TaskRecord;
use mediagate_upstream_client::{Medium, UpstreamClient};
use worker::{Delay, Env};

use super::DurationsClient;

/// The seconds after which a caller may retry a poll that would wait too long for its turn.
const TURN_RETRY_SECONDS: u32 = 5;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Turn {
    /// The poll is counted already.
    Taken,
    /// A caller waits, so the poll may wait only `MAX_TURN_MS`.
    Now,
}

const MAX_TURN_MS: f64 = 2_000.0;

/// Waits for the poll's turn, and reads a task's record. 429 if the turn would come too late; 404
/// if the upstream has no such task; also the upstream's error as a refusal.
pub async fn poll_task(
    env: &Env,
    client: UpstreamClient<'_>,
    task: &TaskRef,
    turn: Turn,
) -> Result<TaskRecord, Refusal> {
    if turn == Turn::Now {
        take_turn(env, client).await?;
    }
    let polled = client.poll(task).await;
    pause_after(env, client, &polled).await;
    polled
}

/// Reads the media that the record of an ended task has as text, by their positions. Fails like
/// [`poll_task`].
pub async fn poll_media(
    env: &Env,
    client: UpstreamClient<'_>,
    task: &TaskRef,
) -> Result<Vec<Option<Medium>>, Refusal> {
    take_turn(env, client).await?;
    let polled = client.poll_media(task).await;
    pause_after(env, client, &polled).await;
    polled
}

async fn pause_after<T>(env: &Env, client: UpstreamClient<'_>, polled: &Result<T, Refusal>) {
    DurationsClient::new(env, &client.upstream.settings)
        .pause_after(polled.as_ref().err())
        .await;
}

/// 429 if the turn would come too late, or if the object that counts the polls does not respond.
async fn take_turn(env: &Env, client: UpstreamClient<'_>) -> Result<(), Refusal> {
    // Callers cause these polls. Without a response of the object they are refused, or callers
    // could overload the object to pass the limit.
    let wait = DurationsClient::new(env, &client.upstream.settings)
        .take_poll(MAX_TURN_MS, None)
        .await
        .ok_or_else(|| Refusal::too_many(TURN_RETRY_SECONDS))?;
    if wait > 0.0 {
        Delay::from(Duration::from_millis(wait as u64)).await;
    }
    Ok(())
}
