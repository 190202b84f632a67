//! A book's entries in the SQLite of a Durable Object.

use mediagate_core::Group;
use serde::Deserialize;
use worker::{SqlStorage, SqlStorageValue};

use super::book::{Entry, Store, Tally, Usage};

const TABLE: &str = "CREATE TABLE IF NOT EXISTS creates (
    key TEXT PRIMARY KEY, fingerprint TEXT NOT NULL, kind TEXT NOT NULL, at INTEGER NOT NULL,
    answer TEXT, task TEXT, slot_until INTEGER NOT NULL
) WITHOUT ROWID";

const USAGE: &str = "SELECT
    COUNT(*) FILTER (WHERE kind = 'generate' AND at > ?1) AS generate,
    MIN(at) FILTER (WHERE kind = 'generate' AND at > ?1) AS first_generate,
    COUNT(*) FILTER (WHERE kind = 'process' AND at > ?1) AS process,
    MIN(at) FILTER (WHERE kind = 'process' AND at > ?1) AS first_process,
    COUNT(*) FILTER (WHERE slot_until > ?2) AS in_flight,
    MIN(slot_until) FILTER (WHERE slot_until > ?2) AS first_in_flight
FROM creates";

/// The object's storage.
pub(super) struct Sql(SqlStorage);

#[derive(Deserialize)]
struct Row {
    key: String,
    fingerprint: String,
    kind: String,
    at: i64,
    answer: Option<String>,
    task: Option<String>,
    slot_until: i64,
}

#[derive(Deserialize)]
struct Counts {
    generate: u32,
    first_generate: Option<i64>,
    process: u32,
    first_process: Option<i64>,
    in_flight: u32,
    first_in_flight: Option<i64>,
}

impl Sql {
    /// The storage of an object, its table made where it is new.
    pub(super) fn new(storage: SqlStorage) -> worker::Result<Self> {
        storage.exec(TABLE, None)?;
        Ok(Sql(storage))
    }

    fn run(&self, statement: &str, values: Vec<SqlStorageValue>) -> worker::Result<()> {
        self.0.exec(statement, values).map(drop)
    }
}

impl Store for Sql {
    type Error = worker::Error;

    fn find(&self, key: &str) -> worker::Result<Option<Entry>> {
        let rows: Vec<Row> = self.0.exec("SELECT * FROM creates WHERE key = ?", vec![key.into()])?.to_array()?;
        Ok(rows.into_iter().next().map(|it| Entry {
            group: Group::named(&it.kind).unwrap_or(Group::Generate),
            key: it.key,
            fingerprint: it.fingerprint,
            at: it.at,
            answer: it.answer,
            task: it.task,
            slot_until: it.slot_until,
        }))
    }

    fn put(&self, it: &Entry) -> worker::Result<()> {
        let values = vec![
            it.key.as_str().into(),
            it.fingerprint.as_str().into(),
            it.group.name().into(),
            SqlStorageValue::Integer(it.at),
            it.answer.clone().into(),
            it.task.clone().into(),
            SqlStorageValue::Integer(it.slot_until),
        ];
        self.run("INSERT OR REPLACE INTO creates VALUES (?, ?, ?, ?, ?, ?, ?)", values)
    }

    fn remove(&self, key: &str) -> worker::Result<()> {
        self.run("DELETE FROM creates WHERE key = ?", vec![key.into()])
    }

    fn free(&self, group: Group, task: &str) -> worker::Result<()> {
        let statement = "UPDATE creates SET slot_until = 0 WHERE kind = ? AND task = ? AND slot_until > 0";
        self.run(statement, vec![group.name().into(), task.into()])
    }

    fn forget(&self, before: i64) -> worker::Result<bool> {
        self.run("DELETE FROM creates WHERE at <= ?", vec![SqlStorageValue::Integer(before)])?;
        let left = self.0.exec("SELECT 1 AS one FROM creates LIMIT 1", None)?;
        Ok(!left.to_array::<serde::de::IgnoredAny>()?.is_empty())
    }

    fn usage(&self, since: i64, now: i64) -> worker::Result<Usage> {
        let moments = vec![SqlStorageValue::Integer(since), SqlStorageValue::Integer(now)];
        let counts: Counts = self.0.exec(USAGE, moments)?.one()?;
        Ok(Usage {
            generate: Tally { count: counts.generate, first: counts.first_generate },
            process: Tally { count: counts.process, first: counts.first_process },
            in_flight: Tally { count: counts.in_flight, first: counts.first_in_flight },
        })
    }
}
