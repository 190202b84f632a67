//! Time and cancellation: every operation is one future, and dropping it ends all that it began.
//!
//! A sleep, a fetch and an upload each own a guard that ends them when they are dropped. So neither signal nor deadline
//! has to reach into them: [`Held`] waits for work and limits at once, and drops the work when a limit is first.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::{Context, Poll};

use js_sys::Array;
use mediagate_core::{Type, Value};
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::JsFuture;

use super::error::{Error, code};
use super::host;
use crate::value::Js;

/// Longest timer that platforms take, in milliseconds; a longer one would fire at once.
const LONGEST_TIMER: f64 = 2_147_483_647.0;

/// Work of which no more is known than that it gives a value. Boxed: each kind of future that the machinery below sees
/// would bring a copy of it to the page.
pub type Work<T = JsValue> = Pin<Box<dyn Future<Output = Result<T, Error>>>>;

/// Reads `{signal, timeout}`, the time in milliseconds.
fn decode(options: &Js) -> Result<(Option<Js>, Option<u32>), Error> {
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
    Ok((signal, timeout))
}

/// Work within the caller's `signal` and `timeout`. When it is done and a limit reached both at once, the work counts:
/// it may have cost.
pub struct Held {
    work: Work,
    signal: Option<Js>,
    alarm: Option<Alarm>,
}

impl Held {
    /// Work with the limits in the caller's options; absent ones set none.
    ///
    /// # Errors
    /// `invalid_argument` for options that are none, `aborted` where the signal was aborted before.
    pub fn new(options: &Js, work: Work) -> Result<Self, Error> {
        let (signal, timeout) = decode(options)?;
        let mut held = Held { work, signal, alarm: None };
        match held.aborted() {
            Some(error) => Err(error),
            None => {
                let limited = held.signal.is_some() || timeout.is_some();
                held.alarm = limited.then(|| Alarm::new(timeout, held.signal.as_ref().map(|it| (it, "abort"))));
                Ok(held)
            }
        }
    }

    fn aborted(&self) -> Option<Error> {
        let signal = self.signal.as_ref()?;
        let aborted = signal.member("aborted").is_truthy();
        aborted
            .then(|| Error::new(code::ABORTED, "aborted by the caller's signal").with("cause", signal.member("reason")))
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
        match self.alarm.as_mut().map(|it| it.poll(context)) {
            Some(Poll::Ready(())) => Poll::Ready(Err(self.reached())),
            _ => Poll::Pending,
        }
    }
}

/// Waits for a number of milliseconds; dropped, it leaves no timer.
pub async fn sleep(milliseconds: u32) {
    let mut alarm = Alarm::new(Some(milliseconds), None);
    poll_fn(|context| alarm.poll(context)).await;
}

/// What work gives that is asked by polling; `None` where it has given nothing for a number of milliseconds.
pub async fn within<T>(milliseconds: u32, mut work: impl FnMut(&mut Context<'_>) -> Poll<T>) -> Option<T> {
    let mut alarm = Alarm::new(Some(milliseconds), None);
    poll_fn(|context| match work(context) {
        Poll::Ready(done) => Poll::Ready(Some(done)),
        Poll::Pending => alarm.poll(context).map(|()| None),
    })
    .await
}

/// How many times longer than in a page that is seen a look at a task is away in one that is not.
const UNSEEN: u32 = 4;
/// Most milliseconds to wait for a connection that the platform says is not there. It may be wrong.
const OFFLINE_MS: u32 = 30_000;

/// Waits like [`sleep`], but longer in a page that nobody sees, until it is seen again.
pub async fn sleep_unseen(milliseconds: u32) {
    let document = Js(js_sys::global().into()).member("document");
    if !Js(document.clone()).member("hidden").is_truthy() {
        return sleep(milliseconds).await;
    }
    let seen = Js(document);
    let mut alarm = Alarm::new(Some(milliseconds.saturating_mul(UNSEEN)), Some((&seen, "visibilitychange")));
    poll_fn(|context| alarm.poll(context)).await;
}

/// Waits while the platform says that there is no connection.
pub async fn online() {
    let global = Js(js_sys::global().into());
    if Js(global.member("navigator")).member("onLine").as_bool() == Some(false) {
        let mut alarm = Alarm::new(Some(OFFLINE_MS), Some((&global, "online")));
        poll_fn(|context| alarm.poll(context)).await;
    }
}

/// Rings when its time has come or its event happens.
struct Alarm {
    rung: JsFuture,
    ring: JsValue,
    timer: JsValue,
    event: Option<(JsValue, &'static str)>,
}

impl Alarm {
    fn new(milliseconds: Option<u32>, event: Option<(&Js, &'static str)>) -> Self {
        let (promise, ring) = host::deferred();
        let timer = milliseconds.map_or(JsValue::UNDEFINED, |it| host::set_timeout(&ring, it));
        let event = event.map(|(target, name)| (target.0.clone(), name));
        if let Some((target, name)) = &event {
            let _ = host::call(target, "addEventListener", &Array::of2(&host::text(name), &ring));
        }
        Alarm { rung: JsFuture::from(promise), ring, timer, event }
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<()> {
        Pin::new(&mut self.rung).poll(context).map(|_| ())
    }
}

impl Drop for Alarm {
    fn drop(&mut self) {
        host::clear_timeout(&self.timer);
        if let Some((target, name)) = &self.event {
            let _ = host::call(target, "removeEventListener", &Array::of2(&host::text(name), &self.ring));
        }
        // A promise that never settles would keep its callbacks, and they the future, for good.
        host::ring(&self.ring);
    }
}
