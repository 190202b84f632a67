//! What a user has created, on whichever device, as the gateway's history has it.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use url::form_urlencoded::Serializer;

use super::call::{Call, CallKind};
use super::client::Client;
use super::task::SavedTask;
use crate::error::{Error, Outcome};
use crate::reference::Reference;
use crate::sendable::BoxFuture;
use crate::snapshot::{Output, outputs};

/// A page of the history.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct TaskPage {
    /// The entries, newest first. A page may have fewer than its limit, also none, and yet a cursor.
    pub tasks: Vec<HistoryEntry>,
    /// That of the next page, for [`Call::cursor`](Call#method.cursor); `None` on the last one. Creates meanwhile don't move
    /// it.
    pub cursor: Option<String>,
}

/// What a user has created, as the gateway last saw it.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct HistoryEntry {
    /// The id of the task, as its create returned it.
    pub id: String,
    /// The name of the capability that it was created with.
    pub capability: String,
    /// The create's title; `None` without one.
    pub title: Option<String>,
    /// Its state; read the task for the current one. `None` where [`HistoryEntry::outcome`] is there.
    pub state: Option<String>,
    /// Its results. Their URLs may have expired: a task that is restored and polled has new ones.
    pub outputs: Vec<Output>,
    /// When it was created: a date and time (RFC 3339).
    pub created_at: String,
    /// When the gateway saw its end; `None` where it did not.
    pub ended_at: Option<String>,
    /// Why it failed or expired, as far as that is known.
    pub error: Option<TaskError>,
    /// [`Outcome::Unknown`] where the response to its create was lost: whether it was made, and has cost credits, is unknown.
    /// It can only be removed then.
    pub outcome: Option<Outcome>,
}

/// Why a task failed or expired.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct TaskError {
    /// The media service's message.
    pub message: Option<String>,
    /// Its code: a number or a string; `null` for none.
    pub code: Json,
}

impl HistoryEntry {
    /// What its task can be restored from, by [`Client::restore`](crate::Client::restore).
    pub fn saved(&self) -> SavedTask {
        SavedTask {
            id: self.id.clone(),
            capability: self.capability.clone(),
            result: None,
        }
    }
}

/// Without the title, which is the user's, and the outputs.
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

/// Lists what the user has created: what [`Client::tasks`](crate::Client::tasks) prepares.
pub struct Tasks {
    client: Client,
    limit: Option<u32>,
    cursor: Option<String>,
}

impl Tasks {
    /// The newest entries.
    pub(super) fn new(client: Client) -> Self {
        Tasks {
            client,
            limit: None,
            cursor: None,
        }
    }
}

impl Call<Tasks> {
    /// The most entries, 1 to 100; 50 by default.
    pub fn limit(mut self, limit: u32) -> Self {
        self.kind.limit = Some(limit);
        self
    }

    /// The entries after the page that had this cursor.
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
                .extend_pairs(limit.map(|it| ("limit", it.to_string())))
                .extend_pairs(cursor.map(|it| ("cursor", it)))
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

/// Removes a task from the history: what [`Client::forget`](crate::Client::forget) prepares.
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
                let message = "the id is blank; give that of a task";
                return Err(Error::invalid_argument(message));
            }
            client.inner.forget_task(&id, limits).await?;
            Ok(())
        })
    }
}

/// A page of the history; an entry of a form that is not known is left out.
fn page(data: &Json) -> TaskPage {
    let entry = |it: &Json| {
        let entry: HistoryEntry = serde_json::from_value(it.clone()).ok()?;
        Some(HistoryEntry {
            outputs: outputs(it, &entry.id),
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
