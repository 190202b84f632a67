//! State that several futures share: locks, and jobs with their waiters.

use alloc::boxed::Box;
use alloc::sync::{Arc, Weak};
use alloc::vec::Vec;

use core::future::poll_fn;
use core::task::Poll;

use event_listener::Event;
use futures_util::future::{AbortHandle, Abortable, Either, abortable, select};
use mediagate_core::schedule::retry;

use crate::error::{Error, Kind};
use crate::limits::{Retry, RetryPolicy};
use crate::platform::{BoxFuture, Platform};

/// A value that one future at a time reads or changes. It is never locked across an `await`.
#[cfg(not(target_family = "wasm"))]
#[derive(Debug, Default)]
pub(crate) struct Lock<T>(std::sync::Mutex<T>);

/// A value that one future at a time reads or changes. It is never locked across an `await`.
#[cfg(target_family = "wasm")]
#[derive(Debug, Default)]
pub(crate) struct Lock<T>(core::cell::RefCell<T>);

impl<T> Lock<T> {
    /// Wraps a value.
    pub(crate) fn new(value: T) -> Self {
        Lock(value.into())
    }

    /// Reads or changes the value.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn with<R>(&self, work: impl FnOnce(&mut T) -> R) -> R {
        work(
            &mut self
                .0
                .lock()
                .unwrap_or_else(std::sync::PoisonError::into_inner),
        )
    }

    /// Reads or changes the value.
    #[cfg(target_family = "wasm")]
    pub(crate) fn with<R>(&self, work: impl FnOnce(&mut T) -> R) -> R {
        work(&mut self.0.borrow_mut())
    }
}

/// Waits until `value` returns a value. Calls `value` at once, and after each notification.
pub(crate) async fn until<T>(changed: &Event, mut value: impl FnMut() -> Option<T>) -> T {
    loop {
        // Listen first: a change on another thread may come before the call of `value` ends.
        let listener = changed.listen();
        if let Some(value) = value() {
            return value;
        }
        listener.await;
    }
}

/// Waits for work, but not longer than for `end`. Returns `None` if the end comes first.
pub(crate) async fn before<T>(work: &mut BoxFuture<'_, T>, end: BoxFuture<'_, ()>) -> Option<T> {
    match select(work, end).await {
        Either::Left((result, _)) => Some(result),
        Either::Right(_) => None,
    }
}

/// Waits for all futures at once. Returns their results in order, or the first error.
///
/// `futures_util::future::try_join_all` would add 1.9 kB to the 54 kB of wasm that a page
/// downloads; with the other crates of this file it would be 3.1 kB.
pub(crate) async fn try_all<T, E>(futures: Vec<BoxFuture<'_, Result<T, E>>>) -> Result<Vec<T>, E> {
    let mut running: Vec<_> = futures.into_iter().map(Some).collect();
    let mut results: Vec<Option<T>> = running.iter().map(|_| None).collect();
    poll_fn(move |context| {
        for (future, result) in running.iter_mut().zip(&mut results) {
            let Some(pending) = future else {
                // This future has ended in an earlier poll.
                continue;
            };
            if let Poll::Ready(ended) = pending.as_mut().poll(context) {
                *future = None;
                match ended {
                    Ok(value) => *result = Some(value),
                    Err(error) => return Poll::Ready(Err(error)),
                }
            }
        }
        if running.iter().any(Option::is_some) {
            return Poll::Pending;
        }
        Poll::Ready(Ok(results.drain(..).flatten().collect()))
    })
    .await
}

/// The callers who wait for shared work. Its requests are repeated as often as the most patient
/// caller allows.
pub(crate) struct Waiters<P: Platform>(Arc<Lock<List<P>>>);

struct List<P: Platform> {
    last_number: u64,
    /// The retry policy of each waiter, by the number of the waiter.
    policies: Vec<(u64, RetryPolicy<P>)>,
}

impl<P: Platform> Clone for Waiters<P> {
    fn clone(&self) -> Self {
        Waiters(self.0.clone())
    }
}

impl<P: Platform> Default for Waiters<P> {
    fn default() -> Self {
        Waiters(Arc::new(Lock::new(List {
            last_number: 0,
            policies: Vec::new(),
        })))
    }
}

impl<P: Platform> From<&RetryPolicy<P>> for Waiters<P> {
    fn from(retry: &RetryPolicy<P>) -> Self {
        Waiters(Arc::new(Lock::new(List {
            last_number: 0,
            // `join` counts from 1, so no waiter removes this policy.
            policies: Vec::from([(0, retry.clone())]),
        })))
    }
}

