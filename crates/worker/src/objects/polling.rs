//! Polls tasks. Every poll of the gateway passes here, so that `UPSTREAM_POLLS_PER_SECOND` holds for all of them.

use std::time::Duration;

use worker::{Delay, Env};

use super::DurationsClient;
use crate::ids::TaskRef;
use crate::refusal::Refusal;
use crate::upstream::{Medium, TaskRecord, UpstreamClient};

/// When a poll that would wait too long for its turn may be repeated, in seconds.
const TURN_RETRY_SECONDS: u32 = 5;

/// The turn of a poll, if the operator holds polls to a rate.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Turn {
    /// The poll is counted already.
    Taken,
    /// The poll is counted now, and may wait this many milliseconds.
    Within(f64),
}

/// Reads a task's record, once it is the poll's turn.
///
/// # Errors
/// 429 if the turn would come too late; 404 if the upstream has no such task; the refusal that the upstream's response means.
pub(crate) async fn poll_task(
    env: &Env,
    client: UpstreamClient<'_>,
    task: &TaskRef,
    turn: Turn,
) -> Result<TaskRecord, Refusal> {
    take_turn(env, client, turn).await?;
    let polled = client.poll(task).await;
    pause_after(env, client, &polled).await;
    polled
}

/// Reads a medium in a task's record, once it is the poll's turn.
///
/// # Errors
/// As [`poll_task`].
pub(super) async fn poll_medium(
    env: &Env,
    client: UpstreamClient<'_>,
    task: &TaskRef,
    position: usize,
    turn: Turn,
) -> Result<Option<Medium>, Refusal> {
    take_turn(env, client, turn).await?;
    let polled = client.poll_medium(task, position).await;
    pause_after(env, client, &polled).await;
    polled
}

/// Pauses all polls for as long as the upstream's refusal says.
async fn pause_after<T>(env: &Env, client: UpstreamClient<'_>, polled: &Result<T, Refusal>) {
    DurationsClient::new(env, &client.upstream.settings)
        .pause_after(polled.as_ref().err())
        .await;
}

/// Waits for the turn of a poll.
///
/// # Errors
/// 429 if the turn would come too late.
async fn take_turn(env: &Env, client: UpstreamClient<'_>, turn: Turn) -> Result<(), Refusal> {
    let Turn::Within(max_ms) = turn else {
        return Ok(());
    };
    // Callers cause these polls, and could keep the object from responding.
    let wait = DurationsClient::new(env, &client.upstream.settings)
        .take_poll(max_ms, None)
        .await
        .ok_or_else(|| Refusal::too_many(TURN_RETRY_SECONDS))?;
    if wait > 0.0 {
        Delay::from(Duration::from_millis(wait as u64)).await;
    }
    Ok(())
}
