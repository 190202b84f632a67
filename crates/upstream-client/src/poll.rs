use std::time::Duration;

use mediagate_access::refusal::Refusal;
use mediagate_core::{Code, Expects, Reason};
use mediagate_ids::{MediumRef, Origin, TaskName, TaskRef};
use mediagate_upstream::{Answer, InlineMedium, TaskRecord, path_segment, status_path};

use super::UpstreamClient;
use super::media::{Medium, Positions};
use super::response::UpstreamFailure;

/// The waits before a success without outputs is read again. The service may write the outputs
/// after the state.
const REREAD_AFTER: [Duration; 2] = [Duration::from_secs(2), Duration::from_secs(4)];

impl UpstreamClient<'_> {
    /// Reads a task's record. 404 if the upstream has no such task.
    pub async fn poll(&self, task: &TaskRef) -> Result<TaskRecord, Refusal> {
        let mut waits = REREAD_AFTER.into_iter();
        let mut record = loop {
            let mut positions = Positions::default();
            let record = self
                .read(task, &mut |medium| {
                    let (position, _) = positions.of(medium)?;
                    let medium = MediumRef {
                        owner: self.subject.clone(),
                        task: TaskName::Upstream(task.clone()),
                        position,
                    };
                    Some(medium.url(&self.upstream.sealer, self.public_url))
                })
                .await?;
            match waits.next().filter(|_| record.lacks_outputs) {
                Some(wait) => worker::Delay::from(wait).await,
                None => break record,
            }
        };
        if record.is_terminal {
            self.read_assets(&mut record).await;
        }
        Ok(record)
    }

    /// Reads the media that the record of an ended task has as text, by their positions. There are
    /// none if the task has not ended.
    pub async fn poll_media(&self, task: &TaskRef) -> Result<Vec<Option<Medium>>, Refusal> {
        let mut media = Vec::new();
        let mut positions = Positions::default();
        self.read(task, &mut |medium| {
            if positions.of(medium)?.1 {
                media.push(Medium::decoded(medium, &self.upstream.redactor));
            }
            None
        })
        .await?;
        Ok(media)
    }

    async fn read(
        &self,
        task: &TaskRef,
        link: &mut dyn FnMut(&InlineMedium<'_>) -> Option<String>,
    ) -> Result<TaskRecord, Refusal> {
        let path = self.status_path(task).ok_or(Reason::UnknownTask)?;
        let mut response = self.request("GET", &path, None).await?;
        if let Some(body) = &mut response.body {
            self.address_files(body);
        }
        let dialect = &self.upstream.settings.dialect;
        // A module says that a task is gone by a word for its end. Any other error may be that of one
        // poll at the provider, and must not end a task that was paid.
        let is_module = self.upstream.settings.service.is_module();
        // JSON without an envelope is the upstream's own 404, unless it has the end of the task.
        // Anything else comes from a proxy, and the task may still exist.
        let is_unknown = !is_module
            && response.status == 404
            && response
                .body
                .as_ref()
                .is_some_and(|body| dialect.envelope.read(body).is_none());
        match response.read(dialect, Expects::Status, Some(&task.id), link) {
            Ok(Answer::Task(record)) => Ok(record),
            _ if is_unknown => Err(Refusal::from(Reason::UnknownTask)),
            Ok(Answer::Gone) => Err(Refusal::from(Reason::UnknownTask)),
            Ok(_) => Err(self.refusal(UpstreamFailure::unexpected()).0),
            // The document has no code for an unknown task. This one means that the id is wrong
            // (§7).
            Err(UpstreamFailure::Error { error, .. })
                if error.code == Code::INVALID_INPUT && !is_module =>
            {
                Err(Refusal::from(Reason::UnknownTask))
            }
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
