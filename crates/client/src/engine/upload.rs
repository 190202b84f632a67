//! Uploads: an upload URL from the gateway, then a `PUT` of the bytes (§4.1), from the file and never through the engine.

use alloc::vec::Vec;

use mediagate_core::Value;

use super::machine::{Engine, Outcome};
use crate::error::Error;
use crate::platform::{Body, Id, Platform};
use crate::response::{Expected, unreadable};
use crate::state::call::{Call, Owner};
use crate::state::pending::Pending;
use crate::state::upload::{Stage, Started, Upload};

/// The most uploads to a gateway at once. More would share the same bandwidth, and take a browser's last connection to
/// the storage.
pub(super) const MAX_CONCURRENT: usize = 4;

impl<P: Platform> Engine<P> {
    /// Uploads a file, with the subscriber to its progress. The value of the promise is the file id.
    ///
    /// It rejects with `upload_failed` where the storage did not accept the bytes, and with those of any read.
    pub fn upload(&mut self, promise: Id, gateway: Id, file: P::Value, progress: Option<P::Value>) {
        if !self.gateways.has(gateway) {
            return self.reject_unknown(promise);
        }
        match self.start_upload(gateway, file, progress) {
            Started::Done(file_id) => self.resolve_upload(promise, progress, file, file_id),
            Started::Running(upload) => {
                self.promises
                    .insert(promise, Pending::Upload { upload, progress });
                self.start_queued(gateway);
            }
        }
    }

    fn resolve_upload(
        &self,
        promise: Id,
        progress: Option<P::Value>,
        file: P::Value,
        file_id: P::Value,
    ) {
        // Where `fetch` sends the bytes, there is no other progress.
        if let Some(progress) = progress {
            self.platform.notify_done(progress, file);
        }
        self.platform.resolve(promise, Some(file_id));
    }

    /// The upload of a file, or the one of the same file that is under way. [`Engine::start_queued`] is next.
    pub(super) fn start_upload(
        &mut self,
        gateway: Id,
        file: P::Value,
        progress: Option<P::Value>,
    ) -> Started<P::Value> {
        if let Some(file_id) = self.platform.file_id(gateway, file) {
            return Started::Done(file_id);
        }
        let is_same = |it: &Upload<P::Value>| {
            it.gateway == gateway && self.platform.is_identical(Some(it.file), Some(file))
        };
        let running = self.uploads.find(&|_, it| is_same(it));
        Started::Running(
            running.unwrap_or_else(|| self.new_upload(gateway, file, progress, Stage::Queued)),
        )
    }

    pub(super) fn new_upload(
        &mut self,
        gateway: Id,
        file: P::Value,
        progress: Option<P::Value>,
        stage: Stage<P::Value>,
    ) -> Id {
        let id = self.platform.new_id();
        self.uploads.insert(
            id,
            Upload {
                gateway,
                file,
                progress,
                stage,
                has_renewed: false,
            },
        );
        id
    }

    /// Starts the uploads whose turn it is.
    pub(super) fn start_queued(&mut self, gateway: Id) {
        let mut running = Vec::new();
        let is_running = |it: &Stage<_>| matches!(it, Stage::Signing(_) | Stage::Sending(..));
        self.uploads.ids(&mut running, &|it| {
            it.gateway == gateway && is_running(&it.stage)
        });
        for _ in running.len()..MAX_CONCURRENT {
            let next = self
                .uploads
                .find(&|_, it| it.gateway == gateway && matches!(it.stage, Stage::Queued));
            let Some(next) = next else { return };
            self.sign(next);
        }
    }

    /// Requests an upload URL.
    fn sign(&mut self, id: Id) {
        let Some(upload) = self.uploads.get(id) else {
            return;
        };
        let Some(gateway) = self.gateways.get(upload.gateway) else {
            return;
        };
        let url = gateway.url(&self.platform, "upload_urls");
        let body = Body::Json(self.platform.file_info(upload.file));
        let call = Call::new(
            upload.gateway,
            gateway,
            Owner::Upload(id),
            url,
            body,
            Expected::Data,
        );
        let call = self.start(call);
        self.set_stage(id, Stage::Signing(call));
    }

    pub(super) fn set_stage(&mut self, id: Id, stage: Stage<P::Value>) {
        if let Some(upload) = self.uploads.get(id) {
            upload.stage = stage;
        }
    }

