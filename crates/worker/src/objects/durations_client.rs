//! Sends requests to the objects that record the durations of tasks.

use std::time::Duration;

use mediagate_core::schedule::durations::Durations;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use worker::Env;

use crate::crypto::hash;
use crate::ids::Origin;
use crate::platform::{Priority, ask_object};
use crate::refusal::Refusal;
use crate::settings::Settings;

pub(crate) const DURATIONS_BINDING: &str = "DURATIONS";

/// The deadline of a request to an object. Without a response, tasks are polled without a forecast.
const DEADLINE: Duration = Duration::from_secs(2);

/// The deadline of a read. A caller waits for it, and an estimate is not worth a long wait.
const READ_DEADLINE: Duration = Duration::from_millis(500);
const DEFAULT_PAUSE_SECONDS: u32 = 5;

#[derive(Serialize, Deserialize)]
pub(crate) enum DurationsRequest {
    /// Read a variant's durations. The response is [`Durations`], or `null` if too few are known.
    Read { variant: String },
    /// Record that a task ended. The response is `null`.
    Learn {
        variant: String,
        /// Seconds from its create to the last poll at which it ran.
        after: f64,
        /// Seconds from its create to the poll at which it had ended.
        until: f64,
        polls: u32,
    },
    /// Count a poll of the upstream. The response is the milliseconds to wait before the poll, or
    /// `null` if it must not be sent.
    TakePoll {
        /// The limit of the rate of all polls.
        per_second: f64,
        max_wait_ms: f64,
    },
    /// Send no poll for some milliseconds, since the upstream responded with 429. The response is
    /// `null`.
    Pause { milliseconds: f64 },
}

pub(crate) struct DurationsClient<'a> {
    env: &'a Env,
    settings: &'a Settings,
}

impl<'a> DurationsClient<'a> {
    pub(crate) fn new(env: &'a Env, settings: &'a Settings) -> Self {
        DurationsClient { env, settings }
    }

    /// Reads the durations of tasks of an origin. Returns `None` if too few are known, or if the
    /// object does not respond.
    pub(crate) async fn read(&self, origin: &Origin) -> Option<Durations> {
        let request = DurationsRequest::Read {
            variant: origin.variant.clone(),
        };
        self.send_within::<Option<Durations>>(&self.of_capability(origin), &request, READ_DEADLINE)
            .await?
    }

    /// Records that a task of an origin ended between two times, in seconds from its create, after
    /// a number of polls.
    pub(crate) async fn learn(&self, origin: &Origin, (after, until): (f64, f64), polls: u32) {
        let request = DurationsRequest::Learn {
            variant: origin.variant.clone(),
            after,
            until,
            polls,
        };
        let _: Option<()> = self.send(&self.of_capability(origin), &request).await;
    }

    /// Counts a poll. Returns the milliseconds to wait before it, or `None` if they exceed
    /// `max_wait_ms`. If the object does not respond, returns `if_silent`.
    pub(crate) async fn take_poll(&self, max_wait_ms: f64, if_silent: Option<f64>) -> Option<f64> {
        let per_second = self.settings.upstream_polls_per_second;
        // Polls without a limit need no request to the object.
        if per_second == 0.0 {
            return Some(0.0);
        }
        let request = DurationsRequest::TakePoll {
            per_second,
            max_wait_ms,
        };
        self.send(&self.of_polls(), &request)
            .await
            .unwrap_or(if_silent)
    }

    /// Pauses all polls after a 429 of the upstream, for the seconds in its `Retry-After`.
    pub(crate) async fn pause_after(&self, refusal: Option<&Refusal>) {
        let Some(refusal) = refusal.filter(|refusal| refusal.status == 429) else {
            // Only a 429 is about the rate of requests.
            return;
        };
        let seconds = refusal.retry_after.unwrap_or(DEFAULT_PAUSE_SECONDS);
        if self.settings.upstream_polls_per_second > 0.0 {
            let request = DurationsRequest::Pause {
                milliseconds: f64::from(seconds) * 1_000.0,
            };
            let _: Option<()> = self.send(&self.of_polls(), &request).await;
        }
    }

    fn of_capability(&self, origin: &Origin) -> String {
        hash(&["durations", &self.settings.tenant, &origin.capability])
    }

    fn of_polls(&self) -> String {
        hash(&["polls", &self.settings.tenant])
    }

    async fn send<T: DeserializeOwned>(
        &self,
        object: &str,
        request: &DurationsRequest,
    ) -> Option<T> {
        self.send_within(object, request, DEADLINE).await
    }

    async fn send_within<T: DeserializeOwned>(
        &self,
        object: &str,
        request: &DurationsRequest,
        deadline: Duration,
    ) -> Option<T> {
        let asked = ask_object(
            self.env,
            DURATIONS_BINDING,
            object,
            request,
            Priority::FollowUp,
            deadline,
        );
        asked.await.ok()
    }
}
