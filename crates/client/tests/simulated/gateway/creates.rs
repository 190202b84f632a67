//! Creates at the simulated gateways, with a ledger: a key that was used before leads to the same outcome.

use std::collections::BTreeMap;

use mediagate_core::PREFIX;
use mediagate_core::by_path;
use serde_json::json;

use super::{Gateways, Reply, refusal, split, success};
use crate::simulated::requests::Sent;

/// The outcomes of creates by gateway, subject, path and key.
pub type Ledger = BTreeMap<String, Outcome>;

/// How a create ended.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// The task with this index was created.
    Created(usize),
    /// A result came in place of a task.
    Finished,
    /// It is unknown.
    Unknown,
}

impl Gateways {
    /// A create that arrived.
    pub(super) fn create(&self, base: &'static str, subject: &str, request: &Sent) -> Reply {
        if let Err(refused) = self.check_inputs(subject, request) {
            return refused;
        }
        let random = &self.world.random;
        let key = request.header("idempotency-key");
        assert!(!key.is_empty(), "a create without a key");
        let lost_ledger = || refusal(502, 99, &json!({ "outcome": "unknown", "cause": "ledger" }));
        if random.chance(self.faults.rejected / 2.0) {
            return lost_ledger();
        }
        let record = format!("{base} {subject} {} {key}", request.url);
        let known = self.ledger.borrow().get(&record).cloned();
        let outcome = match known {
            Some(outcome) => outcome,
            None => match self.submit(base, subject, request) {
                Ok(outcome) => {
                    self.ledger.borrow_mut().insert(record, outcome.clone());
                    outcome
                }
                Err(reply) => return reply,
            },
        };
        if random.chance(self.faults.rejected / 2.0) {
            return lost_ledger();
        }
        match outcome {
            Outcome::Created(task) => success(&self.data(task, &self.record(task))),
            Outcome::Finished => success(&json!({ "result": { "outputs": [] } })),
            Outcome::Unknown => {
                let (status, code) = *random.one_of(&[(502, 99), (504, 1405), (502, 1404)]);
                refusal(
                    status,
                    code,
                    &json!({ "reason": "outcome_unknown", "outcome": "unknown" }),
                )
            }
        }
    }

    /// Asserts that the input of a create, or those of a pipeline's steps, have ids in the place of files and results.
    fn check_inputs(&self, subject: &str, request: &Sent) -> Result<(), Reply> {
        let Some(steps) = request.body["steps"].as_object() else {
            return self.check_files(subject, request, &request.body, request.capability, "");
        };
        for (name, step) in steps {
            let capability = step["capability"].as_str().expect("a capability");
            self.check_files(subject, request, &step["input"], capability, name)?;
        }
        Ok(())
    }

    /// Submits a create to the upstream, which charges for it unless it rejects it.
    fn submit(&self, base: &'static str, subject: &str, request: &Sent) -> Result<Outcome, Reply> {
        let random = &self.world.random;
        if random.chance(self.faults.rejected) {
            let (status, code) = *random.one_of(&[(402, 1401), (422, 1410), (429, 16)]);
            let outcome = if random.chance(0.7) {
                json!({ "outcome": "rejected" })
            } else {
                json!({})
            };
            return Err(refusal(status, code, &outcome));
        }
        self.watch.change(request.id, |it| it.submissions += 1);
        if random.chance(self.faults.rejected / 2.0) {
            if random.chance(0.5) {
                self.watch
                    .change(request.id, |it| it.charged.push(subject.to_owned()));
            }
            return Ok(Outcome::Unknown);
        }
        self.watch
            .change(request.id, |it| it.charged.push(subject.to_owned()));
        let path = path(&request.url);
        if path == "pipelines" {
            return Ok(Outcome::Created(self.start_pipeline(base, subject)));
        }
        let capability = by_path(path).expect("a capability");
        if capability.may_omit_task && random.chance(0.2) {
            return Ok(Outcome::Finished);
        }
        Ok(Outcome::Created(self.start_task(base, subject, capability)))
    }
}

/// The path of a URL of a gateway, without the prefix.
pub fn path(url: &str) -> &str {
    split(url)
        .and_then(|it| it.1.strip_prefix(PREFIX))
        .unwrap_or_default()
}