    /// The call of an upload ended.
    pub(super) fn upload_call_done(&mut self, id: Id, outcome: Outcome<P>) {
        let Some(upload) = self.uploads.get(id) else {
            return;
        };
        match (upload.stage, outcome) {
            (Stage::Signing(_), Ok(Some(data))) => self.put(id, data),
            (Stage::Moving(_, body), Ok(Some(data))) => self.moved(id, body, data),
            (Stage::Sending(_, file_id), Ok(_)) => {
                self.platform
                    .remember_file(upload.gateway, upload.file, file_id);
                self.finish_upload(id, Ok(Some(file_id)));
            }
            (Stage::Sending(..), Err(error)) if !upload.has_renewed && is_stale(&error) => {
                upload.has_renewed = true;
                self.sign(id);
            }
            (_, outcome) => self.finish_upload(id, outcome),
        }
    }

    /// Sends the bytes to the upload URL of a response, in the way that it describes.
    fn put(&mut self, id: Id, data: P::Value) {
        let Some(upload) = self.uploads.get(id) else {
            return;
        };
        let Some(gateway) = self.gateways.get(upload.gateway) else {
            return;
        };
        let url = data
            .get("upload_url")
            .filter(|it| it.text().is_some_and(|it| !it.is_empty()));
        let file_id = data.get("file_id").and_then(|it| it.identifier());
        let (Some(url), Some(file_id)) = (url, file_id) else {
            let error = unreadable(&self.platform, 200, "no_upload_url");
            return self.finish_upload(id, Err(error));
        };
        let body = Body::File(upload.file, upload.progress, data);
        let mut call = Call::new(
            upload.gateway,
            gateway,
            Owner::Upload(id),
            url,
            body,
            Expected::Stored,
        );
        // The token is sent to the gateway's own upload relay and to no other URL.
        let relay = gateway.url(&self.platform, "uploads/");
        call.in_session = self.platform.starts_with(url, relay);
        call.request.method = "PUT";
        let call = self.start(call);
        self.set_stage(id, Stage::Sending(call, file_id));
    }

    /// The promises that wait for an upload.
    pub(super) fn waiting_for_upload(&self, id: Id) -> Vec<Id> {
        let mut waiting = Vec::new();
        self.promises.ids(
            &mut waiting,
            &|it| matches!(it, Pending::Upload { upload, .. } if *upload == id),
        );
        self.missing
            .iter()
            .filter(|it| it.by == id)
            .for_each(|it| waiting.push(it.promise));
        waiting
    }

    /// Removes an upload, and passes its outcome to the promises that wait for it.
    pub(super) fn finish_upload(&mut self, id: Id, outcome: Outcome<P>) {
        let waiting = self.waiting_for_upload(id);
        let Some(upload) = self.uploads.take(id) else {
            return;
        };
        for promise in waiting {
            match (self.promises.get(promise), outcome) {
                (Some(&mut Pending::Upload { progress, .. }), Ok(Some(file_id))) => {
                    self.promises.take(promise);
                    self.resolve_upload(promise, progress, upload.file, file_id);
                }
                (Some(Pending::Upload { .. }), Err(error)) => self.reject(promise, error),
                // One with the file in several places is there as often.
                (Some(Pending::Prepare(_)), _) => self.source_ready(promise, id, outcome),
                _ => {}
            }
        }
        self.start_queued(upload.gateway);
    }

    /// Ends the uploads and transfers for which no promise waits. [`Engine::start_queued`] is next.
    pub(super) fn end_unwanted_uploads(&mut self) {
        let mut all = Vec::new();
        self.uploads.ids(&mut all, &|_| true);
        for id in all {
            if !self.waiting_for_upload(id).is_empty() {
                continue;
            }
            match self.uploads.take(id).map(|it| it.stage) {
                Some(Stage::Signing(call) | Stage::Sending(call, _) | Stage::Moving(call, _)) => {
                    self.end_call(call);
                }
                Some(Stage::Waiting(task)) => self.leave_task(id, task),
                // A pause.
                _ => self.platform.abort(id),
            }
        }
    }
}

/// Whether the response of a storage, or of the relay, means that an upload URL has expired or is not valid, so that a new
/// one may work.
fn is_stale<V>(error: &Error<V>) -> bool {
    matches!(error.status, 400 | 401 | 403 | 410)
}
