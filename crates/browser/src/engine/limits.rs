//! Time and cancellation: every operation is one future, and dropping it ends all that it began.
//!
//! A sleep, a fetch and an upload each own a guard that ends them when they are dropped. So neither signal nor deadline
//! has to reach into them: [`Held`] waits for work and limits at once, and drops the work when a limit is first.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::{Context, Poll};

use mediagate_core::{Type, Value};
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::JsFuture;

use super::error::{Error, code};
use super::host::{self, Alarm};
use crate::value::Js;

/// Longest timer that platforms take, in milliseconds; a longer one would fire at once.
const LONGEST_TIMER: f64 = 2_147_483_647.0;

/// Work of which no more is known than that it gives a value. Boxed: each kind of future that the machinery below sees
/// would bring a copy of it to the page.
pub type Work<T = JsValue> = Pin<Box<dyn Future<Output = Result<T, Error>>>>;

/// Reads `{signal, timeout}`, the time in milliseconds; the signal is `undefined` where there is none.
fn decode(options: &Js) -> Result<(Js, Option<u32>), Error> {
    if !matches!(options.kind(), Type::Object | Type::Null) {
        return Err(Error::argument("the options are no object; give an object such as { signal }"));
    }
    let signal = options.get("signal").filter(|it| it.kind() != Type::Null);
    if signal.as_ref().is_some_and(|it| it.get("addEventListener").is_none()) {
        return Err(Error::argument("signal is no AbortSignal; give the signal of an AbortController"));
    }
    let timeout = match options.get("timeout").map(|it| it.0.as_f64()) {
        None => None,
        Some(Some(milliseconds)) if milliseconds > 0.0 => Some(milliseconds.min(LONGEST_TIMER) as u32),
        Some(_) => return Err(Error::argument("timeout is no positive number; give milliseconds")),
    };
    Ok((signal.unwrap_or_default(), timeout))
}

/// Work within the caller's `signal` and `timeout`. When it is done and a limit reached both at once, the work counts:
/// it may have cost.
pub struct Held {
    work: Work,
    signal: Js,
    ring: Option<Ring>,
}

impl Held {
    /// Work with the limits in the caller's options; absent ones set none.
    ///
    /// # Errors
    /// `invalid_argument` for options that are none, `aborted` where the signal was aborted before.
    pub fn new(options: &Js, work: Work) -> Result<Self, Error> {
        let (signal, timeout) = decode(options)?;
        let mut held = Held { work, signal, ring: None };
        match held.aborted() {
            Some(error) => Err(error),
            None => {
                let limited = !held.signal.0.is_undefined() || timeout.is_some();
                held.ring = limited.then(|| Ring::new(timeout, &held.signal.0, "abort"));
                Ok(held)
            }
        }
    }

    fn aborted(&self) -> Option<Error> {
        let error = || Error::new(code::ABORTED, "aborted by the caller's signal");
        let aborted = self.signal.member("aborted").is_truthy();
        aborted.then(|| error().with("cause", self.signal.member("reason")))
    }

    fn reached(&self) -> Error {
        let timeout =
            || Error::new(code::TIMEOUT, "not done within the caller's timeout; give it more time").retryable();
        self.aborted().unwrap_or_else(timeout)
    }
}

impl Future for Held {
    type Output = Result<JsValue, Error>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        if let Poll::Ready(done) = self.work.as_mut().poll(context) {
            return Poll::Ready(done);
        }
        match self.ring.as_mut().map(|it| Pin::new(it).poll(context)) {
            Some(Poll::Ready(())) => Poll::Ready(Err(self.reached())),
            _ => Poll::Pending,
        }
    }
}

/// Waits for a number of milliseconds; dropped, it leaves no timer.
pub async fn sleep(milliseconds: u32) {
    Ring::new(Some(milliseconds), &JsValue::UNDEFINED, "").await;
}

/// What work gives that is asked by polling; `None` where it has given nothing for a number of milliseconds.
pub async fn within<T>(milliseconds: u32, mut work: impl FnMut(&mut Context<'_>) -> Poll<T>) -> Option<T> {
    let mut ring = Ring::new(Some(milliseconds), &JsValue::UNDEFINED, "");
    poll_fn(|context| match work(context) {
        Poll::Ready(done) => Poll::Ready(Some(done)),
        Poll::Pending => Pin::new(&mut ring).poll(context).map(|()| None),
    })
    .await
}

/// How many times longer than in a page that is seen a look at a task is away in one that is not.
const UNSEEN: u32 = 4;
/// Most milliseconds to wait for a connection that the platform says is not there. It may be wrong.
const OFFLINE_MS: u32 = 30_000;

/// Waits like [`sleep`], but longer in a page that nobody sees, until it is seen again.
pub async fn sleep_unseen(milliseconds: u32) {
    let page = host::unseen();
    let milliseconds = if page.is_undefined() { milliseconds } else { milliseconds.saturating_mul(UNSEEN) };
    Ring::new(Some(milliseconds), &page, "visibilitychange").await;
}

/// Waits while the platform says that there is no connection.
pub async fn online() {
    let global = host::offline();
    if !global.is_undefined() {
        Ring::new(Some(OFFLINE_MS), &global, "online").await;
    }
}

/// Waits for an alarm.
struct Ring {
    alarm: Alarm,
    rung: JsFuture,
}

impl Ring {
    fn new(milliseconds: Option<u32>, target: &JsValue, event: &str) -> Self {
        let alarm = Alarm::new(milliseconds, target, event);
        Ring { rung: alarm.rung().into(), alarm }
    }
}

impl Future for Ring {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        Pin::new(&mut self.rung).poll(context).map(drop)
    }
}

impl Drop for Ring {
    fn drop(&mut self) {
        self.alarm.stop();
    }
}
