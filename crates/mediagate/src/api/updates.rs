use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures_core::Stream;
use futures_util::future::FutureExt;
use mediagate_client::{BoxFuture, Subscription};

use crate::error::Error;
use crate::platform::Host;
use crate::snapshot::TaskSnapshot;

/// The stream of the snapshots of a task, from [`Task::updates`](crate::Task::updates). It follows
/// the task from its first poll.
///
/// All followers of a task with one client share its stream of events, or its polls if there is no
/// stream of events. These end when the last follower is dropped. This stream ends after an error:
/// call [`Task::updates`](crate::Task::updates) again.
#[must_use = "a task is not followed until the stream is polled"]
pub struct Updates(State);

enum State {
    Idle(Arc<Subscription<Host>>),
    Waiting(BoxFuture<'static, Next>),
    Ended,
}

type Next = (Arc<Subscription<Host>>, Option<Result<TaskSnapshot, Error>>);

impl Updates {
    pub(super) fn new(subscription: Arc<Subscription<Host>>) -> Self {
        Updates(State::Idle(subscription))
    }

    /// Waits for the next snapshot; `None` after the last one. Dropping the future loses no
    /// snapshot.
    pub async fn next(&mut self) -> Option<Result<TaskSnapshot, Error>> {
        poll_fn(|context| Pin::new(&mut *self).poll_next(context)).await
    }
}

async fn next(subscription: Arc<Subscription<Host>>) -> Next {
    let next = subscription.next().await.transpose();
    let item = next.map(|result| match result {
        Ok(snapshot) => Ok(TaskSnapshot::from(&*snapshot)),
        Err(error) => Err(Error::from(error)),
    });
    (subscription, item)
}

impl Stream for Updates {
    type Item = Result<TaskSnapshot, Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let mut waiting: BoxFuture<'static, Next> =
            match std::mem::replace(&mut self.0, State::Ended) {
                State::Idle(subscription) => Box::pin(next(subscription)),
                State::Waiting(waiting) => waiting,
                State::Ended => return Poll::Ready(None),
            };
        let Poll::Ready((subscription, item)) = waiting.poll_unpin(context) else {
            self.0 = State::Waiting(waiting);
            return Poll::Pending;
        };
        if matches!(item, Some(Ok(_))) {
            self.0 = State::Idle(subscription);
        }
        Poll::Ready(item)
    }
}

impl fmt::Debug for Updates {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Updates").finish_non_exhaustive()
    }
}
