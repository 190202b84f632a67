//! The kept results of a subject's tasks. A shared ledger has the results of all its subjects, to
//! limit their bytes.

use std::rc::Rc;

use mediagate_ids::TaskName;
use mediagate_messages::ledger::ReserveResult;
use mediagate_messages::{KeptResult, ResultPlace, ResultReservation, ResultSource, ResultState};
use mediagate_platform::storage::{Storage, params};
use serde::Deserialize;
use serde::de::IgnoredAny;

pub(super) struct Results(pub(super) Rc<Storage>);

#[derive(Deserialize)]
struct ResultRow {
    task: String,
    position: u32,
    state: String,
}

#[derive(Deserialize)]
struct SourceRow {
    title: String,
    created_at: i64,
    origin: Option<String>,
}

impl Results {
    /// Reserves the bytes of a result, if they fit. A reservation may be repeated.
    pub(super) fn reserve(
        &self,
        request: &ReserveResult,
        now: i64,
    ) -> worker::Result<ResultReservation> {
        let ReserveResult {
            place,
            size,
            expires_at,
            max_bytes,
            ..
        } = request;
        let query = "SELECT sum(size) AS value FROM results
            WHERE expires_at > ? AND NOT (task = ? AND position = ?)";
        let values = params![now, place.task.as_str(), i64::from(place.position)];
        let others: u64 = self.0.value(query, values)?.unwrap_or_default();
        if max_bytes.is_some_and(|max_bytes| others.saturating_add(*size) > max_bytes) {
            return Ok(ResultReservation::Full);
        }
        self.insert(place, *size, *expires_at, &ResultState::Moving)?;
        Ok(ResultReservation::Reserved)
    }

    pub(super) fn lose(
        &self,
        place: &ResultPlace,
        reason: String,
        expires_at: i64,
    ) -> worker::Result<()> {
        self.insert(place, 0, expires_at, &ResultState::Lost { reason })
    }

    fn insert(
        &self,
        place: &ResultPlace,
        size: u64,
        expires_at: i64,
        state: &ResultState,
    ) -> worker::Result<()> {
        let values = params![
            place.task.as_str(),
            i64::from(place.position),
            size as i64,
            expires_at,
            serde_json::to_string(state)?
        ];
        let statement = "INSERT OR REPLACE INTO results VALUES (?, ?, ?, ?, ?)";
        self.0.run(statement, values)
    }

    /// Marks a reserved result as kept. Returns false if the result has been removed.
    pub(super) fn settle(&self, place: &ResultPlace, kept: KeptResult) -> worker::Result<bool> {
        let state = serde_json::to_string(&ResultState::Kept(kept))?;
        let statement = "UPDATE results SET state = ? WHERE task = ? AND position = ? RETURNING 1";
        let values = params![state, place.task.as_str(), i64::from(place.position)];
        Ok(!self.0.write::<IgnoredAny>(statement, values)?.is_empty())
    }

    pub(super) fn remove(&self, place: &ResultPlace) -> worker::Result<()> {
        let statement = "DELETE FROM results WHERE task = ? AND position = ?";
        let values = params![place.task.as_str(), i64::from(place.position)];
        self.0.run(statement, values)
    }

    pub(super) fn remove_all(&self, task: &TaskName) -> worker::Result<()> {
        let statement = "DELETE FROM results WHERE task = ?";
        self.0.run(statement, params![ResultPlace::task_key(task)])
    }

    pub(super) fn of_tasks(
        &self,
        tasks: &[String],
        now: i64,
    ) -> worker::Result<Vec<(ResultPlace, ResultState)>> {
        let query = "SELECT task, position, state FROM results
            WHERE expires_at > ? AND task IN (SELECT value FROM json_each(?))";
        let rows: Vec<ResultRow> = self
            .0
            .rows(query, params![now, serde_json::to_string(tasks)?])?;
        let read = |row: ResultRow| {
            let place = ResultPlace {
                task: row.task,
                position: row.position,
            };
            // A damaged row counts as no result: it must not hide the others.
            Some((place, serde_json::from_str(&row.state).ok()?))
        };
        Ok(rows.into_iter().filter_map(read).collect())
    }

    /// Returns the columns that a task's files are named after. `None` if the history has no entry.
    pub(super) fn source_of(&self, task: &TaskName) -> worker::Result<Option<ResultSource>> {
        let (condition, values) = match task {
            TaskName::Upstream(task) => (
                "task = ? AND task_group = ?",
                params![task.id.as_str(), task.group.name()],
            ),
            TaskName::Entry(entry) => (
                "number = ? AND created_at = ? AND task_group != 'pipeline'",
                params![entry.number, entry.created_at],
            ),
        };
        let query = [
            "SELECT coalesce(title, capability) AS title, created_at, origin FROM creates
            WHERE capability IS NOT NULL AND ",
            condition,
        ]
        .concat();
        let rows: Vec<SourceRow> = self.0.rows(&query, values)?;
        let source = |row: SourceRow| ResultSource {
            title: row.title,
            created_at: row.created_at,
            origin: row.origin.and_then(|text| serde_json::from_str(&text).ok()),
        };
        Ok(rows.into_iter().next().map(source))
    }

    /// Removes expired results. Returns the time at which the next result expires.
    pub(super) fn prune(&self, now: i64) -> worker::Result<Option<i64>> {
        self.0
            .run("DELETE FROM results WHERE expires_at <= ?", params![now])?;
        let first = "SELECT min(expires_at) AS value FROM results";
        self.0.value(first, params![])
    }
}
