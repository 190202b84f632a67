//! The messages between the gateway and a ledger.

use mediagate_core::{Capability, Group, find};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{KeptResult, ResultPlace, ResultState};
use crate::identity::{Budget, Limit, Planned, Shortage, Subject, Taking};
use crate::ids::{EntryRef, Origin, TaskName, TaskRef};
use crate::upstream::{CreateBody, CreateOutcome};

/// A request to a ledger.
#[derive(Serialize, Deserialize)]
pub(crate) enum LedgerRequest {
    /// Create a task. The response is a [`CreateResponse`].
    Create(Box<CreateCommand>),
    /// Whether a create is stored. Writes nothing. The response is a boolean.
    Has {
        /// The create's key.
        key: String,
    },
    /// Whether a shared budget would refuse a create of another ledger that has none here yet: a ledger with a create
    /// exists, and can replay it. Writes nothing. The response is the used-up [`Limit`], or `null`.
    IsUsedUp {
        /// The other ledger's name, with which the keys of its creates begin.
        ledger: String,
        /// The capability's group.
        group: Group,
        /// The shared budget.
        budget: Budget,
    },
    /// Whether another ledger has stored anything. Writes nothing. The response is a boolean.
    Knows {
        /// The other ledger's name.
        ledger: String,
    },
    /// Count a create of another ledger against a shared budget. The response is the used-up [`Limit`], or `null`.
    Reserve {
        /// The create's key in this ledger.
        key: String,
        /// The capability's group.
        group: Group,
        /// The shared budget.
        budget: Budget,
    },
    /// Count a reserved create as charged. The response is `null`.
    Charge {
        /// The create's key in this ledger.
        key: String,
        /// The upstream's id of its task, where that may be running.
        task: Option<String>,
        /// Whether a task may be running.
        is_running: bool,
    },
    /// Count what is taken besides creates. The response is the [`Limit`] that refuses it, or `null`.
    Take(Taking),
    /// Stop counting a reserved create: nothing was charged. The response is `null`.
    Release {
        /// The create's key in this ledger.
        key: String,
    },
    /// Free the slot of a task that has ended. The response is true if its end is new to the
    /// history, and `null` if the ledger is empty.
    Free {
        /// The task's group.
        group: Group,
        /// The upstream's id of the task.
        task: String,
        /// How it ended, for the history; `None` where the upstream no longer knows it.
        summary: Option<Value>,
    },
    /// The newest entries of the history. The response is a list of [`HistoryEntry`].
    List {
        /// Only those that are older than the entry with this number.
        before: Option<i64>,
        /// The most entries.
        limit: u32,
    },
    /// The result that came without a task. The response is `data` with the upstream's own ids, or `null`.
    Result(EntryRef),
    /// A part of a medium in the response to a create. The response is a [`MediumPart`], or `null` after the last part.
    MediumPart {
        /// The create's entry.
        entry: EntryRef,
        /// The medium's position in the response.
        position: usize,
        /// The part's position in the medium.
        part: usize,
    },
    /// What a budget lacks for planned creates. Writes nothing. The response is a [`Shortage`], or `null`.
    Shortage {
        /// The planned creates.
        planned: Planned,
        /// The budget.
        budget: Budget,
    },
    /// Whether a pipeline is in the history. Writes nothing. The response is a boolean.
    HasPipeline {
        /// Its name.
        name: String,
    },
    /// Reserve a place for a pipeline that starts, or is resumed. The response is a [`Reservation`]. A place that is not confirmed
    /// is free again after some minutes.
    ReservePipeline(PipelineEntry),
    /// Count a pipeline that runs, whatever the limits say. The response is `null`.
    CountPipeline(PipelineEntry),
    /// Change how many creates a pipeline that runs has planned. The response is `null`.
    ChangePlanned {
        /// Its name.
        name: String,
        /// The creates that are still to come.
        planned: Planned,
    },
    /// Write down how a pipeline has ended. The response is `null`.
    EndPipeline {
        /// Its name.
        name: String,
        /// Its state.
        state: String,
    },
    /// Remove a pipeline that has ended. The response is `null`.
    ForgetPipeline {
        /// Its name.
        name: String,
    },
    /// Reserve the bytes of a result, if they fit. The response is a
    /// [`ResultReservation`](super::ResultReservation).
    ReserveResult {
        place: ResultPlace,
        /// The task, if the ledger has to have an entry of it.
        task: Option<TaskName>,
        /// In bytes.
        size: u64,
        /// When the result is deleted, in milliseconds since 1970.
        expires_at: i64,
        /// The most bytes of all results; `None` is no limit.
        max_bytes: Option<u64>,
    },
    /// Write down that a reserved result is kept. The response is false if it was removed meanwhile.
    KeepResult {
        place: ResultPlace,
        kept: KeptResult,
    },
    /// Write down that a result can't be kept. The response is `null`.
    LoseResult {
        place: ResultPlace,
        reason: String,
        /// When that is forgotten, in milliseconds since 1970.
        expires_at: i64,
    },
    /// Remove a result. The response is `null`.
    RemoveResult(ResultPlace),
    /// Read the states of a task's results. The response is a
    /// [`TaskResults`](super::TaskResults).
    Results(TaskName),
    /// Remove a task from the history. The response is whether it stays, since it may be running.
    Forget {
        /// Which.
        task: TaskName,
        /// Whether the upstream no longer has it.
        is_gone: bool,
    },
}

