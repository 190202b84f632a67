use std::rc::Rc;

use mediagate_access::identity::{Credits, Item, Taking};
use mediagate_core::Group;
use mediagate_platform::storage::{Migrations, Row, Storage, params};
use serde::Deserialize;

use super::policy::BUCKET_MS;
use super::store::{CountedTimes, CreateRecord, KeptCreate, Priced, Store, Taken, column};

pub(super) const MIGRATIONS: Migrations = &[
    "
    -- The subject's creates, oldest first. The idempotency key is forgotten after a day, and the
    -- row stays as an entry of the history. A row without a capability is no entry: another ledger
    -- has reserved it, or the caller removed it. Pipelines are entries, too.
    CREATE TABLE creates (
        number INTEGER PRIMARY KEY, key TEXT, fingerprint TEXT, task_group TEXT NOT NULL,
        created_at INTEGER NOT NULL, slot_until INTEGER, task TEXT, capability TEXT,
        title TEXT, ended_at INTEGER, origin TEXT, summary TEXT, outcome TEXT, result TEXT
    );
    CREATE UNIQUE INDEX creates_keys ON creates (key) WHERE key IS NOT NULL;
    -- To free the slot of an ended task without reading all creates of the subject.
    CREATE INDEX creates_tasks ON creates (task) WHERE task IS NOT NULL;
    CREATE INDEX creates_pipelines ON creates (key) WHERE task_group = 'pipeline';
    -- Everything else that callers take, such as uploads.
    CREATE TABLE taken (
        item TEXT NOT NULL, bucket INTEGER NOT NULL, count INTEGER NOT NULL, bytes INTEGER NOT NULL,
        PRIMARY KEY (item, bucket)
    ) WITHOUT ROWID;
    -- In a shared ledger: the ledgers that have stored anything.
    CREATE TABLE known (object TEXT PRIMARY KEY, used_at INTEGER NOT NULL) WITHOUT ROWID;
    -- The bytes of media in responses, in parts, by the key of their task: 'entry' or the group, and
    -- the id. Triggers delete them with their entry. Media without an entry have a time at which
    -- they expire.
    CREATE TABLE media (
        task TEXT NOT NULL, position INTEGER NOT NULL, start INTEGER NOT NULL,
        media_type TEXT NOT NULL, expires_at INTEGER, bytes BLOB NOT NULL,
        PRIMARY KEY (task, position, start)
    );
    CREATE TRIGGER creates_deleted AFTER DELETE ON creates BEGIN
        DELETE FROM media WHERE task IN (
            'entry ' || old.number || '.' || old.created_at, old.task_group || ' ' || old.task
        );
    END;
    CREATE TRIGGER creates_hidden AFTER UPDATE OF capability ON creates
    WHEN new.capability IS NULL BEGIN
        DELETE FROM media WHERE task IN (
            'entry ' || old.number || '.' || old.created_at, old.task_group || ' ' || old.task
        );
    END;
    -- The results that are kept, or can't be. In a shared ledger, the results of all its ledgers.
    CREATE TABLE results (
        task TEXT NOT NULL, position INTEGER NOT NULL, size INTEGER NOT NULL,
        expires_at INTEGER NOT NULL, state TEXT NOT NULL, PRIMARY KEY (task, position)
    ) WITHOUT ROWID",
    "
    -- The expected price of a create and its real cost, in millionths of a credit.
    ALTER TABLE creates ADD COLUMN expected INTEGER;
    ALTER TABLE creates ADD COLUMN cost INTEGER;",
];

/// The counted times as JSON lists. Lists are far cheaper to read than a row for each time. Each
/// list has the times of one minute, since no value may be longer than 2 MB. Numbers ascend with
/// time, so older entries of the history are not read.
const COUNTED: &str = "
WITH counted AS (
    SELECT task_group, created_at, slot_until, coalesce(cost, expected) AS credits
    FROM creates WHERE task_group != 'pipeline'
    AND number > coalesce(
        (SELECT number FROM creates WHERE created_at <= ?1 ORDER BY number DESC LIMIT 1), 0
    )
)
SELECT task_group AS counted, json_group_array(created_at) AS times FROM counted
    GROUP BY task_group, created_at / 60000
UNION ALL
SELECT 'slot', json_group_array(slot_until) FROM counted
    WHERE slot_until > ?2 GROUP BY slot_until / 60000
UNION ALL
SELECT 'credits', json_group_array(json_array(created_at, credits)) FROM counted
    WHERE credits > 0 GROUP BY created_at / 60000";

pub(super) fn is_empty(storage: &Storage) -> worker::Result<bool> {
    let any = "SELECT 1 FROM creates UNION ALL SELECT 1 FROM taken
        UNION ALL SELECT 1 FROM known UNION ALL SELECT 1 FROM results
        UNION ALL SELECT 1 FROM media LIMIT 1";
    Ok(!storage.has_row(any, params![])?)
}

pub(super) struct Sqlite(pub(super) Rc<Storage>);

#[derive(Deserialize)]
struct CountedRow {
    counted: Counted,
    times: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Counted {
    Generate,
    Process,
    Slot,
    Credits,
}

impl Store for Sqlite {
    type Error = worker::Error;

    fn find(&self, key: &str) -> worker::Result<Option<CreateRecord>> {
        let query = "SELECT key, fingerprint, task_group, capability, title, created_at, outcome,
            slot_until, expected, cost FROM creates WHERE key = ? AND task_group != 'pipeline'";
        Ok(self.0.rows(query, params![key])?.into_iter().next())
    }

