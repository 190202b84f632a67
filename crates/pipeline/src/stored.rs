//! A plan as it is stored: with names in place of what they mean, so that it is read without being checked again.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::plan::{Plan, Step, StepReference};
use mediagate_core::find;

/// A plan without the inputs of its steps, which are stored apart.
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
        let reference = |it: &StepReference| StoredReference {
            field: it.field.name.to_owned(),
            index: it.index,
            step: it.step,
            output: it.output,
            placeholder: it.placeholder.clone(),
        };
        let step = |it: &Step| StoredStep {
            name: it.name.clone(),
            capability: it.capability.name().to_owned(),
            references: it.references.iter().map(reference).collect(),
        };
        StoredPlan {
            title: plan.title.clone(),
            steps: plan.steps.iter().map(step).collect(),
        }
    }
}

impl StoredPlan {
    /// The plan with these inputs; `None` where a capability or a field is no longer known, or an input is missing.
    pub fn with_inputs(self, inputs: Vec<Value>) -> Option<Plan> {
        if self.steps.len() != inputs.len() {
            return None;
        }
        let step = |(stored, input): (StoredStep, Value)| {
            let capability = find(&stored.capability)?;
            let reference = |it: StoredReference| {
                let StoredReference {
                    field,
                    index,
                    step,
                    output,
                    placeholder,
                } = it;
                Some(StepReference {
                    field: capability.field(&field)?,
                    index,
                    step,
                    output,
                    placeholder,
                })
            };
            let references = stored
                .references
                .into_iter()
                .map(reference)
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
            .map(step)
            .collect::<Option<_>>()?;
        Some(Plan {
            title: self.title,
            steps,
        })
    }
}
