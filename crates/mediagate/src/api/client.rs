//! The client.

use std::fmt;

use super::call::{Call, Settings};
use super::connect::Connect;
use super::create::{Create, Estimate, Models, capability};
use super::history::{Forget, Tasks};
use super::task::{SavedTask, Task};
use super::upload::Upload;
use crate::client;
use crate::error::Error;
use crate::file::File;
use crate::platform::Host;
use crate::request::{Capability, Input};
use crate::value::Value;

/// A client of one gateway. Clones are the same client, with one session; calls may come from any thread and any executor.
///
/// Its work ends when the last clone of it, and the last of its tasks, is dropped.
#[derive(Clone)]
pub struct Client {
    pub(super) inner: client::Client<Host>,
    pub(super) settings: Settings,
}

/// Clones are equal, so that a page's framework can compare what it renders with.
impl PartialEq for Client {
    fn eq(&self, other: &Self) -> bool {
        self.inner == other.inner
    }
}

impl Eq for Client {}

impl fmt::Debug for Client {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Client")
            .field("url", &self.url())
            .finish_non_exhaustive()
    }
}

impl Client {
    /// Connects to the gateway at a URL, such as `https://media.example.com`: http or https, without query, fragment and
    /// user. The limits of this call are also those of the client's calls that have none of their own.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for a URL or a token that is not valid. Without a token, those of opening an anonymous
    /// session, such as [`ErrorKind::Network`](crate::ErrorKind::Network), and [`ErrorKind::Unauthenticated`](crate::ErrorKind::Unauthenticated) where the gateway does not allow it.
    /// [`ErrorKind::Crashed`](crate::ErrorKind::Crashed) where the machine has no root certificates, or no thread left.
    pub fn connect(url: impl Into<String>) -> Call<Connect> {
        Call::new(Connect::new(url.into()))
    }

    /// Creates a task. Files in the request are uploaded first; a task in it is waited for, within the limits of this call, and
    /// the gateway moves its output into the storage. A request without a response is sent again with the same
    /// idempotency key, for which the gateway makes at most one task.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidInput`](crate::ErrorKind::InvalidInput) with all issues, before anything is sent; [`ErrorKind::Task`](crate::ErrorKind::Task) where a task in the request did not
    /// succeed, and nothing is sent either; any other error of the media service and of the
    /// client. [`Report::outcome`](crate::Report::outcome) says whether the create may have cost credits.
    pub fn create<C: Capability>(&self, request: C) -> Call<Create> {
        self.create_json(C::NAME, request.into_input())
    }

    /// Creates a task of a capability by its name, from JSON and files. The members of the JSON, and the files, are the
    /// fields of the request.
    ///
    /// ```no_run
    /// # async fn example(client: mediagate::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// use mediagate::{File, request::Input};
    /// use serde_json::json;
    ///
    /// let input = Input::from(json!({ "prompt": "slow push in" })).file("file_id", File::open("photo.png")?);
    /// let task = client.create_json("image_to_video", input).await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for an unknown capability; those of [`Client::create`].
    pub fn create_json(&self, name: impl Into<String>, input: impl Into<Input>) -> Call<Create> {
        Call::new(Create {
            client: self.clone(),
            name: name.into(),
            input: input.into(),
            key: None,
        })
    }

    /// Requests what a create would cost (§4.1 of the upstream document): `data` of the response, as the media service sends
    /// it. Its shape is not documented.
    ///
    /// # Errors
    /// Those of [`Client::create`]; [`ErrorKind::InvalidInput`](crate::ErrorKind::InvalidInput) where the gateway offers no estimates.
    pub fn estimate<C: Capability>(&self, request: C) -> Call<Estimate> {
        Call::new(Estimate {
            client: self.clone(),
            name: C::NAME.into(),
            input: request.into_input(),
        })
    }

    /// Uploads a file (§4.1), of which the result is the file id, valid for the same user. A create does this by itself.
    ///
    /// # Errors
    /// [`ErrorKind::Network`](crate::ErrorKind::Network) with the code `upload_failed` where the storage did not accept the bytes; [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for an empty file; any error of a read.
    pub fn upload(&self, file: impl Into<File>) -> Call<Upload> {
        Call::new(Upload::new(self.clone(), file.into()))
    }

    /// Requests the model catalogue (§4.1): `data` of the response, as the media service sends it, whose shape is not
    /// documented. Beside it, `assets` is a list of `{asset_id, category}`, the avatars and voices that the user may use.
    ///
    /// # Errors
    /// Any error of a read.
    pub fn models(&self) -> Call<Models> {
        Call::new(Models {
            client: self.clone(),
        })
    }

    /// Lists what the user has created, on whichever device, newest first, for as long as the gateway's history has it. An
    /// entry can be an input as its task can, and [`HistoryEntry::saved`](crate::HistoryEntry::saved) restores that.
    ///
    /// ```no_run
    /// # async fn example(client: mediagate::Client) -> Result<(), mediagate::Error> {
    /// let page = client.tasks().limit(20).await?;
    /// if let Some(cursor) = page.cursor {
    ///     let older = client.tasks().limit(20).cursor(cursor).await?;
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::InvalidInput`](crate::ErrorKind::InvalidInput) with the reason `invalid_parameter` for a limit or a cursor that is not valid; any error of a
    /// read.
    pub fn tasks(&self) -> Call<Tasks> {
        Call::new(Tasks::new(self.clone()))
    }

    /// Removes a task that has ended from the history, by its id. The task itself stays readable; of a result that came
    /// without a task, nothing stays.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidInput`](crate::ErrorKind::InvalidInput) with the reason `task_running` or `unknown_task`; [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for a blank id;
    /// any error of a read.
    pub fn forget(&self, id: impl Into<String>) -> Call<Forget> {
        Call::new(Forget {
            client: self.clone(),
            id: id.into(),
        })
    }

    /// Restores a task from what [`Task::saved`] returned, without a request. A task that this client has already is the
    /// same one.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for a capability that this crate does not know.
    pub fn restore(&self, saved: SavedTask) -> Result<Task, Error> {
        const INVALID: &str = "this is not a saved task; give what Task::saved returned, of a capability in request::NAMES";
        let invalid = || Error::invalid_argument(INVALID);
        let SavedTask {
            id,
            capability: name,
            result,
        } = saved;
        let capability = capability(&name).map_err(|_| invalid())?;
        let task = if id.trim().is_empty() {
            let result = result.ok_or_else(invalid)?;
            self.inner.finished_task(capability, Value::from(result))
        } else {
            self.inner.task(id, capability)
        };
        Ok(Task::new(task, self.settings.clone()))
    }

    /// The URL of the gateway.
    pub fn url(&self) -> &str {
        self.inner.base()
    }
}
