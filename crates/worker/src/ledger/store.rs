//! The storage of creates.

use mediagate_core::Group;

use super::record::{CreateRecord, EntryResult, NewEntry};
use super::usage::{CountedTimes, Taken};
use crate::identity::{Item, Taking};

/// The storage of creates. Each call is atomic. Its changes are durable before the object sends any
/// request.
pub trait Store {
    /// The error of the storage.
    type Error;
    /// Returns the record of a key.
    ///
    /// # Errors
    /// Those of the storage, as for every method.
    fn find(&self, key: &str) -> Result<Option<CreateRecord>, Self::Error>;
    /// Writes a record and its entry in the history, unless its key has a record. Returns the
    /// number of the new entry.
    fn insert(
        &self,
        record: &CreateRecord,
        entry: Option<NewEntry<'_>>,
    ) -> Result<Option<i64>, Self::Error>;
    /// Forgets the key of an earlier record. The record's entry stays in the history.
    fn forget_key(&self, key: &str) -> Result<(), Self::Error>;
    /// Writes outcome, task and slot of a record, and the result of its entry, if the key still has
    /// a record.
    fn update(
        &self,
        record: &CreateRecord,
        result: Option<&EntryResult>,
    ) -> Result<(), Self::Error>;
    /// Removes the record of a key, and its entry.
    fn remove(&self, key: &str) -> Result<(), Self::Error>;
    /// Frees the slots of a task. Returns the times until which they were taken.
    fn free(&self, group: Group, task: &str) -> Result<Vec<i64>, Self::Error>;
    /// Forgets the keys of creates stored up to `before`, and removes the rows of creates without
    /// an entry. Returns the time of the oldest key that is left.
    fn prune(&self, before: i64) -> Result<Option<i64>, Self::Error>;
    /// Counts a taking in the bucket that begins at `bucket`.
    fn take(&self, taking: &Taking, bucket: i64) -> Result<(), Self::Error>;
    /// Returns the sums of an item over the buckets that begin after `since`.
    fn taken(&self, item: Item, since: i64) -> Result<Taken, Self::Error>;
    /// Returns true if any key begins with `prefix`, which must be ASCII.
    fn has_prefix(&self, prefix: &str) -> Result<bool, Self::Error>;
    /// Returns the times of the records after `since`, and the slots that are taken at `now`.
    fn counted(&self, since: i64, now: i64) -> Result<CountedTimes, Self::Error>;
}
