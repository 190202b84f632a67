//! The ledgers that have stored anything, in the ledger that they share. A request that only reads
//! consults this list first, so it does not start an empty ledger.

use std::rc::Rc;

use crate::platform::storage::{Storage, params};

pub(super) struct Known(pub(super) Rc<Storage>);

impl Known {
    /// Adds a ledger to the list, by a key in the shared ledger: the ledger's name, a space, and a
    /// name of its choice.
    ///
    /// # Errors
    /// Those of the storage, as for every method.
    pub(super) fn note(&self, key: &str, now: i64) -> worker::Result<()> {
        let Some((ledger, _)) = key.split_once(' ') else {
            // A key without a space is one of this ledger's own.
            return Ok(());
        };
        let statement =
            "INSERT INTO known VALUES (?, ?) ON CONFLICT DO UPDATE SET used_at = excluded.used_at";
        self.0.run(statement, params![ledger, now])
    }

    /// Returns true if a ledger has stored anything.
    pub(super) fn has(&self, ledger: &str) -> worker::Result<bool> {
        let query = "SELECT 1 FROM known WHERE ledger = ?";
        self.0.has_row(query, params![ledger])
    }

    /// Removes the ledgers without use since `used_before`. Returns true if any is left.
    pub(super) fn prune(&self, used_before: i64) -> worker::Result<bool> {
        let statement = "DELETE FROM known WHERE used_at <= ?";
        self.0.run(statement, params![used_before])?;
        self.0.has_row("SELECT 1 FROM known LIMIT 1", params![])
    }
}
