//! A task of the caller's.

use std::fmt;

use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value as Json;

use super::call::{Call, CallKind, Settings};
use super::updates::Updates;
use crate::client;
use crate::error::Error;
use crate::platform::Host;
use crate::reference::Reference;
use crate::sendable::BoxFuture;
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
pub struct Task {
    inner: client::Task<Host>,
    settings: Settings,
}

/// Clones are equal.
impl PartialEq for Task {
    fn eq(&self, other: &Self) -> bool {
        self.inner == other.inner
    }
}

impl Eq for Task {}

impl Task {
    pub(super) fn new(inner: client::Task<Host>, settings: Settings) -> Self {
        Task { inner, settings }
    }

    /// The last snapshot that is known. It changes while the task is followed, by [`Task::done`] or [`Task::updates`], and
    /// with [`Task::refresh`].
    pub fn snapshot(&self) -> TaskSnapshot {
        TaskSnapshot::from(&*self.inner.snapshot())
    }

    /// Its id, valid for the same user; empty for a result that came without a task, which is already done.
    pub fn id(&self) -> String {
        self.inner.snapshot().id.clone().unwrap_or_default()
    }

    /// The name of the capability that it was created with.
    pub fn capability(&self) -> String {
        self.snapshot().capability
    }

    /// What it can be restored from.
    pub fn saved(&self) -> SavedTask {
        let TaskSnapshot {
            id,
            capability,
            raw,
            ..
        } = self.snapshot();
        SavedTask {
            result: id.is_empty().then_some(raw),
            id,
            capability,
        }
    }

    /// Waits until the task succeeds, with its last snapshot then. Dropping the future, and a timeout, end the wait and not
    /// the task.
    ///
    /// # Errors
    /// [`ErrorKind::Task`](crate::ErrorKind::Task) where it failed or expired, with its last snapshot; [`ErrorKind::InvalidInput`](crate::ErrorKind::InvalidInput) with the reason
    /// `unknown_task` where there is no such task; any error of a read, such as [`ErrorKind::Network`](crate::ErrorKind::Network).
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
        Updates::new(self.inner.subscribe(self.settings.retry_policy()))
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
        Reference::from(task.snapshot())
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
        let Task { inner, settings } = call.kind.task;
        let limits = call.settings.or(&settings.patient()).limits();
        Box::pin(async move { Ok(TaskSnapshot::from(&*inner.done(limits).await?)) })
    }
}

/// Polls a task: what [`Task::refresh`] prepares.
pub struct Refresh {
    task: Task,
}

impl CallKind for Refresh {
    type Output = TaskSnapshot;

    fn begin(call: Call<Self>) -> BoxFuture<'static, Result<TaskSnapshot, Error>> {
        let Task { inner, settings } = call.kind.task;
        let limits = call.settings.or(&settings).limits();
        Box::pin(async move { Ok(TaskSnapshot::from(&*inner.refresh(limits).await?)) })
    }
}
