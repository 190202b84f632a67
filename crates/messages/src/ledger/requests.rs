use std::ops::Range;

use mediagate_access::identity::{Budget, Credits, Limit, Planned, Shortage, Subject, Taking};
use mediagate_access::refusal::Refusal;
use mediagate_core::{Capability, Group, Reason, find};
use mediagate_ids::{EntryRef, MediumRef, Origin, TaskName, TaskRef};
use mediagate_upstream_client::CreateBody;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::request::requests;
use crate::{KeptResult, ResultPlace, ResultReservation, ResultState, StreamClient, TaskResults};

requests! {
    enum LedgerMessage to "LEDGER" {
        Create -> CreateResponse, Create;
        Has -> bool, Check;
        FindUsedUp -> Option<Limit>, Check;
        Knows -> bool, Check;
        Reserve -> Option<Limit>, FollowUp;
        Charge -> (), FollowUp;
        Release -> (), FollowUp;
        Take -> Option<Limit>, FollowUp;
        CheckTaking -> Option<Limit>, Check;
        Free -> bool, FollowUp;
        List -> Vec<HistoryEntry>, Other;
        ReadResult -> Option<Value>, Other;
        FindMedium -> Result<StoredMedium, Refusal>, Other;
        FindShortage -> Option<Shortage>, Check;
        HasPipeline -> bool, Other;
        ReservePipeline -> Reservation, Check;
        CheckPipeline -> Option<Shortage>, Check;
        CountPipeline -> (), FollowUp;
        ChangePlanned -> (), FollowUp;
        EndPipeline -> (), FollowUp;
        ForgetPipeline -> (), Other;
        ReserveResult -> ResultReservation, FollowUp;
        KeepResult -> bool, FollowUp;
        LoseResult -> (), FollowUp;
        RemoveResult -> (), FollowUp;
        ReadResults -> TaskResults, Other;
        Forget -> bool, Other;
    }
    streams {
        StreamMedium, Other;
    }
}

/// Finds out if a create is stored. Writes nothing.
#[derive(Serialize, Deserialize)]
pub struct Has {
    pub key: String,
}

/// Finds the limit of a budget that would refuse a create. Writes nothing.
#[derive(Serialize, Deserialize)]
pub struct FindUsedUp {
    /// The ledger with the create, if this ledger counts it for another one: the start of the keys
    /// of its creates. Always passes if there are any: that ledger may replay the create.
    pub ledger: Option<String>,
    pub group: Group,
    pub budget: Budget,
    /// The expected price, if it is known.
    pub expected: Option<Credits>,
}

/// Finds out if another ledger has stored anything. Writes nothing.
#[derive(Serialize, Deserialize)]
pub struct Knows {
    pub ledger: String,
}

/// Counts a create of another ledger against a shared budget, or returns the used-up limit.
#[derive(Serialize, Deserialize)]
pub struct Reserve {
    pub key: String,
    pub group: Group,
    pub budget: Budget,
    /// The expected price, if it is known.
    pub expected: Option<Credits>,
}

/// Counts a reserved create as charged.
#[derive(Serialize, Deserialize)]
pub struct Charge {
    pub key: String,
    /// The upstream's id, if the task may be running.
    pub task: Option<String>,
    pub is_running: bool,
    /// The cost that the response has.
    pub cost: Option<Credits>,
}

/// Stops counting a reserved create: nothing was charged.
#[derive(Serialize, Deserialize)]
pub struct Release {
    pub key: String,
}

/// Counts something other than a create, or returns the limit that refuses it.
#[derive(Serialize, Deserialize)]
pub struct Take {
    pub taking: Taking,
    pub object: Option<String>,
}

/// Finds the limit that would refuse a [`Take`]. Writes nothing. Nothing refuses what was counted
/// for this object before.
#[derive(Serialize, Deserialize)]
pub struct CheckTaking(pub Take);

