//! Sends requests to pipelines.

use mediagate_core::Reason;
use std::collections::BTreeMap;
use std::time::Duration;

use mediagate_pipeline::StoredPlan;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use web_sys::Response;
use worker::Env;

use super::{StoredRefusal, StreamRequest};
use crate::crypto::hash;
use crate::identity::{Budget, Subject};
use crate::ids::Sealer;
use crate::platform::{fetch_object, fetch_object_text};
use crate::refusal::Refusal;

/// The name of the binding to the pipelines.
pub(crate) const PIPELINE_BINDING: &str = "PIPELINE";

/// How long a request to a pipeline may take.
const DEADLINE: Duration = Duration::from_secs(20);

/// Which pipeline: a subject's, by its name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct PipelineName {
    pub(crate) subject: Subject,
    /// Unique among the subject's: made of its idempotency key, or by chance.
    pub(crate) name: String,
}

/// The kind that a pipeline's name is sealed as.
const KIND: &str = "pipeline";

impl PipelineName {
    /// The pipeline's id, sealed for its owner.
    pub(crate) fn seal(&self, sealer: &Sealer) -> String {
        sealer.seal(&self.subject, KIND, &self.name)
    }

    /// The pipeline of a subject that a sealed id names.
    pub(crate) fn unseal(sealer: &Sealer, subject: &Subject, sealed: &str) -> Option<Self> {
        Some(PipelineName {
            name: sealer.unseal(subject, KIND, sealed)?,
            subject: subject.clone(),
        })
    }
}

/// A request to a pipeline. The response is a [`PipelineReport`].
#[derive(Serialize, Deserialize)]
pub(crate) enum PipelineRequest {
    /// To start, where it does not exist.
    Start(Box<NewPipeline>),
    /// To report. With a fingerprint: whether it was started with that request.
    Read { fingerprint: Option<String> },
    /// To report the steps that a resume would begin again. The response is [`PipelineReport::Resumable`].
    ReadResumable,
    /// To begin again what did not succeed.
    Resume(Box<Resumption>),
    /// To send nothing more.
    Cancel,
    /// To delete it, where it has ended.
    Forget,
    /// To stream its changes.
    Subscribe(StreamRequest),
}

/// A pipeline to start: checked, authorised, and its bodies prepared.
#[derive(Serialize, Deserialize)]
pub(crate) struct NewPipeline {
    pub(crate) name: PipelineName,
    pub(crate) plan: StoredPlan,
    /// What the placeholders in the bodies begin with, and what the keys of its creates are made of: of each pipeline another,
    /// also of those that have one name, one after the other.
    pub(crate) token: String,
    /// The input of each step as the caller gave it, in the order of the plan, with placeholders in the places of outputs.
    pub(crate) inputs: Vec<Value>,
    /// The body of each step's create, in the order of the plan, with placeholders in the places of ids.
    pub(crate) bodies: Vec<Value>,
    /// Of the request.
    pub(crate) fingerprint: String,
    /// The gateway's URL, without a slash at its end.
    pub(crate) public_url: String,
    pub(crate) grant: Grant,
}

/// A resume that is checked and authorised, the bodies prepared with the token of whoever resumes it.
#[derive(Serialize, Deserialize)]
pub(crate) struct Resumption {
    /// That of the pipeline, which the bodies are for.
    pub(crate) token: String,
    /// The bodies of the steps that begin again, by their positions.
    pub(crate) bodies: BTreeMap<usize, Value>,
    pub(crate) grant: Grant,
}

/// What a caller's token allowed when the pipeline started, or was resumed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Grant {
    pub(crate) budget: Budget,
    /// What all anonymous callers share, where this is one of theirs.
    pub(crate) pool: Option<Budget>,
    /// Whether tasks are watched without a subscriber.
    pub(crate) watch: bool,
    /// When the token was issued, in seconds since 1970; `None` where there was none.
    pub(crate) issued_at: Option<f64>,
    /// The token's own id, where it has one.
    pub(crate) token_id: Option<String>,
}

/// A pipeline's response.
#[derive(Serialize, Deserialize)]
pub(crate) enum PipelineReport {
    /// The pipeline, as `data` of a reply, its ids sealed.
    Pipeline(Value),
    /// What a resume would begin again.
    Resumable {
        plan: StoredPlan,
        /// What the placeholders begin with.
        token: String,
        /// The inputs of all steps, as the caller gave them.
        inputs: Vec<Value>,
        /// The positions of the steps that would begin again.
        steps: Vec<usize>,
    },
    /// It was deleted.
    Forgotten,
    /// There is none with this name.
    Unknown,
    /// The request is refused.
    Refused(StoredRefusal),
}

/// Sends a request to a pipeline.
///
/// # Errors
/// 500 where it does not respond.
pub(crate) async fn send_to_pipeline(
    env: &Env,
    tenant: &str,
    name: &PipelineName,
    request: PipelineRequest,
) -> Result<PipelineReport, Refusal> {
    let text = fetch_object_text(
        env,
        PIPELINE_BINDING,
        &object_name(tenant, name),
        &request,
        DEADLINE,
    )
    .await;
    text.and_then(|it| serde_json::from_str(&it).ok())
        .ok_or_else(|| Refusal::from(Reason::PipelineFailed))
}

/// A stream of a pipeline's events; `None` in place of it where there is no such pipeline.
///
/// # Errors
/// 500 where it does not respond.
pub(crate) async fn subscribe_to_pipeline(
    env: &Env,
    tenant: &str,
    name: &PipelineName,
    request: StreamRequest,
) -> Result<Option<Response>, Refusal> {
    let request = PipelineRequest::Subscribe(request);
    let response = fetch_object(env, PIPELINE_BINDING, &object_name(tenant, name), &request).await;
    let response = response.ok_or_else(|| Refusal::from(Reason::PipelineFailed))?;
    Ok(Some(response).filter(|it| it.status() == 200))
}

fn object_name(tenant: &str, name: &PipelineName) -> String {
    let Subject {
        source,
        issuer,
        name: subject,
    } = &name.subject;
    hash(&[tenant, source, issuer, subject, &name.name])
}
