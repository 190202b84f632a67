use std::time::Duration;

use futures_util::future::try_join_all;
use mediagate_access::crypto::hash;
use mediagate_access::refusal::Refusal;
use mediagate_core::{Capability, Expects, Kind, Outcome, PREFIX, Reason};
use mediagate_ids::{EntryRef, MediumRef, Origin, TaskName, TaskRef, variant_of};
use mediagate_platform::http::within;
use mediagate_platform::{date, log, now_ms, timestamp_ms};
use mediagate_upstream::{Answer, ConfirmDialect, TaskRecord, path_segment};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::media::{Medium, Positions};
use super::response::UpstreamFailure;
use super::{UpstreamClient, summary};

/// The maximum length of a task's id as a segment of a path, in bytes.
const MAX_ID_LEN: usize = 2048;

/// The maximum length of a title that is stored, in characters.
pub const MAX_TITLE_CHARS: usize = 200;

const MAX_LABEL_CHARS: usize = 100;

/// The longest wait of a create for the confirmation of its files. Together with the deadline in
/// `assets.rs`, it is shorter than the grace that the ledger client adds. A slow probe of the
/// circuit breaker or a slow pool may exceed the grace: the caller then gets an unknown outcome,
/// while the ledger goes on and has the outcome for a repetition.
const CONFIRM_DEADLINE: Duration = Duration::from_secs(5);

/// The body of a create as the upstream gets it, with the values that the ledger needs, read once.
#[derive(Clone, Serialize, Deserialize)]
pub struct CreateBody {
    /// The JSON for the upstream. Equivalent bodies have the same text.
    pub text: String,
    /// A hash of the text. The ledger refuses a key that is used again with another body.
    pub fingerprint: String,
    /// The member `title`, shortened, for the history.
    pub title: Option<String>,
    /// The title or the beginning of the prompt, for the names of files.
    pub label: Option<String>,
    /// A short name of the members that explain the duration of the task.
    pub variant: String,
    /// The upstream's ids of the files, which a dialect may need to confirm.
    pub file_ids: Vec<String>,
}

impl CreateBody {
    pub fn new(capability: &Capability, body: &Value) -> Self {
        let text = body.to_string();
        let title = body["title"].as_str();
        let label = ["title", "prompt", "prompt_text", "text"]
            .iter()
            .filter_map(|name| body[name].as_str())
            .find(|text| !text.trim().is_empty());
        CreateBody {
            label: label.map(|text| text.chars().take(MAX_LABEL_CHARS).collect()),
            fingerprint: hash(&[&text]),
            title: title.map(|title| title.chars().take(MAX_TITLE_CHARS).collect()),
            variant: variant_of(body),
            file_ids: file_ids(capability, body),
            text,
        }
    }
}

fn log_provider(capability: &Capability, provider: &str) {
    let line = json!({
        "operation": "provider",
        "capability": capability.name(),
        "provider": provider,
        "time": date(now_ms()),
    });
    log(&line.to_string());
}

fn file_ids(capability: &Capability, body: &Value) -> Vec<String> {
    let mut ids = Vec::new();
    for field in capability.fields() {
        if field.kind.media().is_none() {
            continue;
        }
        match (field.kind, &body[field.name]) {
            (_, Value::String(id)) => ids.push(id.clone()),
            (Kind::Files(_) | Kind::FileOrFiles(_), Value::Array(items)) => {
                ids.extend(items.iter().filter_map(Value::as_str).map(str::to_owned));
            }
            _ => {}
        }
    }
    ids
}

/// A create that was submitted, or refused before it could be.
pub struct Submission {
    /// The `data` of the response, with sealed ids, or the refusal with the effect on the account.
    pub outcome: Result<Value, Refusal>,
    pub may_be_charged: bool,
    pub task: Option<TaskRef>,
    /// True if a task may be running: a known task, or a task that the upstream may have created
    /// without a readable response.
    pub is_running: bool,
    /// The part of the record that the history shows, with the upstream's own ids. `None` without a
    /// readable response.
    pub summary: Option<Value>,
    /// The result that the ledger keeps because the upstream can't be asked for it again: `data` of
    /// a response, with the upstream's own ids.
    pub result: Option<Value>,
    /// The media that the response had as text, by position. A medium that contains the API key is
    /// `None`.
    pub media: Vec<Option<Medium>>,
}

impl Submission {
    pub fn refused(refusal: Refusal, outcome: Outcome) -> Self {
        let is_unknown = outcome == Outcome::Unknown;
        Submission {
            outcome: Err(refusal.of_create(outcome)),
            may_be_charged: is_unknown,
            task: None,
            is_running: is_unknown,
            summary: None,
            result: None,
            media: Vec::new(),
        }
    }

    pub fn not_sent(refusal: Refusal) -> Self {
        Submission::refused(refusal, Outcome::NotSent)
    }

