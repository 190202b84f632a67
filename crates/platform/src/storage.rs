//! The storage of a Durable Object: its SQLite database, with a schema version, and its alarm.

use std::cell::{Cell, OnceCell};
use std::time::Duration;

use serde::Deserialize;
use serde::de::{DeserializeOwned, Error, IgnoredAny};
use wasm_bindgen::JsValue;
use worker::worker_sys::DurableObjectState;
use worker::{SqlStorage, SqlStorageValue, State};

use super::host::{execute_all, execute_sql};

/// Scripts that upgrade a database from each schema version to the next. The first creates version
/// 1 in an empty database.
pub type Migrations = &'static [&'static str];

#[macro_export]
macro_rules! params {
    ($($value:expr),* $(,)?) => {
        vec![$(::worker::SqlStorageValue::from($value)),*]
    };
}
pub use crate::params;

/// The storage of a Durable Object. The first write creates the tables, and the first use after the
/// object's start migrates them. An object that was only read stores nothing.
pub struct Storage {
    state: State,
    raw: JsValue,
    sql: OnceCell<SqlStorage>,
    migrations: Migrations,
    is_migrated: Cell<bool>,
}

#[derive(Deserialize)]
pub struct Row<T> {
    pub value: T,
}

impl Storage {
    pub fn new(state: DurableObjectState, migrations: Migrations) -> Self {
        let raw = JsValue::from(&state);
        Storage {
            state: State::from(state),
            raw,
            sql: OnceCell::new(),
            migrations,
            is_migrated: Cell::new(false),
        }
    }

    /// Runs a query, and returns its rows, which are none if nothing was ever stored. Fails for a
    /// schema of a newer build, and for a row without the shape of `T`.
    pub fn rows<T: DeserializeOwned>(
        &self,
        query: &str,
        values: Vec<SqlStorageValue>,
    ) -> worker::Result<Vec<T>> {
        if !self.is_migrated.get() && self.is_empty()? {
            return Ok(Vec::new());
        }
        self.write(query, values)
    }

    /// Runs a query, and returns the column `value` of each row.
    pub fn values<T: DeserializeOwned>(
        &self,
        query: &str,
        values: Vec<SqlStorageValue>,
    ) -> worker::Result<Vec<T>> {
        let rows: Vec<Row<T>> = self.rows(query, values)?;
        Ok(rows.into_iter().map(|row| row.value).collect())
    }

    /// Runs a query, and returns the column `value` of its first row, unless it is `NULL`.
    pub fn value<T: DeserializeOwned>(
        &self,
        query: &str,
        values: Vec<SqlStorageValue>,
    ) -> worker::Result<Option<T>> {
        Ok(self.values(query, values)?.into_iter().next().flatten())
    }

    pub fn has_row(&self, query: &str, values: Vec<SqlStorageValue>) -> worker::Result<bool> {
        Ok(!self.rows::<IgnoredAny>(query, values)?.is_empty())
    }

    /// Runs a statement that writes, and returns its rows.
    pub fn write<T: DeserializeOwned>(
        &self,
        statement: &str,
        values: Vec<SqlStorageValue>,
    ) -> worker::Result<Vec<T>> {
        if !self.is_migrated.get() {
            self.migrate()?;
            self.is_migrated.set(true);
        }
        rows(self.sql(), statement, values)
    }

    pub fn run(&self, statement: &str, values: Vec<SqlStorageValue>) -> worker::Result<()> {
        self.write::<IgnoredAny>(statement, values).map(drop)
    }

    /// True if there are only the platform's own tables.
    pub fn is_empty(&self) -> worker::Result<bool> {
        let tables = "SELECT 1 AS one FROM sqlite_master
            WHERE type = 'table' AND name NOT GLOB '_cf_*' LIMIT 1";
        Ok(rows::<IgnoredAny>(self.sql(), tables, params![])?.is_empty())
    }

    pub async fn has_alarm(&self) -> worker::Result<bool> {
        Ok(self.state.storage().get_alarm().await?.is_some())
    }

    pub async fn set_alarm(&self, after: Duration) -> worker::Result<()> {
        self.state.storage().set_alarm(after).await
    }

    /// Deletes everything, including tables and the alarm.
    pub async fn delete_all(&self) -> worker::Result<()> {
        self.is_migrated.set(false);
        self.state.storage().delete_all().await
    }

    pub fn wait_until(&self, future: impl Future<Output = ()> + 'static) {
        self.state.wait_until(future);
    }

    /// Migrates the tables to the newest version. All pending scripts run in one transaction.
    fn migrate(&self) -> worker::Result<()> {
        let sql = self.sql();
        let table = "CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL)";
        rows::<IgnoredAny>(sql, table, params![])?;
        let version = "SELECT version AS value FROM schema_version";
        let stored: Vec<Row<usize>> = rows(sql, version, params![])?;
        let version = stored.first().map_or(0, |row| row.value);
        let newest = self.migrations.len();
        if version == newest {
            return Ok(());
        }
        let Some(pending) = self.migrations.get(version..) else {
            return Err(worker::Error::RustError(format!(
                "the storage has schema version {version} of a newer build"
            )));
        };
        let set_version =
            format!("DELETE FROM schema_version; INSERT INTO schema_version VALUES ({newest})");
        let scripts = pending.iter().map(|script| (*script).to_owned());
        Ok(execute_all(
            &self.raw,
            scripts.chain([set_version]).collect(),
        )?)
    }

    fn sql(&self) -> &SqlStorage {
        self.sql.get_or_init(|| self.state.storage().sql())
    }
}

/// The pause before an alarm reads a state again that this build can't read. Another build may be
/// deployed by then. An alarm that fails instead is given up by the platform after some attempts.
pub const UNREADABLE_RETRY: Duration = Duration::from_secs(24 * 60 * 60);

/// True if the error will not pass with this build: a newer build wrote the state, or it is
/// damaged.
pub fn is_unreadable(error: &worker::Error) -> bool {
    matches!(
        error,
        worker::Error::SerdeJsonError(_) | worker::Error::RustError(_)
    )
}

fn rows<T: DeserializeOwned>(
    sql: &SqlStorage,
    statement: &str,
    values: Vec<SqlStorageValue>,
) -> worker::Result<Vec<T>> {
    let values = values.into_iter().map(JsValue::from).collect();
    let rows = execute_sql(sql.as_ref(), statement, values)?;
    // The error of a row is one of JSON, as for a JSON text in a column.
    let read = |row| serde_wasm_bindgen::from_value(row).map_err(serde_json::Error::custom);
    Ok(rows.iter().map(read).collect::<Result<_, _>>()?)
}
