//! Sends requests to pipelines.

use mediagate_core::Reason;
use std::collections::BTreeMap;
use std::time::Duration;

use mediagate_pipeline::StoredPlan;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use web_sys::Response;
use worker::Env;

use super::{StreamRequest, unanswered};
use crate::identity::{Budget, Subject};
use crate::ids::Sealer;
use crate::platform::{Priority, ask_object, fetch_object};
use crate::refusal::Refusal;

pub(crate) const PIPELINE_BINDING: &str = "PIPELINE";

const DEADLINE: Duration = Duration::from_secs(20);

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct PipelineName {
    pub(crate) subject: Subject,
    /// Unique for the subject: made of the idempotency key, or random.
    pub(crate) name: String,
}

const KIND: &str = "pipeline";

impl PipelineName {
    pub(crate) fn seal(&self, sealer: &Sealer) -> String {
        sealer.seal(&self.subject, KIND, &self.name)
    }

    /// Returns the pipeline of a sealed id, or `None` if the id was not sealed for the subject.
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
    /// Start the pipeline, if it does not exist.
    Start(Box<NewPipeline>),
    /// Read the pipeline. With a fingerprint, refuse if another request started it.
    Read {
        fingerprint: Option<String>,
    },
    /// Read the steps that a resume would begin again. The response is
    /// [`PipelineReport::Resumable`].
    ReadResumable,
    /// Begin the steps again that failed, were skipped or were cancelled.
    Resume(Box<Resumption>),
    Cancel,
    /// Delete the pipeline, if it has ended.
    Forget,
    Subscribe(StreamRequest),
}

/// A pipeline to start. It is checked and authorised, and its bodies are prepared.
#[derive(Serialize, Deserialize)]
pub(crate) struct NewPipeline {
    pub(crate) name: PipelineName,
    pub(crate) plan: StoredPlan,
    /// The start of the placeholders in the bodies, and a part of the keys of creates. Unique, even
    /// if an earlier pipeline had this name and was deleted.
    pub(crate) token: String,
    /// The input of each step as the caller sent it, in the order of the plan. Placeholders stand
    /// for outputs.
    pub(crate) inputs: Vec<Value>,
    /// The body of each step's create, in the order of the plan. Placeholders stand for ids.
    pub(crate) bodies: Vec<Value>,
    pub(crate) fingerprint: String,
    /// The gateway's URL, without a slash at its end.
    pub(crate) public_url: String,
    pub(crate) grant: Grant,
}

/// A resume that is checked and authorised. Its bodies are prepared for the caller who resumes.
#[derive(Serialize, Deserialize)]
pub(crate) struct Resumption {
    /// The token of the pipeline that the bodies were prepared for.
    pub(crate) token: String,
    /// The bodies of the steps that begin again, by their positions.
    pub(crate) bodies: BTreeMap<usize, Value>,
    pub(crate) grant: Grant,
}

/// The rights of the caller's token when the pipeline was started or resumed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Grant {
    pub(crate) budget: Budget,
    /// The budget of all anonymous callers, if the caller is anonymous.
    pub(crate) pool: Option<Budget>,
    pub(crate) watch: bool,
    /// The time at which the token was issued, in seconds since 1970. `None` without a token.
    pub(crate) issued_at: Option<f64>,
    pub(crate) token_id: Option<String>,
}

#[derive(Serialize, Deserialize)]
pub(crate) enum PipelineReport {
    /// The pipeline, as `data` of a reply, its ids sealed.
    Pipeline(Value),
    /// The steps that a resume would begin again.
    Resumable {
        plan: StoredPlan,
        /// The start of the placeholders.
        token: String,
        /// The inputs of all steps, as the caller sent them.
        inputs: Vec<Value>,
        /// The positions of the steps that would begin again.
        steps: Vec<usize>,
    },
    Forgotten,
    Unknown,
    Refused(Refusal),
}

/// Sends a request to a pipeline.
///
/// # Errors
/// 500 if the pipeline does not respond.
pub(crate) async fn send_to_pipeline(
    env: &Env,
    tenant: &str,
    name: &PipelineName,
    request: PipelineRequest,
) -> Result<PipelineReport, Refusal> {
    let object = object_name(tenant, name);
    let priority = match request {
        PipelineRequest::Subscribe(_) => Priority::Stream,
        // Also a start: a pipeline holds its object while it runs, and a create must find room.
        _ => Priority::Other,
    };
    ask_object(env, PIPELINE_BINDING, &object, &request, priority, DEADLINE)
        .await
        .map_err(|error| unanswered(error, Reason::PipelineFailed))
}

/// Opens a stream of a pipeline's events. Returns `None` if there is no such pipeline.
///
/// # Errors
/// 500 if the pipeline does not respond.
pub(crate) async fn subscribe_to_pipeline(
    env: &Env,
    tenant: &str,
    name: &PipelineName,
    request: StreamRequest,
) -> Result<Option<Response>, Refusal> {
    let request = PipelineRequest::Subscribe(request);
    let object = object_name(tenant, name);
    let response = fetch_object(env, PIPELINE_BINDING, &object, &request, Priority::Stream)
        .await
        .map_err(|error| unanswered(error, Reason::PipelineFailed))?;
    Ok(Some(response).filter(|response| response.status() == 200))
}

fn object_name(tenant: &str, PipelineName { subject, name }: &PipelineName) -> String {
    subject.hash_with(&[tenant, name])
}
