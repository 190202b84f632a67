//! The last snapshots of tasks, for callers on other threads.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use mediagate_client::Id;

use crate::platform::{Engine, snapshot};
use crate::snapshot::TaskSnapshot;
use crate::value::Handle;

/// The last snapshot of a task.
#[derive(Debug)]
pub(crate) struct Published(Mutex<Arc<TaskSnapshot>>);

impl Published {
    /// The last snapshot.
    pub(crate) fn get(&self) -> Arc<TaskSnapshot> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    fn set(&self, snapshot: Arc<TaskSnapshot>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = snapshot;
    }
}

/// The tasks that callers have, each with the handle of the snapshot that was published last.
#[derive(Default)]
pub(super) struct Tasks(HashMap<Id, (Handle, Weak<Published>)>);

impl Tasks {
    /// Publishes the snapshots that have changed, and forgets the tasks that no caller has.
    pub(super) fn publish(&mut self, engine: &mut Engine) {
        self.0.retain(|id, (last, task)| {
            let (Some(task), Some(present)) = (task.upgrade(), engine.snapshot(*id)) else {
                return false;
            };
            if present != *last {
                *last = present;
                task.set(Arc::new(snapshot(&present.value())));
            }
            true
        });
    }

    /// The task with this id; `None` where the engine has no such task.
    pub(super) fn get(&mut self, engine: &mut Engine, id: Id) -> Option<Arc<Published>> {
        let handle = engine.snapshot(id)?;
        if let Some(known) = self.0.get(&id).and_then(|it| it.1.upgrade()) {
            return Some(known);
        }
        let new = Arc::new(Published(Mutex::new(Arc::new(snapshot(&handle.value())))));
        self.0.insert(id, (handle, Arc::downgrade(&new)));
        Some(new)
    }
}
