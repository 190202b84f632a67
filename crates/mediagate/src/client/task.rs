//! A task of the caller's.

use std::fmt;
use std::sync::Arc;

use futures_util::future::{BoxFuture, FutureExt};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value as Json;

use super::call::{Call, CallKind};
use super::inner::{Inner, TaskInner, one_snapshot};
use super::updates::Updates;
use crate::actor::Lease;
use crate::error::Error;
use crate::platform::Engine;
use crate::reference::Reference;
use crate::snapshot::TaskSnapshot;

/// A task, with its last snapshot. Clones are the same task.
///
/// Dropping it does not end the task of the media service, which goes on: restore it later by
/// [`Client::restore`](crate::Client::restore). It serializes as the [`SavedTask`] for that.
///
/// ```no_run
/// # async fn example(task: mediagate::Task) -> Result<(), mediagate::Error> {
/// let mut updates = task.updates();
/// while let Some(update) = updates.next().await {
///     let update = update?;
///     println!("{:?} {:?}", update.state, update.progress);
/// }
/// let done = task.done().await?;
/// println!("{:?}", done.outputs.first().and_then(|it| it.url.as_deref()));
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Task(pub(super) Arc<TaskInner>);

/// Clones are equal.
impl PartialEq for Task {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Task {}

impl Task {
    /// A task that the engine keeps.
    pub(super) fn new(lease: Lease, client: Arc<Inner>) -> Self {
        Task(Arc::new(TaskInner { lease, client }))
    }

    /// The last snapshot that is known. It changes while the task is followed, by [`Task::done`] or [`Task::updates`], and
    /// with [`Task::refresh`].
    pub fn snapshot(&self) -> Arc<TaskSnapshot> {
        self.0.lease.task().map(|it| it.get()).unwrap_or_default()
    }

    /// Its id, valid for the same user; empty for a result that came without a task, which is already done.
    pub fn id(&self) -> String {
        self.snapshot().id.clone()
    }

    /// The name of the capability that it was created with.
    pub fn capability(&self) -> String {
        self.snapshot().capability.clone()
    }

    /// What it can be restored from.
    pub fn saved(&self) -> SavedTask {
        let snapshot = self.snapshot();
        let result = snapshot.id.is_empty().then(|| snapshot.raw.clone());
        SavedTask {
            id: snapshot.id.clone(),
            capability: snapshot.capability.clone(),
            result,
        }
    }

    /// Waits until the task succeeds, with its last snapshot then. Dropping the future, and a timeout, end the wait and not
    /// the task.
    ///
    /// # Errors
    /// [`Error::Task`] where it failed or expired, with its last snapshot; [`Error::InvalidInput`] with the reason
    /// `unknown_task` where there is no such task; any error of a read, such as [`Error::Network`].
    pub fn done(&self) -> Call<Done> {
        Call::new(Done { task: self.clone() })
    }

    /// Polls the task once, with its snapshot then.
    ///
    /// # Errors
    /// Any error of a read; where the task has failed, none.
    pub fn refresh(&self) -> Call<Refresh> {
        Call::new(Refresh { task: self.clone() })
    }

    /// The snapshots of the task: the present one, then each change (of several at once the latest), and at the end the one
    /// with the last state, also where that is `FAILED`.
    pub fn updates(&self) -> Updates {
        Updates::new(self.0.clone())
    }
}

impl fmt::Debug for Task {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_tuple("Task")
            .field(&self.snapshot())
            .finish()
    }
}

impl From<Task> for Reference {
    fn from(task: Task) -> Self {
        Reference::from(&task)
    }
}

impl From<&Task> for Reference {
    fn from(task: &Task) -> Self {
        Reference::from(&*task.snapshot())
    }
}

impl Serialize for Task {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.saved().serialize(serializer)
    }
}

/// What a task can be restored from, by a client with the same subject. The package for JavaScript saves tasks in the same
/// form.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SavedTask {
    /// The id of the task; empty for a result that came without a task.
    pub id: String,
    /// The capability that it was created with.
    pub capability: String,
    /// The result itself, where the id is empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<Json>,
}

impl From<SavedTask> for Reference {
    fn from(SavedTask { id, capability, .. }: SavedTask) -> Self {
        Reference::Task { id, capability }
    }
}

impl From<&SavedTask> for Reference {
    fn from(SavedTask { id, capability, .. }: &SavedTask) -> Self {
        Reference::Task {
            id: id.clone(),
            capability: capability.clone(),
        }
    }
}

/// Without the result, which may repeat what the task was created with.
impl fmt::Debug for SavedTask {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SavedTask { id, capability, .. } = self;
        formatter
            .debug_struct("SavedTask")
            .field("id", id)
            .field("capability", capability)
            .finish_non_exhaustive()
    }
}

/// Waits for the end of a task: what [`Task::done`] prepares.
pub struct Done {
    task: Task,
}

impl CallKind for Done {
    type Output = TaskSnapshot;

    fn begin(call: Call<Self>) -> BoxFuture<'static, Result<TaskSnapshot, Error>> {
        let Call {
            kind: Done { task },
            limits,
        } = call;
        async move {
            let TaskInner { lease, client } = &*task.0;
            let id = lease.id();
            let limits = limits.or(&client.limits.patient());
            let begin =
                Box::new(move |engine: &mut Engine, _: &_, promise| engine.done(promise, id));
            client.connection.call(limits, begin, one_snapshot).await
        }
        .boxed()
    }
}

/// Polls a task: what [`Task::refresh`] prepares.
pub struct Refresh {
    task: Task,
}

impl CallKind for Refresh {
    type Output = TaskSnapshot;

    fn begin(call: Call<Self>) -> BoxFuture<'static, Result<TaskSnapshot, Error>> {
        let Call {
            kind: Refresh { task },
            limits,
        } = call;
        async move {
            let id = task.0.lease.id();
            let begin =
                Box::new(move |engine: &mut Engine, _: &_, promise| engine.refresh(promise, id));
            task.0.client.call(limits, begin, one_snapshot).await
        }
        .boxed()
    }
}
