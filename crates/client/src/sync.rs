//! State that several futures share: locks, signals, places, and jobs with their waiters.

use alloc::boxed::Box;
use alloc::sync::{Arc, Weak};
use alloc::vec::Vec;
use core::future::poll_fn;
use core::pin::Pin;
use core::task::{Context, Poll, Waker};

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

/// Wakes the futures that wait for a change.
#[derive(Debug, Default)]
pub(crate) struct Signal(Lock<Vec<Waker>>);

impl Signal {
    /// Wakes all futures that wait.
    pub(crate) fn notify(&self) {
        for waker in self.0.with(core::mem::take) {
            waker.wake();
        }
    }

    /// Waits until `value` returns a value. Calls `value` at once, and after each
    /// [`Signal::notify`].
    pub(crate) fn until<'a, T>(
        &'a self,
        mut value: impl FnMut() -> Option<T> + 'a,
    ) -> impl Future<Output = T> + 'a {
        poll_fn(move |context| {
            // Register first: a change on another thread may come before the call of `value` ends.
            self.register(context.waker());
            value().map_or(Poll::Pending, Poll::Ready)
        })
    }

    fn register(&self, waker: &Waker) {
        self.0.with(|wakers| {
            if !wakers.iter().any(|known| known.will_wake(waker)) {
                wakers.push(waker.clone());
            }
        });
    }
}

/// Waits for work, but not longer than for `end`. Returns `None` if the end comes first.
pub(crate) async fn before<T>(
    work: &mut BoxFuture<'_, T>,
    mut end: BoxFuture<'_, ()>,
) -> Option<T> {
    poll_fn(|context| match work.as_mut().poll(context) {
        Poll::Ready(result) => Poll::Ready(Some(result)),
        Poll::Pending => end.as_mut().poll(context).map(|()| None),
    })
    .await
}

/// Waits for all futures at once. Returns their results in order, or the first error.
///
/// This replaces `futures_util::future::try_join_all`, which adds 1.7 kB to the 56 kB of wasm that
/// a page downloads.
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

/// A limit of the futures that work at once. Each future takes a place first.
#[derive(Debug)]
pub(crate) struct Places {
    free: Lock<usize>,
    freed: Signal,
}

impl Places {
    /// Makes `count` free places.
    pub(crate) fn new(count: usize) -> Self {
        Places {
            free: Lock::new(count),
            freed: Signal::default(),
        }
    }

    /// Waits for a free place and takes it, until the result is dropped.
    pub(crate) async fn take(&self) -> Place<'_> {
        let take = || {
            self.free.with(|free| {
                *free = free.checked_sub(1)?;
                Some(())
            })
        };
        self.freed.until(take).await;
        Place(self)
    }
}

/// A place that is taken. Dropping it frees the place.
pub(crate) struct Place<'a>(&'a Places);

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.free.with(|free| *free += 1);
        self.0.freed.notify();
    }
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
    state: Lock<JobState<P>>,
    waiters: Waiters<P>,
    /// Notified at the end.
    signal: Arc<Signal>,
}

struct JobState<P: Platform> {
    /// The work; `None` while it is polled, and after its end.
    work: Option<Work<P>>,
    is_started: bool,
    /// Wakes the [`Runner`].
    runner: Option<Waker>,
    result: Option<Result<(), Error<P>>>,
}

impl<P: Platform> Job<P> {
    /// Prepares work. It receives its waiters, whose retry policies apply to its requests. The
    /// signal is notified at its end.
    pub(crate) fn new(signal: Arc<Signal>, work: impl FnOnce(Waiters<P>) -> Work<P>) -> Arc<Self> {
        let waiters = Waiters::default();
        let state = JobState {
            work: Some(work(waiters.clone())),
            is_started: false,
            runner: None,
            result: None,
        };
        Arc::new(Job {
            state: Lock::new(state),
            waiters,
            signal,
        })
    }

    /// Starts the work, unless it is started. The first caller joins before: on another thread, a
    /// request could fail before there is a policy for its retries.
    pub(crate) fn start(self: &Arc<Self>, platform: &P) {
        let is_started = |state: &mut JobState<P>| core::mem::replace(&mut state.is_started, true);
        if !self.state.with(is_started) {
            platform.spawn(Box::pin(Runner(Arc::downgrade(self))));
        }
    }

    /// Returns the result; `None` before the end.
    pub(crate) fn result(&self) -> Option<Result<(), Error<P>>> {
        self.state.with(|state| state.result.clone())
    }

    /// Waits for the result.
    ///
    /// # Errors
    /// Those of the work.
    pub(crate) async fn ended(&self) -> Result<(), Error<P>> {
        self.signal.until(|| self.result()).await
    }

    /// Adds a caller to the waiters, until the result is dropped.
    pub(crate) fn join(&self, retry: &RetryPolicy<P>) -> Waiter<P> {
        self.waiters.join(retry)
    }

    fn end(&self, result: Result<(), Error<P>>) {
        self.state.with(|state| state.result = Some(result));
        self.signal.notify();
    }
}

impl<P: Platform> Drop for Job<P> {
    fn drop(&mut self) {
        // The runner ends.
        if let Some(runner) = self.state.with(|state| state.runner.take()) {
            runner.wake();
        }
    }
}

/// Runs a job until its end, or until the last caller leaves.
struct Runner<P: Platform>(Weak<Job<P>>);

impl<P: Platform> Future for Runner<P> {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let Some(job) = self.0.upgrade() else {
            // The last caller has left.
            return Poll::Ready(());
        };
        let work = job.state.with(|state| {
            state.runner = Some(context.waker().clone());
            state.work.take()
        });
        let Some(mut work) = work else {
            // Unreachable: the platform polls no future after its end.
            return Poll::Ready(());
        };
        let polled = work.as_mut().poll(context);
        match polled {
            Poll::Ready(result) => {
                job.end(result);
                Poll::Ready(())
            }
            Poll::Pending => {
                job.state.with(|state| state.work = Some(work));
                Poll::Pending
            }
        }
    }
}

impl<P: Platform> Drop for Runner<P> {
    fn drop(&mut self) {
        // The platform drops the runner of a job that panics, for example.
        if let Some(job) = self.0.upgrade()
            && job.result().is_none()
        {
            let message = "the client failed, and the calls under way are lost";
            job.end(Err(Error::new(Kind::Crashed, message)));
        }
    }
}
