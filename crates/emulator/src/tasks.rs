//! Tasks: what was asked for, how far it is, what came of it (§3).

use std::{
    collections::{HashMap, HashSet},
    io,
    sync::{
        Arc, Mutex, OnceLock,
        atomic::{AtomicBool, AtomicU32, Ordering::Relaxed},
    },
    time::Duration,
};

use jiff::Timestamp;
use mediagate_core::{Group, find};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use uuid::Uuid;

use crate::{checks::Order, faults::Directive, files::lock, store::Store};

/// One finished result.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Output {
    /// The name of its file.
    pub(crate) name: String,
    /// Its media type.
    pub(crate) mime: String,
    /// Bytes.
    pub(crate) size: usize,
    /// What it is not, where it is less than what was asked for.
    pub(crate) note: Option<String>,
}

/// What came of a task: its results, or why there are none.
pub(crate) type Outcome = Result<Vec<Output>, String>;

/// What is known of a task from its beginning.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Beginning {
    id: Id,
    pub(crate) capability: String,
    model_id: String,
    title: Option<String>,
    pub(crate) credits: u64,
    created_at: Timestamp,
    lasts: Duration,
    /// What was wished for, in its words.
    wishes: String,
    /// The request's body.
    pub(crate) input: Map<String, Value>,
}

/// A task as it is kept over a restart.
#[derive(Debug, Serialize, Deserialize)]
struct Kept<Beginning, Outcome> {
    beginning: Beginning,
    outcome: Option<Outcome>,
}

/// One task.
pub(crate) struct Task {
    pub(crate) beginning: Beginning,
    outcome: OnceLock<Outcome>,
    /// Whether its time is over, and its results gone.
    expired: AtomicBool,
    reads: AtomicU32,
    /// What was wished for.
    pub(crate) directive: Directive,
}

/// A task's id, as it is written in its record.
#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged)]
enum Id {
    Text(String),
    Number(u64),
}

impl Id {
    fn new(numeric: bool) -> Self {
        const LARGEST_EXACT: u128 = (1 << 53) - 1; // what every JSON reader keeps
        if numeric {
            Id::Number((Uuid::new_v4().as_u128() & LARGEST_EXACT) as u64)
        } else {
            Id::Text(format!("task_{}", Uuid::new_v4().simple()))
        }
    }

    fn text(&self) -> String {
        match self {
            Id::Text(text) => text.clone(),
            Id::Number(number) => number.to_string(),
        }
    }
}

/// The part of its time that a task waits before it runs.
const QUEUED: f64 = 0.15;

/// Progress while the work is not done, however long it takes.
const NEARLY: f64 = 0.95;

impl Task {
    /// A task that begins now and takes `lasts`, or as long as its work does.
    pub(crate) fn new(order: &Order, directive: Directive, lasts: Duration) -> Self {
        let beginning = Beginning {
            id: Id::new(directive.numeric_id),
            capability: order.capability.name().into(),
            model_id: order.model.id.clone(),
            title: order.text("title").map(Into::into),
            credits: order.credits,
            created_at: Timestamp::now(),
            lasts: directive.seconds.unwrap_or(lasts),
            wishes: directive.text.clone(),
            input: order.input.clone(),
        };
        Task::from(Kept { beginning, outcome: None })
    }

    /// Whether its work is still to be done.
    pub(crate) fn is_open(&self) -> bool {
        self.outcome.get().is_none() && self.wished_end().is_none()
    }

    /// The terminal state other than success that was wished for.
    pub(crate) fn wished_end(&self) -> Option<&'static str> {
        ["FAILED", "EXPIRED"].into_iter().find(|it| self.directive.state.as_deref() == Some(it))
    }

    fn age(&self) -> f64 {
        Timestamp::now().duration_since(self.beginning.created_at).as_secs_f64().max(0.0)
    }

    /// The record, as it is at this moment; its results are below this address.
    pub(crate) fn record(&self, base_url: &str) -> Value {
        let Beginning { id, capability, model_id, title, credits, created_at, lasts, .. } = &self.beginning;
        let mut record = json!({
            "id": id,
            "status": "QUEUED",
            "progress": 0.0,
            "capability": capability,
            "model_id": model_id,
            "title": title,
            "credits": credits,
            "created_at": created_at.to_string(),
        });
        let at = self.part_done(lasts.as_secs_f64());
        match (self.wished_end(), self.outcome.get()) {
            _ if self.expired.load(Relaxed) => end(&mut record, "EXPIRED", "the task's time is over"),
            (Some(state), _) if at >= 1.0 => end(&mut record, state, "ended on request"),
            (None, Some(outcome)) if at >= 1.0 => self.conclude(&mut record, outcome, base_url),
            _ if at >= QUEUED => {
                let wished = self.directive.state.as_deref().filter(|_| self.wished_end().is_none());
                record["status"] = json!(wished.unwrap_or("RUNNING"));
                record["progress"] = json!((at.min(NEARLY) * 100.0).round() / 100.0);
            }
            _ => {}
        }
        record
    }

    /// How much of its time is over, 0 to 1; less than at the last read, where that is wished for.
    fn part_done(&self, lasts: f64) -> f64 {
        let part = (self.age() / lasts.max(f64::MIN_POSITIVE)).min(1.0);
        let reads = self.reads.fetch_add(1, Relaxed);
        if self.directive.out_of_order && reads % 2 == 1 { part / 2.0 } else { part }
    }

    fn conclude(&self, record: &mut Value, outcome: &Outcome, base_url: &str) {
        match outcome {
            Ok(outputs) => {
                record["status"] = json!("SUCCEEDED");
                record["progress"] = json!(1.0);
                if self.directive.asset {
                    record["asset_id"] = json!("avatar_owned");
                } else {
                    let outputs: Vec<Value> = outputs.iter().map(|it| it.record(base_url)).collect();
                    record["output_url"] = outputs.first().map_or(Value::Null, |it| it["url"].clone());
                    record["outputs"] = outputs.into();
                }
            }
            Err(message) => end(record, "FAILED", message),
        }
    }
}

