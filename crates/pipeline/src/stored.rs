use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::plan::{Plan, Step, StepReference};
use mediagate_core::find;

/// A plan with names instead of capabilities and fields, and without inputs, which the caller
/// stores separately.
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
        StoredPlan {
            title: plan.title.clone(),
            steps: plan.steps.iter().map(StoredStep::from).collect(),
        }
    }
}

impl From<&Step> for StoredStep {
    fn from(step: &Step) -> Self {
        StoredStep {
            name: step.name.clone(),
            capability: step.capability.name().to_owned(),
            references: step.references.iter().map(StoredReference::from).collect(),
        }
    }
}

impl From<&StepReference> for StoredReference {
    fn from(reference: &StepReference) -> Self {
        StoredReference {
            field: reference.field.name.to_owned(),
            index: reference.index,
            step: reference.step,
            output: reference.output,
            placeholder: reference.placeholder.clone(),
        }
    }
}

impl StoredPlan {
    /// Restores the plan with these inputs, without another check. `None` if a capability or a
    /// field no longer exists, or if the number of inputs is wrong.
    pub fn with_inputs(self, inputs: Vec<Value>) -> Option<Plan> {
        // The inputs are stored separately, so some may be missing.
        if self.steps.len() != inputs.len() {
            return None;
        }
        let mut steps = Vec::new();
        for (stored, input) in self.steps.into_iter().zip(inputs) {
            let capability = find(&stored.capability)?;
            let mut references = Vec::new();
            for reference in stored.references {
                references.push(StepReference {
                    field: capability.field(&reference.field)?,
                    index: reference.index,
                    step: reference.step,
                    output: reference.output,
                    placeholder: reference.placeholder,
                });
            }
            steps.push(Step {
                name: stored.name,
                capability,
                input,
                references,
            });
        }
        Some(Plan {
            title: self.title,
            steps,
        })
    }
}
