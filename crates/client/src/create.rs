//! A create, the start of a pipeline, and the estimate of a cost.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use mediagate_core::text::concat;
use mediagate_core::{
    Capability, Issue, Kind as FieldKind, MissingPart, Outcome, Type, is_valid, validate,
};

use crate::Client;
use crate::call::Call;
use crate::error::{Error, Failure, Hint, Reported};
use crate::limits::{Limits, Waiters};
use crate::platform::{Body, HostValue, Platform};
use crate::response::{Expected, Reply};
use crate::sendable::BoxFuture;
use crate::sync::Lock;
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
        let client = self.clone();
        let retry = limits.retry.clone();
        let attempts = Arc::new(Attempts::new(key));
        let sent = attempts.clone();
        let created = async move {
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
            client.send_create(call, sent).await
        };
        attempts.explained(limits.apply(self.platform(), Box::pin(created)))
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
        let client = self.clone();
        let retry = limits.retry.clone();
        let attempts = Arc::new(Attempts::new(key));
        let sent = attempts.clone();
        let started = async move {
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
            client.send_create(call, sent).await
        };
        attempts.explained(limits.apply(self.platform(), Box::pin(started)))
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

    async fn send_create(
        &self,
        mut call: Call<P>,
        attempts: Arc<Attempts>,
    ) -> Result<Task<P>, Error<P>> {
        let key = attempts.key.clone();
        call.request.headers.push(("idempotency-key", key));
        call.create = Some(attempts);
        match self.reply(call).await? {
            Reply::Snapshot(snapshot) => Ok(self.created(snapshot)),
            _ => Err(Error::missing(200, MissingPart::Task)),
        }
    }
}

/// A create, or the start of a pipeline.
type Created<P> = BoxFuture<'static, Result<Task<P>, Error<P>>>;

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

/// The state of a create over all of its attempts. The future that sends them may be dropped, so
/// this is stored outside of it.
pub(crate) struct Attempts {
    /// The idempotency key. The gateway makes at most one task or pipeline for it.
    key: String,
    state: Lock<State>,
}

#[derive(Clone, Copy, Default)]
struct State {
    /// True if any request may have been sent.
    is_sent: bool,
    /// True while a request is under way.
    is_under_way: bool,
    /// True if the outcome of a request is unknown. The upstream may have accepted it.
    is_lost: bool,
    /// Like `is_lost`, but ignores requests without a connection, and those sent while the platform
    /// reported that it is offline. That report can be wrong, so this is used only if no response
    /// says more.
    may_have_left: bool,
    /// The outcome in the last response.
    reported: Option<Reported>,
}

impl Attempts {
    fn new(key: String) -> Self {
        Attempts {
            key,
            state: Lock::default(),
        }
    }

    /// Records the start of an attempt. If its future is dropped, the attempt stays under way: the
    /// gateway may have it.
    pub(crate) fn begin(&self) {
        self.state.with(|state| {
            state.is_sent = true;
            state.is_under_way = true;
        });
    }

    /// Records the end of the attempt.
    pub(crate) fn end(&self) {
        self.state.with(|state| state.is_under_way = false);
    }

    /// Returns true if the outcome of an attempt is unknown.
    pub(crate) fn is_lost(&self) -> bool {
        self.state.with(|state| state.is_lost)
    }

    /// Records the failure of an attempt. Returns true if the create may be repeated. The gateway
    /// never repeats a create with an unknown outcome, so a repetition by the client would get the
    /// same response. If only the connection to its ledger failed, the ledger has the outcome.
    pub(crate) fn note_failure<P: Platform>(&self, failure: &Failure<P>, never_left: bool) -> bool {
        let reported = failure.reported;
        let is_lost = reported.is_none_or(|reported| reported.outcome == Outcome::Unknown);
        self.state.with(|state| {
            state.is_lost |= is_lost;
            state.may_have_left |= is_lost && !never_left;
        });
        failure.error.is_retryable
            && reported.is_none_or(|reported| {
                reported.outcome != Outcome::Unknown || reported.is_in_ledger
            })
    }

    /// Records the outcome in the last response.
    pub(crate) fn note_reported(&self, reported: Option<Reported>) {
        self.state.with(|state| state.reported = reported);
    }

    /// Records that none of the requests has left the page.
    pub(crate) fn note_never_left(&self) {
        self.state.with(|state| state.may_have_left = false);
    }

    /// Adds the outcome to the error of a create.
    fn explained<P: Platform>(self: Arc<Self>, created: Created<P>) -> Created<P> {
        Box::pin(async move { created.await.map_err(|error| self.explain(error)) })
    }

    /// Adds the outcome to the error of the create, and the key if a request was sent.
    fn explain<P: Platform>(&self, mut error: Error<P>) -> Error<P> {
        let state = self.state.with(|state| *state);
        // A refusal from before the ledger is only about its own attempt. After a lost attempt,
        // only an outcome of the ledger is about the create.
        let reported = state.reported.filter(|reported| {
            !state.is_lost || (reported.is_named && reported.outcome != Outcome::NotSent)
        });
        let outcome = match reported {
            _ if !state.is_sent => Outcome::NotSent,
            Some(reported) => reported.outcome,
            None if !state.may_have_left && !state.is_under_way => Outcome::NotSent,
            None => Outcome::Unknown,
        };
        error.outcome = Some(outcome);
        error.idempotency_key = state.is_sent.then(|| self.key.clone());
        if outcome == Outcome::Unknown {
            error.message.push_str("; it may have cost credits");
            error.hints.push(Hint::RepeatCreate);
        }
        error
    }
}