impl LedgerRequest {
    /// Whether it only changes what is stored: an empty ledger has nothing to do for it, and must not get tables.
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

/// A part of a medium.
#[derive(Serialize, Deserialize)]
pub(crate) struct MediumPart {
    /// The media type of the whole.
    pub(crate) media_type: String,
    /// The bytes of the part, as base64.
    pub(crate) text: String,
}

/// A ledger's response to a reservation.
#[derive(Serialize, Deserialize)]
pub(crate) enum Reservation {
    /// The place is reserved.
    New,
    /// The pipeline has a place already.
    Existing,
    /// There is no place.
    Refused(Shortage),
}

/// A pipeline to count: it starts, or is resumed.
#[derive(Clone)]
pub(crate) struct PipelineCount {
    pub(crate) title: Option<String>,
    /// The creates that are to come.
    pub(crate) planned: Planned,
    pub(crate) budget: Budget,
    /// What all anonymous callers share, if the caller is one.
    pub(crate) pool: Option<Budget>,
}

/// A pipeline as a ledger counts it.
#[derive(Serialize, Deserialize)]
pub(crate) struct PipelineEntry {
    /// Its name, after the name of its subject's ledger if the ledger is a shared one.
    pub(crate) name: String,
    pub(crate) title: Option<String>,
    /// The creates that are to come.
    pub(crate) planned: Planned,
    pub(crate) budget: Budget,
    /// The most pipelines at once; within a day, 20 times as many may start or be resumed.
    pub(crate) max_running: u32,
}

/// An entry of the history.
#[derive(Serialize, Deserialize)]
pub(crate) struct HistoryEntry {
    pub(crate) entry: EntryRef,
    /// The capability's name; that of a pipeline's entry is no capability's.
    pub(crate) capability: String,
    /// A pipeline's name, where it is one's entry.
    pub(crate) pipeline: Option<String>,
    /// The create's `title`.
    pub(crate) title: Option<String>,
    /// The upstream's id of the task, where there is one.
    pub(crate) task: Option<String>,
    /// Where the task came from, as its sealed id says.
    pub(crate) origin: Option<Origin>,
    /// State, outputs and error as the gateway last saw them; `None` where the create's response was lost.
    pub(crate) summary: Option<Value>,
    /// When the end was seen, in milliseconds since 1970.
    pub(crate) ended_at: Option<i64>,
    /// The states of its results, by the positions of the outputs.
    pub(crate) results: Vec<(u32, ResultState)>,
    /// Whether the create is being submitted.
    pub(crate) is_in_progress: bool,
}

impl HistoryEntry {
    /// Returns the name of the entry's task.
    pub(crate) fn task_name(&self) -> TaskName {
        let group = find(&self.capability).map(Capability::group);
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
    /// Whose create it is.
    pub(crate) subject: Subject,
    /// The capability's name.
    pub(crate) capability: String,
    /// The idempotency key, where there is one.
    pub(crate) key: Option<String>,
    pub(crate) body: CreateBody,
    /// The caller's budget.
    pub(crate) budget: Budget,
    /// Whether the task is watched without a subscriber.
    pub(crate) watch: bool,
    /// The gateway's URL, without a slash at its end, for the URLs of media in the result.
    pub(crate) public_url: String,
    /// What all anonymous callers share, where this is one of theirs.
    pub(crate) pool: Option<Budget>,
    /// The name of the pipeline whose create it is, where it is one's.
    pub(crate) pipeline: Option<String>,
}

/// A ledger's response to a create.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct CreateResponse {
    pub(crate) outcome: CreateOutcome,
    /// Milliseconds spent waiting for the upstream, this time.
    pub(crate) upstream_ms: f64,
    /// Whether the outcome is that of an earlier request with the same key.
    pub(crate) is_replayed: bool,
    /// The limits of the caller's budget.
    pub(crate) limits: Vec<Limit>,
}

impl CreateResponse {
    /// The response to the request that led to the outcome.
    pub(crate) fn new(outcome: CreateOutcome, upstream_ms: f64) -> Self {
        CreateResponse {
            outcome,
            upstream_ms,
            is_replayed: false,
            limits: Vec::new(),
        }
    }

    /// The response to a repetition of that request.
    pub(crate) fn replay(outcome: CreateOutcome) -> Self {
        CreateResponse {
            is_replayed: true,
            ..CreateResponse::new(outcome, 0.0)
        }
    }
}
