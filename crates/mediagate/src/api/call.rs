//! A call that was prepared and is begun when it is awaited.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use mediagate_core::schedule::retry::RETRIES;

use crate::client::{Limits, RetryPolicy};
use crate::error::Error;
use crate::platform::Host;
use crate::sendable::{BoxFuture, Function, MaybeSend, MaybeSync};

/// A call, with its limits. It begins when it is awaited, and dropping its future ends what it has begun: the request is
/// aborted, and so is an upload that no other call waits for.
///
/// A create that is dropped after it was sent may have made its task, and cost credits. Limit its time by [`Call::timeout`],
/// whose error has the outcome and the key of the create, rather than by dropping it; or set a key of your own
/// (`idempotency_key`), and repeat the create with it.
///
/// ```no_run
/// # async fn example(client: mediagate::Client) -> Result<(), mediagate::Error> {
/// use std::time::Duration;
/// use mediagate::request::TextToImage;
///
/// let request = TextToImage::new("a lighthouse at dusk");
/// let task = client.text_to_image(request).timeout(Duration::from_secs(30)).max_retries(1).await?;
/// # Ok(())
/// # }
/// ```
#[must_use = "a call does nothing until it is awaited"]
pub struct Call<Kind> {
    pub(super) kind: Kind,
    pub(super) settings: Settings,
}

/// The limits of a call or a client; `None` for that of the client, or the default.
#[derive(Clone, Default)]
pub(super) struct Settings {
    timeout: Option<Duration>,
    max_retries: Option<u32>,
    on_retry: Option<Arc<Function<Retry, ()>>>,
}

impl Settings {
    /// Takes the limits of a client where there are none.
    pub(super) fn or(self, defaults: &Settings) -> Settings {
        Settings {
            timeout: self.timeout.or(defaults.timeout),
            max_retries: self.max_retries.or(defaults.max_retries),
            on_retry: self.on_retry.or_else(|| defaults.on_retry.clone()),
        }
    }

    /// Removes the timeout: a wait for a task may take much longer than a request.
    pub(super) fn patient(&self) -> Settings {
        Settings {
            timeout: None,
            ..self.clone()
        }
    }

    /// Returns the limits of one call.
    pub(super) fn limits(&self) -> Limits<Host> {
        // At most 24 days, the longest time of a browser.
        let milliseconds = |it: Duration| it.as_millis().clamp(1, i32::MAX as u128) as u32;
        Limits {
            timeout_ms: self.timeout.map(milliseconds),
            abort: None,
            retry: self.retry_policy(),
        }
    }

    pub(super) fn retry_policy(&self) -> RetryPolicy<Host> {
        let on_retry = self.on_retry.clone().map(|notify| {
            let on_retry: Arc<Function<_, ()>> = Arc::new(move |it: crate::client::Retry<Host>| {
                let retry = Retry {
                    attempt: it.attempt,
                    delay: Duration::from_millis(it.delay_ms.into()),
                    error: Error::from(it.error),
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

/// Calls a function of the caller's, whose panic fails no call.
pub(super) fn unwound(function: impl FnOnce()) {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(function)).ok();
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

impl<Kind> Call<Kind> {
    /// A call without limits of its own.
    pub(super) fn new(kind: Kind) -> Self {
        Call {
            kind,
            settings: Settings::default(),
        }
    }

    /// The longest time for the whole call, retries and waits included. After it, the call ends with
    /// [`ErrorKind::TimedOut`](crate::ErrorKind::TimedOut). By default that of [`Client::connect`](crate::Client::connect), but
    /// for a wait for a task, which has none.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.settings.timeout = Some(timeout);
        self
    }

    /// How often a request is sent again where that may succeed; 0 for never, and 4 by default. An attempt fails after 40
    /// seconds without a response, and an upload after 40 seconds without progress. The waits between attempts grow from
    /// half a second to 16.
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

/// What a call does.
pub trait CallKind: Sized + MaybeSend + 'static {
    /// What it ends with.
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
