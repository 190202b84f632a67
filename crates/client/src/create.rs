//! A create, the start of a pipeline, and the estimate of a cost.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use mediagate_core::text::concat;
use mediagate_core::{Capability, Issue, Kind as FieldKind, MissingPart, Type, is_valid, validate};

use crate::Client;
use crate::attempts::Attempts;
use crate::call::Call;
use crate::error::Error;
use crate::limits::{Limits, RetryPolicy, Waiters};
use crate::platform::{Body, HostValue, Platform};
use crate::response::{Expected, Reply};
use crate::sendable::{BoxFuture, MaybeSend};
use crate::task::Task;

/// A step of a pipeline.
#[derive(Clone)]
pub struct Step<V> {
    /// The name.
    pub name: String,
    /// The capability.
    pub capability: &'static Capability,
    /// The input, in which `{step, output}` is an output of another step.
    pub input: V,
}

impl<P: Platform> Client<P> {
    /// Creates a task from an input, with an idempotency key of 1 to 255 visible ASCII characters.
    /// Files in the input are uploaded first, and results of tasks and files at URLs are moved into
    /// the storage.
    ///
    /// # Errors
    /// `invalid_input` with all issues, before anything is sent; any other error of the upstream,
    /// the gateway and the client. Each error has the outcome of the create.
    pub fn create(
        &self,
        capability: &'static Capability,
        input: P::Value,
        key: String,
        limits: Limits<P>,
    ) -> Created<P> {
        self.begin_create(key, limits, move |client, retry, attempts| async move {
            // Before the uploads: an invalid input must not cost the upload of a large file.
            check(validate(capability, input.clone()))?;
            let input = client.with_ids(capability, input, &retry).await?;
            let mut call = Call::new(
                client.url(capability.path),
                Body::Json(wrap_single_files(capability, input)),
                Expected::CreatedTask(capability),
                (&retry).into(),
            );
            call.request.capability = Some(capability.name());
            client.send_create(call, attempts).await
        })
    }

    /// Starts a pipeline, with an idempotency key like a create's.
    ///
    /// # Errors
    /// Those of [`Client::create`]. The path of an issue begins with `steps.<name>.input`.
    pub fn start_pipeline(
        &self,
        title: Option<String>,
        steps: Vec<Step<P::Value>>,
        key: String,
        limits: Limits<P>,
    ) -> Created<P> {
        self.begin_create(key, limits, move |client, retry, attempts| async move {
            // The gateway checks how the steps fit together.
            check(steps.iter().flat_map(step_issues).collect())?;
            let inputs = client.steps_with_ids(&steps, &retry).await?;
            let steps = steps.iter().zip(inputs).map(|(step, input)| {
                let members = request_of(step.capability, input);
                (&*step.name, P::Value::from_members(members))
            });
            let mut members = Vec::from([("steps", P::Value::from_members(steps.collect()))]);
            if let Some(title) = &title {
                members.push(("title", P::Value::from_text(title)));
            }
            let body = Body::Json(P::Value::from_members(members));
            let url = client.url("pipelines");
            let call = Call::new(url, body, Expected::Pipeline, (&retry).into());
            client.send_create(call, attempts).await
        })
    }

    /// Requests the cost of a create, as the upstream sends it.
    ///
    /// # Errors
    /// Those of [`Client::create`], without an outcome.
    pub fn estimate(
        &self,
        capability: &'static Capability,
        input: P::Value,
        limits: Limits<P>,
    ) -> BoxFuture<'static, Result<P::Value, Error<P>>> {
        let client = self.clone();
        let retry = limits.retry.clone();
        let estimated = async move {
            check(validate(capability, input.clone()))?;
            let input = client.with_ids(capability, input, &retry).await?;
            let body = P::Value::from_members(request_of(capability, input));
            let url = client.url("credits/estimate");
            let waiters = Waiters::from(&retry);
            let mut call = Call::new(url, Body::Json(body), Expected::Data, waiters);
            call.request.capability = Some(capability.name());
            client.data(call).await
        };
        limits.apply(self.platform(), Box::pin(estimated))
    }

    /// Prepares a create within limits. Adds the outcome to its error.
    fn begin_create<F>(
        &self,
        key: String,
        limits: Limits<P>,
        work: impl FnOnce(Client<P>, RetryPolicy<P>, Arc<Attempts>) -> F,
    ) -> Created<P>
    where
        F: Future<Output = Result<Task<P>, Error<P>>> + MaybeSend + 'static,
    {
        let attempts = Arc::new(Attempts::new(key));
        let work = work(self.clone(), limits.retry.clone(), attempts.clone());
        explained(attempts, limits.apply(self.platform(), Box::pin(work)))
    }

    async fn send_create(
        &self,
        mut call: Call<P>,
        attempts: Arc<Attempts>,
    ) -> Result<Task<P>, Error<P>> {
        let key = attempts.key.clone();
        call.request.headers.push(("idempotency-key", key));
        call.attempts = Some(attempts);
        match self.reply(call).await? {
            Reply::Snapshot(snapshot) => Ok(self.created(snapshot)),
            _ => Err(Error::missing(200, MissingPart::Task)),
        }
    }
}

/// A create, or the start of a pipeline.
type Created<P> = BoxFuture<'static, Result<Task<P>, Error<P>>>;

/// Adds the outcome to the error of a create.
fn explained<P: Platform>(attempts: Arc<Attempts>, created: Created<P>) -> Created<P> {
    Box::pin(async move { created.await.map_err(|error| attempts.explain(error)) })
}

/// Returns the members that describe a create in the body of another request.
fn request_of<V: HostValue>(capability: &Capability, input: V) -> Vec<(&'static str, V)> {
    Vec::from([
        ("capability", V::from_text(capability.name())),
        ("input", wrap_single_files(capability, input)),
    ])
}

fn check<P: Platform>(issues: Vec<Issue>) -> Result<(), Error<P>> {
    if is_valid(&issues) {
        Ok(())
    } else {
        Err(Error::invalid_input(&issues))
    }
}

/// Returns the issues of the input of a step. Their paths begin with `steps.<name>.input`.
fn step_issues<V: HostValue>(step: &Step<V>) -> Vec<Issue> {
    let mut issues = validate(step.capability, step.input.clone());
    for issue in &mut issues {
        let dot = if issue.path.is_empty() { "" } else { "." };
        issue.path = concat(&["steps.", &step.name, ".input", dot, &issue.path]);
    }
    issues
}

/// Wraps a single file id in a list, in each field that accepts both. The upstream takes only lists
/// there.
fn wrap_single_files<V: HostValue>(capability: &Capability, mut input: V) -> V {
    for field in capability.fields() {
        if matches!(field.kind, FieldKind::FileOrFiles(_))
            && let Some(value) = input.get(field.name)
            && value.kind() != Type::List
        {
            input = input.with(field.name, V::from_items(Vec::from([value])));
        }
    }
    input
}
