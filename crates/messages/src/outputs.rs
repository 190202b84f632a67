use mediagate_access::refusal::Refusal;
use mediagate_core::{Reason, is_terminal};
use serde::{Deserialize, Serialize};
use serde_json::Value;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TaskOutputs {
    pub has_ended: bool,
    /// The URL of each output; `None` for an asset without a file.
    urls: Vec<Option<String>>,
}

impl TaskOutputs {
    /// `task` is a normalised record.
    pub fn of(task: &Value) -> Self {
        let outputs = task["outputs"].as_array().into_iter().flatten();
        TaskOutputs {
            has_ended: task["state"].as_str().is_some_and(is_terminal),
            urls: outputs
                .map(|output| output["url"].as_str().map(str::to_owned))
                .collect(),
        }
    }

    /// 409 if the output has no file, or may still come because the task has not ended; 404 if
    /// there is no such output.
    pub fn url(&self, position: u32) -> Result<String, Refusal> {
        match self.urls.get(position as usize) {
            Some(Some(url)) => Ok(url.clone()),
            Some(None) => Err(Refusal::from(Reason::OutputWithoutUrl)),
            None if !self.has_ended => {
                let message =
                    "the task has not ended, and has no such output yet; wait for its end";
                Err(Refusal::new(Reason::TaskRunning, message))
            }
            None => Err(Refusal::from(Reason::UnknownOutput)),
        }
    }
}
