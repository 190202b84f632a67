//! State that several futures share.

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::future::poll_fn;
use core::task::{Poll, Waker};

use futures_util::future::{AbortHandle, abortable};

use crate::error::{Error, Kind};
use crate::limits::{RetryPolicy, Waiter, Waiters};
use crate::platform::Platform;
use crate::sendable::{BoxFuture, MaybeSend};

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

    /// Waits until `value` returns one. Calls it at once, and after each [`Signal::notify`].
    pub(crate) async fn until<T>(&self, mut value: impl FnMut() -> Option<T>) -> T {
        poll_fn(|context| {
            // Register first: a change on another thread may come before the call of `value` ends.
            self.0.with(|wakers| {
                if !wakers.iter().any(|waker| waker.will_wake(context.waker())) {
                    wakers.push(context.waker().clone());
                }
            });
            value().map_or(Poll::Pending, Poll::Ready)
        })
        .await
    }
}

/// Waits for all futures at once. Returns their results in order, or the first error.
///
/// This replaces `futures_util::future::try_join_all`, which adds 1.7 kB to the 57 kB of wasm that
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

/// A limit of the futures that do something at once: each takes a place first.
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

/// Work that all callers share. It is aborted when the last one leaves.
pub(crate) struct Job<P: Platform, T> {
    result: Arc<JobResult<P, T>>,
    waiters: Waiters<P>,
    /// The work until it is started.
    work: Lock<Option<BoxFuture<'static, ()>>>,
    abort: AbortHandle,
}

/// The result of a job.
struct JobResult<P: Platform, T> {
    value: Lock<Option<Result<T, Error<P>>>>,
    signal: Arc<Signal>,
}

impl<P: Platform, T> JobResult<P, T> {
    /// Stores the result, unless there is one, and notifies the waiters.
    fn set(&self, result: Result<T, Error<P>>) {
        self.value.with(|value| {
            value.get_or_insert(result);
        });
        self.signal.notify();
    }
}

/// Ends a job whose future is dropped before its end, such as by a panic.
struct EndGuard<P: Platform, T>(Arc<JobResult<P, T>>);

impl<P: Platform, T> Drop for EndGuard<P, T> {
    fn drop(&mut self) {
        let message = "the client failed, and the calls under way are lost";
        self.0.set(Err(Error::new(Kind::Crashed, message)));
    }
}

impl<P: Platform, T: Clone + MaybeSend + 'static> Job<P, T> {
    /// Prepares work. It receives its waiters, whose retry policies apply to its requests. The
    /// signal is notified at its end.
    pub(crate) fn new(
        signal: Arc<Signal>,
        work: impl FnOnce(Waiters<P>) -> BoxFuture<'static, Result<T, Error<P>>>,
    ) -> Arc<Self> {
        let result = Arc::new(JobResult {
            value: Lock::new(None),
            signal,
        });
        let waiters = Waiters::default();
        let (work, abort) = abortable(work(waiters.clone()));
        let guard = EndGuard(result.clone());
        let work: BoxFuture<'static, ()> = Box::pin(async move {
            if let Ok(ended) = work.await {
                guard.0.set(ended);
            }
        });
        Arc::new(Job {
            result,
            waiters,
            work: Lock::new(Some(work)),
            abort,
        })
    }

    /// Starts the work, unless it is started. The first caller joins before: on another thread, a
    /// request could fail before there is a policy for its retries.
    pub(crate) fn start(&self, platform: &P) {
        if let Some(work) = self.work.with(Option::take) {
            platform.spawn(work);
        }
    }

    /// Returns the result; `None` before the end.
    pub(crate) fn result(&self) -> Option<Result<T, Error<P>>> {
        self.result.value.with(|value| value.clone())
    }

    /// Joins the waiters, starts the work and waits for the result.
    ///
    /// # Errors
    /// Those of the work.
    pub(crate) async fn wait(&self, platform: &P, retry: &RetryPolicy<P>) -> Result<T, Error<P>> {
        let _waiter = self.join(retry);
        self.start(platform);
        self.result.signal.until(|| self.result()).await
    }

    /// Adds a caller to the waiters, until the result is dropped.
    pub(crate) fn join(&self, retry: &RetryPolicy<P>) -> Waiter<P> {
        self.waiters.join(retry)
    }
}

impl<P: Platform, T> Drop for Job<P, T> {
    fn drop(&mut self) {
        self.abort.abort();
    }
}
