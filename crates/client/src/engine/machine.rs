//! What the engine keeps, and the events that concern more than one kind of it.

use alloc::vec::Vec;

use crate::error::Error;
use crate::platform::{Id, Platform};
use crate::state::call::Call;
use crate::state::create::Missing;
use crate::state::gateway::Gateway;
use crate::state::pending::Pending;
use crate::state::task::{Subscription, Task, Unread};
use crate::state::upload::Upload;
use crate::table::Table;

/// All clients of a page, with what they have started.
pub struct Engine<P: Platform> {
    pub(super) platform: P,
    pub(super) gateways: Table<Gateway<P::Value>>,
    pub(super) promises: Table<Pending<P::Value>>,
    pub(super) calls: Table<Call<P::Value>>,
    pub(super) uploads: Table<Upload<P::Value>>,
    /// The ids for which creates wait.
    pub(super) missing: Vec<Missing<P::Value>>,
    pub(super) tasks: Table<Task<P::Value>>,
    pub(super) subscriptions: Table<Subscription>,
    /// What subscribers have not taken yet, oldest first: of snapshots with the same state only the last.
    pub(super) unread: Vec<Unread<P::Value>>,
}

/// The value of a call, or its error.
pub(super) type Outcome<P> = Result<Option<<P as Platform>::Value>, Error<<P as Platform>::Value>>;

impl<P: Platform> Engine<P> {
    /// An engine with nothing in it.
    pub fn new(platform: P) -> Self {
        Engine {
            platform,
            gateways: Table::default(),
            promises: Table::default(),
            calls: Table::default(),
            uploads: Table::default(),
            missing: Vec::new(),
            tasks: Table::default(),
            subscriptions: Table::default(),
            unread: Vec::new(),
        }
    }

    /// The time of [`Platform::sleep`] is over, or what it waits for has come.
    pub fn fired(&mut self, id: Id) {
        if self.calls.has(id) {
            self.call_fired(id);
        } else if self.uploads.has(id) {
            self.transfer_fired(id);
        } else {
            self.task_fired(id);
        }
    }

    /// A handle of a client or of a task is gone, or a subscription to a task. A handle is kept for as long as a promise,
    /// or a subscription, of it is pending; and that of a client for as long as those of its tasks.
    pub fn release(&mut self, id: Id) {
        if let Some(gateway) = self.gateways.get(id) {
            gateway.handles = gateway.handles.saturating_sub(1);
            self.drop_unused_gateways();
        } else {
            self.release_task(id);
        }
    }

    /// Whether nothing is under way, and nothing is kept but clients and tasks.
    pub fn is_idle(&self) -> bool {
        self.promises.iter().next().is_none()
            && self.calls.iter().next().is_none()
            && self.uploads.iter().next().is_none()
            && self.missing.is_empty()
            && self.tasks.iter().all(|it| it.1.is_resting())
    }

    /// Visits the values that it refers to: the platform may drop all others between two events.
    pub fn referenced(&self, visit: &mut dyn FnMut(P::Value)) {
        let mut all =
            |values: &[Option<P::Value>]| values.iter().flatten().for_each(|it| visit(*it));
        self.gateways.iter().for_each(|it| all(&it.1.values()));
        self.promises.iter().for_each(|it| all(&it.1.values()));
        self.calls.iter().for_each(|it| all(&it.1.values()));
        self.uploads.iter().for_each(|it| all(&it.1.values()));
        self.missing
            .iter()
            .for_each(|it| all(&[it.source.item.map(|it| it.0)]));
        self.tasks.iter().for_each(|it| all(&it.1.values()));
        self.unread.iter().for_each(|it| all(&[Some(it.snapshot)]));
    }
}
