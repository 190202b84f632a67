//! The snapshots of a task, one after the other.

use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures_core::Stream;
use futures_util::future::{BoxFuture, FutureExt};

use super::inner::{TaskInner, next_snapshot};
use crate::actor::Lease;
use crate::error::Error;
use crate::platform::Engine;
use crate::snapshot::TaskSnapshot;

/// The snapshots of a task, from when the first is wanted: what [`Task::updates`](crate::Task::updates) returns.
///
/// All that follow a task with one client share its stream of events; where there is no stream, it is polled. Dropping this
/// ends that, unless another one follows the task. After an error there is no other snapshot: follow the task anew.
#[must_use = "a task is not followed until a snapshot is wanted"]
pub struct Updates {
    // In the order in which they are dropped: the wait, the subscription, the task.
    next: Option<BoxFuture<'static, Result<Option<TaskSnapshot>, Error>>>,
    subscription: Option<Lease>,
    task: Arc<TaskInner>,
    has_ended: bool,
}

impl Updates {
    /// The snapshots of a task.
    pub(super) fn new(task: Arc<TaskInner>) -> Self {
        Updates {
            next: None,
            subscription: None,
            task,
            has_ended: false,
        }
    }

    /// The next snapshot; `None` after the last one. Dropping the future loses none.
    ///
    /// # Errors
    /// Any error of a read, such as [`Error::Network`].
    pub async fn next(&mut self) -> Option<Result<TaskSnapshot, Error>> {
        poll_fn(|context| Pin::new(&mut *self).poll_next(context)).await
    }

    /// Waits for the next snapshot, and subscribes first where that has not been done.
    fn wait(&mut self) -> BoxFuture<'static, Result<Option<TaskSnapshot>, Error>> {
        let task = self.task.clone();
        let is_new = self.subscription.is_none();
        let connection = &task.client.connection;
        let subscription = self
            .subscription
            .get_or_insert_with(|| connection.lease(connection.new_id()))
            .id();
        async move {
            let id = task.lease.id();
            let begin = Box::new(move |engine: &mut Engine, _: &_, promise| {
                if is_new {
                    engine.subscribe(id, subscription);
                }
                engine.next(promise, id, subscription);
            });
            task.client
                .connection
                .call(task.client.limits.patient(), begin, next_snapshot)
                .await
        }
        .boxed()
    }
}

impl Stream for Updates {
    type Item = Result<TaskSnapshot, Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if self.has_ended {
            return Poll::Ready(None);
        }
        let mut next = self.next.take().unwrap_or_else(|| self.wait());
        let Poll::Ready(result) = next.poll_unpin(context) else {
            self.next = Some(next);
            return Poll::Pending;
        };
        let item = result.transpose();
        if !matches!(item, Some(Ok(_))) {
            self.has_ended = true;
            self.subscription = None;
        }
        Poll::Ready(item)
    }
}

impl fmt::Debug for Updates {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Updates")
            .field("has_ended", &self.has_ended)
            .finish_non_exhaustive()
    }
}
