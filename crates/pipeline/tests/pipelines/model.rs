//! A run in a world in which everything can fail, and any point may be a kill.

use std::collections::{BTreeMap, BTreeSet};

use mediagate_pipeline::Action::{Begin, Follow, Move, Send};
use mediagate_pipeline::RunEvent::{
    Begun, Created, Ended, Failed, Lost, Moved, Postponed, Resumed, Stopped,
};
use mediagate_pipeline::{Action, Plan, Run, RunEvent, RunState, StepState, StoredPlan};
use serde_json::{Value, json};

use super::plans::{Random, TOKEN, plan};

/// The entry of the gateway's ledger under the key of a create.
#[derive(Clone, Debug)]
enum Outcome {
    Created(usize),
    Unknown,
}

/// The largest number of rounds of a run. Each is one action, and kills lose some of them.
const MAX_ROUNDS: usize = 20_000;

pub(crate) struct Model {
    random: Random,
    plan: Plan,
    stored_plan: String,
    /// The content of the disk, which survives a kill.
    stored: String,
    run: Run,
    ledger: BTreeMap<(usize, u32), Outcome>,
    /// The creates that reached the upstream, by step and attempt.
    sent: BTreeSet<(usize, u32)>,
    bodies: BTreeMap<(usize, u32), Value>,
    tasks: usize,
    faults: f64,
    kills: f64,
    resumes: usize,
    /// True if the run was stopped and has not been resumed since.
    is_stopped: bool,
}

impl Model {
    pub(crate) fn new(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let plan = plan(&mut random);
        let stored_plan = serde_json::to_string(&StoredPlan::from(&plan)).expect("JSON");
        let run = Run::new(&plan);
        let stored = serde_json::to_string(&run).expect("JSON");
        let share = |random: &mut Random| [0.0, 0.05, 0.3][random.below(3)];
        let faults = share(&mut random);
        let kills = share(&mut random);
        let resumes = random.below(4);
        Model {
            random,
            plan,
            stored_plan,
            stored,
            run,
            ledger: BTreeMap::new(),
            sent: BTreeSet::new(),
            bodies: BTreeMap::new(),
            tasks: 0,
            faults,
            kills,
            resumes,
            is_stopped: false,
        }
    }

    pub(crate) fn run(mut self) {
        for _ in 0..MAX_ROUNDS {
            let actions = self.run.next(&self.plan);
            assert_eq!(
                actions.is_empty(),
                self.run.state() != RunState::Running,
                "{:?}",
                self.run
            );
            if actions.is_empty() {
                self.check_end();
                if self.resumes == 0 || !self.run.may_resume(&self.plan) {
                    return;
                }
                self.resumes -= 1;
                self.is_stopped &= !self.apply(Resumed);
                continue;
            }
            if self.random.chance(0.01) {
                let error = self
                    .random
                    .chance(0.5)
                    .then(|| json!({"reason": "revoked_token"}));
                let is_stored = self.apply(Stopped { error });
                self.is_stopped |= is_stored;
                continue;
            }
            let action = actions[self.random.below(actions.len())].clone();
            if self.is_killed() {
                continue;
            }
            self.perform(action);
            self.check();
        }
        panic!("it does not end: {:?}", self.run);
    }

    /// Restores the run from the disk.
    fn is_killed(&mut self) -> bool {
        let is_killed = self.random.chance(self.kills);
        if is_killed {
            self.run = serde_json::from_str(&self.stored).expect("a run");
            let stored: StoredPlan = serde_json::from_str(&self.stored_plan).expect("a plan");
            let inputs = self
                .plan
                .steps
                .iter()
                .map(|step| step.input.clone())
                .collect();
            self.plan = stored.with_inputs(inputs).expect("known names");
        }
        is_killed
    }

    /// Changes the run and stores it, unless a kill comes first. Returns true if it is stored.
    fn apply(&mut self, event: RunEvent) -> bool {
        let before = self.run.clone();
        self.run.apply(&self.plan, event.clone());
        // A repeated event changes nothing, except a resume, which is a new command.
        let mut again = self.run.clone();
        again.apply(&self.plan, event.clone());
        assert!(
            again == self.run || event == Resumed,
            "{event:?} twice: {before:?}"
        );
        if self.is_killed() {
            return false;
        }
        self.stored = serde_json::to_string(&self.run).expect("JSON");
        true
    }

