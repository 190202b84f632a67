use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use mediagate_client::{
    self as client, BoxFuture, Function, Limits, Listeners, MaybeSend, MaybeSync, RetryPolicy,
};
use mediagate_core::schedule::retry::RETRIES;

use crate::error::Error;
use crate::platform::Host;

/// A call, with its limits. It begins when it is awaited. Dropping its future aborts its request,
/// and an upload that no other call waits for.
///
/// A create that is dropped after it was sent may have made its task, and cost credits. Limit its
/// time with [`Call::timeout`] instead: the error has the outcome and the key of the create. Or set
/// a key of your own (`idempotency_key`), and repeat the create with it.
#[must_use = "a call does nothing until it is awaited"]
pub struct Call<Kind> {
    pub(super) kind: Kind,
    pub(super) settings: Settings,
}

/// The limits of a call or a client. `None` stands for the limit of the client, or the default.
#[derive(Clone, Default)]
pub(super) struct Settings {
    timeout: Option<Duration>,
    max_retries: Option<u32>,
    on_retry: Option<Arc<Function<Retry, ()>>>,
}

impl Settings {
    pub(super) fn or(self, defaults: &Settings) -> Settings {
        Settings {
            timeout: self.timeout.or(defaults.timeout),
            max_retries: self.max_retries.or(defaults.max_retries),
            on_retry: self.on_retry.or_else(|| defaults.on_retry.clone()),
        }
    }

    /// Removes the timeout, because a wait for a task may take much longer than a request.
    pub(super) fn patient(&self) -> Settings {
        Settings {
            timeout: None,
            ..self.clone()
        }
    }

    pub(super) fn limits(&self) -> Limits<Host> {
        // The longest timer of a browser is 24 days: its milliseconds are an int32.
        let milliseconds = |time: Duration| time.as_millis().clamp(1, i32::MAX as u128) as u32;
        Limits {
            timeout_ms: self.timeout.map(milliseconds),
            abort: None,
            retry: self.retry_policy(),
            listeners: Listeners::default(),
        }
    }

    pub(super) fn retry_policy(&self) -> RetryPolicy<Host> {
        let on_retry = self.on_retry.clone().map(|notify| {
            let on_retry: Arc<Function<_, ()>> = Arc::new(move |retry: client::Retry<Host>| {
                let retry = Retry {
                    attempt: retry.attempt,
                    delay: Duration::from_millis(retry.delay_ms.into()),
                    error: Error::from(retry.error),
                };
                unwound(|| notify(retry));
            });
            on_retry
        });
        RetryPolicy {
            max_retries: self.max_retries.unwrap_or(RETRIES),
            on_retry,
        }
    }
}

/// Calls a function of the caller. Its panic does not fail a call.
pub(super) fn unwound(function: impl FnOnce()) {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(function)).ok();
}

/// A notice that a request has failed and is sent again.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Retry {
    /// The number of attempts that failed, from 1.
    pub attempt: u32,
    /// The time until the next attempt.
    pub delay: Duration,
    /// The error of the last attempt.
    pub error: Error,
}

impl<Kind> Call<Kind> {
    pub(super) fn new(kind: Kind) -> Self {
        Call {
            kind,
            settings: Settings::default(),
        }
    }

    /// Sets the longest time of the whole call with its retries and waits. After it, the call ends
    /// with [`ErrorKind::TimedOut`](crate::ErrorKind::TimedOut). The default is the timeout of
    /// [`Client::connect`](crate::Client::connect). A wait for a task has no default.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.settings.timeout = Some(timeout);
        self
    }

    /// Sets the maximum number of retries of a request, for errors after which a retry may succeed.
    /// The default is 4. An attempt fails after 40 seconds without a response, and an upload after
    /// 40 seconds without progress. The waits between attempts grow from half a second to 16
    /// seconds.
    pub fn max_retries(mut self, retries: u32) -> Self {
        self.settings.max_retries = Some(retries);
        self
    }

    /// Calls a function before each wait for the next attempt.
    pub fn on_retry(mut self, notify: impl Fn(Retry) + MaybeSend + MaybeSync + 'static) -> Self {
        self.settings.on_retry = Some(Arc::new(notify));
        self
    }
}

impl<Kind> fmt::Debug for Call<Kind> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Call").finish_non_exhaustive()
    }
}

/// The work of a call.
pub trait CallKind: Sized + MaybeSend + 'static {
    /// The result of the call.
    type Output: MaybeSend + 'static;

    #[doc(hidden)]
    fn begin(call: Call<Self>) -> BoxFuture<'static, Result<Self::Output, Error>>;
}

impl<Kind: CallKind> IntoFuture for Call<Kind> {
    type Output = Result<Kind::Output, Error>;
    type IntoFuture = BoxFuture<'static, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        Kind::begin(self)
    }
}
