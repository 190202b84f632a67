use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// The id of a task: a string or, with the directive `numeric-id`, a number.
#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum TaskId {
    Text(String),
    Number(u64),
}

impl TaskId {
    pub(super) fn new(numeric: bool) -> Self {
        // JavaScript rounds larger numbers.
        const MAX_SAFE_INTEGER: u128 = (1 << 53) - 1;
        if numeric {
            TaskId::Number((Uuid::new_v4().as_u128() & MAX_SAFE_INTEGER) as u64)
        } else {
            TaskId::Text(format!("task_{}", Uuid::new_v4().simple()))
        }
    }

    pub(super) fn text(&self) -> String {
        match self {
            TaskId::Text(text) => text.clone(),
            TaskId::Number(number) => number.to_string(),
        }
    }
}
