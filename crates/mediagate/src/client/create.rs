//! Creating a task, and estimating what it would cost.

use std::sync::Arc;

use futures_util::future::{BoxFuture, FutureExt};
use serde_json::Value as Json;
use uuid::Uuid;

use super::call::{Call, CallKind};
use super::connect::is_visible;
use super::inner::{Inner, json, lease};
use super::task::Task;
use crate::error::{Error, Outcome};
use crate::platform::Engine;
use crate::request::Input;
use crate::value::{Value, hold};

/// Creates a task: what [`Client::create`](crate::Client::create) prepares.
pub struct Create {
    client: Arc<Inner>,
    name: String,
    input: Input,
    key: Option<String>,
}

impl Create {
    /// The create of a task of a capability.
    pub(super) fn new(client: Arc<Inner>, name: String, input: Input) -> Self {
        Create {
            client,
            name,
            input,
            key: None,
        }
    }
}

impl Call<Create> {
    /// Identifies the create: for a key, the gateway makes one task at most, however often it is sent. By default a random
    /// one, which the client sends again with each retry. 1 to 255 visible ASCII characters.
    pub fn idempotency_key(mut self, key: impl Into<String>) -> Self {
        self.kind.key = Some(key.into());
        self
    }
}

impl CallKind for Create {
    type Output = Task;

    fn begin(call: Call<Self>) -> BoxFuture<'static, Result<Task, Error>> {
        let Call {
            kind:
                Create {
                    client,
                    name,
                    input,
                    key,
                },
            limits,
        } = call;
        async move {
            let key = key.unwrap_or_else(|| Uuid::new_v4().to_string());
            if !is_visible(&key) || key.len() > 255 {
                let error = Error::invalid_argument(
                    "the idempotency key is not 1 to 255 visible ASCII characters",
                );
                return Err(error.with_outcome(Outcome::NotSent, None));
            }
            let (gateway, sent_key) = (client.gateway.id(), key.clone());
            let begin = Box::new(move |engine: &mut Engine, _: &_, promise| {
                let (name, key) = (hold(Value::text(&name)), hold(Value::text(&sent_key)));
                engine.create(promise, gateway, name, hold(input.into_value()), key);
            });
            let created = client.call(limits, begin, lease).await;
            let task = created.map_err(|it| match it {
                // The engine that knows what became of it is gone then.
                Error::Crashed(_) if it.outcome().is_none() => {
                    it.with_outcome(Outcome::Unknown, Some(key))
                }
                other => other,
            })?;
            Ok(Task::new(task, client))
        }
        .boxed()
    }
}

/// Estimates the cost of a create: what [`Client::estimate`](crate::Client::estimate) prepares.
pub struct Estimate {
    pub(super) client: Arc<Inner>,
    pub(super) name: String,
    pub(super) input: Input,
}

impl CallKind for Estimate {
    type Output = Json;

    fn begin(call: Call<Self>) -> BoxFuture<'static, Result<Json, Error>> {
        let Call {
            kind:
                Estimate {
                    client,
                    name,
                    input,
                },
            limits,
        } = call;
        let gateway = client.gateway.id();
        let begin = Box::new(move |engine: &mut Engine, _: &_, promise| {
            engine.estimate(
                promise,
                gateway,
                hold(Value::text(&name)),
                hold(input.into_value()),
            );
        });
        async move { client.call(limits, begin, json).await }.boxed()
    }
}

/// Requests the model catalogue: what [`Client::models`](crate::Client::models) prepares.
pub struct Models {
    pub(super) client: Arc<Inner>,
}

impl CallKind for Models {
    type Output = Json;

    fn begin(call: Call<Self>) -> BoxFuture<'static, Result<Json, Error>> {
        let Call {
            kind: Models { client },
            limits,
        } = call;
        let gateway = client.gateway.id();
        let begin =
            Box::new(move |engine: &mut Engine, _: &_, promise| engine.models(promise, gateway));
        async move { client.call(limits, begin, json).await }.boxed()
    }
}