    fn accepted(data: Value, summary: Value) -> Self {
        Submission {
            outcome: Ok(data),
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
    /// Submits a create. `entry` becomes the id of a result that only the response has. The error
    /// is the refusal of a create that was not sent.
    pub async fn submit(
        &self,
        capability: &Capability,
        body: &CreateBody,
        entry: EntryRef,
    ) -> Result<Submission, Refusal> {
        if self.uploads_to_bucket() {
            self.check_bucket_files(&body.text).await?;
        } else {
            self.confirm_files(&body.file_ids).await?;
        }
        let path = [PREFIX, capability.path].concat();
        let text = self.with_file_urls(body.text.clone());
        let mut response = self.request_create(&path, &text).await?;
        if let Some(body) = &mut response.body {
            self.address_files(body);
        }
        if let Some(provider) = &response.provider {
            log_provider(capability, provider);
        }
        let expects = if capability.may_omit_task {
            Expects::TaskOrResult
        } else {
            Expects::Task
        };
        let mut media = Vec::new();
        let mut positions = Positions::default();
        let dialect = &self.upstream.settings.dialect;
        let answer = response.read(dialect, expects, None, &mut |medium| {
            let (position, is_new) = positions.of(medium)?;
            // The status may have other media than the response to the create, so these are stored
            // now.
            if is_new {
                media.push(Medium::decoded(medium, &self.upstream.redactor));
            }
            let medium = MediumRef {
                owner: self.subject.clone(),
                task: TaskName::Entry(entry),
                position,
            };
            Some(medium.url(&self.upstream.sealer, self.public_url))
        });
        // A module may have no memory, so nothing asks it for a task whose end is known.
        let is_module = self.upstream.settings.service.is_module();
        let submission = match answer {
            Ok(Answer::Task(record)) if is_module && record.is_terminal => {
                self.accepted_result(record, entry)
            }
            Ok(Answer::Task(record)) => self.accepted_task(capability, body, record).await,
            Ok(Answer::Result(record)) => self.accepted_result(record, entry),
            Ok(_) => self.refused_create(UpstreamFailure::unexpected()),
            Err(failure) => self.refused_create(failure),
        };
        Ok(Submission {
            media,
            ..submission
        })
    }

    fn refused_create(&self, failure: UpstreamFailure) -> Submission {
        let (refusal, outcome) = self.refusal(failure);
        Submission::refused(refusal, outcome)
    }

    /// Confirms the files of a create. Each isolate remembers only its own confirmations, so a file
    /// may be confirmed again, which does no harm. After an error, the create must not be sent.
    async fn confirm_files(&self, file_ids: &[String]) -> Result<(), Refusal> {
        let Some(dialect) = &self.upstream.settings.dialect.upload.confirm else {
            return Ok(());
        };
        let confirms = file_ids
            .iter()
            .map(|file_id| self.confirm(dialect, file_id));
        within(CONFIRM_DEADLINE, try_join_all(confirms))
            .await
            .ok_or(Reason::Deadline)??;
        Ok(())
    }

    async fn confirm(&self, dialect: &ConfirmDialect, file_id: &str) -> Result<(), Refusal> {
        let name = hash(&[file_id]);
        if self.upstream.confirmed.get(&name).is_some() {
            return Ok(());
        }
        let segment = path_segment(file_id).ok_or(Reason::UnusableId)?;
        let body = dialect.body(file_id).to_string();
        let response = self
            .request("POST", &dialect.path(&segment), Some(&body))
            .await?;
        let is_complete = response.fault.is_none() && (200..300).contains(&response.status);
        match response.into_body(&self.upstream.settings.dialect) {
            Ok(_) => {}
            // Nothing has to be in the response, not even JSON.
            Err(UpstreamFailure::Unreadable { .. }) if is_complete => {}
            Err(failure) => return Err(self.refusal(failure).0),
        }
        self.upstream.confirmed.insert(name, ());
        Ok(())
    }

    fn accepted_result(&self, record: TaskRecord, entry: EntryRef) -> Submission {
        let data = record.data;
        let submission = Submission::accepted(
            self.sealed_result(data.clone(), entry),
            summary(&data["task"]),
        );
        Submission {
            result: Some(data),
            ..submission
        }
    }

    async fn accepted_task(
        &self,
        capability: &Capability,
        body: &CreateBody,
        mut record: TaskRecord,
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
        if record.is_terminal {
            self.read_assets(&mut record).await;
        }
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
            ..Submission::accepted(data, summary)
        }
    }

    /// Returns the `data` of a result that the ledger keeps, sealed. Its `task` has the id of the
    /// entry.
    pub fn sealed_result(&self, mut data: Value, entry: EntryRef) -> Value {
        self.seal(&mut data, None);
        self.address_outputs(&mut data, &TaskName::Entry(entry));
        data["task"]["id"] = entry.seal(&self.upstream.sealer, self.subject).into();
        data
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_of_a_body_are_those_of_its_fields() {
        let of = |name: &str, body: Value| -> Vec<String> {
            let capability = mediagate_core::find(name).expect("a capability");
            CreateBody::new(capability, &body).file_ids
        };
        let swap = json!({"source_image_file_id": "a", "target_head_image_file_id": "b"});
        assert_eq!(of("head_swap", swap), ["a", "b"]);
        let list = json!({"prompt": "p", "image_file_ids": ["a", "b"], "audio_file_ids": null});
        assert_eq!(of("omni_reference_to_video", list), ["a", "b"]);
        let body = json!({"prompt": "p", "file_id": "not a field of this capability"});
        assert_eq!(of("text_to_image", body), Vec::<String>::new());
    }
}
