//! The snapshots of a task, one after the other.

use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_core::Stream;
use futures_util::future::FutureExt;

use crate::client::Subscription;
use crate::error::Error;
use crate::platform::Host;
use crate::sendable::BoxFuture;
use crate::snapshot::TaskSnapshot;

/// The snapshots of a task, from when the first is wanted: what [`Task::updates`](crate::Task::updates) returns.
///
/// All that follow a task with one client share its stream of events; where there is no stream, it is polled. Dropping this
/// ends that, unless another one follows the task. After an error there is no other snapshot: follow the task anew.
#[must_use = "a task is not followed until a snapshot is wanted"]
pub struct Updates(State);

enum State {
    Idle(Subscription<Host>),
    Waiting(BoxFuture<'static, Next>),
    Ended,
}

/// What came, and the subscription for the next one.
type Next = (Subscription<Host>, Option<Result<TaskSnapshot, Error>>);

impl Updates {
    pub(super) fn new(subscription: Subscription<Host>) -> Self {
        Updates(State::Idle(subscription))
    }

    /// The next snapshot; `None` after the last one. Dropping the future loses none.
    ///
    /// # Errors
    /// Any error of a read, such as [`ErrorKind::Network`](crate::ErrorKind::Network).
    pub async fn next(&mut self) -> Option<Result<TaskSnapshot, Error>> {
        poll_fn(|context| Pin::new(&mut *self).poll_next(context)).await
    }
}

async fn next(subscription: Subscription<Host>) -> Next {
    let next = subscription.next().await.transpose();
    let next = next.map(|it| it.map(|it| TaskSnapshot::from(&*it)).map_err(Error::from));
    (subscription, next)
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
