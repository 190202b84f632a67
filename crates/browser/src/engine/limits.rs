//! Time and cancellation: every operation is one future, and dropping it ends all that it began.
//!
//! A sleep, a fetch and an upload each own a guard that ends them when they are dropped. So neither signal nor deadline
//! has to reach into them: [`Limits::hold`] waits for work and limits at once, and drops the work when a limit is first.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::task::{Context, Poll};

use mediagate_core::{Type, Value};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

use super::error::{Error, code};
use super::host::{self, Signal};
use crate::value::Js;

/// Longest timer that platforms take, in milliseconds; a longer one would fire at once.
const LONGEST_TIMER: f64 = 2_147_483_647.0;

/// The caller's `signal` and `timeout`, for one operation as a whole.
#[derive(Clone, Default)]
pub struct Limits {
    signal: Option<Js>,
    timeout: Option<u32>,
}

impl Limits {
    /// Reads `{signal, timeout}`; the time in milliseconds. Options that are absent set no limit.
    pub fn decode(options: &Js) -> Result<Self, Error> {
        let signal = options.get("signal").filter(|it| it.kind() != Type::Null);
        if signal.as_ref().is_some_and(|it| it.get("addEventListener").is_none()) {
            return Err(Error::argument("signal is no AbortSignal; give the signal of an AbortController"));
        }
        let timeout = match options.get("timeout").map(|it| it.0.as_f64()) {
            None => None,
            Some(Some(milliseconds)) if milliseconds > 0.0 => Some(milliseconds.min(LONGEST_TIMER) as u32),
            Some(_) => return Err(Error::argument("timeout is no positive number; give milliseconds")),
        };
        Ok(Limits { signal, timeout })
    }

    /// Runs work until it is done or a limit is reached. When both happen at once, the work counts: it may have cost.
    pub async fn hold<T>(&self, work: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
        if let Some(error) = self.aborted() {
            return Err(error);
        }
        if self.signal.is_none() && self.timeout.is_none() {
            return work.await;
        }
        let mut work = pin!(work);
        let mut alarm = Alarm::new(self.timeout, self.signal.as_ref());
        poll_fn(|context| match work.as_mut().poll(context) {
            Poll::Pending => alarm.poll(context).map(|()| Err(self.reached())),
            done => done,
        })
        .await
    }

    fn aborted(&self) -> Option<Error> {
        let signal = self.signal.as_ref()?;
        let aborted = signal.0.unchecked_ref::<Signal>().aborted().is_ok_and(|it| it.is_truthy());
        aborted
            .then(|| Error::new(code::ABORTED, "aborted by the caller's signal").with("cause", signal.member("reason")))
    }

    fn reached(&self) -> Error {
        self.aborted().unwrap_or_else(|| {
            let mut error = Error::new(code::TIMEOUT, "not done within the caller's timeout; give it more time");
            error.retryable = true;
            error
        })
    }
}

/// Waits for a number of milliseconds; dropped, it leaves no timer.
pub async fn sleep(milliseconds: u32) {
    let mut alarm = Alarm::new(Some(milliseconds), None);
    poll_fn(|context| alarm.poll(context)).await;
}

/// Rings when its time has come or its signal is aborted.
struct Alarm {
    rung: JsFuture,
    ring: JsValue,
    timer: Option<JsValue>,
    signal: Option<JsValue>,
}

impl Alarm {
    fn new(milliseconds: Option<u32>, signal: Option<&Js>) -> Self {
        let (promise, ring) = host::deferred();
        let timer = milliseconds.map(|it| host::set_timeout(&ring, it));
        let signal = signal.map(|it| it.0.clone());
        if let Some(signal) = &signal {
            let _ = signal.unchecked_ref::<Signal>().listen("abort", &ring);
        }
        Alarm { rung: JsFuture::from(promise), ring, timer, signal }
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<()> {
        Pin::new(&mut self.rung).poll(context).map(|_| ())
    }
}

impl Drop for Alarm {
    fn drop(&mut self) {
        if let Some(timer) = &self.timer {
            host::clear_timeout(timer);
        }
        if let Some(signal) = &self.signal {
            let _ = signal.unchecked_ref::<Signal>().unlisten("abort", &self.ring);
        }
        // A promise that never settles would keep its callbacks, and they the future, for good.
        host::call(&self.ring);
    }
}
