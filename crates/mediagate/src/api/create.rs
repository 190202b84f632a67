//! Creating a task, estimating its cost, the model catalogue, and the offers of the gateway.

use mediagate_client::{BoxFuture, is_visible};
use mediagate_core::nearest_capability;
use serde_json::Value as Json;
use uuid::Uuid;

use super::call::{Call, CallKind};
use super::client::Client;
use super::task::Task;
use crate::error::{Error, Outcome};
use crate::request::Input;

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

/// Returns the capability of a name.
///
/// # Errors
/// `invalid_argument` for any other name.
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
