//! The messages between the gateway and a ledger.

use std::ops::Range;

use mediagate_core::{Capability, Group, find};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{KeptResult, ResultPlace, ResultState, StreamClient};
use crate::identity::{Budget, Limit, Planned, Shortage, Subject, Taking};
use crate::ids::{EntryRef, MediumRef, Origin, TaskName, TaskRef};
use crate::platform::Priority;
use crate::refusal::Refusal;
use crate::upstream::CreateBody;

#[derive(Serialize, Deserialize)]
pub(crate) enum LedgerRequest {
    Create(Box<CreateCommand>),
    /// Find out if a create is stored. Writes nothing. The response is a boolean.
    Has {
        key: String,
    },
    /// Find out if a budget would refuse a create. Writes nothing. The response is the used-up
    /// [`Limit`], or `null`.
    IsUsedUp {
        /// The name of the ledger with the create, if this ledger counts it for another one. The
        /// keys of its creates here begin with it. Always passes if there are any: that ledger
        /// exists, and may replay the create.
        ledger: Option<String>,
        group: Group,
        budget: Budget,
    },
    /// Find out if another ledger has stored anything. Writes nothing. The response is a boolean.
    Knows {
        ledger: String,
    },
    /// Count a create of another ledger against a shared budget. The response is the used-up
    /// [`Limit`], or `null`.
    Reserve {
        key: String,
        group: Group,
        budget: Budget,
    },
    /// Count a reserved create as charged. The response is `null`.
    Charge {
        key: String,
        /// The upstream's id of its task, if the task may be running.
        task: Option<String>,
        is_running: bool,
    },
    /// Count something other than a create. The response is the [`Limit`] that refuses it, or
    /// `null`.
    Take {
        taking: Taking,
        /// The name of the object that it is for, if there is one.
        object: Option<String>,
    },
    /// Find out if [`LedgerRequest::Take`] would be refused. Writes nothing. The response is the
    /// [`Limit`] that refuses it, or `null`. Nothing refuses what was counted for this object
    /// before.
    CheckTaking {
        taking: Taking,
        object: Option<String>,
    },
    /// Stop counting a reserved create: nothing was charged. The response is `null`.
    Release {
        key: String,
    },
    /// Free the slot of a task that has ended. The response is true if its end is new to the
    /// history, and `null` if the ledger is empty.
    Free {
        group: Group,
        /// The upstream's id of the task.
        task: String,
        /// The end of the task, for the history. `None` if the upstream no longer has the task.
        summary: Option<Value>,
    },
    /// Read the newest entries of the history. The response is a list of [`HistoryEntry`].
    List {
        /// Only entries with a smaller number.
        before: Option<i64>,
        limit: u32,
    },
    /// Read the result of a create that has no task. The response is `data` with the upstream's own
    /// ids, or `null`.
    Result(EntryRef),
    /// Find a medium. Media in a task's record are stored first, unless they are stored already.
    /// The response is a [`MediumReport`].
    FindMedium(MediumRef),
    /// Read a stored medium. The response is a stream of these bytes of it.
    StreamMedium {
        medium: MediumRef,
        bytes: Range<u64>,
        /// The client that reads the stream, for limits. `None` for a transfer of the gateway.
        client: Option<StreamClient>,
    },
    /// Find out what a budget lacks for planned creates. Writes nothing. The response is a
    /// [`Shortage`], or `null`.
    Shortage {
        planned: Planned,
        budget: Budget,
    },
    /// Find out if a pipeline is in the history. Writes nothing. The response is a boolean.
    HasPipeline {
        name: String,
    },
    /// Reserve a place for a pipeline that starts or is resumed. The response is a [`Reservation`].
    /// A place that is not confirmed expires after some minutes.
    ReservePipeline(PipelineEntry),
    /// Find out if [`LedgerRequest::ReservePipeline`] would be refused. Writes nothing. The response
    /// is a [`Shortage`], or `null`.
    CheckPipeline(PipelineEntry),
    /// Count a running pipeline, regardless of the limits. The response is `null`.
    CountPipeline(PipelineEntry),
    /// Replace the planned creates of a running pipeline. The response is `null`.
    ChangePlanned {
        name: String,
        planned: Planned,
    },
    /// Store the end of a pipeline. The response is `null`.
    EndPipeline {
        name: String,
        state: String,
    },
    /// Remove a pipeline that has ended. The response is `null`.
    ForgetPipeline {
        name: String,
    },
    /// Reserve the bytes of a result, if they fit. The response is a
    /// [`ResultReservation`](super::ResultReservation).
    ReserveResult {
        place: ResultPlace,
        /// The task, if the ledger must have an entry of it.
        task: Option<TaskName>,
        size: u64,
        /// The time at which the result is deleted, in milliseconds since 1970.
        expires_at: i64,
        /// The most bytes of all results; `None` is no limit.
        max_bytes: Option<u64>,
    },
    /// Store that a reserved result is kept. The response is false if it has been removed.
    KeepResult {
        place: ResultPlace,
        kept: KeptResult,
    },
    /// Store that a result is not kept. The response is `null`.
    LoseResult {
        place: ResultPlace,
        reason: String,
        /// The time at which the ledger forgets it, in milliseconds since 1970.
        expires_at: i64,
    },
    /// Remove a result. The response is `null`.
    RemoveResult(ResultPlace),
    /// Read the states of a task's results. The response is a
    /// [`TaskResults`](super::TaskResults).
    Results(TaskName),
    /// Remove a task from the history. The response is true if it stays because it may be running.
    Forget {
        task: TaskName,
        /// True if the upstream no longer has the task.
        is_gone: bool,
    },
}

