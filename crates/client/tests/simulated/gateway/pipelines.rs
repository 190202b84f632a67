//! Pipelines of the simulated gateways, which are kept among the tasks: each is as many creates as it has steps.

use serde_json::{Value as Json, json};

use super::tasks::{Task, state_of};
use super::{Gateways, Reply, refusal, success};

/// The name in the place of a capability.
pub(super) const PIPELINE: &str = "pipeline";

/// Whether a state is a last one of the task, or of the pipeline, with this id.
pub fn is_last(id: &str, state: &str) -> bool {
    mediagate_core::is_terminal(state) || (is_pipeline(id) && state == "CANCELLED")
}

/// Whether an id is a pipeline's.
pub fn is_pipeline(id: &str) -> bool {
    id.starts_with(PIPELINE)
}

impl Gateways {
    /// A new pipeline, which goes through its states from now on. Returns its index.
    pub(super) fn start_pipeline(&self, base: &'static str, subject: &str) -> usize {
        let index = self.tasks.borrow().len();
        let id = format!("{PIPELINE}/{index}");
        let subject = subject.to_owned();
        self.tasks.borrow_mut().push(Task {
            id,
            base,
            capability: PIPELINE,
            subject,
            records: Vec::new(),
            runs: 0,
        });
        self.run_pipeline(index);
        index
    }

    fn run_pipeline(&self, index: usize) {
        let random = &self.world.random;
        let run = {
            let pipeline = &mut self.tasks.borrow_mut()[index];
            pipeline.runs += 1;
            pipeline.runs
        };
        self.change(index, "RUNNING");
        let mut at = 0.0;
        let end = *random.one_of(&["SUCCEEDED", "SUCCEEDED", "FAILED", "CANCELLED"]);
        for state in ["RUNNING", "RUNNING", end] {
            at += random.milliseconds(0, *random.one_of(&[3, 900, 20_000]));
            self.later(at, move |it| it.go_on(index, run, state));
        }
    }

    /// A pipeline reaches a state in this run of it, unless that was cancelled.
    fn go_on(&self, index: usize, run: u32, state: &str) {
        let is_current = self.tasks.borrow()[index].runs == run;
        if is_current && !self.has_ended(index) {
            self.change(index, state);
        }
    }

    /// The response to a resume or a cancel.
    pub(super) fn change_pipeline(
        &self,
        base: &str,
        subject: &str,
        id: &str,
        action: &str,
    ) -> Reply {
        let Some(index) = self.find(base, subject, id) else {
            return refusal(404, 12, &json!({ "reason": "unknown_pipeline" }));
        };
        let has_ended = self.has_ended(index);
        if action == "cancel" && !has_ended {
            self.change(index, "CANCELLED");
        } else if action == "resume" {
            if !has_ended || state_of(&self.record(index)) == "SUCCEEDED" {
                return refusal(409, 12, &json!({ "reason": "not_resumable" }));
            }
            self.run_pipeline(index);
        }
        success(&json!({ "pipeline": self.record(index) }))
    }

    /// Whether a pipeline was resumed.
    pub fn was_resumed(&self, id: &str) -> bool {
        self.tasks
            .borrow()
            .iter()
            .any(|it| it.id == id && it.runs > 1)
    }

    /// `data` with the present record of a task or a pipeline.
    pub(super) fn data(&self, index: usize, record: &Json) -> Json {
        let name = self.kind(index);
        json!({ name: record })
    }

    /// `task`, or `pipeline`: the name of its events, and of the member with its record.
    pub(super) fn kind(&self, index: usize) -> &'static str {
        if self.tasks.borrow()[index].capability == PIPELINE {
            PIPELINE
        } else {
            "task"
        }
    }
}
