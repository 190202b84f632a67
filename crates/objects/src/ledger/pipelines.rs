//! The subject's pipelines, as entries of its history. An entry stores if its pipeline runs, and
//! the number of creates that the pipeline still has planned.

use std::rc::Rc;

use mediagate_access::identity::{Item, Limit, LimitName, Planned, Taking};
use mediagate_core::Group;
use mediagate_messages::ledger::PipelineEntry;
use mediagate_platform::storage::{Storage, params};
use mediagate_upstream_client::MAX_TITLE_CHARS;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::json;

use super::history::PIPELINE_PREFIX;

pub(super) struct Pipelines(pub(super) Rc<Storage>);

/// The pipelines that have not ended, and the creates that they have planned.
#[derive(Deserialize)]
struct Running {
    count: u32,
    generate: u32,
    process: u32,
}

/// The condition of a pipeline that runs, or whose place is still reserved at the time that is
/// bound to `?`.
const RUNNING: &str = "task_group = 'pipeline' AND ended_at IS NULL
    AND coalesce(summary ->> 'reserved_until' > ?, TRUE)";
/// The lifetime of a reservation. The pipeline's object counts its pipeline as soon as it is
/// started.
const RESERVED_MS: i64 = 2 * 60 * 1000;
/// The seconds after which a caller may retry. Another pipeline may have ended by then.
const END_RETRY_S: u32 = 30;
/// The number of pipelines that may start within a day, for each that may run at once. Starts have
/// a limit because a pipeline is stored for days, even if it ends at once.
const STARTS: u32 = 20;

impl Pipelines {
    /// Returns the creates that the subject's other pipelines have planned, or the limit if no more
    /// pipelines may run.
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

    pub(super) fn start(entry: &PipelineEntry) -> Taking {
        let max = u64::from(entry.max_running * STARTS);
        Taking {
            item: Item::PipelineStart,
            count: 1,
            bytes: 0,
            max: Some(max),
            max_bytes: None,
        }
    }

    /// Returns true for a pipeline that runs or has ended.
    pub(super) fn has(&self, name: &str) -> worker::Result<bool> {
        let query = "SELECT 1 FROM creates WHERE task_group = 'pipeline' AND key = ?";
        self.0.has_row(query, params![key(name)])
    }

    /// Returns true if a pipeline runs or its place is reserved.
    pub(super) fn is_running(&self, name: &str, now: i64) -> worker::Result<bool> {
        let query = ["SELECT 1 FROM creates WHERE key = ? AND ", RUNNING].concat();
        self.0.has_row(&query, params![key(name), now])
    }

    /// Counts the running pipelines except `name`, and the creates that they have planned.
    fn running_besides(&self, name: &str, now: i64) -> worker::Result<(u32, Planned)> {
        let sums = "SELECT count(*) AS count, coalesce(sum(summary ->> 'generate'), 0) AS generate,
            coalesce(sum(summary ->> 'process'), 0) AS process FROM creates WHERE key != ? AND ";
        let rows: Vec<Running> = self
            .0
            .rows(&[sums, RUNNING].concat(), params![key(name), now])?;
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

    /// Reserves a place for a pipeline that starts or is resumed. A reservation expires soon,
    /// unless the pipeline is counted: the gateway may be interrupted before it starts the
    /// pipeline's object.
    pub(super) fn reserve(&self, entry: &PipelineEntry, now: i64) -> worker::Result<()> {
        self.write(entry, Some(now + RESERVED_MS), now)
    }

    /// Counts a running pipeline. Returns false if it was counted already.
    pub(super) fn count(&self, entry: &PipelineEntry, now: i64) -> worker::Result<bool> {
        let query = "SELECT 1 FROM creates WHERE task_group = 'pipeline' AND key = ?
            AND ended_at IS NULL AND summary ->> 'reserved_until' IS NULL";
        let is_counted = self.0.has_row(query, params![key(&entry.name)])?;
        if !is_counted {
            self.write(entry, None, now)?;
        }
        Ok(!is_counted)
    }

    /// Writes the entry of a pipeline. A resumed pipeline keeps its entry's place in the history.
    fn write(
        &self,
        entry: &PipelineEntry,
        reserved_until: Option<i64>,
        now: i64,
    ) -> worker::Result<()> {
        let Planned { generate, process } = entry.planned;
        let summary = json!({
            "state": "RUNNING",
            "generate": generate,
            "process": process,
            "started_at": now,
            "reserved_until": reserved_until,
        })
        .to_string();
        let statement = "UPDATE creates SET summary = ?, ended_at = NULL
            WHERE task_group = 'pipeline' AND key = ? RETURNING 1";
        let values = params![summary.as_str(), key(&entry.name)];
        let resumed: Vec<IgnoredAny> = self.0.write(statement, values)?;
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
            .run(statement, params![key(&entry.name), title, now, summary])
    }

    /// Adds `by` to the planned creates of a pipeline. A sent create is no longer planned, and a
    /// refused one is planned again.
    pub(super) fn change_planned(&self, name: &str, group: Group, by: i32) -> worker::Result<()> {
        let member = ["$.", group.name()].concat();
        let statement = "UPDATE creates
            SET summary = json_set(summary, ?1, max(json_extract(summary, ?1) + ?2, 0))
            WHERE task_group = 'pipeline' AND key = ?3 AND ended_at IS NULL";
        self.0.run(statement, params![member, by, key(name)])
    }

    pub(super) fn set_planned(&self, name: &str, planned: Planned) -> worker::Result<()> {
        let Planned { generate, process } = planned;
        let statement =
            "UPDATE creates SET summary = json_set(summary, '$.generate', ?, '$.process', ?)
            WHERE task_group = 'pipeline' AND key = ? AND ended_at IS NULL";
        let values = params![i64::from(generate), i64::from(process), key(name)];
        self.0.run(statement, values)
    }

    pub(super) fn end(&self, name: &str, state: &str, now: i64) -> worker::Result<()> {
        let summary = json!({"state": state}).to_string();
        let statement = "UPDATE creates SET summary = ?, ended_at = ?
            WHERE task_group = 'pipeline' AND key = ?";
        self.0.run(statement, params![summary, now, key(name)])
    }

    /// Removes the pipelines that started up to `started_before` and have not ended, and expired
    /// reservations. Returns true if any pipeline is left, running or not.
    pub(super) fn prune(&self, started_before: i64, now: i64) -> worker::Result<bool> {
        let lost = "DELETE FROM creates WHERE task_group = 'pipeline' AND ended_at IS NULL
                AND (summary ->> 'started_at' <= ? OR summary ->> 'reserved_until' <= ?)";
        self.0.run(lost, params![started_before, now])?;
        let any = "SELECT 1 FROM creates WHERE task_group = 'pipeline' LIMIT 1";
        self.0.has_row(any, params![])
    }

    /// Removes the entry of a pipeline that has ended, or that this ledger counts for another one.
    pub(super) fn forget(&self, name: &str) -> worker::Result<()> {
        let is_shared = name.contains(' ');
        let statement = "DELETE FROM creates
            WHERE task_group = 'pipeline' AND key = ? AND (? OR ended_at IS NOT NULL)";
        self.0
            .run(statement, params![key(name), i32::from(is_shared)])
    }
}

fn key(name: &str) -> String {
    [PIPELINE_PREFIX, name].concat()
}
