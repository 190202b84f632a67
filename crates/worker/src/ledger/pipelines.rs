//! The subject's pipelines, as entries of its history: which run, and how many creates each has still planned.

use std::rc::Rc;

use mediagate_core::Group;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::json;

use super::history::PIPELINE_PREFIX;
use crate::identity::{Item, Limit, LimitName, Planned, Taking};
use crate::objects::PipelineEntry;
use crate::platform::storage::Storage;
use crate::upstream::MAX_TITLE_CHARS;

/// The pipelines of one ledger.
pub(super) struct Pipelines(pub(super) Rc<Storage>);

/// The pipelines that have not ended, and the creates that they have planned.
#[derive(Deserialize)]
struct Running {
    count: u32,
    generate: u32,
    process: u32,
}

/// The condition of a pipeline that counts, with the present time: it runs, or its place is reserved.
const RUNNING: &str = "task_group = 'pipeline' AND ended_at IS NULL AND coalesce(summary ->> 'reserved_until' > ?, TRUE)";
/// How long a place is reserved, in milliseconds. An object that is started counts its pipeline at once.
const RESERVED_MS: i64 = 2 * 60 * 1000;
/// How soon a pipeline may have ended, in seconds.
const END_RETRY_S: u32 = 30;
/// How many times as many pipelines may start within a day as may run at once: each is stored for a while, whatever becomes of it.
const STARTS: u32 = 20;

impl Pipelines {
    /// Returns the creates that the others have planned; the limit if no more may run.
    ///
    /// # Errors
    /// Those of the storage, as for every method.
    pub(super) fn admit(
        &self,
        entry: &PipelineEntry,
        now: i64,
    ) -> worker::Result<Result<Planned, Limit>> {
        let (running, others) = self.running_besides(&entry.name, now)?;
        let max = entry.max_running;
        let limit = Limit {
            name: LimitName::Pipelines,
            max: max.into(),
            left: 0,
            reset: END_RETRY_S,
        };
        Ok(if running < max {
            Ok(others)
        } else {
            Err(limit)
        })
    }

    /// A start or a resume, to be counted.
    pub(super) fn start(entry: &PipelineEntry) -> Taking {
        let max = u64::from(entry.max_running * STARTS);
        Taking {
            item: Item::PipelineStart,
            bytes: 0,
            max: Some(max),
            max_bytes: None,
        }
    }

    /// Whether the history has one, which runs or has ended.
    pub(super) fn has(&self, name: &str) -> worker::Result<bool> {
        let query = "SELECT 1 AS one FROM creates WHERE task_group = 'pipeline' AND key = ?";
        Ok(!self
            .0
            .rows::<IgnoredAny>(query, &json!([key(name)]))?
            .is_empty())
    }

    /// Whether one counts as running: it runs, or its place is reserved.
    pub(super) fn is_running(&self, name: &str, now: i64) -> worker::Result<bool> {
        let query = ["SELECT 1 AS one FROM creates WHERE key = ? AND ", RUNNING].concat();
        Ok(!self
            .0
            .rows::<IgnoredAny>(&query, &json!([key(name), now]))?
            .is_empty())
    }

    /// How many run, but for one, and the creates that they have planned.
    fn running_besides(&self, name: &str, now: i64) -> worker::Result<(u32, Planned)> {
        let sums = "SELECT count(*) AS count, coalesce(sum(summary ->> 'generate'), 0) AS generate,
            coalesce(sum(summary ->> 'process'), 0) AS process FROM creates WHERE key != ? AND ";
        let rows: Vec<Running> = self
            .0
            .rows(&[sums, RUNNING].concat(), &json!([key(name), now]))?;
        let first = rows.first().map(|row| {
            (
                row.count,
                Planned {
                    generate: row.generate,
                    process: row.process,
                },
            )
        });
        Ok(first.unwrap_or_default())
    }

    /// Reserves a place for one that starts or is resumed. The gateway may be interrupted before the pipeline's object is
    /// started, so that the place is free again soon unless the pipeline is counted.
    pub(super) fn reserve(&self, entry: &PipelineEntry, now: i64) -> worker::Result<()> {
        self.write(entry, Some(now + RESERVED_MS), now)
    }

