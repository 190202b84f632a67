//! Polls a task's status, once.

use mediagate_core::{Code, Envelope, Expects, Reason};
use mediagate_dialect::status_path;

use super::response::{Failure, Success};
use super::{TaskRecord, UpstreamClient};
use crate::ids::{Origin, TaskRef, path_segment};
use crate::refusal::Refusal;

impl UpstreamClient<'_> {
    /// Reads a task's record.
    ///
    /// # Errors
    /// 404 where the upstream has no such task; else the refusal that its response, or its absence, means.
    pub(crate) async fn poll(&self, task: &TaskRef) -> Result<TaskRecord, Refusal> {
        let path = self
            .status_path(task)
            .ok_or_else(|| Refusal::from(Reason::UnknownTask))?;
        let response = self.request("GET", &path, None).await?;
        // A 404 that is not JSON comes from a proxy; one with an envelope means what the envelope says.
        if response.status == 404
            && response
                .body
                .as_ref()
                .is_some_and(|it| Envelope::decode(it).is_none())
        {
            return Err(Refusal::from(Reason::UnknownTask));
        }
        let retry_after = response.retry_after;
        match response.decode(
            &self.upstream.settings.dialect,
            Expects::Status,
            Some(&task.id),
        ) {
            Ok(Success::Task(record)) => Ok(record),
            Ok(Success::Result(..)) => Err(Refusal::from(Reason::UnexpectedSuccess)),
            Err(Failure::Error {
                code: Code::INVALID_INPUT,
                ..
            }) => Err(Refusal::from(Reason::UnknownTask)),
            Err(failure) => Err(self.refusal(failure, retry_after).0),
        }
    }

    /// Returns the path of a task's status, or `None` if no path can name the task.
    fn status_path(&self, task: &TaskRef) -> Option<String> {
        let template = self.upstream.settings.task_path(task.group);
        let capability = task.origin.as_ref().and_then(Origin::capability);
        status_path(template, task.group, capability, &path_segment(&task.id)?)
    }
}
