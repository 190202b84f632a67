//! A book's entries in the SQLite of a Durable Object.

use mediagate_core::Group;
use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::{Value, json};
use worker::SqlStorage;

use super::book::{Entry, Store};
use super::tallies::Counted;
use crate::platform::query;

const TABLE: &str = "CREATE TABLE IF NOT EXISTS creates (
    key TEXT PRIMARY KEY, fingerprint TEXT NOT NULL, kind TEXT NOT NULL, at INTEGER NOT NULL,
    answer TEXT, task TEXT, slot_until INTEGER NOT NULL
) WITHOUT ROWID";

/// What counts, as lists of moments, since a row of its own for each would cost far more to read. Those of a minute are
/// one list: no text may be longer than 2 MB.
const COUNTED: &str = "
SELECT kind, json_group_array(at) AS moments FROM creates WHERE at > ?1 GROUP BY kind, at / 60000
UNION ALL
SELECT 'slot', json_group_array(slot_until) FROM creates WHERE slot_until > ?2 GROUP BY slot_until / 60000";

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
struct Moments {
    kind: String,
    moments: String,
}

#[derive(Deserialize)]
struct Slot {
    slot_until: i64,
}

impl Sql {
    /// The storage of an object, its table made where it is new.
    pub(super) fn new(storage: SqlStorage) -> worker::Result<Self> {
        let sql = Sql(storage);
        sql.run(TABLE, json!([]))?;
        Ok(sql)
    }

    fn rows<T: DeserializeOwned>(&self, statement: &str, values: Value) -> worker::Result<Vec<T>> {
        Ok(serde_json::from_str(&query(self.0.as_ref(), statement, &values.to_string())?)?)
    }

    fn run(&self, statement: &str, values: Value) -> worker::Result<()> {
        self.rows::<IgnoredAny>(statement, values).map(drop)
    }
}

impl Store for Sql {
    type Error = worker::Error;

    fn find(&self, key: &str) -> worker::Result<Option<Entry>> {
        let rows: Vec<Row> = self.rows("SELECT * FROM creates WHERE key = ?", json!([key]))?;
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

    fn insert(&self, it: &Entry) -> worker::Result<bool> {
        let statement = "INSERT INTO creates VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING 1 AS one";
        Ok(!self.rows::<IgnoredAny>(statement, columns(it))?.is_empty())
    }

    fn put(&self, it: &Entry) -> worker::Result<()> {
        self.run("INSERT OR REPLACE INTO creates VALUES (?, ?, ?, ?, ?, ?, ?)", columns(it))
    }

    fn update(&self, it: &Entry) -> worker::Result<()> {
        let values = json!([it.answer, it.task, it.slot_until, it.key]);
        self.run("UPDATE creates SET answer = ?, task = ?, slot_until = ? WHERE key = ?", values)
    }

    fn remove(&self, key: &str) -> worker::Result<()> {
        self.run("DELETE FROM creates WHERE key = ?", json!([key]))
    }

    fn free(&self, group: Group, task: &str) -> worker::Result<Vec<i64>> {
        let its = "kind = ? AND task = ? AND slot_until > 0";
        let values = json!([group.name(), task]);
        let taken: Vec<Slot> = self.rows(&format!("SELECT slot_until FROM creates WHERE {its}"), values.clone())?;
        if !taken.is_empty() {
            self.run(&format!("UPDATE creates SET slot_until = 0 WHERE {its}"), values)?;
        }
        Ok(taken.into_iter().map(|it| it.slot_until).collect())
    }

    fn forget(&self, before: i64) -> worker::Result<bool> {
        self.run("DELETE FROM creates WHERE at <= ?", json!([before]))?;
        let left: Vec<IgnoredAny> = self.rows("SELECT 1 AS one FROM creates LIMIT 1", json!([]))?;
        Ok(!left.is_empty())
    }

    fn counted(&self, since: i64, now: i64) -> worker::Result<Counted> {
        let mut counted = Counted::default();
        for Moments { kind, moments } in self.rows(COUNTED, json!([since, now]))? {
            let list = match Group::named(&kind) {
                Some(Group::Generate) => &mut counted.generate,
                Some(Group::Process) => &mut counted.process,
                None => &mut counted.slots,
            };
            list.append(&mut serde_json::from_str(&moments)?);
        }
        Ok(counted)
    }
}

/// An entry as the table has it.
fn columns(it: &Entry) -> Value {
    json!([it.key, it.fingerprint, it.group.name(), it.at, it.answer, it.task, it.slot_until])
}
