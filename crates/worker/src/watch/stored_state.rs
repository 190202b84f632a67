//! The state of a watched task in the object's storage.

use std::cell::RefCell;
use std::time::Duration;

use serde::Deserialize;
use serde_json::json;
use worker::worker_sys::DurableObjectState;

use super::state::WatchState;
use crate::platform::storage::{Migrations, Storage};

/// The table of a watcher, version by version: one row with the state as JSON.
const MIGRATIONS: Migrations = &[
    "CREATE TABLE IF NOT EXISTS watched (id INTEGER PRIMARY KEY CHECK (id = 0), task TEXT NOT NULL)",
    // Members are named by what they are.
    "ALTER TABLE watched RENAME COLUMN task TO state;
    UPDATE watched SET state = json_remove(
        json_set(
            state, '$.poll_count', json_extract(state, '$.looks'), '$.polled_at', json_extract(state, '$.looked'),
            '$.min_wait_ms', json_extract(state, '$.wait'), '$.started_at', json_extract(state, '$.since'),
            '$.ended_at', json_extract(state, '$.ended'),
            '$.watched_to_end', json(iif(json_extract(state, '$.followed'), 'true', 'false'))
        ),
        '$.looks', '$.looked', '$.wait', '$.since', '$.ended', '$.followed'
    ) WHERE json_valid(state)",
];

/// The stored state: read once after the object wakes, changed in memory, and written by [`StoredState::store`].
pub(super) struct StoredState {
    storage: Storage,
    state: RefCell<Loaded>,
}

/// What is known of the stored state.
enum Loaded {
    /// It was not read yet.
    No,
    /// It was read, or there is none.
    Yes(Option<Box<WatchState>>),
}

#[derive(Deserialize)]
struct Row {
    state: String,
}

impl StoredState {
    pub(super) fn new(state: DurableObjectState) -> Self {
        StoredState { storage: Storage::new(state, MIGRATIONS), state: RefCell::new(Loaded::No) }
    }

    /// Reads the state, where it was not read since the object woke.
    ///
    /// # Errors
    /// Those of the storage; `SerdeJsonError` for a damaged row.
    pub(super) fn load(&self) -> worker::Result<()> {
        if matches!(*self.state.borrow(), Loaded::No) {
            let rows: Vec<Row> = self.storage.rows("SELECT state FROM watched", &json!([]))?;
            let state = rows.first().map(|it| serde_json::from_str(&it.state)).transpose()?;
            *self.state.borrow_mut() = Loaded::Yes(state);
        }
        Ok(())
    }

    /// Starts with this state, where none is stored.
    pub(super) fn get_or_insert(&self, make: impl FnOnce() -> WatchState) {
        if let Loaded::Yes(state @ None) = &mut *self.state.borrow_mut() {
            *state = Some(Box::new(make()));
        }
    }

    /// Reads from the state, where there is one.
    pub(super) fn read<T>(&self, read: impl FnOnce(&WatchState) -> T) -> Option<T> {
        match &*self.state.borrow() {
            Loaded::Yes(Some(state)) => Some(read(state)),
            _ => None,
        }
    }

    /// Changes the state in memory, where there is one.
    pub(super) fn change<T>(&self, change: impl FnOnce(&mut WatchState) -> T) {
        if let Loaded::Yes(Some(state)) = &mut *self.state.borrow_mut() {
            change(state);
        }
    }

    /// Writes the state.
    ///
    /// # Errors
    /// Those of the storage.
    pub(super) fn store(&self) -> worker::Result<()> {
        match self.read(serde_json::to_string) {
            Some(text) => self.storage.run("INSERT OR REPLACE INTO watched VALUES (0, ?)", &json!([text?])),
            None => Ok(()),
        }
    }

    /// Forgets the state in memory, so that it is read again: a failed write left it ahead of the stored one.
    pub(super) fn reload(&self) {
        *self.state.borrow_mut() = Loaded::No;
    }

    /// Deletes the state, and with it the object.
    ///
    /// # Errors
    /// Those of the host.
    pub(super) async fn delete(&self) -> worker::Result<()> {
        *self.state.borrow_mut() = Loaded::Yes(None);
        self.storage.delete_all().await
    }

    /// Sets the object's alarm, in place of any other.
    ///
    /// # Errors
    /// Those of the host.
    pub(super) async fn set_alarm(&self, after: Duration) -> worker::Result<()> {
        self.storage.set_alarm(after).await
    }
}
