//! State that several futures share.

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::future::poll_fn;
use core::task::{Poll, Waker};

use futures_util::future::{AbortHandle, abortable};

use super::error::{Error, Kind};
use super::limits::{RetryPolicy, Waiter, Waiters};
use super::platform::Platform;
use crate::sendable::{BoxFuture, MaybeSend};

/// A value that one future at a time reads or changes, never across an `await`.
#[cfg(not(target_family = "wasm"))]
#[derive(Debug, Default)]
pub(crate) struct Lock<T>(std::sync::Mutex<T>);

/// A value that one future at a time reads or changes, never across an `await`.
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
    /// Wakes all that wait.
    pub(crate) fn notify(&self) {
        for waker in self.0.with(core::mem::take) {
            waker.wake();
        }
    }

    /// Waits until there is a value. It is looked for at once, and after each [`Signal::notify`].
    pub(crate) async fn until<T>(&self, mut value: impl FnMut() -> Option<T>) -> T {
        poll_fn(|context| {
            // Registered first: a change on another thread may come between.
            self.0.with(|wakers| {
                if !wakers.iter().any(|it| it.will_wake(context.waker())) {
                    wakers.push(context.waker().clone());
                }
            });
            value().map_or(Poll::Pending, Poll::Ready)
        })
        .await
    }
}

/// Waits for all futures at once. Returns their results in order, or the first error.
pub(crate) async fn try_all<T, E>(futures: Vec<BoxFuture<'_, Result<T, E>>>) -> Result<Vec<T>, E> {
    let mut running: Vec<_> = futures.into_iter().map(Some).collect();
    let mut results: Vec<Option<T>> = running.iter().map(|_| None).collect();
    poll_fn(move |context| {
        for (future, result) in running.iter_mut().zip(&mut results) {
            if let Some(Poll::Ready(ended)) = future.as_mut().map(|it| it.as_mut().poll(context)) {
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

/// A number of places, of which each can be taken by one future at a time.
#[derive(Debug)]
pub(crate) struct Places {
    free: Lock<usize>,
    freed: Signal,
}

impl Places {
    /// Makes a number of free places.
    pub(crate) fn new(count: usize) -> Self {
        Places {
            free: Lock::new(count),
            freed: Signal::default(),
        }
    }

    /// Waits for a free place, which is taken until the result is dropped.
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

/// A place that is taken.
pub(crate) struct Place<'a>(&'a Places);

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.free.with(|free| *free += 1);
        self.0.freed.notify();
    }
}

/// Work that runs once for all who wait for it. It is aborted when the last of them is gone.
pub(crate) struct Job<P: Platform, T> {
    result: Arc<JobResult<P, T>>,
    waiters: Waiters<P>,
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
    /// Starts work, which learns who waits for it. The signal is notified at its end.
    pub(crate) fn start(
        platform: &P,
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
        platform.spawn(Box::pin(async move {
            if let Ok(ended) = work.await {
                guard.0.set(ended);
            }
        }));
        Arc::new(Job {
            result,
            waiters,
            abort,
        })
    }

    /// The result, once it has ended.
    pub(crate) fn result(&self) -> Option<Result<T, Error<P>>> {
        self.result.value.with(|value| value.clone())
    }

    /// Waits for its end on behalf of a caller.
    pub(crate) async fn wait(&self, retry: &RetryPolicy<P>) -> Result<T, Error<P>> {
        let _waiter = self.join(retry);
        self.result.signal.until(|| self.result()).await
    }

    /// Counts a caller among those who wait, until the result is dropped.
    pub(crate) fn join(&self, retry: &RetryPolicy<P>) -> Waiter<P> {
        self.waiters.join(retry)
    }
}

impl<P: Platform, T> Drop for Job<P, T> {
    fn drop(&mut self) {
        self.abort.abort();
    }
}
