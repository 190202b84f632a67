//! Sends requests to the objects that learn how long tasks take.

use std::time::Duration;

use mediagate_core::schedule::durations::Durations;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use worker::Env;

use crate::crypto::hash;
use crate::ids::Origin;
use crate::platform::fetch_object_text;
use crate::refusal::Refusal;
use crate::settings::Settings;

/// The name of the binding to these objects.
pub(crate) const DURATIONS_BINDING: &str = "DURATIONS";

/// How long an object may take to respond. Without a response, tasks are polled as if nothing were known.
const DEADLINE: Duration = Duration::from_secs(2);

/// The same where only an estimate is requested.
const READ_DEADLINE: Duration = Duration::from_millis(500);
/// How long polls are held after a 429 that does not say how long.
const DEFAULT_PAUSE_SECONDS: u32 = 5;

/// A request to one of these objects.
#[derive(Serialize, Deserialize)]
pub(crate) enum DurationsRequest {
    /// What is known of a variant's durations. The response is [`Durations`], or `null`.
    Read {
        /// See [`Origin`].
        variant: String,
    },
    /// Learn that a task ended. The response is `null`.
    Learn {
        /// See [`Origin`].
        variant: String,
        /// Seconds from its create to the last poll at which it ran.
        after: f64,
        /// Seconds from its create to the poll at which it had ended.
        until: f64,
        /// How often it was polled.
        polls: u32,
    },
    /// Count a poll of the upstream. The response is the milliseconds to wait before it, or `null` where it may not be sent.
    TakePoll {
        /// The rate that all polls are held to.
        per_second: f64,
        /// The most milliseconds that the poll can wait.
        max_wait_ms: f64,
    },
    /// Send no poll for a time: the upstream wants that. The response is `null`.
    Pause {
        /// How long.
        milliseconds: f64,
    },
}

/// The objects of one tenant.
pub(crate) struct DurationsClient<'a> {
    env: &'a Env,
    settings: &'a Settings,
}

impl<'a> DurationsClient<'a> {
    pub(crate) fn new(env: &'a Env, settings: &'a Settings) -> Self {
        DurationsClient { env, settings }
    }

    /// How long tasks of this origin take; `None` where too few are known.
    pub(crate) async fn read(&self, origin: &Origin) -> Option<Durations> {
        let request = DurationsRequest::Read {
            variant: origin.variant.clone(),
        };
        self.send_within::<Option<Durations>>(&self.of_capability(origin), &request, READ_DEADLINE)
            .await?
    }

    /// Learns that a task of this origin ended between two times, in seconds from its create, and took this number of polls.
    pub(crate) async fn learn(&self, origin: &Origin, (after, until): (f64, f64), polls: u32) {
        let request = DurationsRequest::Learn {
            variant: origin.variant.clone(),
            after,
            until,
            polls,
        };
        let _: Option<()> = self.send(&self.of_capability(origin), &request).await;
    }

    /// Returns the milliseconds to wait before a poll, which is counted; `None` if that is more than `max_wait_ms`. Without a
    /// ceiling, the poll may be sent at once. If the object does not respond, the result is `if_silent`.
    pub(crate) async fn take_poll(&self, max_wait_ms: f64, if_silent: Option<f64>) -> Option<f64> {
        let per_second = self.settings.upstream_polls_per_second;
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

    /// Holds all polls after a 429 of the upstream's, for the seconds that it wants.
    pub(crate) async fn pause_after(&self, refusal: Option<&Refusal>) {
        let Some(refusal) = refusal.filter(|it| it.status == 429) else {
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
        let text =
            fetch_object_text(self.env, DURATIONS_BINDING, object, request, deadline).await?;
        serde_json::from_str(&text).ok()
    }
}
