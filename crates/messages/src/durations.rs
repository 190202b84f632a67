use std::time::Duration;

use mediagate_access::crypto::hash;
use mediagate_access::refusal::Refusal;
use mediagate_core::schedule::durations::Durations;
use mediagate_ids::Origin;
use mediagate_settings::Settings;
use serde::{Deserialize, Serialize};
use worker::Env;

use crate::request::{ask, requests};

/// The deadline of a request to an object. Without a response, tasks are polled without a forecast.
const DEADLINE: Duration = Duration::from_secs(2);

/// The deadline of a read. A caller waits for it, and an estimate is not worth a long wait.
const READ_DEADLINE: Duration = Duration::from_millis(500);
const DEFAULT_PAUSE_SECONDS: u32 = 5;

requests! {
    enum DurationsMessage to "DURATIONS" {
        Read -> Option<Durations>, FollowUp;
        Learn -> (), FollowUp;
        TakePoll -> Option<f64>, FollowUp;
        Pause -> (), FollowUp;
    }
    streams {}
}

/// Durations of a variant, if enough are known.
#[derive(Serialize, Deserialize)]
pub struct Read {
    pub variant: String,
}

#[derive(Serialize, Deserialize)]
pub struct Learn {
    pub variant: String,
    /// Seconds from its create to the last poll at which it ran.
    pub after: f64,
    /// Seconds from its create to the poll at which it had ended.
    pub until: f64,
    pub polls: u32,
}

/// Counts a poll of the upstream. The response is the milliseconds to wait before the poll, or
/// `None` if it must not be sent.
#[derive(Serialize, Deserialize)]
pub struct TakePoll {
    /// The limit of the rate of all polls.
    pub per_second: f64,
    pub max_wait_ms: f64,
}

/// Stops all polls for some milliseconds, since the upstream responded with 429.
#[derive(Serialize, Deserialize)]
pub struct Pause {
    pub milliseconds: f64,
}

pub struct DurationsClient<'a> {
    env: &'a Env,
    settings: &'a Settings,
}

impl<'a> DurationsClient<'a> {
    pub fn new(env: &'a Env, settings: &'a Settings) -> Self {
        DurationsClient { env, settings }
    }

    /// Reads the durations of tasks. Returns `None` if too few are known, or if the object does not
    /// respond.
    pub async fn read(&self, origin: &Origin) -> Option<Durations> {
        let request = Read {
            variant: origin.variant.clone(),
        };
        let object = self.of_capability(origin);
        let read = ask(self.env, &object, request, READ_DEADLINE).await;
        read.ok()?
    }

    /// Stores that a task ended between two times, in seconds from its create, after `polls` polls.
    pub async fn learn(&self, origin: &Origin, (after, until): (f64, f64), polls: u32) {
        let request = Learn {
            variant: origin.variant.clone(),
            after,
            until,
            polls,
        };
        let _ = ask(self.env, &self.of_capability(origin), request, DEADLINE).await;
    }

    /// Counts a poll. Returns the milliseconds to wait before it, or `None` if they exceed
    /// `max_wait_ms`. If the object does not respond, returns `if_silent`.
    pub async fn take_poll(&self, max_wait_ms: f64, if_silent: Option<f64>) -> Option<f64> {
        let per_second = self.settings.upstream_polls_per_second;
        // Polls without a limit need no request to the object.
        if per_second == 0.0 {
            return Some(0.0);
        }
        let request = TakePoll {
            per_second,
            max_wait_ms,
        };
        ask(self.env, &self.of_polls(), request, DEADLINE)
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
            let request = Pause {
                milliseconds: f64::from(seconds) * 1_000.0,
            };
            let _ = ask(self.env, &self.of_polls(), request, DEADLINE).await;
        }
    }

    fn of_capability(&self, origin: &Origin) -> String {
        hash(&["durations", &self.settings.tenant, &origin.capability])
    }

    fn of_polls(&self) -> String {
        hash(&["polls", &self.settings.tenant])
    }
}
