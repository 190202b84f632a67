use alloc::boxed::Box;
use alloc::sync::Arc;

use mediagate_core::schedule;

use crate::error::Error;
use crate::platform::{BoxFuture, Platform, Wake};
use crate::sync::{Job, Waiters, before, until};
use crate::task::{TaskHandle, poll_after_ms};

/// The factor of the time between two polls of a hidden page.
const HIDDEN_FACTOR: u32 = 4;

impl<P: Platform> TaskHandle<P> {
    /// Returns the one job for all callers who wait for the task's changes. The job ends with the
    /// task, or with the failure of a poll.
    pub(super) fn follower(&self) -> Arc<Job<P>> {
        self.0.state.with(|state| {
            // A follower that has failed stays failed, so the next caller starts a new one.
            if let Some(known) = state.follower.upgrade()
                && known.result().is_none()
            {
                return known;
            }
            let task = self.clone();
            let new = Job::new(self.0.changed.clone(), |waiters| {
                Box::pin(async move { task.follow_until_ended(waiters).await })
            });
            state.follower = Arc::downgrade(&new);
            new
        })
    }

    /// Follows the task until its end, which a refresh may find meanwhile.
    async fn follow_until_ended(&self, waiters: Waiters<P>) -> Result<(), Error<P>> {
        let ended = until(&self.0.changed, || self.has_ended().then_some(()));
        let mut follow: BoxFuture<'_, _> = Box::pin(self.follow(waiters));
        before(&mut follow, Box::pin(ended)).await.unwrap_or(Ok(()))
    }

    async fn follow(&self, waiters: Waiters<P>) -> Result<(), Error<P>> {
        while !self.has_ended() {
            if self.read_stream(&waiters).await? {
                continue;
            }
            if !self.has_ended() {
                self.wait_to_poll().await;
                self.poll(waiters.clone()).await?;
                self.check_followed()?;
            }
        }
        Ok(())
    }

    /// Waits until the next poll is due. A page that becomes visible ends the wait early, but not
    /// before the time that the gateway requires.
    async fn wait_to_poll(&self) {
        let platform = self.client().platform();
        let (polls, snapshot) = self
            .0
            .state
            .with(|state| (state.polls, state.snapshot.clone()));
        let (factor, wake) = if platform.is_hidden() {
            (HIDDEN_FACTOR, Wake::Visible)
        } else {
            (1, Wake::Never)
        };
        if polls > 0 {
            let interval = poll_after_ms(&snapshot)
                .unwrap_or_else(|| schedule::poll::delay(polls, None, platform.random()))
                .saturating_mul(factor)
                .min(schedule::poll::MAX_WAIT_MS);
            platform.sleep(interval, wake).await;
        }
        loop {
            let Some(not_before) = self.0.not_before.with(|time| *time) else {
                return;
            };
            let left = not_before - platform.now();
            // The next poll is further away only if the clock was set back.
            if left <= 0.0 || left > f64::from(schedule::poll::MAX_WAIT_MS) {
                return;
            }
            platform.sleep(left.max(1.0) as u32, Wake::Never).await;
        }
    }
}