    fn insert(&self, record: &CreateRecord) -> worker::Result<Option<i64>> {
        let statement = "INSERT INTO creates
            (key, fingerprint, task_group, created_at, slot_until, capability, title, expected)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING number AS value";
        let values = params![
            record.key.as_str(),
            record.fingerprint.as_deref(),
            record.group.name(),
            record.created_at,
            record.slot_until,
            record.capability.as_deref(),
            record.title.as_deref(),
            column(record.expected),
        ];
        let rows: Vec<Row<i64>> = self.0.write(statement, values)?;
        Ok(rows.first().map(|row| row.value))
    }

    fn forget_key(&self, key: &str) -> worker::Result<()> {
        // A reservation has no entry. It keeps its key here, and the removal below deletes it.
        let kept = "UPDATE creates SET key = NULL, outcome = NULL
            WHERE key = ? AND capability IS NOT NULL";
        self.0.run(kept, params![key])?;
        self.remove(key)
    }

    fn update(&self, key: &str, kept: &KeptCreate, slot_until: Option<i64>) -> worker::Result<()> {
        let statement = "UPDATE creates SET outcome = ?, task = ?, slot_until = ?,
            origin = ?, summary = ?, result = ?, ended_at = ?,
            cost = coalesce(?, cost) WHERE key = ?";
        let values = params![
            kept.outcome.as_deref(),
            kept.task.as_deref(),
            slot_until,
            kept.origin.as_deref(),
            kept.summary.as_deref(),
            kept.result.as_deref(),
            kept.ended_at,
            column(kept.cost),
            key,
        ];
        self.0.run(statement, values)
    }

    fn remove(&self, key: &str) -> worker::Result<()> {
        self.0
            .run("DELETE FROM creates WHERE key = ?", params![key])
    }

    fn free(&self, group: Group, task: &str) -> worker::Result<Vec<i64>> {
        // Read before the update, since `RETURNING` would return the new values.
        let taken = "SELECT slot_until AS value FROM creates
            WHERE task_group = ? AND task = ? AND slot_until IS NOT NULL";
        let taken: Vec<i64> = self.0.values(taken, params![group.name(), task])?;
        if !taken.is_empty() {
            let free = "UPDATE creates SET slot_until = NULL WHERE task_group = ? AND task = ?";
            self.0.run(free, params![group.name(), task])?;
        }
        Ok(taken)
    }

    fn priced(&self, group: Group, task: &str) -> worker::Result<Vec<Priced>> {
        let query = "SELECT created_at, expected, cost FROM creates
            WHERE task_group = ? AND task = ?";
        self.0.rows(query, params![group.name(), task])
    }

    fn set_cost(&self, group: Group, task: &str, cost: Credits) -> worker::Result<()> {
        let statement = "UPDATE creates SET cost = ? WHERE task_group = ? AND task = ?";
        let values = params![column(Some(cost)), group.name(), task];
        self.0.run(statement, values)
    }

    fn prune(&self, before: i64) -> worker::Result<Option<i64>> {
        self.0.run(
            "DELETE FROM creates WHERE created_at <= ? AND capability IS NULL AND key IS NOT NULL",
            params![before],
        )?;
        let forget = "UPDATE creates SET key = NULL, outcome = NULL
            WHERE created_at <= ? AND key IS NOT NULL AND task_group != 'pipeline'";
        self.0.run(forget, params![before])?;
        self.0.run(
            "DELETE FROM taken WHERE bucket <= ?",
            params![before - BUCKET_MS],
        )?;
        let oldest = "SELECT min(at) AS value FROM (
            SELECT min(created_at) AS at FROM creates
                WHERE key IS NOT NULL AND task_group != 'pipeline'
            UNION ALL SELECT min(bucket) + ? FROM taken
        )";
        self.0.value(oldest, params![BUCKET_MS])
    }

    fn take(&self, taking: &Taking, bucket: i64) -> worker::Result<()> {
        let count = "INSERT INTO taken VALUES (?, ?, ?, ?)
            ON CONFLICT DO UPDATE
            SET count = count + excluded.count, bytes = bytes + excluded.bytes";
        let values = params![
            taking.item.name(),
            bucket,
            taking.count as i64,
            taking.bytes as i64
        ];
        self.0.run(count, values)
    }

    fn taken(&self, item: Item, since: i64) -> worker::Result<Taken> {
        let sums = "SELECT coalesce(sum(count), 0) AS count, coalesce(sum(bytes), 0) AS bytes,
            min(bucket) AS first FROM taken WHERE item = ? AND bucket > ?";
        let rows: Vec<Taken> = self.0.rows(sums, params![item.name(), since])?;
        Ok(rows.first().copied().unwrap_or_default())
    }

    fn has_prefix(&self, prefix: &str) -> worker::Result<bool> {
        // This end is above every ASCII key with the prefix. A range uses the index of keys.
        let end = [prefix, "\u{7f}"].concat();
        let query = "SELECT 1 FROM creates WHERE key >= ? AND key < ? LIMIT 1";
        self.0.has_row(query, params![prefix, end])
    }

    fn counted(&self, since: i64, now: i64) -> worker::Result<CountedTimes> {
        let mut all = CountedTimes::default();
        for CountedRow { counted, times } in self.0.rows(COUNTED, params![since, now])? {
            let list = match counted {
                Counted::Credits => {
                    all.credits.append(&mut serde_json::from_str(&times)?);
                    continue;
                }
                Counted::Generate => &mut all.generate,
                Counted::Process => &mut all.process,
                Counted::Slot => &mut all.slots,
            };
            list.append(&mut serde_json::from_str(&times)?);
        }
        Ok(all)
    }
}
