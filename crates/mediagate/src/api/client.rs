//! The client.

use std::fmt;

use mediagate_client as client;

use super::call::{Call, Settings};
use super::connect::Connect;
use super::create::{Capabilities, Create, Estimate, Models, capability};
use super::history::{Forget, Tasks};
use super::task::{SavedTask, Task};
use super::upload::Upload;
use crate::error::Error;
use crate::file::File;
use crate::platform::Host;
use crate::request::{Capability, Input};
use crate::value::Value;

/// A client of one gateway. Clones share one session. Calls may come from any thread and any
/// executor.
///
/// Its work ends when its last clone and its last task are dropped.
#[derive(Clone)]
pub struct Client {
    pub(super) inner: client::Client<Host>,
    pub(super) settings: Settings,
}

/// Clones are equal. The framework of a page needs this to compare the values that it renders.
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
    /// Connects to the gateway at a URL, such as `https://media.example.com`: http or https,
    /// without query, fragment and user. The limits of this call become the defaults of all calls
    /// of the client.
    ///
    /// # Errors
    /// - [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for a URL or a token
    ///   that is not valid.
    /// - Without a token, the errors of opening an anonymous session:
    ///   [`ErrorKind::Network`](crate::ErrorKind::Network), and
    ///   [`ErrorKind::Unauthenticated`](crate::ErrorKind::Unauthenticated) if the gateway does not
    ///   allow it.
    /// - [`ErrorKind::Crashed`](crate::ErrorKind::Crashed) if the machine has no root certificates,
    ///   or no thread left.
    pub fn connect(url: impl Into<String>) -> Call<Connect> {
        Call::new(Connect::new(url.into()))
    }

    /// Creates a task. The client first uploads the files in the request, and waits for the tasks
    /// in it, within the limits of this call. The gateway moves the outputs of these tasks into the
    /// storage. A request without a response is sent again with its idempotency key. The gateway
    /// makes at most one task for a key.
    ///
    /// # Errors
    /// [`Report::outcome`](crate::Report::outcome) says if the create may have cost credits.
    ///
    /// - [`ErrorKind::InvalidInput`](crate::ErrorKind::InvalidInput) with all issues, before
    ///   anything is sent.
    /// - [`ErrorKind::Task`](crate::ErrorKind::Task) if a task in the request did not succeed, so
    ///   the create is not sent.
    /// - Any other error of the media service, the gateway and the client.
    pub fn create<C: Capability>(&self, request: C) -> Call<Create> {
        self.create_json(C::NAME, request.into_input())
    }

    /// Creates a task of a capability by its name, from JSON and files, which are the fields of the
    /// request.
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
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for an unknown capability;
    /// those of [`Client::create`].
    pub fn create_json(&self, name: impl Into<String>, input: impl Into<Input>) -> Call<Create> {
        Call::new(Create {
            client: self.clone(),
            name: name.into(),
            input: input.into(),
            key: None,
        })
    }

    /// Requests the cost of a create (§4.1 of the upstream document). Returns `data` of the
    /// response, as the media service sends it. Its shape is not documented.
    ///
    /// # Errors
    /// Those of [`Client::create`]; [`ErrorKind::InvalidInput`](crate::ErrorKind::InvalidInput) if
    /// the gateway offers no estimates.
    pub fn estimate<C: Capability>(&self, request: C) -> Call<Estimate> {
        Call::new(Estimate {
            client: self.clone(),
            name: C::NAME.into(),
            input: request.into_input(),
        })
    }

    /// Uploads a file (§4.1). Returns its id, valid for the same user. A create uploads its files
    /// by itself.
    ///
    /// # Errors
    /// - [`ErrorKind::Network`](crate::ErrorKind::Network) with the code `upload_failed` if the
    ///   storage did not accept the bytes.
    /// - [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for an empty file.
    /// - Any error of a read.
    pub fn upload(&self, file: impl Into<File>) -> Call<Upload> {
        Call::new(Upload::new(self.clone(), file.into()))
    }

    /// Requests the model catalogue (§4.1). Returns `data` of the response, as the media service
    /// sends it. Its shape is not documented. The gateway adds `assets`, a list of
    /// `{asset_id, category}` with the avatars and voices that the user may use.
    ///
    /// # Errors
    /// Any error of a read.
    pub fn models(&self) -> Call<Models> {
        Call::new(Models {
            client: self.clone(),
        })
    }

    /// Requests the capabilities that the gateway offers, which may be fewer than
    /// [`request::NAMES`](crate::request::NAMES):
    /// `{"capabilities": [{"capability", "is_extension", "models": [{"model_id", "values"}]}]}`.
    /// `models` has the models that serve a capability, with the values that each accepts by field.
    /// It is empty if the gateway cannot read a catalogue. `is_extension` is true for a capability
    /// that the document of the media service does not have.
    ///
    /// ```no_run
    /// # async fn example(client: mediagate::Client) -> Result<(), mediagate::Error> {
    /// let offers = client.capabilities().await?;
    /// let offered = offers["capabilities"].as_array().into_iter().flatten();
    /// let has_clips = offered.into_iter().any(|offer| offer["capability"] == "text_to_video");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Any error of a read; [`ErrorKind::InvalidInput`](crate::ErrorKind::InvalidInput) with the
    /// reason `unknown_path` if the gateway is older than this request.
    pub fn capabilities(&self) -> Call<Capabilities> {
        Call::new(Capabilities {
            client: self.clone(),
        })
    }

    /// Lists the tasks that the user has created on any device, newest first, as long as the
    /// history of the gateway has them. An entry can be an input, like its task.
    /// [`HistoryEntry::saved`](crate::HistoryEntry::saved) restores the task.
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
    /// [`ErrorKind::InvalidInput`](crate::ErrorKind::InvalidInput) with the reason
    /// `invalid_parameter` for a limit or a cursor that is not valid; any error of a read.
    pub fn tasks(&self) -> Call<Tasks> {
        Call::new(Tasks::new(self.clone()))
    }

    /// Removes a task that has ended from the history, by its id. The task itself stays readable,
    /// but a result that came without a task is removed too.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidInput`](crate::ErrorKind::InvalidInput) with the reason `task_running`
    /// or `unknown_task`; [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for a
    /// blank id; any error of a read.
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

    /// Returns the URL of the gateway.
    pub fn url(&self) -> &str {
        self.inner.base()
    }
}