/// Frees the slot of a task that has ended. The response is true if its end is new to the history.
#[derive(Clone, Serialize, Deserialize)]
pub struct Free {
    pub group: Group,
    pub task: String,
    /// The end, for the history. `None` if the upstream no longer has the task.
    pub summary: Option<Value>,
    /// The cost that the task's last record has.
    pub cost: Option<Credits>,
}

#[derive(Serialize, Deserialize)]
pub struct List {
    /// Only entries with a smaller number.
    pub before: Option<i64>,
    pub limit: u32,
}

/// Reads the result of a create that has no task, as `data` with the upstream's own ids.
#[derive(Serialize, Deserialize)]
pub struct ReadResult(pub EntryRef);

/// Finds a medium. Media in a task's record are stored first, unless they are stored already.
#[derive(Serialize, Deserialize)]
pub struct FindMedium(pub MediumRef);

#[derive(Serialize, Deserialize)]
pub struct StreamMedium {
    pub medium: MediumRef,
    pub bytes: Range<u64>,
    /// The client that reads the stream, for limits. `None` for a transfer of the gateway.
    pub client: Option<StreamClient>,
}

/// Finds the shortage of a budget for planned creates. Writes nothing.
#[derive(Serialize, Deserialize)]
pub struct FindShortage {
    pub planned: Planned,
    pub budget: Budget,
}

/// Finds out if a pipeline is in the history. Writes nothing.
#[derive(Serialize, Deserialize)]
pub struct HasPipeline {
    pub name: String,
}

/// Reserves a place for a pipeline that starts or is resumed. A place that is not confirmed expires
/// after some minutes.
#[derive(Serialize, Deserialize)]
pub struct ReservePipeline(pub PipelineEntry);

/// Finds the shortage that would refuse a [`ReservePipeline`]. Writes nothing.
#[derive(Serialize, Deserialize)]
pub struct CheckPipeline(pub PipelineEntry);

/// Counts a running pipeline, regardless of the limits.
#[derive(Serialize, Deserialize)]
pub struct CountPipeline(pub PipelineEntry);

#[derive(Serialize, Deserialize)]
pub struct ChangePlanned {
    pub name: String,
    pub planned: Planned,
}

#[derive(Serialize, Deserialize)]
pub struct EndPipeline {
    pub name: String,
    pub state: String,
}

/// Removes a pipeline that has ended.
#[derive(Clone, Serialize, Deserialize)]
pub struct ForgetPipeline {
    pub name: String,
}

/// Reserves the bytes of a result, if they fit.
#[derive(Serialize, Deserialize)]
pub struct ReserveResult {
    pub place: ResultPlace,
    /// The task, if the ledger must have an entry of it.
    pub task: Option<TaskName>,
    pub size: u64,
    /// In milliseconds since 1970.
    pub expires_at: i64,
    /// The most bytes of all results; `None` is no limit.
    pub max_bytes: Option<u64>,
}

/// Stores that a reserved result is kept. The response is false if it has been removed.
#[derive(Serialize, Deserialize)]
pub struct KeepResult {
    pub place: ResultPlace,
    pub kept: KeptResult,
}

/// Stores that a result is not kept.
#[derive(Serialize, Deserialize)]
pub struct LoseResult {
    pub place: ResultPlace,
    pub reason: String,
    /// The time at which the ledger forgets the result, in milliseconds since 1970.
    pub expires_at: i64,
}

#[derive(Serialize, Deserialize)]
pub struct RemoveResult(pub ResultPlace);

#[derive(Serialize, Deserialize)]
pub struct ReadResults(pub TaskName);

/// Removes a task from the history. The response is true if it stays because it may be running.
#[derive(Serialize, Deserialize)]
pub struct Forget {
    pub task: TaskName,
    /// True if the upstream no longer has the task.
    pub is_gone: bool,
}

#[derive(Serialize, Deserialize)]
pub struct StoredMedium {
    pub media_type: String,
    /// In bytes.
    pub size: u64,
}

#[derive(Serialize, Deserialize)]
pub enum Reservation {
    New,
    Existing,
    Refused(Shortage),
}

