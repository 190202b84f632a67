use std::fmt;

use mediagate_client::{self as client, BoxFuture};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value as Json;

use super::call::{Call, CallKind, Settings};
use super::updates::Updates;
use crate::error::Error;
use crate::platform::Host;
use crate::reference::Reference;
use crate::snapshot::TaskSnapshot;

/// A task, with its last snapshot. Clones are the same task.
///
/// Dropping it does not end the task of the media service. Serialize it as a [`SavedTask`], and
/// restore it later with [`Client::restore`](crate::Client::restore).
///
/// ```no_run
/// # async fn example(task: mediagate::Task) -> Result<(), mediagate::Error> {
/// let mut updates = task.updates();
/// while let Some(update) = updates.next().await {
///     let update = update?;
///     println!("{:?} {:?}", update.state, update.progress);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Task {
    inner: client::TaskHandle<Host>,
    settings: Settings,
}

impl PartialEq for Task {
    fn eq(&self, other: &Self) -> bool {
        self.inner == other.inner
    }
}

impl Eq for Task {}

impl Task {
    pub(super) fn new(inner: client::TaskHandle<Host>, settings: Settings) -> Self {
        Task { inner, settings }
    }

    /// Returns the last snapshot. [`Task::done`] and [`Task::updates`] change it as long as they
    /// follow the task, and [`Task::refresh`] changes it once.
    pub fn snapshot(&self) -> TaskSnapshot {
        TaskSnapshot::from(&*self.inner.snapshot())
    }

    /// Returns the id, valid for the same user; empty for a result that came without a task, which
    /// has succeeded.
    pub fn id(&self) -> String {
        self.inner.snapshot().id.clone().unwrap_or_default()
    }

    /// Returns the name of the capability of the task.
    pub fn capability(&self) -> String {
        self.snapshot().capability
    }

    /// Returns the saved form, for [`Client::restore`](crate::Client::restore).
    pub fn saved(&self) -> SavedTask {
        let TaskSnapshot {
            id,
            capability,
            raw,
            ..
        } = self.snapshot();
        SavedTask {
            // Without an id, nobody can read the result again.
            result: id.is_empty().then_some(raw),
            id,
            capability,
        }
    }

    /// Waits until the task succeeds. Returns its last snapshot. A timeout and dropping the future
    /// end only the wait, and not the task.
    ///
    /// # Errors
    /// - [`ErrorKind::Task`](crate::ErrorKind::Task) with the last snapshot if the task failed or
    ///   expired, or has not ended in the time that the gateway follows tasks.
    /// - [`ErrorKind::InvalidInput`](crate::ErrorKind::InvalidInput) with the reason `unknown_task`
    ///   if there is no such task.
    pub fn done(&self) -> Call<Done> {
        Call::new(Done { task: self.clone() })
    }

    /// Polls the task once. Returns its snapshot. A task that has failed is not an error.
    pub fn refresh(&self) -> Call<Refresh> {
        Call::new(Refresh { task: self.clone() })
    }

    /// Returns a stream of the snapshots of the task: the present snapshot, then each change, up to
    /// the snapshot with the last state, even if that is `FAILED`. Of several changes within one
    /// state, a slow reader gets only the latest.
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

/// The saved form of a task. A client with the same subject can restore the task. The package for
/// JavaScript saves tasks in the same form.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SavedTask {
    /// The id of the task; empty for a result that came without a task.
    pub id: String,
    /// The capability of the task.
    pub capability: String,
    /// The result itself, if the id is empty.
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

/// Omits the result, which may repeat the input of the task.
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

/// The wait that [`Task::done`] prepares.
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

/// The poll that [`Task::refresh`] prepares.
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
