//! Results as inputs: a task in the place of an id is waited for, and the gateway moves its output into the storage, so that no
//! byte passes through the page.

use alloc::string::ToString;
use alloc::vec::Vec;

use mediagate_core::{Issue, Reference, Severity, Value, fits, text::concat, wanted};

use super::machine::{Engine, Outcome};
use crate::error::Error;
use crate::input::Source;
use crate::platform::{Body, Id, Platform, Wake};
use crate::rejection::invalid;
use crate::response::{Expected, unknown, unreadable};
use crate::state::call::{Call, Owner};
use crate::state::pending::Pending;
use crate::state::transfer::{Stage, Transfer};

/// Milliseconds between two requests for a transfer that goes on. The gateway itself waits some seconds for its end.
const PAUSE_MS: u32 = 1_000;

impl<P: Platform> Engine<P> {
    /// The transfer of a task or an output in an input. [`Engine::begin_transfers`] is next.
    pub(super) fn new_transfer(&mut self, promise: Id, gateway: Id, source: Source<P::Value>) -> Id {
        let id = self.platform.new_id();
        self.transfers.insert(id, Transfer { promise, gateway, source, stage: Stage::New });
        id
    }

    /// Begins the new transfers of a create.
    pub(super) fn begin_transfers(&mut self, promise: Id) {
        for id in self.transfers_of(promise) {
            self.begin_transfer(id);
        }
    }

    fn transfers_of(&self, promise: Id) -> Vec<Id> {
        let mut ids = Vec::new();
        self.transfers.ids(&mut ids, &|it| it.promise == promise);
        ids
    }

    fn begin_transfer(&mut self, id: Id) {
        let Some(&mut Transfer { gateway, source, .. }) = self.transfers.get(id) else { return };
        match Reference::read(source.value) {
            Some(Reference::Output { task_id, output }) => self.use_output(id, task_id, output, output.get("output")),
            Some(Reference::Task { id: task_id, capability }) => {
                let snapshot = unknown(&self.platform, task_id, capability);
                let task = self.shared_task(gateway, capability, snapshot, false);
                self.set_transfer_stage(id, Stage::Waiting(task));
                self.wait_for(id, task, Pending::Result { task });
            }
            // The input is valid.
            None => self.finish_transfer(id, Ok(None)),
        }
    }

    fn set_transfer_stage(&mut self, id: Id, stage: Stage<P::Value>) {
        if let Some(transfer) = self.transfers.get(id) {
            transfer.stage = stage;
        }
    }

    /// The task of a transfer ended: its first output that fits is used.
    pub(super) fn task_ended(&mut self, id: Id, outcome: Outcome<P>) {
        let Some(&mut Transfer { source, stage: Stage::Waiting(task), .. }) = self.transfers.get(id) else { return };
        self.release_task(task);
        let snapshot = match outcome {
            Ok(snapshot) => snapshot,
            Err(error) => return self.finish_transfer(id, Err(error)),
        };
        let outputs = snapshot.and_then(|it| it.get("outputs"));
        let found = outputs.and_then(|it| it.items().enumerate().find(|it| fits(source.field.kind, it.1)));
        let task_id = snapshot.and_then(|it| it.get("id"));
        match (found, task_id) {
            (Some((index, output)), Some(task_id)) => {
                let position = Some(self.platform.number(index as f64));
                self.use_output(id, task_id, output, position);
            }
            _ => {
                let error = no_output(&self.platform, &source);
                self.finish_transfer(id, Err(error));
            }
        }
    }

    /// Uses an output: the id of an asset as it is, and a file once it is in the storage.
    fn use_output(&mut self, id: Id, task_id: P::Value, output: P::Value, position: Option<P::Value>) {
        let Some(transfer) = self.transfers.get(id) else { return };
        if transfer.source.field.kind.media().is_none() {
            return self.finish_transfer(id, Ok(output.get("asset_id")));
        }
        let body = self.platform.with_member(None, "task_id", Some(task_id));
        let body = self.platform.with_member(Some(body), "output", position);
        self.move_output(id, body);
    }

    /// Requests that the gateway moves an output, or that it waits on for the end of that.
    fn move_output(&mut self, id: Id, body: P::Value) {
        let Some(&mut Transfer { gateway, .. }) = self.transfers.get(id) else { return };
        let Some(it) = self.gateways.get(gateway) else { return };
        let url = it.url(&self.platform, "files");
        let call = Call::new(gateway, it, Owner::Transfer(id), url, Body::Json(body), Expected::Data);
        let call = self.start(call);
        self.set_transfer_stage(id, Stage::Moving(call, body));
    }

    /// The call of a transfer ended.
    pub(super) fn transfer_call_done(&mut self, id: Id, outcome: Outcome<P>) {
        let Some(&mut Transfer { stage: Stage::Moving(_, body), .. }) = self.transfers.get(id) else { return };
        let data = match outcome {
            Ok(data) => data,
            Err(error) => return self.finish_transfer(id, Err(error)),
        };
        let member = |name| data.and_then(|it: P::Value| it.get(name));
        if let Some(file_id) = member("file_id").and_then(|it| it.identifier()) {
            self.finish_transfer(id, Ok(Some(file_id)));
        } else if member("loaded").is_some() {
            self.set_transfer_stage(id, Stage::Pausing(body));
            self.platform.sleep(id, PAUSE_MS, Wake::Never);
        } else {
            let error = unreadable(&self.platform, 200, "no_file_id");
            self.finish_transfer(id, Err(error));
        }
    }

    /// The pause of a transfer is over.
    pub(super) fn transfer_fired(&mut self, id: Id) {
        if let Some(&mut Transfer { stage: Stage::Pausing(body), .. }) = self.transfers.get(id) {
            self.move_output(id, body);
        }
    }

    fn finish_transfer(&mut self, id: Id, outcome: Outcome<P>) {
        if let Some(transfer) = self.transfers.take(id) {
            self.source_ready(transfer.promise, id, outcome);
        }
    }

    /// Ends the transfers of a create. What the gateway moves already, it moves to the end.
    pub(super) fn end_transfers(&mut self, promise: Id) {
        for id in self.transfers_of(promise) {
            match self.transfers.take(id).map(|it| it.stage) {
                Some(Stage::Waiting(task)) => {
                    self.promises.take(id);
                    self.rest_if_unwatched(task);
                    self.release_task(task);
                }
                Some(Stage::Moving(call, _)) => {
                    self.end_call(call);
                }
                Some(Stage::Pausing(_)) => self.platform.abort(id),
                Some(Stage::New) | None => {}
            }
        }
    }
}

/// The error of a task whose outputs are none that the field takes.
fn no_output<P: Platform>(platform: &P, source: &Source<P::Value>) -> Error<P::Value> {
    let name = source.field.name;
    let path = match source.item {
        Some((_, index)) => concat(&[name, "[", &index.to_string(), "]"]),
        None => name.to_string(),
    };
    let message = concat(&["is a task without such an output; give ", wanted(source.field.kind)]);
    invalid(platform, &[Issue { path, reason: "wrong_type", message, severity: Severity::Error }])
}
