//! The history of a subject's creates, newest first. Times are milliseconds since 1970.
//!
//! An entry is the row of its create. It is written before the create is submitted, so the history
//! also lists creates with a lost response. It stays when the ledger forgets the idempotency key
//! after a day.

use std::rc::Rc;

use mediagate_access::identity::Credits;
use mediagate_core::Group;
use mediagate_ids::{EntryRef, TaskName};
use mediagate_messages::ledger::{EntryKind, HistoryEntry};
use mediagate_platform::storage::{Storage, params};
use serde::Deserialize;
use serde_json::Value;

use super::store::millionths;

/// A number above all entries' numbers: the greatest safe integer of JavaScript.
const MAX_NUMBER: i64 = (1 << 53) - 1;

/// The start of the key of a pipeline's entry. No capability has this name.
pub(super) const PIPELINE_PREFIX: &str = "pipeline ";

pub(super) struct History(pub(super) Rc<Storage>);

#[derive(Deserialize)]
struct EntryRow {
    number: i64,
    key: Option<String>,
    capability: String,
    title: Option<String>,
    created_at: i64,
    task: Option<String>,
    origin: Option<String>,
    summary: Option<String>,
    ended_at: Option<i64>,
    #[serde(deserialize_with = "millionths")]
    expected: Option<Credits>,
}

/// The columns of an [`EntryRow`], without the result, which may be large.
const COLUMNS: &str =
    "number, key, capability, title, created_at, task, origin, summary, ended_at, expected";

impl History {
    /// Stores the end of a task. Returns true if the history did not have it yet.
    pub(super) fn end(
        &self,
        group: Group,
        task: &str,
        summary: &Value,
        now: i64,
    ) -> worker::Result<bool> {
        // Read before the update, which overwrites the end.
        let running = "SELECT 1 FROM creates
            WHERE task = ? AND task_group = ? AND capability IS NOT NULL AND ended_at IS NULL";
        let is_new = self.0.has_row(running, params![task, group.name()])?;
        let statement = "UPDATE creates SET summary = ?, ended_at = ?
            WHERE task = ? AND task_group = ? AND capability IS NOT NULL";
        let values = params![summary.to_string(), now, task, group.name()];
        self.0.run(statement, values)?;
        Ok(is_new)
    }

    /// Returns at most `limit` entries, newest first. With `before`, only entries with a smaller
    /// number. `is_in_progress` tells from a key if its create is being submitted.
    pub(super) fn list(
        &self,
        before: Option<i64>,
        limit: u32,
        is_in_progress: impl Fn(&str) -> bool,
    ) -> worker::Result<Vec<HistoryEntry>> {
        let query = [
            "SELECT ",
            COLUMNS,
            " FROM creates WHERE number < ? AND capability IS NOT NULL
            AND (task_group != 'pipeline' OR summary ->> 'reserved_until' IS NULL)
            ORDER BY number DESC LIMIT ?",
        ]
        .concat();
        let values = params![before.unwrap_or(MAX_NUMBER), i64::from(limit)];
        let rows: Vec<EntryRow> = self.0.rows(&query, values)?;
        Ok(rows
            .into_iter()
            .map(|row| HistoryEntry {
                is_in_progress: row.key.as_deref().is_some_and(&is_in_progress),
                ..row.into()
            })
            .collect())
    }

    /// Returns the result of a create that has no task, as `data` of a response.
    pub(super) fn result(&self, entry: EntryRef) -> worker::Result<Option<Value>> {
        let query = "SELECT result AS value FROM creates WHERE number = ? AND created_at = ?";
        let values = params![entry.number, entry.created_at];
        let result: Option<String> = self.0.value(query, values)?;
        Ok(result.and_then(|text| serde_json::from_str(&text).ok()))
    }

    /// Removes the entry of a task. Returns true if the entry stays because the task may be
    /// running. Set `is_gone` if the upstream no longer has the task.
    pub(super) fn forget(&self, task: &TaskName, is_gone: bool) -> worker::Result<bool> {
        let (condition, values) = match task {
            TaskName::Upstream(task) => (
                "task = ? AND task_group = ? AND capability IS NOT NULL",
                params![task.id.as_str(), task.group.name()],
            ),
            TaskName::Entry(entry) => (
                "number = ? AND created_at = ? AND task IS NULL AND task_group != 'pipeline'
                AND capability IS NOT NULL",
                params![entry.number, entry.created_at],
            ),
        };
        let rows: Vec<EntryRow> = self.0.rows(
            &["SELECT ", COLUMNS, " FROM creates WHERE ", condition].concat(),
            values.clone(),
        )?;
        let may_run = rows
            .iter()
            .any(|row| row.task.is_some() && row.ended_at.is_none());
        if may_run && !is_gone {
            return Ok(true);
        }
        if !rows.is_empty() {
            // A key stays for its whole day: a repeated create must not create a second task.
            let forgotten = ["DELETE FROM creates WHERE key IS NULL AND ", condition].concat();
            self.0.run(&forgotten, values.clone())?;
            let hidden = "UPDATE creates
                SET capability = NULL, title = NULL, summary = NULL, result = NULL WHERE ";
            self.0.run(&[hidden, condition].concat(), values)?;
        }
        Ok(false)
    }

    /// Removes creates stored up to `before`, and pipelines among them only if they ended up to
    /// `pipelines_before`. Returns the time of the oldest create that is left.
    pub(super) fn prune(&self, before: i64, pipelines_before: i64) -> worker::Result<Option<i64>> {
        // Numbers ascend with time. A comparison of numbers reads no row that stays.
        let old = "DELETE FROM creates
            WHERE number < coalesce(
                (SELECT number FROM creates WHERE created_at > ? ORDER BY number LIMIT 1), ?
            )
            AND (task_group != 'pipeline' OR ended_at <= ?)";
        self.0
            .run(old, params![before, MAX_NUMBER, pipelines_before])?;
        let oldest = "SELECT created_at AS value FROM creates
            WHERE capability IS NOT NULL AND task_group != 'pipeline' ORDER BY number LIMIT 1";
        self.0.value(oldest, params![])
    }
}

impl From<EntryRow> for HistoryEntry {
    fn from(row: EntryRow) -> Self {
        let pipeline = row.key.as_deref();
        let pipeline = pipeline.and_then(|key| key.strip_prefix(PIPELINE_PREFIX));
        HistoryEntry {
            kind: match pipeline {
                Some(name) => EntryKind::Pipeline(name.to_owned()),
                None => EntryKind::Create(row.capability),
            },
            entry: EntryRef {
                number: row.number,
                created_at: row.created_at,
            },
            title: row.title,
            task: row.task,
            origin: row.origin.and_then(|text| serde_json::from_str(&text).ok()),
            summary: row
                .summary
                .and_then(|text| serde_json::from_str(&text).ok()),
            expected: row.expected,
            ended_at: row.ended_at,
            results: Vec::new(),
            is_in_progress: false,
        }
    }
}
