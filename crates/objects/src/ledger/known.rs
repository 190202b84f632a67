//! The objects of anonymous callers that have stored anything, in the ledger that these callers
//! share. A request that only reads, or that may be refused, consults this list first, so it does
//! not start an empty object.

use std::rc::Rc;

use mediagate_platform::storage::{Storage, params};

pub(super) struct Known(pub(super) Rc<Storage>);

impl Known {
    /// Adds a ledger to the list. A key in the shared ledger is the ledger's name, a space, and a
    /// name of its choice.
    pub(super) fn note_key(&self, key: &str, now: i64) -> worker::Result<()> {
        match key.split_once(' ') {
            Some((ledger, _)) => self.note(ledger, now),
            // A key without a space is one of this ledger's own.
            None => Ok(()),
        }
    }

    /// Adds a ledger, or the object of a transfer, to the list.
    pub(super) fn note(&self, object: &str, now: i64) -> worker::Result<()> {
        let statement =
            "INSERT INTO known VALUES (?, ?) ON CONFLICT DO UPDATE SET used_at = excluded.used_at";
        self.0.run(statement, params![object, now])
    }

    pub(super) fn has(&self, object: &str) -> worker::Result<bool> {
        let query = "SELECT 1 FROM known WHERE object = ?";
        self.0.has_row(query, params![object])
    }

    /// Removes the objects without use since `used_before`. Returns true if any is left.
    pub(super) fn prune(&self, used_before: i64) -> worker::Result<bool> {
        let statement = "DELETE FROM known WHERE used_at <= ?";
        self.0.run(statement, params![used_before])?;
        self.0.has_row("SELECT 1 FROM known LIMIT 1", params![])
    }
}
