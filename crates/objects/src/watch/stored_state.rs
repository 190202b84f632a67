use std::cell::RefCell;
use std::time::Duration;

use mediagate_platform::Document;
use worker::worker_sys::DurableObjectState;

use super::state::WatchState;

/// The stored state. It is read once after the object starts, changed in memory, and written by
/// [`StoredState::store`].
pub(super) struct StoredState {
    document: Document,
    state: RefCell<Loaded>,
}

enum Loaded {
    No,
    /// The storage was read. `None` if it has no state.
    Yes(Option<Box<WatchState>>),
}

impl StoredState {
    pub(super) fn new(state: DurableObjectState) -> Self {
        StoredState {
            document: Document::new(state),
            state: RefCell::new(Loaded::No),
        }
    }

    /// Reads the state, unless it is in memory. Fails with `SerdeJsonError` for a damaged row.
    pub(super) fn load(&self) -> worker::Result<()> {
        if matches!(*self.state.borrow(), Loaded::No) {
            let state = self.document.load()?;
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

    pub(super) fn read<T>(&self, read: impl FnOnce(&WatchState) -> T) -> Option<T> {
        match &*self.state.borrow() {
            Loaded::Yes(Some(state)) => Some(read(state)),
            _ => None,
        }
    }

    pub(super) fn is(&self, test: impl FnOnce(&WatchState) -> bool) -> bool {
        self.read(test).unwrap_or_default()
    }

    /// Changes the state in memory. Does nothing if there is no state.
    pub(super) fn change<T>(&self, change: impl FnOnce(&mut WatchState) -> T) {
        if let Loaded::Yes(Some(state)) = &mut *self.state.borrow_mut() {
            change(state);
        }
    }

    pub(super) fn store(&self) -> worker::Result<()> {
        // Without a state, the object was deleted while a request waited.
        self.read(|state| self.document.store(state))
            .unwrap_or(Ok(()))
    }

    /// Drops the state in memory. A failed write may have left it ahead of the stored state.
    pub(super) fn reload(&self) {
        *self.state.borrow_mut() = Loaded::No;
    }

    /// Deletes the state, and with it the object.
    pub(super) async fn delete(&self) -> worker::Result<()> {
        *self.state.borrow_mut() = Loaded::Yes(None);
        self.document.delete().await
    }

    pub(super) async fn set_alarm(&self, after: Duration) -> worker::Result<()> {
        self.document.set_alarm(after).await
    }
}