impl From<Kept<Beginning, Outcome>> for Task {
    fn from(Kept { beginning, outcome }: Kept<Beginning, Outcome>) -> Self {
        // They were understood when they were kept.
        let directive = Directive::read(&beginning.wishes).unwrap_or_default();
        let outcome = outcome.map_or_else(OnceLock::new, OnceLock::from);
        Task { beginning, outcome, expired: AtomicBool::default(), reads: AtomicU32::default(), directive }
    }
}

impl Output {
    /// The record, as a task lists it.
    pub(crate) fn record(&self, base_url: &str) -> Value {
        let Output { name, mime, size, note } = self;
        let mut record = json!({ "url": format!("{base_url}/files/{name}"), "content_type": mime, "size": size });
        if let Some(note) = note {
            record["note"] = json!(note);
        }
        record
    }
}

fn end(record: &mut Value, state: &str, message: &str) {
    record["status"] = json!(state);
    record["error"] = json!({ "message": message });
}

/// All tasks.
pub(crate) struct Tasks {
    tasks: Mutex<HashMap<String, Arc<Task>>>,
    store: Store,
}

impl Tasks {
    /// The tasks that a store has kept.
    pub(crate) fn new(store: Store) -> io::Result<Self> {
        let kept = store.load::<Kept<Beginning, Outcome>>()?.into_iter().map(Task::from);
        let tasks = kept.map(|it| (it.beginning.id.text(), Arc::new(it))).collect();
        Ok(Tasks { tasks: Mutex::new(tasks), store })
    }

    /// Keeps a task.
    pub(crate) fn add(&self, task: Task) -> io::Result<Arc<Task>> {
        self.keep(&task)?;
        let task = Arc::new(task);
        lock(&self.tasks).insert(task.beginning.id.text(), task.clone());
        Ok(task)
    }

    /// Gives a task what came of it, and says whether it is still there to have it. The first outcome stays.
    pub(crate) fn finish(&self, task: &Task, outcome: Outcome) -> bool {
        let there = lock(&self.tasks).contains_key(&task.beginning.id.text());
        // A second outcome has nowhere to go.
        let _ = task.outcome.set(outcome);
        if there && let Err(error) = self.keep(task) {
            tracing::error!(%error, "a task could not be kept");
        }
        there
    }

    fn keep(&self, task: &Task) -> io::Result<()> {
        let kept = Kept { beginning: &task.beginning, outcome: task.outcome.get() };
        self.store.put(&task.beginning.id.text(), &kept)
    }

    /// The task of this id, where it belongs to the group: the other group's path does not know it.
    pub(crate) fn find(&self, id: &str, group: Group) -> Option<Arc<Task>> {
        let found = lock(&self.tasks).get(id).cloned();
        found.filter(|it| find(&it.beginning.capability).is_some_and(|it| it.group() == group))
    }

    /// The names of all results.
    pub(crate) fn output_names(&self) -> HashSet<String> {
        let tasks = self.all();
        let outcomes = tasks.iter().filter_map(|it| it.outcome.get());
        outcomes.flatten().flatten().map(|it| it.name.clone()).collect()
    }

    /// Every task.
    pub(crate) fn all(&self) -> Vec<Arc<Task>> {
        lock(&self.tasks).values().cloned().collect()
    }

    /// Ends the time of every task that ended this long ago, and gives the results that go with it.
    pub(crate) fn expire(&self, after: Duration) -> Vec<Output> {
        let over = |it: &&Arc<Task>| it.age() >= (it.beginning.lasts.saturating_add(after)).as_secs_f64();
        let tasks = self.all();
        let done = tasks.iter().filter(over).filter_map(|it| Some((it, it.outcome.get()?.as_ref().ok()?)));
        let expiring = done.filter(|(it, _)| !it.expired.swap(true, Relaxed));
        expiring.flat_map(|(_, outputs)| outputs.clone()).collect()
    }

    /// Drops every task.
    pub(crate) fn clear(&self) -> io::Result<()> {
        lock(&self.tasks).clear();
        self.store.clear()
    }
}
