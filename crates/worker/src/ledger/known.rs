//! The ledgers that share this one and have stored anything, so that a request that only reads starts no other ledger.

use std::rc::Rc;

use serde::de::IgnoredAny;
use serde_json::json;

use crate::platform::storage::Storage;

/// The ledgers that a shared ledger knows.
pub(super) struct Known(pub(super) Rc<Storage>);

impl Known {
    /// Writes down that a ledger stores something. A key of a shared ledger begins with the other ledger's name and a space.
    ///
    /// # Errors
    /// Those of the storage, as for every method.
    pub(super) fn note(&self, key: &str, now: i64) -> worker::Result<()> {
        let Some((ledger, _)) = key.split_once(' ') else {
            return Ok(());
        };
        let statement =
            "INSERT INTO known VALUES (?, ?) ON CONFLICT DO UPDATE SET used_at = excluded.used_at";
        self.0.run(statement, &json!([ledger, now]))
    }

    /// Whether a ledger has stored anything.
    pub(super) fn has(&self, ledger: &str) -> worker::Result<bool> {
        let query = "SELECT 1 AS one FROM known WHERE ledger = ?";
        Ok(!self
            .0
            .rows::<IgnoredAny>(query, &json!([ledger]))?
            .is_empty())
    }

    /// Removes the ledgers that were not used since a time; whether any is left.
    pub(super) fn prune(&self, used_before: i64) -> worker::Result<bool> {
        self.0.run(
            "DELETE FROM known WHERE used_at <= ?",
            &json!([used_before]),
        )?;
        Ok(!self
            .0
            .rows::<IgnoredAny>("SELECT 1 AS one FROM known LIMIT 1", &json!([]))?
            .is_empty())
    }
}