impl LedgerRequest {
    pub(crate) fn priority(&self) -> Priority {
        match self {
            LedgerRequest::List { .. }
            | LedgerRequest::Result(_)
            | LedgerRequest::FindMedium(_)
            | LedgerRequest::StreamMedium { .. }
            | LedgerRequest::HasPipeline { .. }
            | LedgerRequest::Results(_)
            | LedgerRequest::Forget { .. }
            | LedgerRequest::ForgetPipeline { .. } => Priority::Other,
            LedgerRequest::Create(_) => Priority::Create,
            LedgerRequest::Has { .. }
            | LedgerRequest::IsUsedUp { .. }
            | LedgerRequest::Knows { .. }
            | LedgerRequest::CheckTaking { .. }
            | LedgerRequest::Shortage { .. }
            | LedgerRequest::ReservePipeline(_)
            | LedgerRequest::CheckPipeline(_) => Priority::Check,
            LedgerRequest::Reserve { .. }
            | LedgerRequest::Charge { .. }
            | LedgerRequest::Take { .. }
            | LedgerRequest::Release { .. }
            | LedgerRequest::Free { .. }
            | LedgerRequest::CountPipeline(_)
            | LedgerRequest::ChangePlanned { .. }
            | LedgerRequest::EndPipeline { .. }
            | LedgerRequest::ReserveResult { .. }
            | LedgerRequest::KeepResult { .. }
            | LedgerRequest::LoseResult { .. }
            | LedgerRequest::RemoveResult(_) => Priority::FollowUp,
        }
    }

    /// Returns true if the request only changes stored rows. An empty ledger has nothing to do for
    /// such a request, and must not create its tables.
    pub(crate) fn only_changes(&self) -> bool {
        matches!(
            self,
            LedgerRequest::Release { .. }
                | LedgerRequest::Free { .. }
                | LedgerRequest::ChangePlanned { .. }
                | LedgerRequest::EndPipeline { .. }
                | LedgerRequest::ForgetPipeline { .. }
                | LedgerRequest::RemoveResult { .. }
        )
    }
}

/// A medium as its ledger has it.
#[derive(Serialize, Deserialize)]
pub(crate) struct StoredMedium {
    pub(crate) media_type: String,
    /// In bytes.
    pub(crate) size: u64,
}

