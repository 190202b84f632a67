use std::fmt;

use mediagate_client::BoxFuture;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use url::form_urlencoded::Serializer;

use super::call::{Call, CallKind};
use super::client::Client;
use super::create::capability;
use super::task::{SavedTask, Task};
use crate::error::{Error, Outcome};
use crate::reference::Reference;
use crate::snapshot::{Output, outputs};
use crate::value::Value;

impl Client {
    /// Lists the tasks that the user has created on any device, newest first, as long as the
    /// history of the gateway has them. An entry can be an input, like its task.
    /// [`HistoryEntry::saved`](crate::HistoryEntry::saved) restores the task.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidInput`](crate::ErrorKind::InvalidInput) with the reason
    /// `invalid_parameter` for a limit or a cursor that is not valid.
    pub fn tasks(&self) -> Call<Tasks> {
        Call::new(Tasks::new(self.clone()))
    }

    /// Removes a task that has ended from the history, by its id. The task itself stays readable,
    /// but a result that came without a task is removed too.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidInput`](crate::ErrorKind::InvalidInput) with the reason `task_running`
    /// or `unknown_task`; [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for a
    /// blank id.
    pub fn forget(&self, id: impl Into<String>) -> Call<Forget> {
        Call::new(Forget {
            client: self.clone(),
            id: id.into(),
        })
    }

    /// Restores a task from the result of [`Task::saved`], without a request. If this client
    /// already has the task, returns the same one.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for an unknown capability.
    pub fn restore(&self, saved: SavedTask) -> Result<Task, Error> {
        const INVALID: &str = "this is not a saved task; give the result of Task::saved, for a \
                               capability in request::NAMES";
        let invalid = || Error::invalid_argument(INVALID);
        let SavedTask {
            id,
            capability: name,
            result,
        } = saved;
        let capability = capability(&name).map_err(|_| invalid())?;
        // Only a result that came without a task has no id.
        let task = if id.trim().is_empty() {
            let result = result.ok_or_else(invalid)?;
            self.inner.finished_task(capability, Value::from(result))
        } else {
            self.inner.task(id, capability)
        };
        Ok(Task::new(task, self.settings.clone()))
    }
}

/// A page of the history.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct TaskPage {
    /// The entries, newest first. A page with a cursor may have fewer entries than the limit, or
    /// none.
    pub tasks: Vec<HistoryEntry>,
    /// The cursor of the next page, for [`Call::cursor`](Call#method.cursor); `None` on the last
    /// page. Creates that come meanwhile don't move the next page.
    pub cursor: Option<String>,
}

/// A create of the user, as the gateway last saw its task.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct HistoryEntry {
    /// The id of the task, as the create returned it.
    pub id: String,
    /// The name of the capability of the task.
    pub capability: String,
    /// The title of the create; `None` without one.
    pub title: Option<String>,
    /// The last state that the gateway has seen. Poll the task for the current state. `None` if
    /// there is an [`HistoryEntry::outcome`].
    pub state: Option<String>,
    /// The results. Their URLs may have expired: restore and poll the task for new URLs.
    pub outputs: Vec<Output>,
    /// The time of the create (RFC 3339).
    pub created_at: String,
    /// The time at which the gateway saw the end of the task (RFC 3339); `None` if it has not.
    pub ended_at: Option<String>,
    /// True if no end was seen in the time that the gateway follows tasks: read the task.
    #[serde(rename = "unfinished")]
    pub is_unfinished: bool,
    /// The reason why the task failed or expired, if it is known.
    pub error: Option<TaskError>,
    /// [`Outcome::Unknown`] if the response to the create was lost, so that the task may exist and
    /// may have cost credits. Such an entry can only be removed.
    pub outcome: Option<Outcome>,
}

