//! Tasks of the simulated gateways: each goes through its states in time.

use mediagate_core::Capability;
use serde_json::{Value as Json, json};

use super::{Gateways, Reply, is_last, refusal, success};

/// The kinds of outputs.
const KINDS: [&str; 4] = ["image", "video", "audio", "pdf"];

/// A task.
pub struct Task {
    /// Its id.
    pub id: String,
    /// The URL of its gateway.
    pub base: &'static str,
    /// The name of its capability.
    pub capability: &'static str,
    /// Its subject.
    pub(super) subject: String,
    /// Its records so far, as events: the number of a record is its index.
    pub(super) records: Vec<Json>,
    /// How often a pipeline was started and resumed.
    pub(super) runs: u32,
}

impl Gateways {
    /// A new task, which goes through its states from now on. Returns its index.
    pub fn start_task(
        &self,
        base: &'static str,
        subject: &str,
        capability: &'static Capability,
    ) -> usize {
        let random = &self.world.random;
        let index = self.tasks.borrow().len();
        let id = format!("task/{index}");
        let (subject, capability) = (subject.to_owned(), capability.name());
        self.tasks.borrow_mut().push(Task {
            id,
            base,
            capability,
            subject,
            records: Vec::new(),
            runs: 0,
        });
        self.change(index, "QUEUED");
        let mut at = 0.0;
        for state in [
            "QUEUED",
            "PENDING",
            "PROCESSING",
            "PROCESSING",
            "A_NEW_STATE",
            "PROCESSING",
        ] {
            at += random.milliseconds(0, *random.one_of(&[3, 900, 20_000]));
            if random.chance(0.6) {
                self.later(at, move |it| it.change(index, state));
            }
        }
        let end = *random.one_of(&["SUCCEEDED", "SUCCEEDED", "FAILED", "EXPIRED"]);
        at += random.milliseconds(0, *random.one_of(&[3, 900, 20_000]));
        self.later(at, move |it| it.change(index, end));
        index
    }

    /// A task reaches a state, of which its streams are notified.
    pub(super) fn change(&self, index: usize, state: &str) {
        {
            let outputs =
                (state == "SUCCEEDED" && self.kind(index) == "task").then(|| self.outputs(index));
            let task = &mut self.tasks.borrow_mut()[index];
            let number = task.records.len();
            let is_named =
                number.is_multiple_of(2) || task.capability == super::pipelines::PIPELINE;
            let name = if is_named { "state" } else { "status" };
            let mut record = json!({ "id": task.id, "number": number, "progress": number });
            record[name] = state.into();
            if let Some(outputs) = outputs {
                record["outputs"] = outputs;
            }
            task.records.push(record);
        }
        self.notify(index);
    }

    /// Random outputs of a task.
    fn outputs(&self, index: usize) -> Json {
        let random = &self.world.random;
        let output = |position: usize| {
            let url = format!("https://out.test/{index}/{position}");
            match random.below(7) {
                0 => json!({ "asset_id": format!("asset-{index}-{position}") }),
                1 => {
                    json!({ "url": url, "kind": "video", "asset_id": format!("asset-{index}-{position}") })
                }
                2 => json!({ "url": url }),
                it => json!({ "url": url, "kind": KINDS[it - 3] }),
            }
        };
        (0..random.below(4)).map(output).collect()
    }

    /// The present record of a task.
    pub(super) fn record(&self, index: usize) -> Json {
        self.tasks.borrow()[index]
            .records
            .last()
            .cloned()
            .expect("a record")
    }

    /// The number of a task's present record.
    pub(super) fn number(&self, index: usize) -> usize {
        self.tasks.borrow()[index].records.len() - 1
    }

    /// A record of a task by its number.
    pub(super) fn record_at(&self, index: usize, number: usize) -> Json {
        self.tasks.borrow()[index].records[number].clone()
    }

    /// Whether a task has ended.
    pub(super) fn has_ended(&self, index: usize) -> bool {
        let id = self.tasks.borrow()[index].id.clone();
        is_last(&id, &state_of(&self.record(index)))
    }

    /// The index of a task by its encoded id, where the subject has it.
    pub(super) fn find(&self, base: &str, subject: &str, id: &str) -> Option<usize> {
        let id = id.replace("%2F", "/");
        self.tasks
            .borrow()
            .iter()
            .position(|it| it.base == base && it.subject == subject && it.id == id)
    }

    /// The response to a poll.
    pub(super) fn status(&self, base: &str, subject: &str, id: &str) -> Reply {
        match self.find(base, subject, id) {
            Some(task) => success(&self.data(task, &self.record(task))),
            None => refusal(404, 12, &json!({ "reason": "unknown_task" })),
        }
    }
}

/// The state of a record.
pub fn state_of(record: &Json) -> String {
    ["status", "state"]
        .iter()
        .find_map(|it| record[*it].as_str())
        .unwrap_or_default()
        .to_owned()
}