/// A ledger's response to a request for a medium.
#[derive(Serialize, Deserialize)]
pub(crate) enum MediumReport {
    Stored(StoredMedium),
    Refused(Refusal),
}

/// A ledger's response to a reservation.
#[derive(Serialize, Deserialize)]
pub(crate) enum Reservation {
    New,
    Existing,
    Refused(Shortage),
}

/// A pipeline to count: it starts, or is resumed.
#[derive(Clone)]
pub(crate) struct PipelineCount {
    pub(crate) title: Option<String>,
    pub(crate) planned: Planned,
    pub(crate) budget: Budget,
    /// The budget of all anonymous callers, if the caller is anonymous.
    pub(crate) pool: Option<Budget>,
}

/// A pipeline as a ledger counts it.
#[derive(Serialize, Deserialize)]
pub(crate) struct PipelineEntry {
    /// Its name, after the name of its subject's ledger if the ledger is a shared one.
    pub(crate) name: String,
    pub(crate) title: Option<String>,
    pub(crate) planned: Planned,
    pub(crate) budget: Budget,
    /// The most running pipelines. Within a day, 20 times as many may start or be resumed.
    pub(crate) max_running: u32,
}

#[derive(Serialize, Deserialize)]
pub(crate) struct HistoryEntry {
    pub(crate) entry: EntryRef,
    pub(crate) kind: EntryKind,
    pub(crate) title: Option<String>,
    /// The upstream's id of the task, if there is one.
    pub(crate) task: Option<String>,
    /// The origin of the task, as in its sealed id.
    pub(crate) origin: Option<Origin>,
    /// State, outputs and error as the gateway last saw them. `None` if the create's response was
    /// lost.
    pub(crate) summary: Option<Value>,
    /// The time at which the end was seen, in milliseconds since 1970.
    pub(crate) ended_at: Option<i64>,
    /// The states of its results, by the positions of the outputs.
    pub(crate) results: Vec<(u32, ResultState)>,
    pub(crate) is_in_progress: bool,
}

/// The create or the pipeline that an entry of the history is about.
#[derive(Serialize, Deserialize)]
pub(crate) enum EntryKind {
    /// A create of the capability with this name.
    Create(String),
    Pipeline(String),
}

impl HistoryEntry {
    /// Returns the name of the entry's task.
    pub(crate) fn task_name(&self) -> TaskName {
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
pub(crate) struct CreateCommand {
    /// The caller, who will own the task.
    pub(crate) subject: Subject,
    pub(crate) capability: String,
    pub(crate) key: Option<String>,
    pub(crate) body: CreateBody,
    pub(crate) budget: Budget,
    /// True if the task is watched without a subscriber.
    pub(crate) watch: bool,
    /// The gateway's URL, without a slash at its end, for the URLs of media in the result.
    pub(crate) public_url: String,
    /// The budget of all anonymous callers, if the caller is anonymous.
    pub(crate) pool: Option<Budget>,
    /// The name of the pipeline that sends the create, if there is one.
    pub(crate) pipeline: Option<String>,
}

/// A ledger's response to a create.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct CreateResponse {
    /// The `data` of the reply, with sealed ids, or the refusal with the effect on the account.
    pub(crate) outcome: Result<Value, Refusal>,
    /// Milliseconds that this request waited for the upstream.
    pub(crate) upstream_ms: f64,
    /// True if an earlier request with this key led to the outcome.
    pub(crate) is_replayed: bool,
    pub(crate) limits: Vec<Limit>,
}

impl CreateResponse {
    /// Returns the response to the request that led to the outcome.
    pub(crate) fn new(outcome: Result<Value, Refusal>, upstream_ms: f64) -> Self {
        CreateResponse {
            outcome,
            upstream_ms,
            is_replayed: false,
            limits: Vec::new(),
        }
    }

    /// Returns the response to a repetition of that request.
    pub(crate) fn replay(outcome: Result<Value, Refusal>) -> Self {
        CreateResponse {
            is_replayed: true,
            ..CreateResponse::new(outcome, 0.0)
        }
    }
}