/// The reason why a task failed or expired.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct TaskError {
    /// The message of the media service.
    pub message: Option<String>,
    /// The code of the media service: a number or a string; `null` without one.
    pub code: Json,
    /// `content_refused` if the provider refuses the content; `None` for other reasons.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl HistoryEntry {
    /// Returns the saved form of the task, for [`Client::restore`](crate::Client::restore).
    pub fn saved(&self) -> SavedTask {
        SavedTask {
            id: self.id.clone(),
            capability: self.capability.clone(),
            result: None,
        }
    }
}

/// Omits the outputs, and the title, which is private.
impl fmt::Debug for HistoryEntry {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("HistoryEntry")
            .field("id", &self.id)
            .field("capability", &self.capability)
            .field("state", &self.state)
            .field("outputs", &self.outputs.len())
            .field("created_at", &self.created_at)
            .field("ended_at", &self.ended_at)
            .field("is_unfinished", &self.is_unfinished)
            .field("error", &self.error)
            .field("outcome", &self.outcome)
            .finish_non_exhaustive()
    }
}

impl From<HistoryEntry> for Reference {
    fn from(entry: HistoryEntry) -> Self {
        entry.saved().into()
    }
}

impl From<&HistoryEntry> for Reference {
    fn from(entry: &HistoryEntry) -> Self {
        entry.saved().into()
    }
}

/// The request that [`Client::tasks`](crate::Client::tasks) prepares.
pub struct Tasks {
    client: Client,
    limit: Option<u32>,
    cursor: Option<String>,
}

impl Tasks {
    pub(super) fn new(client: Client) -> Self {
        Tasks {
            client,
            limit: None,
            cursor: None,
        }
    }
}

impl Call<Tasks> {
    /// Sets the maximum number of entries of the page, 1 to 100. The default is 50.
    pub fn limit(mut self, limit: u32) -> Self {
        self.kind.limit = Some(limit);
        self
    }

    /// Requests the entries after the page that has this cursor.
    pub fn cursor(mut self, cursor: impl Into<String>) -> Self {
        self.kind.cursor = Some(cursor.into());
        self
    }
}

impl CallKind for Tasks {
    type Output = TaskPage;

    fn begin(call: Call<Self>) -> BoxFuture<'static, Result<TaskPage, Error>> {
        let Tasks {
            client,
            limit,
            cursor,
        } = call.kind;
        let limits = call.settings.or(&client.settings).limits();
        Box::pin(async move {
            let pairs = Serializer::new(String::new())
                .extend_pairs(limit.map(|limit| ("limit", limit.to_string())))
                .extend_pairs(cursor.map(|cursor| ("cursor", cursor)))
                .finish();
            let query = if pairs.is_empty() {
                pairs
            } else {
                format!("?{pairs}")
            };
            let data = client.inner.tasks(&query, limits).await?;
            Ok(page(&Json::from(&data)))
        })
    }
}

/// The request that [`Client::forget`](crate::Client::forget) prepares.
pub struct Forget {
    pub(super) client: Client,
    pub(super) id: String,
}

impl CallKind for Forget {
    type Output = ();

    fn begin(call: Call<Self>) -> BoxFuture<'static, Result<(), Error>> {
        let Forget { client, id } = call.kind;
        let limits = call.settings.or(&client.settings).limits();
        Box::pin(async move {
            if id.trim().is_empty() {
                // A blank id would change the path of the request.
                let message = "the id is blank; give the id of a task";
                return Err(Error::invalid_argument(message));
            }
            client.inner.forget_task(&id, limits).await?;
            Ok(())
        })
    }
}

/// Reads a page of the history. An entry of an unknown form is left out.
fn page(data: &Json) -> TaskPage {
    let entry = |record: &Json| {
        let entry: HistoryEntry = serde_json::from_value(record.clone()).ok()?;
        // The outputs in a record lack their positions and the id of the task.
        Some(HistoryEntry {
            outputs: outputs(record, &entry.id),
            ..entry
        })
    };
    let tasks = data
        .get("tasks")
        .and_then(Json::as_array)
        .into_iter()
        .flatten()
        .filter_map(entry)
        .collect();
    TaskPage {
        tasks,
        cursor: data.get("cursor").and_then(Json::as_str).map(str::to_owned),
    }
}
