//! Submits a create to the upstream, once.

use mediagate_core::outputs::{self, Output};
use mediagate_core::{Capability, Expects, Outcome, PREFIX, Reason};
use mediagate_dialect::path_segment;
use serde_json::Value;

use super::media::{Medium, link_media, media_of};
use super::record::result_data;
use super::response::Success;
use super::{CreateBody, CreateOutcome, TaskRecord, UpstreamClient, summary};
use crate::ids::{EntryRef, MediumRef, Origin, TaskName, TaskRef};
use crate::platform::timestamp_ms;
use crate::refusal::Refusal;

/// The maximum length of a task's id as a segment of a path, in bytes.
const MAX_ID_LEN: usize = 2048;

/// A create that was submitted, or refused before it could be.
pub(crate) struct Submission {
    pub(crate) outcome: CreateOutcome,
    /// True if the upstream may have charged for the create.
    pub(crate) may_be_charged: bool,
    /// The task, if the upstream created one.
    pub(crate) task: Option<TaskRef>,
    /// True if a task may be running: a known task, or a task that the upstream may have created
    /// without a readable response.
    pub(crate) is_running: bool,
    /// The part of the task's record that the history shows, with the upstream's own ids. `None` if
    /// there is no readable response.
    pub(crate) summary: Option<Value>,
    /// The whole result that came without a task, as `data` of a response, with the upstream's own
    /// ids.
    pub(crate) result: Option<Value>,
    /// The media that the response had as text, by position. A medium that contains the API key is
    /// `None`.
    pub(crate) media: Vec<Option<Medium>>,
}

impl Submission {
    /// A create that failed.
    pub(crate) fn refused(refusal: Refusal, outcome: Outcome) -> Self {
        let is_unknown = outcome == Outcome::Unknown;
        let outcome = CreateOutcome::refused(refusal, outcome);
        Submission {
            outcome,
            may_be_charged: is_unknown,
            task: None,
            is_running: is_unknown,
            summary: None,
            result: None,
            media: Vec::new(),
        }
    }

    /// A create that was refused before it was sent.
    pub(crate) fn not_sent(refusal: Refusal) -> Self {
        Submission::refused(refusal, Outcome::NotSent)
    }

    fn accepted(data: Value, summary: Value) -> Self {
        Submission {
            outcome: CreateOutcome::created(data, timestamp_ms()),
            may_be_charged: true,
            task: None,
            is_running: false,
            summary: Some(summary),
            result: None,
            media: Vec::new(),
        }
    }
}

impl UpstreamClient<'_> {
    /// Submits a create. `entry` is the create's entry in the history, and becomes the id of a
    /// result that comes without a task.
    pub(crate) async fn submit(
        &self,
        capability: &Capability,
        body: &CreateBody,
        entry: EntryRef,
    ) -> Submission {
        if let Err(refusal) = self.confirm_files(&body.file_ids).await {
            return Submission::not_sent(refusal);
        }
        let path = [PREFIX, capability.path].concat();
        let response = match self.request("POST", &path, Some(&body.text)).await {
            Ok(response) => response,
            Err(refusal) => return Submission::not_sent(refusal),
        };
        let expects = if capability.may_omit_task {
            Expects::TaskOrResult
        } else {
            Expects::Task
        };
        let retry_after = response.retry_after;
        match response.decode(&self.upstream.settings.dialect, expects, None) {
            Ok(Success::Task(record)) => self.accepted_task(capability, body, record, entry).await,
            Ok(Success::Result(result, outputs)) => self.accepted_result(result, outputs, entry),
            Err(failure) => {
                let (refusal, outcome) = self.refusal(failure, retry_after);
                Submission::refused(refusal, outcome)
            }
        }
    }

    /// Returns the submission of a result that came without a task.
    fn accepted_result(
        &self,
        mut result: Value,
        mut outputs: Vec<Output>,
        entry: EntryRef,
    ) -> Submission {
        let (media, found) = self.take_media(&mut result, entry);
        for output in found {
            outputs::add(&mut outputs, output);
        }
        let result = result_data(result, &outputs);
        let submission = Submission::accepted(
            self.sealed_result(result.clone(), entry),
            summary(&result["task"]),
        );
        Submission {
            result: Some(result),
            media,
            ..submission
        }
    }

    /// Replaces the media in the response to a create by URLs. Returns the media by their
    /// positions, and as outputs.
    fn take_media(
        &self,
        response: &mut Value,
        entry: EntryRef,
    ) -> (Vec<Option<Medium>>, Vec<Output>) {
        let left_out = &self.upstream.settings.dialect.task.not_outputs;
        let inline = media_of(response, left_out);
        let media = inline.iter().map(|medium| self.decoded(medium)).collect();
        let url_of = |position| {
            let owner = self.subject.clone();
            let medium = MediumRef::Create {
                owner,
                entry,
                position,
            };
            medium.url(&self.upstream.sealer, self.public_url)
        };
        let found = link_media(response, left_out, url_of);
        (media, found)
    }

    async fn accepted_task(
        &self,
        capability: &Capability,
        body: &CreateBody,
        mut record: TaskRecord,
        entry: EntryRef,
    ) -> Submission {
        // The task exists, but no path can name it.
        if path_segment(&record.id).is_none_or(|segment| segment.len() > MAX_ID_LEN) {
            return Submission::refused(Refusal::from(Reason::UnusableId), Outcome::Unknown);
        }
        let origin = Some(Origin::new(capability, &body.variant, timestamp_ms()));
        let task = TaskRef {
            group: capability.group(),
            id: record.id.clone(),
            origin,
        };
        let media = if record.is_terminal {
            // The status may have other media than the response to the create, so these are stored
            // now.
            let (media, found) = self.take_media(&mut record.data, entry);
            record.add_outputs(&found);
            self.read_assets(&mut record).await;
            media
        } else {
            Vec::new()
        };
        let TaskRecord {
            mut data,
            is_terminal,
            ..
        } = record;
        let summary = summary(&data["task"]);
        self.seal(&mut data, Some(&task));
        Submission {
            task: Some(task),
            is_running: !is_terminal,
            media,
            ..Submission::accepted(data, summary)
        }
    }

    /// Returns the `data` of a response with a result that came without a task, sealed for its
    /// owner. Its `task` has the id of the entry.
    pub(crate) fn sealed_result(&self, mut data: Value, entry: EntryRef) -> Value {
        self.seal(&mut data, None);
        self.address_outputs(&mut data, &TaskName::Entry(entry));
        data["task"]["id"] = entry.seal(&self.upstream.sealer, self.subject).into();
        data
    }
}
