use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use mediagate_core::text::concat;
use mediagate_core::{Capability, Issue, MissingPart, is_valid, validate};

use crate::Client;
use crate::attempts::Attempts;
use crate::call::Call;
use crate::error::Error;
use crate::limits::{Limits, Listeners};
use crate::platform::{Body, BoxFuture, HostValue, Platform};
use crate::response::{Received, ResponseKind};
use crate::task::TaskHandle;

/// A step of a pipeline.
#[derive(Clone)]
pub struct StepInput<V> {
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
        let client = self.clone();
        let retry = limits.retry.clone();
        let listeners = limits.listeners.clone();
        let prepared = async move {
            // Before the uploads: an invalid input must not cost the upload of a large file.
            check(validate(capability, input.clone()))?;
            let mut inputs = [(capability, input)];
            client
                .replace_sources(&mut inputs, &retry, listeners)
                .await?;
            let [(_, input)] = inputs;
            let url = client.url(capability.path);
            let expected = ResponseKind::CreatedTask(capability);
            let mut call = Call::new(url, Body::Json(input), expected, (&retry).into());
            call.request.capability = Some(capability.name());
            Ok(call)
        };
        self.send_create(key, limits, Box::pin(prepared))
    }

    /// Starts a pipeline, with an idempotency key like a create's.
    ///
    /// # Errors
    /// Those of [`Client::create`]. The path of an issue begins with `steps.<name>.input`.
    pub fn start_pipeline(
        &self,
        title: Option<String>,
        steps: Vec<StepInput<P::Value>>,
        key: String,
        limits: Limits<P>,
    ) -> Created<P> {
        let client = self.clone();
        let retry = limits.retry.clone();
        let listeners = limits.listeners.clone();
        let prepared = async move {
            // The gateway checks how the steps fit together.
            check(steps.iter().flat_map(step_issues).collect())?;
            let mut inputs: Vec<_> = steps
                .iter()
                .map(|step| (step.capability, step.input.clone()))
                .collect();
            client
                .replace_sources(&mut inputs, &retry, listeners)
                .await?;
            let steps = steps
                .iter()
                .zip(inputs)
                .map(|(step, (capability, input))| (&*step.name, request_of(capability, input)));
            let mut members = Vec::from([("steps", P::Value::from_members(steps.collect()))]);
            if let Some(title) = &title {
                members.push(("title", P::Value::from_text(title)));
            }
            let body = Body::Json(P::Value::from_members(members));
            let url = client.url("pipelines");
            Ok(Call::new(
                url,
                body,
                ResponseKind::Pipeline,
                (&retry).into(),
            ))
        };
        self.send_create(key, limits, Box::pin(prepared))
    }

    /// Requests the cost of a create, as the upstream sends it. An error has no outcome.
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
            let listeners = Listeners::default();
            let mut inputs = [(capability, input)];
            client
                .replace_sources(&mut inputs, &retry, listeners)
                .await?;
            let [(_, input)] = inputs;
            let body = Body::Json(request_of(capability, input));
            let url = client.url("credits/estimate");
            let mut call = Call::new(url, body, ResponseKind::Data, (&retry).into());
            call.request.capability = Some(capability.name());
            client.data(call).await
        };
        limits.apply(self.platform(), Box::pin(estimated))
    }

    /// Sends a create with its key, within limits. Adds the outcome to its error.
    fn send_create(
        &self,
        key: String,
        limits: Limits<P>,
        prepared: BoxFuture<'static, Result<Call<P>, Error<P>>>,
    ) -> Created<P> {
        let client = self.clone();
        let attempts = Arc::new(Attempts::new(key));
        let shared = attempts.clone();
        let created = async move {
            let mut call = prepared.await?;
            let key = shared.key.clone();
            call.request.headers.push(("idempotency-key", key));
            call.attempts = Some(shared);
            match client.reply(call).await? {
                Received::Snapshot(snapshot) => Ok(client.created(snapshot)),
                _ => Err(Error::missing(200, MissingPart::Task)),
            }
        };
        let created = limits.apply(self.platform(), Box::pin(created));
        // Outside of the limits: a create that they end has an outcome, too.
        Box::pin(async move { created.await.map_err(|error| attempts.explain(error)) })
    }
}

type Created<P> = BoxFuture<'static, Result<TaskHandle<P>, Error<P>>>;

fn request_of<V: HostValue>(capability: &Capability, input: V) -> V {
    V::from_members(Vec::from([
        ("capability", V::from_text(capability.name())),
        ("input", input),
    ]))
}

fn check<P: Platform>(issues: Vec<Issue>) -> Result<(), Error<P>> {
    if is_valid(&issues) {
        Ok(())
    } else {
        Err(Error::invalid_input(&issues))
    }
}

/// Returns the issues of a step's input. Their paths begin with `steps.<name>.input`.
fn step_issues<V: HostValue>(step: &StepInput<V>) -> Vec<Issue> {
    let mut issues = validate(step.capability, step.input.clone());
    for issue in &mut issues {
        let dot = if issue.path.is_empty() { "" } else { "." };
        issue.path = concat(&["steps.", &step.name, ".input", dot, &issue.path]);
    }
    issues
}
