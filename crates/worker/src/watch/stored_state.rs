//! The state of a watched task in the object's storage.

use std::cell::{Cell, RefCell};
use std::time::Duration;

use serde::Deserialize;
use serde_json::json;
use worker::worker_sys::DurableObjectState;

use super::state::WatchState;
use crate::platform::storage::{Migrations, Storage};

/// The longest piece of the state in one row, in bytes. No value may be longer than 2 MB.
const MAX_PIECE_BYTES: usize = 1_000_000;

/// The table of a watcher: the state as JSON, in pieces.
const MIGRATIONS: Migrations =
    &["CREATE TABLE pieces (number INTEGER PRIMARY KEY, text TEXT NOT NULL)"];

/// The stored state. It is read once after the object starts, changed in memory, and written by
/// [`StoredState::store`].
pub(super) struct StoredState {
    storage: Storage,
    state: RefCell<Loaded>,
    /// The number of stored pieces.
    stored_pieces: Cell<usize>,
}

/// The state in memory.
enum Loaded {
    /// The storage was not read yet.
    No,
    /// The storage was read. `None` if it has no state.
    Yes(Option<Box<WatchState>>),
}

#[derive(Deserialize)]
struct Piece {
    text: String,
}

impl StoredState {
    pub(super) fn new(state: DurableObjectState) -> Self {
        StoredState {
            storage: Storage::new(state, MIGRATIONS),
            state: RefCell::new(Loaded::No),
            stored_pieces: Cell::new(0),
        }
    }

    /// Reads the state, unless it is in memory.
    ///
    /// # Errors
    /// Those of the storage; `SerdeJsonError` for a damaged row.
    pub(super) fn load(&self) -> worker::Result<()> {
        if matches!(*self.state.borrow(), Loaded::No) {
            let pieces: Vec<Piece> = self
                .storage
                .rows("SELECT text FROM pieces ORDER BY number", &json!([]))?;
            self.stored_pieces.set(pieces.len());
            let text: String = pieces.into_iter().map(|piece| piece.text).collect();
            let state = if text.is_empty() {
                None
            } else {
                Some(serde_json::from_str(&text)?)
            };
            *self.state.borrow_mut() = Loaded::Yes(state);
        }
        Ok(())
    }

    /// Begins with a new state in memory if none is stored.
    pub(super) fn insert_if_none(&self, make: impl FnOnce() -> WatchState) {
        if let Loaded::Yes(state @ None) = &mut *self.state.borrow_mut() {
            *state = Some(Box::new(make()));
        }
    }

    /// Applies a function to the state. Returns `None` if there is no state.
    pub(super) fn read<T>(&self, read: impl FnOnce(&WatchState) -> T) -> Option<T> {
        match &*self.state.borrow() {
            Loaded::Yes(Some(state)) => Some(read(state)),
            _ => None,
        }
    }

    /// Changes the state in memory. Does nothing if there is no state.
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
        let Some(text) = self.read(serde_json::to_string).transpose()? else {
            // The object was deleted while a request waited.
            return Ok(());
        };
        // Without an await in between, the platform stores all of these writes or none.
        let pieces = pieces(&text);
        for (number, piece) in pieces.iter().enumerate() {
            self.storage.run(
                "INSERT OR REPLACE INTO pieces VALUES (?, ?)",
                &json!([number, piece]),
            )?;
        }
        if pieces.len() < self.stored_pieces.replace(pieces.len()) {
            self.storage.run(
                "DELETE FROM pieces WHERE number >= ?",
                &json!([pieces.len()]),
            )?;
        }
        Ok(())
    }

    /// Drops the state in memory. It is read again, since a failed write may have left it ahead of
    /// the stored state.
    pub(super) fn reload(&self) {
        *self.state.borrow_mut() = Loaded::No;
    }

    /// Deletes the state, and with it the object.
    ///
    /// # Errors
    /// Those of the host.
    pub(super) async fn delete(&self) -> worker::Result<()> {
        *self.state.borrow_mut() = Loaded::Yes(None);
        self.stored_pieces.set(0);
        self.storage.delete_all().await
    }

    /// Sets the object's alarm, instead of any earlier alarm.
    ///
    /// # Errors
    /// Those of the host.
    pub(super) async fn set_alarm(&self, after: Duration) -> worker::Result<()> {
        self.storage.set_alarm(after).await
    }
}

/// Splits a string into pieces that fit into a row.
fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(rest.floor_char_boundary(MAX_PIECE_BYTES));
        pieces.push(piece);
        rest = after;
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_fit_into_a_row_and_together_are_the_text() {
        for text in [
            "",
            "a",
            &"a".repeat(MAX_PIECE_BYTES),
            &"ä€😀".repeat(MAX_PIECE_BYTES / 4),
        ] {
            let pieces = pieces(text);
            assert_eq!(pieces.concat(), text);
            assert!(
                pieces
                    .iter()
                    .all(|piece| !piece.is_empty() && piece.len() <= MAX_PIECE_BYTES)
            );
            assert_eq!(pieces.len(), text.len().div_ceil(MAX_PIECE_BYTES));
        }
    }
}