impl<P: Platform> Waiters<P> {
    /// Adds a waiter, which leaves when the result is dropped.
    pub(crate) fn join(&self, retry: &RetryPolicy<P>) -> Waiter<P> {
        let number = self.0.with(|list| {
            list.last_number += 1;
            list.policies.push((list.last_number, retry.clone()));
            list.last_number
        });
        Waiter {
            waiters: self.clone(),
            number,
        }
    }

    /// Returns the retry policy of each waiter.
    pub(crate) fn policies(&self) -> Vec<RetryPolicy<P>> {
        self.0.with(|list| {
            list.policies
                .iter()
                .map(|(_, policy)| policy.clone())
                .collect()
        })
    }

    /// Returns the time until the next attempt of a request that has failed `failures` times, in
    /// milliseconds, and notifies each waiter. Returns `None` if no waiter allows another attempt.
    /// `since_ms` is the start of the first attempt, in milliseconds since 1970.
    pub(crate) fn next_retry(
        &self,
        platform: &P,
        failures: u32,
        since_ms: f64,
        error: &Error<P>,
    ) -> Option<u32> {
        // A copy: a listener may start another call, which joins the waiters.
        let policies = self.policies();
        let retries = policies.iter().map(|policy| policy.max_retries).max()?;
        let requested = error.retry_after_ms();
        let delay_ms = retry::delay(failures, retries, requested, platform.random())?;
        for on_retry in policies
            .iter()
            .filter_map(|policy| policy.on_retry.as_ref())
        {
            on_retry(Retry {
                attempt: failures,
                delay_ms,
                since_ms,
                error: error.clone(),
            });
        }
        Some(delay_ms)
    }
}

/// A caller who waits. Dropping it removes the caller from the waiters.
pub(crate) struct Waiter<P: Platform> {
    waiters: Waiters<P>,
    number: u64,
}

impl<P: Platform> Drop for Waiter<P> {
    fn drop(&mut self) {
        self.waiters
            .0
            .with(|list| list.policies.retain(|(number, _)| *number != self.number));
    }
}

/// The work of a job.
type Work<P> = BoxFuture<'static, Result<(), Error<P>>>;

/// Work that all callers share. It is dropped when the last one leaves.
pub(crate) struct Job<P: Platform> {
    /// `None` once it is started.
    work: Lock<Option<Abortable<Work<P>>>>,
    abort: AbortHandle,
    result: Lock<Option<Result<(), Error<P>>>>,
    waiters: Waiters<P>,
    ended: Arc<Event>,
}

impl<P: Platform> Job<P> {
    /// Prepares work. It receives its waiters, whose retry policies apply to its requests. `ended`
    /// is notified at its end.
    pub(crate) fn new(ended: Arc<Event>, work: impl FnOnce(Waiters<P>) -> Work<P>) -> Arc<Self> {
        let waiters = Waiters::default();
        let (work, abort) = abortable(work(waiters.clone()));
        Arc::new(Job {
            work: Lock::new(Some(work)),
            abort,
            result: Lock::default(),
            waiters,
            ended,
        })
    }

    /// Starts the work, unless it is started. The first caller joins before: on another thread, a
    /// request could fail before there is a policy for its retries.
    pub(crate) fn start(self: &Arc<Self>, platform: &P) {
        let Some(work) = self.work.with(Option::take) else {
            return;
        };
        let end = End(Arc::downgrade(self));
        platform.spawn(Box::pin(async move {
            if let Ok(result) = work.await {
                end.with(result);
            }
        }));
    }

    /// Returns the result; `None` before the end.
    pub(crate) fn result(&self) -> Option<Result<(), Error<P>>> {
        self.result.with(|result| result.clone())
    }

    /// Waits for the result.
    ///
    /// # Errors
    /// Those of the work.
    pub(crate) async fn ended(&self) -> Result<(), Error<P>> {
        until(&self.ended, || self.result()).await
    }

    /// Adds a caller to the waiters, until the result is dropped.
    pub(crate) fn join(&self, retry: &RetryPolicy<P>) -> Waiter<P> {
        self.waiters.join(retry)
    }
}

impl<P: Platform> Drop for Job<P> {
    fn drop(&mut self) {
        self.abort.abort();
    }
}

/// The end of a job that runs.
struct End<P: Platform>(Weak<Job<P>>);

impl<P: Platform> End<P> {
    fn with(&self, result: Result<(), Error<P>>) {
        if let Some(job) = self.0.upgrade() {
            job.result.with(|ended| {
                ended.get_or_insert(result);
            });
            job.ended.notify(usize::MAX);
        }
    }
}

impl<P: Platform> Drop for End<P> {
    fn drop(&mut self) {
        // Work that panics has no result.
        let message = "the client failed, and the calls under way are lost";
        self.with(Err(Error::new(Kind::Crashed, message)));
    }
}
