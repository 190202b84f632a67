use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;
use core::future::poll_fn;
use core::task::Poll;

use mediagate_core::schedule::retry;

use crate::error::{Error, Kind};
use crate::platform::{BoxFuture, Function, Platform, Wake};

/// The progress of a file in the input of a create.
#[derive(Clone)]
pub struct FileProgress<V> {
    /// The file.
    pub file: V,
    /// The number of bytes that were sent.
    pub sent: u64,
    /// The size in bytes.
    pub size: u64,
}

/// Receives the progress of all files of a create, in the order of its input.
pub type FilesProgress<V> = Arc<Function<Vec<FileProgress<V>>, ()>>;

/// A state of a create that has no response yet. The states follow each other in this order. If
/// several apply, the create is in the first of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CreateState {
    /// A task in the input has not ended.
    Waiting,
    /// A file in the input is uploaded.
    Uploading,
    /// The gateway moves a result, or the file at a URL, into the storage.
    Moving,
    /// The create itself is sent, or sent again. From here on, it may be charged.
    Sending,
}

impl CreateState {
    /// Returns the name, such as `waiting`.
    pub fn name(self) -> &'static str {
        match self {
            CreateState::Waiting => "waiting",
            CreateState::Uploading => "uploading",
            CreateState::Moving => "moving",
            CreateState::Sending => "sending",
        }
    }
}

/// Receives each state of a create when it begins. The client awaits the future for
/// [`CreateState::Sending`] and ignores its value. It drops the futures for other states.
pub type OnState<P> = Arc<
    Function<
        CreateState,
        BoxFuture<'static, Result<<P as Platform>::Value, <P as Platform>::Cause>>,
    >,
>;

/// The limits of a call, and the listeners of its progress.
pub struct Limits<P: Platform> {
    /// The longest time of the whole call with its retries and waits, in milliseconds; `None` for
    /// no limit.
    pub timeout_ms: Option<u32>,
    /// Ends with the cause when the caller aborts the call.
    pub abort: Option<BoxFuture<'static, P::Cause>>,
    /// The retries.
    pub retry: RetryPolicy<P>,
    /// The listeners of a create.
    pub listeners: Listeners<P>,
}

/// The listeners of a create.
pub struct Listeners<P: Platform> {
    /// Receives the progress of the files in the input.
    pub on_progress: Option<FilesProgress<P::Value>>,
    /// Receives the states. An error for [`CreateState::Sending`] ends the call with
    /// [`Kind::Aborted`] before the create is sent.
    pub on_state: Option<OnState<P>>,
}

impl<P: Platform> Clone for Listeners<P> {
    fn clone(&self) -> Self {
        Listeners {
            on_progress: self.on_progress.clone(),
            on_state: self.on_state.clone(),
        }
    }
}

impl<P: Platform> Default for Listeners<P> {
    fn default() -> Self {
        Listeners {
            on_progress: None,
            on_state: None,
        }
    }
}

impl<P: Platform> Default for Limits<P> {
    fn default() -> Self {
        Limits {
            timeout_ms: None,
            abort: None,
            retry: RetryPolicy::default(),
            listeners: Listeners::default(),
        }
    }
}

impl<P: Platform> Limits<P> {
    /// Does work within these limits. Drops the work, and returns [`Kind::Timeout`] or
    /// [`Kind::Aborted`], when a limit is reached.
    pub(crate) fn apply<T: 'static>(
        self,
        platform: &P,
        mut work: BoxFuture<'static, Result<T, Error<P>>>,
    ) -> BoxFuture<'static, Result<T, Error<P>>> {
        if self.timeout_ms.is_none() && self.abort.is_none() {
            return work;
        }
        let mut ended = self.ended(platform);
        Box::pin(poll_fn(move |context| {
            // Poll the work first: if both have ended, its result counts.
            match work.as_mut().poll(context) {
                Poll::Ready(result) => Poll::Ready(result),
                Poll::Pending => ended.as_mut().poll(context).map(Err),
            }
        }))
    }

    fn ended(self, platform: &P) -> BoxFuture<'static, Error<P>> {
        let mut timeout = self
            .timeout_ms
            .map(|timeout| platform.sleep(timeout, Wake::Never));
        let mut abort = self.abort;
        Box::pin(poll_fn(move |context| {
            if let Some(timeout) = &mut timeout
                && timeout.as_mut().poll(context).is_ready()
            {
                let error = Error::new(Kind::Timeout, "not done in time");
                return Poll::Ready(error.retryable());
            }
            let Some(abort) = &mut abort else {
                return Poll::Pending;
            };
            abort.as_mut().poll(context).map(aborted)
        }))
    }
}

pub(crate) fn aborted<P: Platform>(cause: P::Cause) -> Error<P> {
    Error::new(Kind::Aborted, "the call was aborted").caused_by(cause)
}

/// The retries of the requests of a call.
pub struct RetryPolicy<P: Platform> {
    /// The maximum number of retries of a request.
    pub max_retries: u32,
    /// Called before each wait for the next attempt.
    pub on_retry: Option<Arc<Function<Retry<P>, ()>>>,
}

impl<P: Platform> Clone for RetryPolicy<P> {
    fn clone(&self) -> Self {
        RetryPolicy {
            max_retries: self.max_retries,
            on_retry: self.on_retry.clone(),
        }
    }
}

impl<P: Platform> Default for RetryPolicy<P> {
    fn default() -> Self {
        RetryPolicy {
            max_retries: retry::RETRIES,
            on_retry: None,
        }
    }
}

/// A notice that a request has failed and is sent again.
pub struct Retry<P: Platform> {
    /// The number of attempts that failed, from 1.
    pub attempt: u32,
    /// The time until the next attempt, in milliseconds.
    pub delay_ms: u32,
    /// The start of the first attempt, in milliseconds since 1970.
    pub since_ms: f64,
    /// The error of the last attempt.
    pub error: Error<P>,
}

impl<P: Platform> fmt::Debug for Limits<P> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Limits")
            .field("timeout_ms", &self.timeout_ms)
            .field("max_retries", &self.retry.max_retries)
            .finish_non_exhaustive()
    }
}
