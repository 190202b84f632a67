//! Where creates are stored.

use mediagate_core::Group;

use super::record::{CreateRecord, EntryResult, NewEntry};
use super::usage::{CountedTimes, Taken};
use crate::identity::{Item, Taking};

/// Where creates are stored. Each call is atomic, and what it wrote is durable before any request leaves the object.
pub trait Store {
    /// Why storage failed.
    type Error;
    /// The record of a key.
    ///
    /// # Errors
    /// Those of the storage, as for every method.
    fn find(&self, key: &str) -> Result<Option<CreateRecord>, Self::Error>;
    /// Writes a record and its entry in the history, unless its key has a record. Returns the entry's number if it was written.
    fn insert(
        &self,
        record: &CreateRecord,
        entry: Option<NewEntry<'_>>,
    ) -> Result<Option<i64>, Self::Error>;
    /// Forgets the key of an earlier record, whose entry stays in the history.
    fn forget_key(&self, key: &str) -> Result<(), Self::Error>;
    /// Writes outcome, task and slot of a record, and its entry's result, if its key still has a record.
    fn update(
        &self,
        record: &CreateRecord,
        result: Option<&EntryResult>,
    ) -> Result<(), Self::Error>;
    /// Removes the record of a key, and its entry.
    fn remove(&self, key: &str) -> Result<(), Self::Error>;
    /// Frees the slots of a task; returns until when they were taken.
    fn free(&self, group: Group, task: &str) -> Result<Vec<i64>, Self::Error>;
    /// Forgets the keys of creates up to a time, and removes what no entry needs. Returns the time of the oldest key that is left.
    fn prune(&self, before: i64) -> Result<Option<i64>, Self::Error>;
    /// Counts what is taken, in the bucket that begins at a time.
    fn take(&self, taking: &Taking, bucket: i64) -> Result<(), Self::Error>;
    /// What was taken of an item in the buckets that begin after a time.
    fn taken(&self, item: Item, since: i64) -> Result<Taken, Self::Error>;
    /// Whether any key begins with these characters, which are ASCII.
    fn has_prefix(&self, prefix: &str) -> Result<bool, Self::Error>;
    /// When the records since a time were created, and the slots that are taken now.
    fn counted(&self, since: i64, now: i64) -> Result<CountedTimes, Self::Error>;
}