#[derive(Serialize, Deserialize)]
pub struct PipelineEntry {
    /// The pipeline's name. In a shared ledger, the name of the subject's ledger is before it.
    pub name: String,
    pub title: Option<String>,
    pub planned: Planned,
    pub budget: Budget,
    /// The most running pipelines. Within a day, 20 times as many may start or be resumed.
    pub max_running: u32,
}

#[derive(Serialize, Deserialize)]
pub struct HistoryEntry {
    pub entry: EntryRef,
    pub kind: EntryKind,
    pub title: Option<String>,
    pub task: Option<String>,
    pub origin: Option<Origin>,
    /// The task as the gateway last saw it. `None` if the create's response was lost.
    pub summary: Option<Value>,
    /// The price that was reserved, if it was known.
    pub expected: Option<Credits>,
    /// In milliseconds since 1970.
    pub ended_at: Option<i64>,
    /// The states of its results, by the positions of the outputs.
    pub results: Vec<(u32, ResultState)>,
    pub is_in_progress: bool,
}

#[derive(Serialize, Deserialize)]
pub enum EntryKind {
    /// The name of the capability.
    Create(String),
    Pipeline(String),
}

impl HistoryEntry {
    pub fn task_name(&self) -> TaskName {
        let group = match &self.kind {
            EntryKind::Create(capability) => find(capability).map(Capability::group),
            EntryKind::Pipeline(_) => None,
        };
        match (group, &self.task) {
            (Some(group), Some(id)) => TaskName::Upstream(TaskRef {
                group,
                id: id.clone(),
                origin: self.origin.clone(),
            }),
            _ => TaskName::Entry(self.entry),
        }
    }
}

/// A create that is authorised and validated, its ids unsealed.
#[derive(Serialize, Deserialize)]
pub struct Create {
    pub subject: Subject,
    pub capability: String,
    pub key: Option<String>,
    pub body: CreateBody,
    pub budget: Budget,
    /// True if the task is watched without a subscriber.
    pub watch: bool,
    /// The gateway's URL without a slash at its end, for the URLs of media in the result.
    pub public_url: String,
    /// The budget of all anonymous callers, if the caller is anonymous.
    pub pool: Option<Budget>,
    pub pipeline: Option<String>,
    /// The expected price, if it is known.
    pub expected: Option<Credits>,
    /// The refusal of the request itself. A repetition still gets its stored outcome.
    pub excluded: Option<Refusal>,
}

impl Create {
    /// Returns true if a budget of this create is in credits.
    pub fn needs_price(&self) -> bool {
        let pool = self.pool.and_then(|pool| pool.credits);
        self.budget.credits.or(pool).is_some()
    }

    /// Returns the refusal of a create that nothing else refuses, if a budget in credits needs a
    /// price that is unknown.
    pub fn exclusion(&self) -> Option<Refusal> {
        let is_unpriced = self.expected.is_none() && self.needs_price();
        let unpriced = is_unpriced.then(|| Refusal::from(Reason::PriceUnknown));
        self.excluded.clone().or(unpriced)
    }
}

#[derive(Clone, Serialize, Deserialize)]
pub struct CreateResponse {
    /// The `data` of the reply with sealed ids, or the refusal with the effect on the account.
    pub outcome: Result<Value, Refusal>,
    /// Milliseconds that this request waited for the upstream.
    pub upstream_ms: f64,
    /// True if an earlier request with this key led to the outcome.
    pub is_replayed: bool,
    pub limits: Vec<Limit>,
}

impl CreateResponse {
    pub fn new(outcome: Result<Value, Refusal>, upstream_ms: f64) -> Self {
        CreateResponse {
            outcome,
            upstream_ms,
            is_replayed: false,
            limits: Vec::new(),
        }
    }

    pub fn replay(outcome: Result<Value, Refusal>) -> Self {
        CreateResponse {
            is_replayed: true,
            ..CreateResponse::new(outcome, 0.0)
        }
    }
}
