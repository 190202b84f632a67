use mediagate_client::{BoxFuture, is_visible};
use mediagate_core::nearest_capability;
use serde_json::Value as Json;
use uuid::Uuid;

use super::call::{Call, CallKind};
use super::client::Client;
use super::task::Task;
use crate::error::{Error, Outcome};
use crate::request::{Capability, Input};

impl Client {
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

    /// Requests the model catalogue (§4.1). Returns `data` of the response, as the media service
    /// sends it. Its shape is not documented. The gateway adds `assets`, a list of
    /// `{asset_id, category}` with the avatars and voices that the user may use.
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
    /// that the document of the media service does not have. If values are limited in this session,
    /// `"limits"` has the limits: `models`, `max_seconds`, `clarities`, `max_pixels` and
    /// `max_prompt_chars`, each absent if there is none. What they forbid is not listed.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidInput`](crate::ErrorKind::InvalidInput) with the reason `unknown_path`
    /// if the gateway is older than this request.
    pub fn capabilities(&self) -> Call<Capabilities> {
        Call::new(Capabilities {
            client: self.clone(),
        })
    }
}

/// The create that [`Client::create`](crate::Client::create) prepares.
pub struct Create {
    pub(super) client: Client,
    pub(super) name: String,
    pub(super) input: Input,
    pub(super) key: Option<String>,
}

impl Call<Create> {
    /// Sets the idempotency key: 1 to 255 visible ASCII characters. The gateway makes at most one
    /// task for a key. The default is a random key, which the client sends with each retry.
    pub fn idempotency_key(mut self, key: impl Into<String>) -> Self {
        self.kind.key = Some(key.into());
        self
    }
}

impl CallKind for Create {
    type Output = Task;

    fn begin(call: Call<Self>) -> BoxFuture<'static, Result<Task, Error>> {
        let Create {
            client,
            name,
            input,
            key,
        } = call.kind;
        let limits = call.settings.or(&client.settings).limits();
        Box::pin(async move {
            let not_sent = |error: Error| error.with_outcome(Outcome::NotSent);
            let key = key.unwrap_or_else(|| Uuid::new_v4().to_string());
            if !is_visible(&key) || key.len() > 255 {
                let message = "the idempotency key is not 1 to 255 visible ASCII characters";
                return Err(not_sent(Error::invalid_argument(message)));
            }
            let capability = capability(&name).map_err(not_sent)?;
            let created =
                client
                    .inner
                    .create(capability, input.into_value(capability), key, limits);
            Ok(Task::new(created.await?, client.settings))
        })
    }
}

pub(super) fn capability(name: &str) -> Result<&'static mediagate_core::Capability, Error> {
    mediagate_core::find(name).ok_or_else(|| match nearest_capability(name) {
        Some(known) => {
            let message = format!("there is no capability {name:?}; did you mean {known:?}?");
            Error::invalid_argument(&message)
        }
        None => Error::invalid_argument("no such capability; request::NAMES lists all"),
    })
}

/// The estimate that [`Client::estimate`](crate::Client::estimate) prepares.
pub struct Estimate {
    pub(super) client: Client,
    pub(super) name: String,
    pub(super) input: Input,
}

impl CallKind for Estimate {
    type Output = Json;

    fn begin(call: Call<Self>) -> BoxFuture<'static, Result<Json, Error>> {
        let Estimate {
            client,
            name,
            input,
        } = call.kind;
        let limits = call.settings.or(&client.settings).limits();
        Box::pin(async move {
            let capability = capability(&name)?;
            let input = input.into_value(capability);
            let estimated = client.inner.estimate(capability, input, limits);
            Ok(Json::from(&estimated.await?))
        })
    }
}

/// The request that [`Client::models`](crate::Client::models) prepares.
pub struct Models {
    pub(super) client: Client,
}

impl CallKind for Models {
    type Output = Json;

    fn begin(call: Call<Self>) -> BoxFuture<'static, Result<Json, Error>> {
        let Models { client } = call.kind;
        let limits = call.settings.or(&client.settings).limits();
        Box::pin(async move { Ok(Json::from(&client.inner.models(limits).await?)) })
    }
}

/// The request that [`Client::capabilities`](crate::Client::capabilities) prepares.
pub struct Capabilities {
    pub(super) client: Client,
}

impl CallKind for Capabilities {
    type Output = Json;

    fn begin(call: Call<Self>) -> BoxFuture<'static, Result<Json, Error>> {
        let Capabilities { client } = call.kind;
        let limits = call.settings.or(&client.settings).limits();
        Box::pin(async move { Ok(Json::from(&client.inner.capabilities(limits).await?)) })
    }
}
