use std::collections::BTreeMap;
use std::time::Duration;

use mediagate_access::identity::{Budget, Subject};
use mediagate_access::refusal::Refusal;
use mediagate_core::Reason;
use mediagate_ids::Sealer;
use mediagate_pipeline::StoredPlan;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use web_sys::Response;
use worker::Env;

use crate::request::{Request, ask, open, requests};
use crate::{StreamRequest, unanswered};

const DEADLINE: Duration = Duration::from_secs(20);

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PipelineName {
    pub subject: Subject,
    /// Unique for the subject: made of the idempotency key, or random.
    pub name: String,
}

const KIND: &str = "pipeline";

impl PipelineName {
    pub fn seal(&self, sealer: &Sealer) -> String {
        sealer.seal(&self.subject, KIND, &self.name)
    }

    /// Returns `None` if the id was not sealed for the subject.
    pub fn unseal(sealer: &Sealer, subject: &Subject, sealed: &str) -> Option<Self> {
        Some(PipelineName {
            name: sealer.unseal(subject, KIND, sealed)?,
            subject: subject.clone(),
        })
    }
}

requests! {
    enum PipelineMessage to "PIPELINE" {
        // A pipeline holds its object while it runs, and a create must find room.
        Start -> Result<Value, Refusal>, Other;
        Read -> Found<Value>, Other;
        ReadResumable -> Found<Resumable>, Other;
        Resume -> Found<Value>, Other;
        Cancel -> Found<Value>, Other;
        Forget -> Result<(), Refusal>, Other;
    }
    streams {
        Subscribe, Stream;
    }
}

/// `None` if there is no such pipeline. A pipeline is `data` of a reply, its ids sealed.
pub type Found<T> = Result<Option<T>, Refusal>;

/// Reads the pipeline. With a fingerprint, refuses if another request started it.
#[derive(Serialize, Deserialize)]
pub struct Read {
    pub fingerprint: Option<String>,
}

#[derive(Serialize, Deserialize)]
pub struct ReadResumable;

/// Prevents the creates that are not sent yet.
#[derive(Serialize, Deserialize)]
pub struct Cancel;

/// Deletes the pipeline, if it has ended. Does nothing if there is none.
#[derive(Serialize, Deserialize)]
pub struct Forget;

/// Streams the pipeline's changes. If there is no such pipeline, the status is not 200.
#[derive(Serialize, Deserialize)]
pub struct Subscribe(pub StreamRequest);

/// Starts the pipeline, or does nothing if it exists. It is checked and authorised, and its bodies
/// are prepared.
#[derive(Serialize, Deserialize)]
pub struct Start {
    pub name: PipelineName,
    pub plan: StoredPlan,
    /// The start of the placeholders in the bodies, and a part of the keys of creates. Unique, even
    /// if an earlier pipeline had this name and was deleted.
    pub token: String,
    /// The input of each step as the caller sent it, in the order of the plan. Placeholders stand
    /// for outputs.
    pub inputs: Vec<Value>,
    /// The body of each step's create, in the order of the plan. Placeholders stand for ids.
    pub bodies: Vec<Value>,
    pub fingerprint: String,
    /// Without a slash at its end.
    pub public_url: String,
    pub grant: Grant,
}

/// Begins the steps again that failed, were skipped or were cancelled. The request is checked and
/// authorised, and its bodies are prepared for the caller who resumes.
#[derive(Serialize, Deserialize)]
pub struct Resume {
    /// The token of the pipeline that the bodies were prepared for.
    pub token: String,
    /// The bodies of the steps that begin again, by their positions.
    pub bodies: BTreeMap<usize, Value>,
    pub grant: Grant,
}

/// The rights of the caller's token when the pipeline was started or resumed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Grant {
    pub budget: Budget,
    /// The budget of all anonymous callers, if the caller is anonymous.
    pub pool: Option<Budget>,
    pub watch: bool,
    /// The time at which the token was issued, in seconds since 1970. `None` without a token.
    pub issued_at: Option<f64>,
    pub token_id: Option<String>,
}

#[derive(Serialize, Deserialize)]
pub struct Resumable {
    pub plan: StoredPlan,
    pub token: String,
    /// The inputs of all steps, as the caller sent them.
    pub inputs: Vec<Value>,
    /// The positions of the steps that would begin again.
    pub steps: Vec<usize>,
}

/// Sends a request to a pipeline. 500 if the pipeline does not respond.
pub async fn send_to_pipeline<R: Request<Message = PipelineMessage>>(
    env: &Env,
    tenant: &str,
    name: &PipelineName,
    request: R,
) -> Result<R::Response, Refusal> {
    let object = object_name(tenant, name);
    ask(env, &object, request, DEADLINE)
        .await
        .map_err(|error| unanswered(error, Reason::PipelineFailed))
}

/// Opens a stream of a pipeline's events. Returns `None` if there is no such pipeline. 500 if the
/// pipeline does not respond.
pub async fn subscribe_to_pipeline(
    env: &Env,
    tenant: &str,
    name: &PipelineName,
    request: StreamRequest,
) -> Result<Option<Response>, Refusal> {
    let object = object_name(tenant, name);
    let response = open(env, &object, Subscribe(request))
        .await
        .map_err(|error| unanswered(error, Reason::PipelineFailed))?;
    Ok(Some(response).filter(|response| response.status() == 200))
}

fn object_name(tenant: &str, PipelineName { subject, name }: &PipelineName) -> String {
    subject.hash_with(&[tenant, name])
}
