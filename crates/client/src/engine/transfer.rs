//! Results as inputs: a task in the place of an id is waited for, and the gateway moves its output into the storage, so that no
//! byte passes through the page.

use alloc::vec::Vec;

use mediagate_core::{Reference, Value, fits, without_output};

use super::machine::{Engine, Outcome};
use super::upload::MAX_CONCURRENT;
use crate::input::Source;
use crate::platform::{Body, Id, Platform, Wake};
use crate::rejection::invalid;
use crate::response::{Expected, unknown, unreadable};
use crate::state::call::{Call, Owner};
use crate::state::pending::Pending;
use crate::state::upload::Stage;

/// Milliseconds between two requests for a transfer that goes on. The gateway itself waits some seconds for its end.
const PAUSE_MS: u32 = 1_000;
/// Milliseconds after which a transfer looks again whether it is its turn.
const TURN_MS: u32 = 100;

impl<P: Platform> Engine<P> {
    /// Begins the transfers of a create.
    pub(super) fn begin_transfers(&mut self) {
        let mut new = Vec::new();
        self.uploads
            .ids(&mut new, &|it| matches!(it.stage, Stage::New));
        for id in new {
            self.begin_transfer(id);
        }
    }

    fn begin_transfer(&mut self, id: Id) {
        let Some(&mut upload) = self.uploads.get(id) else {
            return;
        };
        match Reference::read(upload.file) {
            Some(Reference::Output { task_id, output }) => {
                self.use_output(id, task_id, output, output.get("output"))
            }
            Some(Reference::Task {
                id: task_id,
                capability,
            }) => {
                let capability = Some(capability);
                let snapshot = unknown(&self.platform, task_id, capability);
                let task = self.shared_task(upload.gateway, capability, snapshot, false);
                self.set_stage(id, Stage::Waiting(task));
                self.wait_for(id, task, Pending::Result { task });
            }
            // The input is valid.
            None | Some(Reference::Step) => self.finish_upload(id, Ok(None)),
        }
    }

    /// The task of a transfer ended: its first output that fits is used.
    pub(super) fn task_ended(&mut self, id: Id, outcome: Outcome<P>) {
        let Some(Stage::Waiting(task)) = self.uploads.get(id).map(|it| it.stage) else {
            return;
        };
        self.release_task(task);
        let (Ok(Some(snapshot)), Some(source)) = (outcome, self.source_of(id)) else {
            return self.finish_upload(id, outcome);
        };
        let outputs = snapshot.get("outputs");
        let found = outputs.and_then(|it| {
            it.items()
                .enumerate()
                .find(|it| fits(source.field.kind, it.1))
        });
        match (found, snapshot.get("id")) {
            (Some((index, output)), Some(task_id)) => {
                let position = Some(self.platform.number(index as f64));
                self.use_output(id, task_id, output, position);
            }
            _ => {
                let issues = without_output(source.field, source.item.map(|it| it.1));
                let error = invalid(&self.platform, &issues);
                self.finish_upload(id, Err(error));
            }
        }
    }

    /// Where the create has the result of a transfer.
    fn source_of(&self, id: Id) -> Option<Source<P::Value>> {
        self.missing
            .iter()
            .find(|it| it.by == id)
            .map(|it| it.source)
    }

    /// Uses an output: the id of an asset as it is, and a file once it is in the storage.
    fn use_output(
        &mut self,
        id: Id,
        task_id: P::Value,
        output: P::Value,
        position: Option<P::Value>,
    ) {
        if self
            .source_of(id)
            .is_some_and(|it| it.field.kind.media().is_none())
        {
            return self.finish_upload(id, Ok(output.get("asset_id")));
        }
        let body = self.platform.with_member(None, "task_id", Some(task_id));
        let body = self.platform.with_member(Some(body), "output", position);
        self.move_output(id, body);
    }

    /// Requests that the gateway moves an output, or that it waits on for the end of that.
    fn move_output(&mut self, id: Id, body: P::Value) {
        let Some(gateway_id) = self.uploads.get(id).map(|it| it.gateway) else {
            return;
        };
        let mut moving = Vec::new();
        self.uploads.ids(&mut moving, &|it| {
            it.gateway == gateway_id && matches!(it.stage, Stage::Moving(..))
        });
        if moving.len() >= MAX_CONCURRENT {
            return self.pause(id, body, TURN_MS);
        }
        let Some(gateway) = self.gateways.get(gateway_id) else {
            return;
        };
        let url = gateway.url(&self.platform, "files");
        let call = Call::new(
            gateway_id,
            gateway,
            Owner::Upload(id),
            url,
            Body::Json(body),
            Expected::Data,
        );
        let call = self.start(call);
        self.set_stage(id, Stage::Moving(call, body));
    }

    /// The gateway has moved an output, or is still at it.
    pub(super) fn moved(&mut self, id: Id, body: P::Value, data: P::Value) {
        if let Some(file_id) = data.get("file_id").and_then(|it| it.identifier()) {
            self.finish_upload(id, Ok(Some(file_id)));
        } else if data.get("loaded").is_some() {
            self.pause(id, body, PAUSE_MS);
        } else {
            let error = unreadable(&self.platform, 200, "no_file_id");
            self.finish_upload(id, Err(error));
        }
    }

    fn pause(&mut self, id: Id, body: P::Value, milliseconds: u32) {
        self.set_stage(id, Stage::Pausing(body));
        self.platform.sleep(id, milliseconds, Wake::Never);
    }

    /// The pause of a transfer is over.
    pub(super) fn transfer_fired(&mut self, id: Id) {
        if let Some(Stage::Pausing(body)) = self.uploads.get(id).map(|it| it.stage) {
            self.move_output(id, body);
        }
    }

    /// A transfer no longer waits for its task.
    pub(super) fn leave_task(&mut self, id: Id, task: Id) {
        self.promises.take(id);
        self.rest_if_unwatched(task);
        self.release_task(task);
    }
}
