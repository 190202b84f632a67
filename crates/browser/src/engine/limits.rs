//! Timeouts and cancellation: every operation is one future, and dropping it aborts everything that it has started.
//!
//! A sleep, a request and an upload each own a guard that ends them when they are dropped. So neither signal nor timeout
//! is passed on to them: [`Cancellable`] polls the work and the limits together, and drops the work when a limit is
//! reached first.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::{Context, Poll};

use mediagate_core::{Type, Value};
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::JsFuture;

use super::error::{Error, code};
use crate::host;
use crate::value::Js;

/// Longest timeout that platforms support, in milliseconds; a longer one fires at once.
const MAX_TIMEOUT_MS: f64 = 2_147_483_647.0;

/// Work with a result. It is boxed, since the code below would be compiled once more for each type of future.
pub type Work<T = JsValue> = Pin<Box<dyn Future<Output = Result<T, Error>>>>;

/// Reads `{signal, timeout}`: the signal, `undefined` for none, and the timeout in milliseconds.
fn decode(options: &Js) -> Result<(Js, Option<u32>), Error> {
    if !matches!(options.kind(), Type::Object | Type::Null) {
        return Err(Error::argument("the options are not an object; give one such as { signal }"));
    }
    let signal = options.get("signal").filter(|it| it.kind() != Type::Null);
    if signal.as_ref().is_some_and(|it| it.get("addEventListener").is_none()) {
        return Err(Error::argument("signal is not an AbortSignal; give the signal of an AbortController"));
    }
    let timeout = match options.get("timeout").map(|it| it.0.as_f64()) {
        None => None,
        Some(Some(milliseconds)) if milliseconds > 0.0 => Some(milliseconds.min(MAX_TIMEOUT_MS) as u32),
        Some(_) => return Err(Error::argument("timeout is not a positive number; give milliseconds")),
    };
    Ok((signal.unwrap_or_default(), timeout))
}

/// Work within the caller's `signal` and `timeout`. Where it completes at the same time as a limit is reached, its result
/// counts, since it may have cost credits.
pub struct Cancellable {
    work: Work,
    signal: Js,
    limit: Option<Timer>,
}

impl Cancellable {
    /// Work with the limits in the caller's options, `{signal, timeout}` with the timeout in milliseconds; an absent one
    /// sets no limit.
    ///
    /// # Errors
    /// `invalid_argument` for options that are not valid; `aborted` where the signal is already aborted.
    pub fn new(options: &Js, work: Work) -> Result<Self, Error> {
        let (signal, timeout) = decode(options)?;
        let mut cancellable = Cancellable { work, signal, limit: None };
        match cancellable.aborted() {
            Some(error) => Err(error),
            None => {
                let limited = !cancellable.signal.0.is_undefined() || timeout.is_some();
                cancellable.limit = limited.then(|| Timer::new(timeout, &cancellable.signal.0, "abort"));
                Ok(cancellable)
            }
        }
    }

    fn aborted(&self) -> Option<Error> {
        let error = || Error::new(code::ABORTED, "aborted by the caller's signal");
        let aborted = self.signal.member("aborted").is_truthy();
        aborted.then(|| error().with("cause", self.signal.member("reason")))
    }

    fn limit_error(&self) -> Error {
        let timeout =
            || Error::new(code::TIMEOUT, "not done within the caller's timeout; give it more time").retryable();
        self.aborted().unwrap_or_else(timeout)
    }
}

impl Future for Cancellable {
    type Output = Result<JsValue, Error>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        if let Poll::Ready(done) = self.work.as_mut().poll(context) {
            return Poll::Ready(done);
        }
        match self.limit.as_mut().map(|it| Pin::new(it).poll(context)) {
            Some(Poll::Ready(())) => Poll::Ready(Err(self.limit_error())),
            _ => Poll::Pending,
        }
    }
}

/// Waits for a number of milliseconds. Dropping it clears the timer.
pub async fn sleep(milliseconds: u32) {
    Timer::new(Some(milliseconds), &JsValue::UNDEFINED, "").await;
}

/// The result of a poll function; `None` where it is still pending after a number of milliseconds.
pub async fn within<T>(milliseconds: u32, mut poll: impl FnMut(&mut Context<'_>) -> Poll<T>) -> Option<T> {
    let mut timer = Timer::new(Some(milliseconds), &JsValue::UNDEFINED, "");
    poll_fn(|context| match poll(context) {
        Poll::Ready(result) => Poll::Ready(Some(result)),
        Poll::Pending => Pin::new(&mut timer).poll(context).map(|()| None),
    })
    .await
}

/// How many times longer a hidden page waits between two polls.
const HIDDEN_FACTOR: u32 = 4;
/// Longest wait in milliseconds for a connection where the platform reports that it is offline, which may be wrong.
const MAX_OFFLINE_MS: u32 = 30_000;

/// Waits like [`sleep`], but longer in a hidden page, until it is visible again.
pub async fn sleep_longer_if_hidden(milliseconds: u32) {
    let document = host::hidden_document();
    let milliseconds = if document.is_undefined() { milliseconds } else { milliseconds.saturating_mul(HIDDEN_FACTOR) };
    Timer::new(Some(milliseconds), &document, "visibilitychange").await;
}

/// Waits while the platform reports that it is offline.
pub async fn online() {
    let global = host::offline_global();
    if !global.is_undefined() {
        Timer::new(Some(MAX_OFFLINE_MS), &global, "online").await;
    }
}

/// Waits until a [`host::Timer`] fires. Dropping it stops the timer.
struct Timer {
    timer: host::Timer,
    fired: JsFuture,
}

impl Timer {
    fn new(milliseconds: Option<u32>, target: &JsValue, event: &str) -> Self {
        let timer = host::Timer::new(milliseconds, target, event);
        Timer { fired: timer.fired().into(), timer }
    }
}

impl Future for Timer {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        Pin::new(&mut self.fired).poll(context).map(drop)
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        self.timer.stop();
    }
}
