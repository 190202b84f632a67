//! What a caller waits for, within the caller's limits.

use super::machine::{Engine, Outcome};
use crate::error::Error;
use crate::platform::{Id, Platform};
use crate::response::Expected;
use crate::state::call::Call;
use crate::state::create::Create;
use crate::state::pending::Pending;

impl<P: Platform> Engine<P> {
    /// The caller's limits end a promise with an error. What it waits for ends too, unless others wait for it.
    pub fn limited(&mut self, promise: Id, error: Error<P::Value>) {
        let mut create = None;
        match self.promises.take(promise) {
            None => {}
            Some(Pending::Connect(gateway)) => self.stop_waiting(gateway),
            Some(Pending::Prepare(preparation)) => {
                self.leave_sources(promise, preparation.gateway);
                create = preparation.create;
            }
            Some(Pending::Call(call) | Pending::Refresh { call, .. }) => {
                create = self.end_call(call).and_then(|it| it.create);
            }
            Some(Pending::Upload { upload, .. }) => {
                let gateway = self.uploads.get(upload).map(|it| it.gateway);
                self.leave_sources(promise, gateway.unwrap_or_default());
            }
            Some(Pending::End { task } | Pending::Result { task } | Pending::Next { task, .. }) => {
                self.rest_if_unwatched(task);
            }
        }
        self.reject_create(promise, create, error);
    }

    /// The call of a promise ended.
    pub(super) fn promised_call_done(
        &mut self,
        promise: Id,
        call: &Call<P::Value>,
        outcome: Outcome<P>,
    ) {
        let Some(pending) = self.promises.take(promise) else {
            return;
        };
        let value = match outcome {
            Ok(value) => value,
            Err(error) => match pending {
                // A resume that was repeated: the pipeline may go on by the one before, whose response was lost.
                Pending::Refresh { task, .. } if error.status == 409 && call.failures > 1 => {
                    return self.refresh(promise, task);
                }
                _ => return self.reject(promise, error),
            },
        };
        match (pending, call.expected, value) {
            (Pending::Refresh { task, changes, .. }, _, Some(value)) => {
                self.refreshed(promise, task, changes, value)
            }
            (_, Expected::Created(capability), Some(snapshot)) => {
                let task = self.new_task(call.gateway, capability, snapshot);
                self.platform.resolve_handle(promise, task);
            }
            _ => self.platform.resolve(promise, value),
        }
    }

    /// Rejects a promise of a create, with what is known of it, or of anything else.
    pub(super) fn reject_create(
        &mut self,
        promise: Id,
        create: Option<Create<P::Value>>,
        error: Error<P::Value>,
    ) {
        let error = create.map_or(error, |it| it.explain(&self.platform, error, None));
        self.reject(promise, error);
    }

    /// Fulfils a promise, or passes the value to a transfer.
    pub(super) fn fulfil(&mut self, promise: Id, value: Option<P::Value>) {
        match self.promises.take(promise) {
            Some(Pending::Result { .. }) => self.task_ended(promise, Ok(value)),
            _ => self.platform.resolve(promise, value),
        }
    }

    /// Rejects a promise, or passes the error to a transfer.
    pub(super) fn reject(&mut self, promise: Id, error: Error<P::Value>) {
        match self.promises.take(promise) {
            Some(Pending::Result { .. }) => self.task_ended(promise, Err(error)),
            _ => self.platform.reject(promise, error.value),
        }
    }

    /// Rejects a promise of something that the engine does not have.
    pub(super) fn reject_unknown(&mut self, promise: Id) {
        let error = Error::crashed(&self.platform);
        self.reject(promise, error);
    }
}
