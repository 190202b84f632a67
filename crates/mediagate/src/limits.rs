//! The limits of a call, and what its caller receives on the way.

use std::sync::Arc;
use std::time::Duration;

use crate::error::Error;

/// The limits of a call; `None` for that of the client, or the default.
#[derive(Clone, Default)]
pub(crate) struct Limits {
    pub(crate) timeout: Option<Duration>,
    pub(crate) max_retries: Option<u32>,
    pub(crate) on_retry: Option<RetryFn>,
}

/// The caller's function that receives a notice of each retry.
pub(crate) type RetryFn = Arc<dyn Fn(Retry) + Send + Sync>;

impl Limits {
    /// These limits, and where there is none, that of the client.
    pub(crate) fn or(self, defaults: &Limits) -> Limits {
        Limits {
            timeout: self.timeout.or(defaults.timeout),
            max_retries: self.max_retries.or(defaults.max_retries),
            on_retry: self.on_retry.or_else(|| defaults.on_retry.clone()),
        }
    }

    /// The same without a timeout: a wait for a task may take much longer than a request.
    pub(crate) fn patient(&self) -> Limits {
        Limits {
            timeout: None,
            ..self.clone()
        }
    }

    /// The timeout in whole milliseconds, at most 24 days.
    pub(crate) fn timeout_ms(&self) -> Option<u32> {
        let milliseconds = self.timeout?.as_millis().clamp(1, i32::MAX as u128);
        u32::try_from(milliseconds).ok()
    }
}

/// A request that has failed, and is sent again.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Retry {
    /// The number of attempts that failed, from 1.
    pub attempt: u32,
    /// The time until the next one.
    pub delay: Duration,
    /// Why the last one failed.
    pub error: Error,
}

impl Retry {
    /// A retry after this delay.
    pub(crate) fn new(attempt: u32, delay: Duration, error: Error) -> Self {
        Retry {
            attempt,
            delay,
            error,
        }
    }
}
