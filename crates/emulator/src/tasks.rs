//! Tasks: what was asked for, how far it is, what came of it (§3).

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, OnceLock},
    time::{Duration, Instant},
};

use jiff::Timestamp;
use mediagate_core::Group;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::{checks::Order, directive::Directive, files::lock};

/// One finished result.
#[derive(Clone, Debug)]
pub(crate) struct Output {
    /// Where it is served.
    pub(crate) url: String,
    /// Its media type.
    pub(crate) mime: &'static str,
    /// Bytes.
    pub(crate) size: usize,
    /// What it is not, where it is less than what was asked for.
    pub(crate) note: Option<String>,
}

/// What came of a task: its results, or why there are none.
pub(crate) type Outcome = Result<Vec<Output>, String>;

/// One task.
pub(crate) struct Task {
    id: Id,
    group: Group,
    capability: &'static str,
    model_id: String,
    title: Option<String>,
    credits: u64,
    created: Instant,
    created_at: Timestamp,
    lasts: Duration,
    outcome: OnceLock<Outcome>,
    /// What its title wished for.
    pub(crate) directive: Directive,
}

/// A task's id, as it is written in its record.
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

    fn record(&self) -> Value {
        match self {
            Id::Text(text) => json!(text),
            Id::Number(number) => json!(number),
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
        Task {
            id: Id::new(directive.numeric_id),
            group: order.capability.group(),
            capability: order.capability.name(),
            model_id: order.model.id.clone(),
            title: order.text("title").map(Into::into),
            credits: order.credits,
            created: Instant::now(),
            created_at: Timestamp::now(),
            lasts: directive.seconds.unwrap_or(lasts),
            outcome: OnceLock::new(),
            directive,
        }
    }

    /// Gives the task what came of it. The first outcome stays.
    pub(crate) fn finish(&self, outcome: Outcome) {
        // A second outcome has nowhere to go.
        let _ = self.outcome.set(outcome);
    }

    /// The record, as it is at this moment.
    pub(crate) fn record(&self) -> Value {
        let mut record = json!({
            "id": self.id.record(),
            "status": "QUEUED",
            "progress": 0.0,
            "capability": self.capability,
            "model_id": self.model_id,
            "title": self.title,
            "credits": self.credits,
            "created_at": self.created_at.to_string(),
        });
        let at = (self.created.elapsed().as_secs_f64() / self.lasts.as_secs_f64().max(f64::MIN_POSITIVE)).min(1.0);
        match (self.wished_end(), self.outcome.get()) {
            (Some(state), _) if at >= 1.0 => end(&mut record, state, "ended on request"),
            (None, Some(outcome)) if at >= 1.0 => self.conclude(&mut record, outcome),
            _ if at >= QUEUED => {
                record["status"] =
                    json!(self.directive.state.as_deref().filter(|_| self.wished_end().is_none()).unwrap_or("RUNNING"));
                record["progress"] = json!((at.min(NEARLY) * 100.0).round() / 100.0);
            }
            _ => {}
        }
        record
    }

    /// The terminal state other than success that the title wished for.
    pub(crate) fn wished_end(&self) -> Option<&'static str> {
        ["FAILED", "EXPIRED"].into_iter().find(|it| self.directive.state.as_deref() == Some(it))
    }

    fn conclude(&self, record: &mut Value, outcome: &Outcome) {
        match outcome {
            Ok(outputs) => {
                record["status"] = json!("SUCCEEDED");
                record["progress"] = json!(1.0);
                if self.directive.asset {
                    record["asset_id"] = json!("avatar_owned");
                } else {
                    record["output_url"] = json!(outputs.first().map(|it| &it.url));
                    record["outputs"] = outputs.iter().map(Output::record).collect();
                }
            }
            Err(message) => end(record, "FAILED", message),
        }
    }
}

impl Output {
    /// The record, as a task lists it.
    pub(crate) fn record(&self) -> Value {
        let mut record = json!({ "url": self.url, "content_type": self.mime, "size": self.size });
        if let Some(note) = &self.note {
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
#[derive(Default)]
pub(crate) struct Tasks(Mutex<HashMap<String, Arc<Task>>>);

impl Tasks {
    /// Keeps a task.
    pub(crate) fn add(&self, task: Task) -> Arc<Task> {
        let task = Arc::new(task);
        let id = match &task.id {
            Id::Text(text) => text.clone(),
            Id::Number(number) => number.to_string(),
        };
        lock(&self.0).insert(id, task.clone());
        task
    }

    /// The task of this id, where it belongs to the group: the other group's path does not know it.
    pub(crate) fn find(&self, id: &str, group: Group) -> Option<Arc<Task>> {
        lock(&self.0).get(id).filter(|it| it.group == group).cloned()
    }
}
