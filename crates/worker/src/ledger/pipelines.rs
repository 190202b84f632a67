//! The subject's pipelines, as entries of its history: which run, and how many creates each has still planned.

use std::rc::Rc;

use mediagate_core::Group;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::json;

use super::history::{MAX_TITLE_CHARS, PIPELINE_PREFIX};
use crate::identity::{Item, Limit, LimitName, Planned, Taking};
use crate::objects::PipelineEntry;
use crate::platform::storage::Storage;

/// The pipelines of one ledger.
pub(super) struct Pipelines(pub(super) Rc<Storage>);

/// The pipelines that have not ended, and the creates that they have planned.
#[derive(Deserialize)]
struct Running {
    count: u32,
    generate: u32,
    process: u32,
}

/// How soon a pipeline may have ended, in seconds.
const END_RETRY_S: u32 = 30;
/// How many times as many pipelines may start within a day as may run at once: each is stored for a while, whatever becomes of it.
const STARTS: u32 = 20;

impl Pipelines {
    /// Returns the creates that the others have planned; the limit if no more may run.
    ///
    /// # Errors
    /// Those of the storage, as for every method.
    pub(super) fn admit(&self, entry: &PipelineEntry) -> worker::Result<Result<Planned, Limit>> {
        let (running, others) = self.running_besides(&entry.name)?;
        let max = entry.max_running;
        let limit = Limit { name: LimitName::Pipelines, max: max.into(), left: 0, reset: END_RETRY_S };
        Ok(if running < max { Ok(others) } else { Err(limit) })
    }

    /// A start or a resume, to be counted.
    pub(super) fn start(entry: &PipelineEntry) -> Taking {
        let max = u64::from(entry.max_running * STARTS);
        Taking { item: Item::PipelineStart, bytes: 0, max: Some(max), max_bytes: None }
    }

    /// Whether the history has one, which runs or has ended.
    pub(super) fn has(&self, name: &str) -> worker::Result<bool> {
        let query = "SELECT 1 AS one FROM history WHERE task_group = 'pipeline' AND key = ?";
        Ok(!self.0.rows::<IgnoredAny>(query, &json!([key(name)]))?.is_empty())
    }

    /// Whether one is counted as running.
    pub(super) fn is_running(&self, name: &str) -> worker::Result<bool> {
        let query = "SELECT 1 AS one FROM history WHERE task_group = 'pipeline' AND key = ? AND ended_at IS NULL";
        Ok(!self.0.rows::<IgnoredAny>(query, &json!([key(name)]))?.is_empty())
    }

    /// How many run, but for one, and the creates that they have planned.
    fn running_besides(&self, name: &str) -> worker::Result<(u32, Planned)> {
        let query = "SELECT count(*) AS count, coalesce(sum(summary ->> 'generate'), 0) AS generate,
            coalesce(sum(summary ->> 'process'), 0) AS process
            FROM history WHERE task_group = 'pipeline' AND ended_at IS NULL AND key != ?";
        let rows: Vec<Running> = self.0.rows(query, &json!([key(name)]))?;
        let first = rows.first().map(|it| (it.count, Planned { generate: it.generate, process: it.process }));
        Ok(first.unwrap_or_default())
    }

    /// Writes an entry for one that starts; one that is resumed has its entry already.
    pub(super) fn begin(&self, entry: &PipelineEntry, now: i64) -> worker::Result<()> {
        let Planned { generate, process } = entry.planned;
        let summary = json!({
            "state": "RUNNING", "generate": generate, "process": process, "started_at": now,
        })
        .to_string();
        let statement = "UPDATE history SET summary = ?, ended_at = NULL WHERE task_group = 'pipeline' AND key = ?
            RETURNING 1 AS one";
        let resumed: Vec<IgnoredAny> = self.0.write(statement, &json!([summary, key(&entry.name)]))?;
        if !resumed.is_empty() {
            return Ok(());
        }
        let title: Option<String> = entry.title.as_ref().map(|it| it.chars().take(MAX_TITLE_CHARS).collect());
        let statement = "INSERT INTO history (key, capability, task_group, title, created_at, summary)
            VALUES (?, 'pipeline', 'pipeline', ?, ?, ?)";
        self.0.run(statement, &json!([key(&entry.name), title, now, summary]))
    }

    /// Changes how many creates of a group one has planned: a create that is sent is no longer planned, and one that was refused
    /// is again.
    pub(super) fn change_planned(&self, name: &str, group: Group, by: i32) -> worker::Result<()> {
        let member = ["$.", group.name()].concat();
        let statement = "UPDATE history SET summary = json_set(summary, ?1, max(json_extract(summary, ?1) + ?2, 0))
            WHERE task_group = 'pipeline' AND key = ?3 AND ended_at IS NULL";
        self.0.run(statement, &json!([member, by, key(name)]))
    }

    /// Changes how many creates one has planned.
    pub(super) fn set_planned(&self, name: &str, planned: Planned) -> worker::Result<()> {
        let Planned { generate, process } = planned;
        let statement = "UPDATE history SET summary = json_set(summary, '$.generate', ?, '$.process', ?)
            WHERE task_group = 'pipeline' AND key = ? AND ended_at IS NULL";
        self.0.run(statement, &json!([generate, process, key(name)]))
    }

    /// Writes down how one has ended.
    pub(super) fn end(&self, name: &str, state: &str, now: i64) -> worker::Result<()> {
        let summary = json!({"state": state}).to_string();
        let statement = "UPDATE history SET summary = ?, ended_at = ? WHERE task_group = 'pipeline' AND key = ?";
        self.0.run(statement, &json!([summary, now, key(name)]))
    }

    /// Removes those that run for longer than any may: their objects were lost before they had started. Whether any is left,
    /// which has ended or not.
    pub(super) fn prune(&self, started_before: i64) -> worker::Result<bool> {
        let lost =
            "DELETE FROM history WHERE task_group = 'pipeline' AND ended_at IS NULL AND summary ->> 'started_at' <= ?";
        self.0.run(lost, &json!([started_before]))?;
        let any = "SELECT 1 AS one FROM history WHERE task_group = 'pipeline' LIMIT 1";
        Ok(!self.0.rows::<IgnoredAny>(any, &json!([]))?.is_empty())
    }

    /// Removes the entry of one.
    pub(super) fn forget(&self, name: &str) -> worker::Result<()> {
        self.0.run("DELETE FROM history WHERE task_group = 'pipeline' AND key = ?", &json!([key(name)]))
    }
}

fn key(name: &str) -> String {
    [PIPELINE_PREFIX, name].concat()
}
