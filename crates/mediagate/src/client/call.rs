//! A call that was prepared and is begun when it is awaited.

use std::fmt;
use std::time::Duration;

use futures_util::future::BoxFuture;

use crate::error::Error;
use crate::limits::{Limits, Retry};
use crate::sendable::{self, MaybeSend, MaybeSync};

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
    pub(super) limits: Limits,
}

impl<Kind> Call<Kind> {
    /// A call without limits of its own.
    pub(super) fn new(kind: Kind) -> Self {
        Call {
            kind,
            limits: Limits::default(),
        }
    }

    /// The longest time for the whole call, retries and waits included. After it, the call ends with
    /// [`Error::TimedOut`]. By default that of [`Client::connect`](crate::Client::connect), but for a wait for a task, which
    /// has none.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.limits.timeout = Some(timeout);
        self
    }

    /// How often a request is sent again where that may succeed; 0 for never, and 4 by default. An attempt fails after 40
    /// seconds without a response, and an upload after 40 seconds without progress. The waits between attempts grow from
    /// half a second to 16.
    pub fn max_retries(mut self, retries: u32) -> Self {
        self.limits.max_retries = Some(retries);
        self
    }

    /// Calls a function before each wait for the next attempt, on the client's thread.
    pub fn on_retry(mut self, notify: impl Fn(Retry) + MaybeSend + MaybeSync + 'static) -> Self {
        self.limits.on_retry = Some(sendable::function(notify));
        self
    }
}

impl<Kind> fmt::Debug for Call<Kind> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Call").finish_non_exhaustive()
    }
}

/// What a call does.
pub trait CallKind: Sized + Send + 'static {
    /// What it ends with.
    type Output: Send + 'static;

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