    /// Counts one that runs; whether it was not counted yet.
    pub(super) fn count(&self, entry: &PipelineEntry, now: i64) -> worker::Result<bool> {
        let query = "SELECT 1 AS one FROM creates WHERE task_group = 'pipeline' AND key = ? AND ended_at IS NULL
            AND summary ->> 'reserved_until' IS NULL";
        if !self
            .0
            .rows::<IgnoredAny>(query, &json!([key(&entry.name)]))?
            .is_empty()
        {
            return Ok(false);
        }
        self.write(entry, None, now)?;
        Ok(true)
    }

    /// Writes an entry; one that is resumed has its entry already.
    fn write(
        &self,
        entry: &PipelineEntry,
        reserved_until: Option<i64>,
        now: i64,
    ) -> worker::Result<()> {
        let Planned { generate, process } = entry.planned;
        let summary = json!({
            "state": "RUNNING", "generate": generate, "process": process, "started_at": now, "reserved_until": reserved_until,
        })
        .to_string();
        let statement = "UPDATE creates SET summary = ?, ended_at = NULL WHERE task_group = 'pipeline' AND key = ?
            RETURNING 1 AS one";
        let resumed: Vec<IgnoredAny> = self
            .0
            .write(statement, &json!([summary, key(&entry.name)]))?;
        if !resumed.is_empty() {
            return Ok(());
        }
        let title: Option<String> = entry
            .title
            .as_ref()
            .map(|title| title.chars().take(MAX_TITLE_CHARS).collect());
        let statement =
            "INSERT INTO creates (key, capability, task_group, title, created_at, summary)
            VALUES (?, 'pipeline', 'pipeline', ?, ?, ?)";
        self.0
            .run(statement, &json!([key(&entry.name), title, now, summary]))
    }

    /// Changes how many creates of a group one has planned: a create that is sent is no longer planned, and one that was refused
    /// is again.
    pub(super) fn change_planned(&self, name: &str, group: Group, by: i32) -> worker::Result<()> {
        let member = ["$.", group.name()].concat();
        let statement = "UPDATE creates SET summary = json_set(summary, ?1, max(json_extract(summary, ?1) + ?2, 0))
            WHERE task_group = 'pipeline' AND key = ?3 AND ended_at IS NULL";
        self.0.run(statement, &json!([member, by, key(name)]))
    }

    /// Changes how many creates one has planned.
    pub(super) fn set_planned(&self, name: &str, planned: Planned) -> worker::Result<()> {
        let Planned { generate, process } = planned;
        let statement =
            "UPDATE creates SET summary = json_set(summary, '$.generate', ?, '$.process', ?)
            WHERE task_group = 'pipeline' AND key = ? AND ended_at IS NULL";
        self.0
            .run(statement, &json!([generate, process, key(name)]))
    }

    /// Writes down how one has ended.
    pub(super) fn end(&self, name: &str, state: &str, now: i64) -> worker::Result<()> {
        let summary = json!({"state": state}).to_string();
        let statement = "UPDATE creates SET summary = ?, ended_at = ? WHERE task_group = 'pipeline' AND key = ?";
        self.0.run(statement, &json!([summary, now, key(name)]))
    }

    /// Removes those that run for longer than any may, and reservations that were not used. Whether any is left, which has ended
    /// or not.
    pub(super) fn prune(&self, started_before: i64, now: i64) -> worker::Result<bool> {
        let lost = "DELETE FROM creates WHERE task_group = 'pipeline' AND ended_at IS NULL
                AND (summary ->> 'started_at' <= ? OR summary ->> 'reserved_until' <= ?)";
        self.0.run(lost, &json!([started_before, now]))?;
        let any = "SELECT 1 AS one FROM creates WHERE task_group = 'pipeline' LIMIT 1";
        Ok(!self.0.rows::<IgnoredAny>(any, &json!([]))?.is_empty())
    }

    /// Removes the entry of one that has ended, or that this ledger counts for others.
    pub(super) fn forget(&self, name: &str) -> worker::Result<()> {
        let is_shared = name.contains(' ');
        let statement = "DELETE FROM creates WHERE task_group = 'pipeline' AND key = ? AND (? OR ended_at IS NOT NULL)";
        self.0
            .run(statement, &json!([key(name), u8::from(is_shared)]))
    }
}

fn key(name: &str) -> String {
    [PIPELINE_PREFIX, name].concat()
}