    fn perform(&mut self, action: Action) {
        match action {
            Move {
                step,
                reference,
                task,
                output,
            } => {
                assert!(task["task"].is_number(), "{task}");
                let id = format!("file-of-{}-{output}", task["task"]);
                let event = if self.random.chance(self.faults) {
                    failed(step, "output_unavailable")
                } else {
                    Moved {
                        step,
                        reference,
                        id,
                    }
                };
                self.apply(event);
            }
            Begin { step, .. } => {
                assert!(!self.is_stopped, "nothing begins after a stop");
                // Only a stored create is sent.
                self.apply(Begun { step });
            }
            Send { step, attempt } => self.send(step, attempt),
            Follow { step, task } => {
                let event = if self.random.chance(self.faults) {
                    failed(step, "task_failed")
                } else {
                    Ended {
                        step,
                        outputs: self.outputs(step),
                        warnings: Vec::new(),
                        task,
                    }
                };
                self.apply(event);
            }
        }
    }

    /// Returns the outputs of a step's task, sometimes without a fitting one.
    fn outputs(&mut self, step: usize) -> Value {
        let kind = self.plan.steps[step].capability.medium();
        if self.random.chance(self.faults / 4.0) {
            return json!([{"url": "https://h/x", "kind": "pdf"}]);
        }
        json!([{"url": format!("https://h/{step}"), "kind": kind}])
    }

    /// Sends a create to the ledger, which makes at most one task for a key.
    fn send(&mut self, step: usize, attempt: u32) {
        let StepState::Creating { body, .. } = self.run.steps[step].state.clone() else {
            panic!("not begun")
        };
        let key = (step, attempt);
        let earlier = self.bodies.entry(key).or_insert_with(|| body.clone());
        assert_eq!(*earlier, body, "one key, two bodies");
        assert!(!body.to_string().contains(TOKEN), "{body}");
        let outcome = match self.ledger.get(&key) {
            Some(outcome) => outcome.clone(),
            None if self.random.chance(self.faults) => {
                // The gateway or the upstream refused the create, so the key is free again.
                let event = if self.random.chance(0.7) {
                    Postponed { step, until: 1 }
                } else {
                    failed(step, "insufficient_credits")
                };
                self.apply(event);
                return;
            }
            None => {
                assert!(self.sent.insert(key), "{key:?} was sent twice");
                self.tasks += 1;
                let outcome = if self.random.chance(self.faults / 3.0) {
                    Outcome::Unknown
                } else {
                    Outcome::Created(self.tasks)
                };
                self.ledger.insert(key, outcome.clone());
                outcome
            }
        };
        // A kill after the ledger has stored the create, and before the run has stored the
        // response.
        if self.is_killed() {
            return;
        }
        let event = match outcome {
            Outcome::Created(task)
                if self.plan.steps[step].capability.may_omit_task && self.random.chance(0.3) =>
            {
                Ended {
                    step,
                    task: json!({"task": task}),
                    outputs: self.outputs(step),
                    warnings: Vec::new(),
                }
            }
            Outcome::Created(task) => Created {
                step,
                task: json!({"task": task}),
            },
            Outcome::Unknown => Lost {
                step,
                error: json!({"reason": "outcome_unknown"}),
            },
        };
        self.apply(event);
    }

    fn check(&self) {
        let mut restored = self.run.clone();
        restored.restore(&self.plan);
        assert_eq!(restored, self.run, "what is stored whole needs no repair");
        for (planned, run) in self.plan.steps.iter().zip(&self.run.steps) {
            let used: Vec<_> = planned
                .references
                .iter()
                .map(|reference| &self.run.steps[reference.step].state)
                .collect();
            let has_begun = matches!(
                run.state,
                StepState::Creating { .. } | StepState::Running { .. }
            );
            assert!(
                !has_begun
                    || used
                        .iter()
                        .all(|state| matches!(state, StepState::Succeeded { .. })),
                "{:?}",
                self.run
            );
            let is_skipped = run.state == StepState::Skipped;
            let has_failed = used.iter().any(|state| state.has_failed());
            assert!(!is_skipped || has_failed, "{:?}", self.run);
            let is_stopped = is_skipped || matches!(run.state, StepState::Cancelled { .. });
            assert!(!has_failed || is_stopped, "{:?}", self.run);
        }
    }

    /// Checks that the run has each task, unless the outcome is unknown, and that no attempt
    /// follows an unknown outcome.
    fn check_end(&self) {
        for (key, outcome) in &self.ledger {
            let state = &self.run.steps[key.0].state;
            let is_last = key.1 == self.run.steps[key.0].attempt;
            if matches!(outcome, Outcome::Unknown) {
                assert!(
                    is_last && matches!(state, StepState::Unknown { .. }),
                    "{key:?}: {state:?}"
                );
            } else if is_last {
                let is_known = matches!(
                    state,
                    StepState::Succeeded { .. } | StepState::Failed { task: Some(_), .. }
                );
                assert!(is_known, "{key:?}: {state:?}");
            }
        }
    }
}

fn failed(step: usize, reason: &str) -> RunEvent {
    let error = json!({"reason": reason});
    Failed { step, error }
}
