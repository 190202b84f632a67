//! Polls a task's status, once.

use mediagate_core::{Code, Expects, Reason};
use mediagate_dialect::{path_segment, status_path};

use super::media::{Medium, link_media};
use super::response::{Failure, Success};
use super::{TaskRecord, UpstreamClient};
use crate::ids::{MediumRef, Origin, TaskName, TaskRef};
use crate::refusal::Refusal;

impl UpstreamClient<'_> {
    /// Reads a task's record.
    ///
    /// # Errors
    /// 404 if the upstream has no such task, and otherwise the refusal that follows from its
    /// response.
    pub(crate) async fn poll(&self, task: &TaskRef) -> Result<TaskRecord, Refusal> {
        let mut record = self.read(task).await?;
        if record.is_terminal {
            self.link_media(task, &mut record);
            self.read_assets(&mut record).await;
        }
        Ok(record)
    }

    /// Reads the media that the record of an ended task has as text, by their positions. There are
    /// none if the task has not ended.
    ///
    /// # Errors
    /// Those of [`UpstreamClient::poll`].
    pub(crate) async fn poll_media(&self, task: &TaskRef) -> Result<Vec<Option<Medium>>, Refusal> {
        let mut record = self.read(task).await?;
        if !record.is_terminal {
            return Ok(Vec::new());
        }
        let (media, _) = self.take_media(&mut record.data, |_| String::new());
        Ok(media)
    }

    /// Replaces media that the record of a task has as text by URLs, and adds them to the task's
    /// outputs.
    fn link_media(&self, task: &TaskRef, record: &mut TaskRecord) {
        let left_out = &self.upstream.settings.dialect.task.not_outputs;
        let found = link_media(&mut record.data, left_out, |position, _| {
            let medium = MediumRef {
                owner: self.subject.clone(),
                task: TaskName::Upstream(task.clone()),
                position,
            };
            medium.url(&self.upstream.sealer, self.public_url)
        });
        record.add_outputs(&found);
    }

    async fn read(&self, task: &TaskRef) -> Result<TaskRecord, Refusal> {
        let path = self.status_path(task).ok_or(Reason::UnknownTask)?;
        let response = self.request("GET", &path, None).await?;
        let dialect = &self.upstream.settings.dialect;
        // An envelope decides what a 404 means. JSON without one is the upstream's own 404.
        // Anything else comes from a proxy, and the task may still exist.
        if response.status == 404
            && response
                .body
                .as_ref()
                .is_some_and(|body| dialect.envelope.read(body).is_none())
        {
            return Err(Refusal::from(Reason::UnknownTask));
        }
        match response.decode(dialect, Expects::Status, Some(&task.id)) {
            Ok(Success::Task(record)) => Ok(record),
            Ok(Success::Result(..)) => Err(Refusal::from(Reason::UnexpectedSuccess)),
            // The document has no code for an unknown task. This one means that the id is wrong
            // (§7).
            Err(Failure::Error {
                code: Code::INVALID_INPUT,
                ..
            }) => Err(Refusal::from(Reason::UnknownTask)),
            Err(failure) => Err(self.refusal(failure).0),
        }
    }

    /// Returns the path of a task's status, or `None` if no path can name the task.
    fn status_path(&self, task: &TaskRef) -> Option<String> {
        let template = self.upstream.settings.task_path(task.group);
        let capability = task.origin.as_ref().and_then(Origin::capability);
        status_path(template, task.group, capability, &path_segment(&task.id)?)
    }
}
