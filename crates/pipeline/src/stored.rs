//! The stored form of a plan. It has names instead of capabilities and fields.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::plan::{Plan, Step, StepReference};
use mediagate_core::find;

/// A plan without the inputs of its steps, which the caller stores separately.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct StoredPlan {
    title: Option<String>,
    steps: Vec<StoredStep>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct StoredStep {
    name: String,
    capability: String,
    references: Vec<StoredReference>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct StoredReference {
    field: String,
    index: Option<usize>,
    step: usize,
    output: Option<u32>,
    placeholder: String,
}

impl From<&Plan> for StoredPlan {
    fn from(plan: &Plan) -> Self {
        let store_reference = |reference: &StepReference| StoredReference {
            field: reference.field.name.to_owned(),
            index: reference.index,
            step: reference.step,
            output: reference.output,
            placeholder: reference.placeholder.clone(),
        };
        let store_step = |step: &Step| StoredStep {
            name: step.name.clone(),
            capability: step.capability.name().to_owned(),
            references: step.references.iter().map(store_reference).collect(),
        };
        StoredPlan {
            title: plan.title.clone(),
            steps: plan.steps.iter().map(store_step).collect(),
        }
    }
}

impl StoredPlan {
    /// Restores the plan with these inputs, without another check. Returns `None` if a capability
    /// or a field no longer exists, or if the number of inputs is wrong.
    pub fn with_inputs(self, inputs: Vec<Value>) -> Option<Plan> {
        // The inputs are stored separately, so some may be missing.
        if self.steps.len() != inputs.len() {
            return None;
        }
        let restore_step = |(stored, input): (StoredStep, Value)| {
            let capability = find(&stored.capability)?;
            let restore_reference = |reference: StoredReference| {
                Some(StepReference {
                    field: capability.field(&reference.field)?,
                    index: reference.index,
                    step: reference.step,
                    output: reference.output,
                    placeholder: reference.placeholder,
                })
            };
            let references = stored
                .references
                .into_iter()
                .map(restore_reference)
                .collect::<Option<_>>()?;
            Some(Step {
                name: stored.name,
                capability,
                input,
                references,
            })
        };
        let steps = self
            .steps
            .into_iter()
            .zip(inputs)
            .map(restore_step)
            .collect::<Option<_>>()?;
        Some(Plan {
            title: self.title,
            steps,
        })
    }
}
